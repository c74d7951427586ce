/** The requests of Kodi: channels, guide and timers. */
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/http/operations/index.ts';
import { createServer } from '../../../src/http/server.ts';
import { xmlType } from '../../../src/http/write/xml.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { writeRecording } from '../../fixtures/recordings.ts';
import { alpha, beta, openReceiver, radio, type TestReceiver } from '../receiver.ts';
import { all, at, get, parseXml, type XmlElement } from '../reply.ts';
import { json, receiver, useReceiver, xml } from './fixture.ts';

useReceiver();

describe('Kodi', () => {
  /** Reads a text as TinyXML and the add-on do: an element without text counts as missing. */
  const string = (element: XmlElement, name: string): string | undefined =>
    element.children.find((child) => child.name === name)?.text || undefined;
  const integer = (element: XmlElement, name: string): number | undefined => {
    const text = string(element, name);
    return text !== undefined && /^-?\d+/.test(text) ? Number.parseInt(text, 10) : undefined;
  };

  const root = (kind: string) => `1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.${kind}" ORDER BY bouquet`;

  it('checks the connection', async () => {
    expect((await get(receiver, '/web/currenttime')).status).toBe(200);
  });

  it('starts: the device has versions and a name that fit Kodi’s buffers', async () => {
    const info = await xml('/web/deviceinfo');
    const versions = ['e2enigmaversion', 'e2imageversion', 'e2webifversion', 'e2distroversion'].map((name) =>
      string(info, name),
    );
    for (const version of versions) expect(version).toBeTruthy();
    expect(Buffer.byteLength(versions.join(''))).toBeLessThan(240);
    expect(string(info, 'e2devicename')).toBeTruthy();
    const [, ...numbers] = /^OWIF (\d+)\.(\d+)\.(\d+)$/.exec(string(info, 'e2webifversion') ?? '') ?? [];
    expect(numbers.map(Number) >= [1, 4, 6]).toBe(true);
    const frontends = all(at(info, 'e2frontends'), 'e2frontend');
    expect(frontends.map((frontend) => string(frontend, 'e2name'))).toEqual(['Tuner A']);
    for (const disk of all(at(info, 'e2hdds'), 'e2hdd')) {
      expect(string(disk, 'e2capacity')).toMatch(/^\d+(\.\d+)? (MB|GB|TB)$/);
      expect(string(disk, 'e2free')).toMatch(/^\d+(\.\d+)? (MB|GB|TB)$/);
    }
  });

  it('starts: settings exist, none is empty, and the margins are numbers', async () => {
    const settings = all(await xml('/web/settings'), 'e2setting');
    expect(settings.length).toBeGreaterThan(0);
    for (const setting of settings) expect(string(setting, 'e2settingvalue')).toBeTruthy();
    const value = (key: string) => settings.find((one) => string(one, 'e2settingname') === key)?.children[1]?.text;
    expect(value('config.recording.margin_before')).toBe('7');
    expect(value('config.recording.margin_after')).toBe('5');
  });

  it.each(['getlocations', 'getcurrlocation'])(
    'starts: %s has a location with text and a trailing slash',
    async (name) => {
      const locations = all(await xml(`/web/${name}`), 'e2location');
      expect(locations.length).toBeGreaterThan(0);
      for (const { text } of locations) expect(text).toMatch(/^\/.*\/$/);
    },
  );

  it('loads the groups of both roots, and their start numbers', async () => {
    const tv = all(await xml('/web/getservices'), 'e2service');
    const radios = all(await xml('/web/getservices', { sRef: root('radio') }), 'e2service');
    expect(tv.map((group) => string(group, 'e2servicename'))).toEqual(['Favourites (TV)', 'Second', 'Empty']);
    expect(radios.map((group) => string(group, 'e2servicereference'))).toEqual([radio]);
    for (const kind of ['tv', 'radio']) {
      const { services } = await json('/api/getservices', { sRef: root(kind) });
      for (const { startpos } of services as { startpos: unknown }[]) expect(typeof startpos).toBe('number');
    }
  });

  it('finds each bouquet name only once in both roots, and the same references after a restart', async () => {
    const listed = async (from: TestReceiver) =>
      Promise.all(
        ['tv', 'radio'].map(async (kind) => (await get(from, '/web/getservices', { sRef: root(kind) })).body),
      );
    const before = await listed(receiver);
    const names = before.flatMap((body) => parseXml(body).children.map((group) => string(group, 'e2servicename')));
    expect(new Set(names).size).toBe(names.length);
    const again = await openReceiver();
    expect(await listed(again)).toEqual(before);
    await again.close();
  });

  it.each([
    '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet',
    '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET  "userbouquet.favourites.tv" ORDER BY bouquet',
    '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.radio" ORDER BY bouquet',
  ])('loads channels of %s', async (sRef) => {
    const channels = all(await xml('/web/getservices', { sRef }), 'e2service').filter(
      (channel) => !/^1:(64|320):/.test(string(channel, 'e2servicereference') ?? ''),
    );
    expect(channels.length).toBeGreaterThan(0);
    const details = await json('/api/getservices', { provider: 1, picon: 1, sRef });
    expect(typeof details.pos).toBe('number');
    for (const { pos, provider, picon } of details.services as Record<string, unknown>[]) {
      expect(typeof pos).toBe('number');
      expect(typeof provider).toBe('string');
      expect(picon).toMatch(/^\//);
    }
  });

  it('reads the guide of each channel', async () => {
    const events = all(await xml('/web/epgservice', { sRef: alpha }), 'e2event');
    expect(events).toHaveLength(3);
    for (const event of events) {
      for (const name of ['e2eventstart', 'e2eventduration', 'e2eventid'])
        expect(integer(event, name)).toBeGreaterThan(0);
      expect(string(event, 'e2eventtitle')).toBeTruthy();
      const genre = at(event, 'e2eventgenre');
      const id = Number(genre.attributes.id);
      expect(id === 0 || genre.text !== '').toBe(true);
    }
    expect(all(await xml('/web/epgservice', { sRef: beta }), 'e2event')).toEqual([]);
  });

  it('finds an event by its start, never the one that ends at that time', async () => {
    const { events } = await json('/api/epgservice', { sRef: alpha, time: 1767293100, endTime: 1 });
    const [first] = events as Record<string, unknown>[];
    expect(first).toMatchObject({ id: 4712, begin_timestamp: 1767293100, duration_sec: 1800 });
    const { event } = await json('/api/event', { sref: alpha, idev: 4712 });
    expect(event).toMatchObject({
      id: 4712,
      title: 'Weather',
      shortdesc: '',
      longdesc: expect.any(String),
      genreid: 0,
    });
  });

  it('polls the timers, lists recordings and deleted recordings', async () => {
    expect((await xml('/web/timerlist')).name).toBe('e2timerlist');
    for (const dirname of ['/media/hdd/movie/', '/media/hdd/movie/.Trash']) {
      expect((await xml('/web/movielist', { dirname, recursive: 1, internal: 1 })).name).toBe('e2movielist');
    }
  });

  it('polls the signal while it streams', async () => {
    const status = await xml('/web/signal');
    for (const name of ['e2snrdb', 'e2snr', 'e2ber', 'e2acg']) expect(string(status, name)).toBeTruthy();
    const details = await json('/api/tunersignal');
    expect([typeof details.tunernumber, typeof details.tunertype]).toEqual(['number', 'string']);
  });

  it('zaps, and sends 4, 5 and 1 when it exits', async () => {
    expect((await get(receiver, '/web/zap', { sRef: beta })).status).toBe(200);
    for (const newstate of [5, 4, 1]) expect((await get(receiver, '/web/powerstate', { newstate })).status).toBe(200);
    expect(receiver.parts.device.power.standby).toBe(false);
  });

  describe('as seen on the wire', () => {
    it('1. repeats its base URL', async () => {
      const doubled = await get(receiver, '/http://user:pass@127.0.0.1:8080/api/vol?unused=1');
      expect(doubled.body).toContain('"result": true');
    });

    it('2. sends a range and every coding with each request, and gets the whole response', async () => {
      const headers = { range: 'bytes=0-', 'accept-encoding': 'deflate, gzip, br, zstd' };
      const reply = await receiver.app.inject({ method: 'GET', url: '/web/currenttime', headers });
      expect(reply.statusCode).toBe(200);
      expect(reply.headers['content-range']).toBeUndefined();
      expect(gunzipSync(reply.rawPayload).toString()).toContain('<e2currenttime>');
    });

    it('3. aborts requests, which affects no others and is not logged', async () => {
      const logged: string[] = [];
      const sink = new Writable({
        write(line, _encoding, done) {
          logged.push(String(line));
          done();
        },
      });
      const entries = { length: 30_000, reference: ServiceReference.parse(alpha), name: 'x'.repeat(200) };
      const { services } = receiver.parts;
      const many = Object.create(services, {
        generation: { value: 1 },
        allBouquetsInSlices: {
          value: async () => [
            {
              reference: entries.reference,
              name: 'Many',
              file: 'many',
              entries: Array(entries.length).fill({ ...entries, number: 1 }),
            },
          ],
        },
      }) as typeof services;
      const app = createServer({ ...receiver.parts, services: many }, { logger: pino({ level: 'info' }, sink) });
      await app.listen({ host: '127.0.0.1', port: 0 });
      const { port } = app.server.address() as AddressInfo;
      const dropped = () =>
        new Promise<void>((resolve) => {
          const socket = connect(port, '127.0.0.1', () =>
            socket.write('GET /web/getallservices HTTP/1.1\r\nHost: box\r\n\r\n'),
          );
          socket.once('data', () => socket.resetAndDestroy());
          socket.once('close', () => resolve());
        });
      await Promise.all(Array.from({ length: 10 }, dropped));
      const length = await new Promise<number>((resolve, reject) => {
        httpRequest({ port, host: '127.0.0.1', path: '/api/getallservices' }, (reply) => {
          let bytes = 0;
          reply.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          reply.on('end', () => resolve(bytes));
        })
          .on('error', reject)
          .end();
      });
      expect(length).toBeGreaterThan(entries.length * 200);
      await app.close();
      expect(logged.filter((line) => (JSON.parse(line) as { level: number }).level > 30)).toEqual([]);
    });

    it('4. requests picons with HEAD', async () => {
      const head = await get(receiver, '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png', {}, { method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, type: 'image/png' });
    });

    it('5. shows an error window for an empty e2statetext, which never occurs', async () => {
      for (const { name } of operations) {
        const { type, body } = await get(receiver, `/web/${name}`);
        if (type !== xmlType) continue;
        const reply = parseXml(body);
        if (reply.name === 'e2simplexmlresult') expect(string(reply, 'e2statetext'), name).toBeTruthy();
      }
    });

    it('9. accepts no genre without text: every genre of the standard has one', async () => {
      const { genreText } = await import('../../../src/epg/guide.ts');
      for (let group = 1; group <= 0xc; group++)
        for (let kind = 0; kind < 16; kind++) expect(genreText(group, kind)).toBeTruthy();
    });

    it('11. requests missing cut lists of existing recordings', async () => {
      writeRecording(join(receiver.folder, 'movie', 'x.ts'));
      expect((await get(receiver, '/file', { file: '/media/hdd/movie/x.ts' })).status).toBe(200);
      expect((await get(receiver, '/file', { file: '/media/hdd/movie/x.edl' })).status).toBe(404);
    });
  });
});
