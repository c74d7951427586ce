/** Picons by every name that clients use for a service, and as files for caches and players. */
import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tripletKey } from '../../../src/dvb/triplet.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { until } from '../../fixtures/waits.ts';
import { type Station, station } from '../../iptv/station.ts';
import { jpeg } from '../../pictures/samples.ts';
import {
  alpha,
  favourites,
  gamma,
  group,
  openReceiver,
  picture,
  renamed,
  second,
  stream,
  type TestReceiver,
} from '../receiver.ts';
import { api, get } from '../reply.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const ofAlpha = '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png';
const file = (name: string) => join(receiver.folder, 'picon', name);
const head = async (path: string) => (await get(receiver, path, {}, { method: 'HEAD' })).status;

interface List {
  readonly services: readonly { readonly servicereference: string; readonly picon: string }[];
}
const links = async (sRef: string) =>
  new Map(
    (await api<List>(receiver, 'getservices', { sRef, picon: 1 })).services.map(({ servicereference, picon }) => [
      servicereference,
      picon,
    ]),
  );

describe('a picon', () => {
  it.each([ofAlpha, '/picon/alphahd.png', '/picon/1_0_1_2B67_3F3_1_C00000_0_0_0.png', '/picon/beta.png'])(
    'is found as %s',
    async (path) => {
      for (const method of ['GET', 'HEAD'] as const) {
        const reply = await receiver.app.inject({ method, url: path });
        expect(reply.statusCode).toBe(200);
        expect(reply.headers).toMatchObject({
          'content-type': 'image/png',
          'content-length': String(picture.length),
          'accept-ranges': 'bytes',
          'cache-control': 'public, max-age=86400',
        });
        expect(reply.rawPayload).toEqual(method === 'GET' ? picture : Buffer.alloc(0));
      }
    },
  );

  it.each(['/picon/gammaradio.png', '/picon/..%2f..%2flamedb', '/picon/nosuch.png', '/picon/alpha hd.png'])(
    'is not found as %s',
    async (path) => {
      const reply = await get(receiver, encodeURI(path).replaceAll('%25', '%'));
      expect(reply.status).toBe(404);
      expect(reply.headers['cache-control']).toBe('no-store');
    },
  );

  it('has a working link in lists, however it was found', async () => {
    writeFileSync(file('iptvandco.png'), picture);
    writeFileSync(file('own name.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const found = new Map([...(await links(second)), ...(await links(favourites))]);
    expect(found.get(stream)).toBe('/picon/iptvandco.png');
    expect(found.get('1:0:1:2B6A:3F3:1:C00000:0:0:0::Own Name')).toBe('/picon/own%20name.png');
    expect(found.get(group)).toBe(ofAlpha);
    expect(found.get(alpha)).toBe(ofAlpha);
    for (const link of found.values()) expect(await head(link), link).toBe(200);
    const { events } = await api<{ events: { picon: string }[] }>(receiver, 'epgservice', { sRef: alpha });
    for (const { picon } of events) expect(await head(picon)).toBe(200);
  });

  it('appears and disappears with its file', async () => {
    expect(await head('/picon/gammaradio.png')).toBe(404);
    writeFileSync(file('gammaradio.png'), picture);
    expect(await head('/picon/gammaradio.png')).toBe(200);
    expect(await head('/picon/1_0_2_2B68_3F3_1_C00000_0_0_0.png')).toBe(200);
    rmSync(file('gammaradio.png'));
    expect(await head('/picon/gammaradio.png')).toBe(404);
    renameSync(file('beta.png'), file('1_0_1_2B67_3F3_1_C00000_0_0_0.png'));
    expect(await head('/picon/beta.png')).toBe(200);
  });

  it('becomes the default picture if it is stored as such', async () => {
    const before = await receiver.app.inject({ url: '/images/default_picon.png' });
    expect(before.statusCode).toBe(200);
    writeFileSync(file('picon_default.png'), picture);
    await get(receiver, ofAlpha);
    expect((await receiver.app.inject({ url: '/images/default_picon.png' })).rawPayload).toEqual(picture);
  });

  it('is not sent again to a client that has it', async () => {
    const first = await receiver.app.inject({ url: ofAlpha });
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^W?\/?"/);
    const again = await receiver.app.inject({ url: ofAlpha, headers: { 'if-none-match': etag } });
    expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0]);
    utimesSync(file('1_0_19_2B66_3F3_1_C00000_0_0_0.png'), 1, 1);
    expect((await receiver.app.inject({ url: ofAlpha, headers: { 'if-none-match': etag } })).statusCode).toBe(200);
  });

  it('is sent in part for a range request', async () => {
    const part = await receiver.app.inject({
      url: ofAlpha,
      headers: { range: 'bytes=4-7', 'accept-encoding': 'gzip' },
    });
    expect(part.statusCode).toBe(206);
    expect(part.headers['content-range']).toBe(`bytes 4-7/${picture.length}`);
    expect(part.rawPayload).toEqual(picture.subarray(4, 8));
    const whole = await receiver.app.inject({ url: ofAlpha, headers: { range: 'bytes=0-' } });
    expect([whole.statusCode, whole.rawPayload]).toEqual([206, picture]);
    const beyond = await receiver.app.inject({ url: ofAlpha, headers: { range: 'bytes=9999-' } });
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, `bytes */${picture.length}`]);
  });

  it('is sent whole as a vector drawing, compressed if the client accepts it', async () => {
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(100)}</svg>`;
    writeFileSync(file('gammaradio.svg'), drawing);
    const plain = await get(receiver, '/picon/gammaradio.png');
    expect(plain).toMatchObject({ status: 200, type: 'image/svg+xml', body: drawing });
    const headers = { range: 'bytes=0-9', 'accept-encoding': 'gzip' };
    const part = await receiver.app.inject({ url: '/picon/gammaradio.png', headers });
    expect([part.statusCode, part.body]).toEqual([206, drawing.slice(0, 10)]);
    const compressed = await receiver.app.inject({
      url: '/picon/gammaradio.png',
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(compressed.headers['content-encoding']).toBe('gzip');
  });
});

describe('a service without a picon', () => {
  const ofGamma = '/picon/1_0_2_2B68_3F3_1_C00000_0_0_0.png';
  const key = (reference: string) => {
    const { dvb } = ServiceReference.parse(reference);
    if (dvb === undefined) throw new Error('no triplet');
    return tripletKey(dvb);
  };
  let web: Station;
  beforeEach(async () => {
    web = await station({ '/1.jpg': (_, response) => response.end(jpeg()) });
  });
  afterEach(() => web.stop());

  it('has the logo of its list at the same path', async () => {
    await receiver.parts.logos.add('list', new Map([[key(gamma), `${web.url}/1.jpg`]]));
    await until(async () => expect(await head(ofGamma)).toBe(200));
    for (const path of [ofGamma, '/picon/gammaradio.png']) {
      const reply = await receiver.app.inject({ url: path });
      expect([reply.statusCode, reply.headers['content-type'], reply.rawPayload]).toEqual([200, 'image/jpeg', jpeg()]);
      expect(reply.headers['cache-control']).toBe('public, max-age=86400');
    }
    const picon = await receiver.app.inject({ url: '/web/getpicon', query: { sRef: gamma } });
    expect([picon.headers['content-type'], picon.rawPayload]).toEqual(['image/jpeg', jpeg()]);
    const located = await api<object>(receiver, 'getpicon', { sRef: gamma, json: 'true' });
    expect(located).toMatchObject({ path: ofGamma });
    expect(web.requests).toHaveLength(1);
  });

  it('is named in lists once its logo is known, until that cannot be fetched', async () => {
    const linkOf = async () => new Map([...(await links(favourites)), ...(await links(second))]).get(renamed);
    const own = '/picon/1_0_1_2B6A_3F3_1_C00000_0_0_0.png';
    const { logos } = receiver.parts;
    expect(await linkOf()).toBe('/images/default_picon.png');
    await logos.add('guide', new Map([[key(renamed), `${web.url}/none.jpg`]]));
    expect(await linkOf()).toBe(own);
    expect(await head(own)).toBe(404);
    await until(() => expect(receiver.parts.webPictures.mayHave(`${web.url}/none.jpg`)).toBe(false));
    await logos.add('guide', new Map([[key(alpha), `${web.url}/1.jpg`]]));
    expect(await linkOf()).toBe('/images/default_picon.png');
    await logos.add('list', new Map([[key(renamed), `${web.url}/1.jpg`]]));
    expect(await linkOf()).toBe(own);
    await until(async () => expect(await head(own)).toBe(200));
    // A picon file comes first.
    expect((await receiver.app.inject({ url: ofAlpha })).rawPayload).toEqual(picture);
    expect(web.requests.map(({ url }) => url)).toEqual(['/none.jpg', '/1.jpg']);
  });
});
