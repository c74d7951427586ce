/** The web port: routing, bodies, cross-origin requests, host names, compression and internal errors. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchedDomains } from '../../src/http/middleware/sites.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { yieldsOf } from '../fixtures/yields.ts';
import { alpha, openReceiver, type TestReceiver } from './receiver.ts';
import { get, names, parseXml } from './reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

/** Nested lists in JSON. */
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** A multipart form of these fields. */
function multipart(boundary: string, ...fields: readonly (readonly [name: string, value: string])[]): string {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${boundary}--\r\n`;
}

/** The beginning of a multipart form: that of a file. */
const fileHead = '--cut\r\nContent-Disposition: form-data; name="set"; filename="a"\r\n\r\n';

describe('routes', () => {
  it.each(['/web/currenttime', '//web/currenttime', '/web/currenttime/', '/web/current.time', '/web/c.u.r.renttime'])(
    '%s is found',
    async (path) => {
      expect((await get(receiver, path)).status).toBe(200);
    },
  );

  it('answers GET, HEAD and POST in the same way', async () => {
    for (const method of ['GET', 'POST'] as const) {
      expect(await get(receiver, '/web/vol', {}, { method })).toMatchObject({
        status: 200,
        type: 'text/xml; charset=UTF-8',
      });
    }
    const head = await get(receiver, '/api/vol', {}, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '' });
  });

  it('reports unknown names with 404 in the format of the family', async () => {
    const web = await get(receiver, '/web/nosuch');
    expect(web).toMatchObject({ status: 404, type: 'text/xml; charset=UTF-8' });
    expect(names(parseXml(web.body))).toEqual(['e2state', 'e2statetext']);
    const api = await get(receiver, '/api/nosuch');
    expect(api).toMatchObject({ status: 404, type: 'application/json; charset=utf-8' });
    expect(JSON.parse(api.body)).toEqual({
      result: false,
      message: "operation 'nosuch' not found",
      error: 'not-found',
    });
    const other = await get(receiver, '/nosuch?x=1');
    expect(other.status).toBe(404);
    expect(JSON.parse(other.body)).toEqual({
      result: false,
      message: '/nosuch not found',
      error: 'not-found',
      _request: { path: '/nosuch', method: 'GET' },
    });
  });

  it('returns 404 for the SAT>IP description while the SAT>IP server is disabled', async () => {
    const { status, body } = await get(receiver, '/satip/desc.xml');
    expect(status).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ result: false, error: 'not-found' });
  });

  it('is case-sensitive', async () => {
    expect((await get(receiver, '/web/CurrentTime')).status).toBe(404);
  });

  it('responds to a path that cannot be decoded', async () => {
    const reply = await get(receiver, '/api/%zz');
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({ result: false });
    expect(reply.headers['access-control-allow-origin']).toBe('*');
  });

  it.each(['/http://127.0.0.1:8080/api/vol', '/http://user:pass@box/api/vol', '/https://box:8443/api/vol?x=http://y'])(
    'removes a base URL that a client has repeated: %s',
    async (path) => {
      expect((await get(receiver, path)).status).toBe(200);
    },
  );
});

describe('bodies of POST requests', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it('are merged with the URL, which takes precedence', async () => {
    const reply = await get(
      receiver,
      '/web/epgservice',
      { sRef: alpha },
      { method: 'POST', headers: form, payload: 'sRef=nonsense&time=1&endTime=1' },
    );
    expect(names(parseXml(reply.body))).toEqual([]);
  });

  it.each([
    ['an empty form', form, ''],
    ['a form of garbage', form, Buffer.from([0xff, 0x00, 0x26, 0x3d, 0x25])],
    ['a form with a charset', { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }, 'a=1'],
    ['broken JSON', { 'content-type': 'application/json' }, '{'],
    ['deeply nested JSON', { 'content-type': 'application/json' }, `{"a":${nested(9000)}}`],
    ['JSON nested as deep as fits', { 'content-type': 'application/json' }, nested(120_000)],
    ['any other type', { 'content-type': 'image/x-nothing' }, 'abc'],
    ['no type', {}, 'abc'],
    ['an invalid type', { 'content-type': 'nonsense' }, 'abc'],
    ['an unknown coding', { 'content-encoding': 'nonsense', 'content-type': 'text/plain' }, 'abc'],
    ['a wrong coding', { ...form, 'content-encoding': 'gzip' }, 'abc'],
  ])('may be %s', async (_, headers, payload) => {
    const reply = await get(receiver, '/api/currenttime', {}, { method: 'POST', headers, payload });
    expect(reply.status).toBe(200);
  });

  it('may have lone surrogates in JSON', async () => {
    const payload = '{"bName": "\\ud800", "sRef": ["\\udc00"]}';
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, payload } as const;
    expect(await get(receiver, '/web/services.xspf', {}, options)).toMatchObject({ status: 200 });
  });

  it.each([
    ['JSON', 'application/json', '{"set": "set12", "x": null, "y": {"z": 1}}'],
    ['a list in JSON', 'application/json; charset=utf-8', '{"set": ["set12", "set13"]}'],
    ['a multipart form', 'multipart/form-data; boundary=cut', multipart('cut', ['set', 'set12'], ['set', 'set13'])],
    [
      'a truncated multipart form',
      'multipart/form-data; boundary=cut',
      `${multipart('cut', ['set', 'set12']).replace(/--cut--\r\n$/, '')}--cut\r\nCont`,
    ],
  ])('supply parameters from %s', async (_, type, payload) => {
    await get(receiver, '/api/vol', { set: 'set99' });
    const options = { method: 'POST', headers: { 'content-type': type }, payload } as const;
    expect(JSON.parse((await get(receiver, '/api/vol', {}, options)).body)).toMatchObject({
      result: true,
      current: 12,
    });
    const both = await get(receiver, '/api/vol', { set: 'set50' }, options);
    expect(JSON.parse(both.body)).toMatchObject({ current: 50 });
  });

  it.each([
    ['JSON that is not an object', 'application/json', '[1, "set"]'],
    ['JSON that is null', 'application/json', 'null'],
    ['a multipart form without a boundary', 'multipart/form-data', 'set=set1'],
    ['a multipart form of garbage', 'multipart/form-data; boundary=cut', Buffer.alloc(2000, 0xff)],
    ['an empty multipart form', 'multipart/form-data; boundary=cut', ''],
    [
      'a file in a multipart form',
      'multipart/form-data; boundary=cut',
      `${fileHead}${'x'.repeat(400_000)}\r\n--cut--\r\n`,
    ],
    ['a file in a multipart form, cut off', 'multipart/form-data; boundary=cut', `${fileHead}x`],
    ['a large body other than a form', 'image/png', Buffer.alloc(3_000_000)],
  ])('are read and ignored: %s', async (_, type, payload) => {
    await get(receiver, '/api/vol', { set: 'set33' });
    const options = { method: 'POST', headers: { 'content-type': type }, payload } as const;
    const reply = await get(receiver, '/api/vol', { set: 'state' }, options);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toMatchObject({ result: true, current: 33 });
  });

  it('supply the parameters in the first 256 KiB of a multipart form', async () => {
    await get(receiver, '/api/vol', { set: 'set33' });
    const file = `${fileHead}${'x'.repeat(300_000)}\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=cut' };
    for (const [payload, current] of [
      [file + multipart('cut', ['set', 'set1']), 33],
      [multipart('cut', ['set', 'set12']).replace(/--cut--\r\n$/, '') + file, 12],
    ] as const) {
      const reply = await get(receiver, '/api/vol', {}, { method: 'POST', headers, payload });
      expect(JSON.parse(reply.body)).toMatchObject({ result: true, current });
    }
  });

  it('are parsed in time slices if they are multipart forms, up to their last part that counts', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=cut' };
    const yieldsFor = (payload: string) =>
      yieldsOf(() => get(receiver, '/api/vol', {}, { method: 'POST', headers, payload }));
    const field = multipart('cut', ['other', 'x'.repeat(20_000)]);
    expect(await yieldsFor(field)).toBeGreaterThan(2);
    const boundaries = '--cut\r\n'.repeat(30_000);
    expect(await yieldsFor(boundaries)).toBeLessThan(boundaries.length / 2 / 4096);
  });

  it.each(['application/octet-stream', 'multipart/form-data; boundary=cut'])(
    'get a response to endless %s',
    async (type) => {
      if (!receiver.app.server.listening) await receiver.app.listen({ host: '127.0.0.1', port: 0 });
      const { address: hostname, port } = receiver.app.server.address() as AddressInfo;
      const request = http.request({
        hostname,
        port,
        path: '/api/vol',
        method: 'POST',
        headers: { 'content-type': type },
      });
      request.on('error', () => undefined);
      let open = true;
      const head = multipart('cut').replace(
        /--cut--\r\n$/,
        '--cut\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n',
      );
      request.write(type.startsWith('multipart') ? head : '');
      const feed = () => {
        if (open) request.write(Buffer.alloc(65_536, 0x20), () => setImmediate(feed));
      };
      feed();
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      open = false;
      expect(response.statusCode).toBe(200);
      expect(response.headers.connection).toBe('close');
      request.destroy();
    },
  );

  it.each([form, { 'content-type': 'application/json' }])(
    'are refused if their parameters are too large',
    async (headers) => {
      const payload = Buffer.alloc(300_000);
      const reply = await get(receiver, '/api/vol', {}, { method: 'POST', headers, payload });
      expect(reply.status).toBe(413);
      expect(JSON.parse(reply.body)).toMatchObject({ result: false });
    },
  );
});

describe('the head of a request', () => {
  it('has at most 16 KiB; a form may be longer', async () => {
    if (!receiver.app.server.listening) await receiver.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = receiver.app.server.address() as AddressInfo;
    const site = `http://127.0.0.1:${port}/api/epgmultichannelnownext`;
    const listOf = (bytes: number) =>
      Array(Math.floor(bytes / (alpha.length + 1)))
        .fill(alpha)
        .join(',');
    const status = async (address: string, options?: RequestInit) => (await fetch(address, options)).status;
    expect(await status(`${site}?sRefs=${listOf(15_000)}`)).toBe(200);
    expect(await status(`${site}?sRefs=${listOf(17_000)}`)).toBe(431);
    expect(await status(`${site}?sRefs=${alpha}`, { headers: { range: `bytes=${' '.repeat(17_000)}x` } })).toBe(431);
    const long = await fetch(site, { method: 'POST', body: new URLSearchParams({ sRefs: listOf(100_000) }) });
    expect(((await long.json()) as { events: unknown[] }).events.length).toBeGreaterThan(4000);
  });
});

describe('cross-origin requests', () => {
  it.each(['/web/zap', '/api/about', '/api', '/services/tv', '/picon/x.png', '/nosuch/at/all', '/', '/%zz'])(
    'OPTIONS %s has the five headers',
    async (path) => {
      const reply = await get(receiver, path, {}, { method: 'OPTIONS' });
      expect(reply).toMatchObject({
        status: 200,
        body: '',
        headers: {
          'access-control-allow-origin': '*',
          'access-control-allow-credentials': 'true',
          'access-control-allow-headers': 'Content-Type',
          'access-control-allow-methods': 'GET,PUT,POST,DELETE,OPTIONS',
          'access-control-max-age': '86400',
        },
      });
    },
  );

  it.each([
    '/web/vol',
    '/api/vol',
    '/web/zap',
    '/web/nosuch',
    '/nosuch',
    '/api/event?sref=x&idev=1',
    '/picon/nosuch.png',
  ])('%s allows every origin, whatever its status', async (path) => {
    const { headers } = await get(receiver, path);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('from a page of another site are refused if they change something', async () => {
    const page = { 'sec-fetch-site': 'cross-site', origin: 'http://elsewhere.example' };
    expect((await get(receiver, '/api/vol', { set: 'up' }, { headers: page })).status).toBe(403);
    expect((await get(receiver, '/web/zap', { sRef: alpha }, { headers: page })).status).toBe(403);
    expect((await get(receiver, '/api/vol', {}, { headers: page })).status).toBe(200);
    const old = { origin: 'http://elsewhere.example', host: 'box' };
    expect((await get(receiver, '/api/vol', { set: 'up' }, { headers: old })).status).toBe(403);
    const own = { origin: 'http://box', host: 'box', 'sec-fetch-site': 'same-origin' };
    expect((await get(receiver, '/api/vol', { set: 'set55' }, { headers: own })).status).toBe(200);
  });

  it.each([
    ['same-site', 403, 'a page at another port or under a neighbouring name'],
    ['something new', 403, 'what no browser says yet'],
    ['none', 200, 'an address that somebody has typed'],
    ['same-origin', 200, 'a page of ours, also under another name behind a proxy'],
  ])('with Sec-Fetch-Site: %s that change something get status %i', async (site, wanted) => {
    for (const from of [{}, { origin: 'http://box:9000' }, { origin: 'http://box' }, { referer: 'http://box/x' }]) {
      const headers = { ...from, host: 'box', 'sec-fetch-site': site };
      expect((await get(receiver, '/api/vol', { set: 'set55' }, { headers })).status).toBe(wanted);
      expect((await get(receiver, '/api/vol', {}, { headers })).status).toBe(200);
    }
  });

  describe('from configured origins', () => {
    const panel = 'https://panel.example';
    let named: TestReceiver;
    beforeAll(async () => {
      const { config } = receiver.parts;
      named = await openReceiver({ config: { ...config, origins: [panel, 'http://10.0.0.2:8123'] } });
    });
    afterAll(() => named.close());

    it.each(['/api/vol', '/web/nosuch', '/nosuch', '/%zz'])('%s allows these origins only', async (path) => {
      const headersFor = async (origin?: string) =>
        (await get(named, path, {}, { headers: { ...(origin && { origin }) } })).headers;
      const allowed = await headersFor(panel);
      expect(allowed['access-control-allow-origin']).toBe(panel);
      expect(allowed.vary).toMatch(/\bOrigin\b/);
      for (const origin of ['https://elsewhere.example', 'null', undefined]) {
        const headers = await headersFor(origin);
        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(headers.vary).toMatch(/\bOrigin\b/);
      }
    });

    it('OPTIONS has the other four headers for all', async () => {
      for (const origin of [panel, 'https://elsewhere.example']) {
        const { status, headers } = await get(named, '/web/zap', {}, { method: 'OPTIONS', headers: { origin } });
        expect(status).toBe(200);
        expect(headers['access-control-allow-methods']).toBe('GET,PUT,POST,DELETE,OPTIONS');
        expect(headers['access-control-allow-origin']).toBe(origin === panel ? panel : undefined);
      }
    });

    it('may make changes', async () => {
      const headers = { 'sec-fetch-site': 'cross-site', origin: panel, host: '10.0.0.3:8080' };
      expect((await get(named, '/api/vol', { set: 'set55' }, { headers })).status).toBe(200);
      const near = { 'sec-fetch-site': 'same-site', origin: 'http://10.0.0.2:8123', host: '10.0.0.2:8080' };
      expect((await get(named, '/api/vol', { set: 'set55' }, { headers: near })).status).toBe(200);
      const other = { ...headers, origin: 'https://elsewhere.example' };
      expect((await get(named, '/api/vol', { set: 'set55' }, { headers: other })).status).toBe(403);
    });
  });
});

describe('the host name of a request', () => {
  const ask = (host: string, path = '/api/vol', options: object = {}, of = receiver) =>
    get(of, path, { set: 'set55' }, { headers: { host }, ...options });

  it.each(['/api/vol', '/web/vol'])('allows no changes by %s if it could belong to somebody else', async (path) => {
    const origin = 'http://rebound.example:8080';
    const headers = { host: 'rebound.example:8080', origin, 'sec-fetch-site': 'same-origin' };
    const { status, body } = await get(receiver, path, { set: 'set55' }, { headers });
    expect(status).toBe(403);
    expect(body).toContain("changes are refused under the host name 'rebound.example'");
    expect((await ask('REBOUND.example.', path)).status).toBe(403);
    expect((await get(receiver, path, {}, { headers })).status).toBe(200);
  });

  it('allows no changes by REST routes if it could belong to somebody else', async () => {
    const { status, body } = await ask('rebound.example', '/api/evil', { method: 'POST' });
    expect([status, JSON.parse(body).error]).toEqual([403, 'host-unknown']);
  });

  it.each([
    '192.0.2.10:8080',
    '[2001:db8::10]:8080',
    'box',
    'box:80',
    'localhost:8080',
    'receiver.local',
    'receiver.LOCAL.',
    'receiver.lan',
    'receiver.fritz.box:8080',
    'receiver.home.arpa',
    `${hostname()}:8080`,
    '',
  ])('allows changes if it is %s', async (host) => {
    expect((await ask(host)).status).toBe(200);
  });

  it('allows changes if it is configured', async () => {
    const named = await openReceiver({ config: { ...receiver.parts.config, hostNames: ['TV.example.org'] } });
    expect((await ask('tv.example.org:443', '/api/vol', {}, named)).status).toBe(200);
    expect((await ask('x.tv.example.org', '/api/vol', {}, named)).status).toBe(403);
    await named.close();
    const open = await openReceiver({ config: { ...receiver.parts.config, hostNames: ['*'] } });
    expect((await ask('rebound.example', '/api/vol', {}, open)).status).toBe(200);
    await open.close();
  });

  it('may be in a search domain of the resolver', () => {
    const text = '# search none\nnameserver 192.0.2.1\nsearch lan.example.net  Home.\n\tdomain example.org\n';
    expect(searchedDomains(text)).toEqual(['lan.example.net', 'home', 'example.org']);
  });
});

describe('compression', () => {
  const plain = async (path: string) => (await get(receiver, path)).body;

  it.each([
    '/web/currenttime',
    '/api/currenttime',
    '/api/getallservices',
    '/web/nosuch',
    '/nosuch',
    '/web/services.m3u',
    '/api',
  ])('applies to %s if the client accepts it', async (path) => {
    const request = (encoding: string) =>
      receiver.app.inject({ method: 'GET', url: path, headers: { 'accept-encoding': encoding } });
    const gzip = await request('gzip');
    expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    const br = await request('br;q=1, gzip;q=0');
    expect(br.headers['content-encoding']).toBe('br');
    if (!path.endsWith('services')) {
      expect(gunzipSync(gzip.rawPayload).toString()).toBe(await plain(path));
      expect(brotliDecompressSync(br.rawPayload).toString()).toBe(await plain(path));
    }
    const refused = await request('gzip;q=0');
    expect(refused.headers['content-encoding']).toBeUndefined();
    expect(refused.headers.vary).toBe('Accept-Encoding');
  });

  it('never applies to pictures', async () => {
    const url = '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png';
    const reply = await receiver.app.inject({ method: 'GET', url, headers: { 'accept-encoding': 'gzip' } });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-encoding']).toBeUndefined();
  });
});

class BrokenFolders extends RecordingFolders {
  override get current(): string {
    throw new Error('/secret/path');
  }
}

describe('an internal error', () => {
  it('is reported without its cause', async () => {
    const broken = await openReceiver({
      locations: new BrokenFolders(['/movie']),
    });
    const web = await get(broken, '/web/getcurrlocation');
    expect(web.status).toBe(500);
    expect(web.body).toContain('<e2statetext>internal error</e2statetext>');
    const api = await get(broken, '/api/getcurrlocation');
    expect(JSON.parse(api.body)).toEqual({ result: false, message: 'internal error', error: 'internal' });
    await broken.close();
  });
});
