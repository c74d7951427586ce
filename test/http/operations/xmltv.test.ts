/** The guide as XMLTV and epg.dat over HTTP. */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { expect, onTestFinished, test } from 'vitest';
import { Guide } from '../../../src/epg/guide.ts';
import { importXmltv } from '../../../src/epg/xmltv.ts';
import { channelMatcher } from '../../../src/services/guide/channel-matcher.ts';
import { alpha, beta, favourites, now, openReceiver } from '../receiver.ts';

test('epgxmltv exports the guide of a bouquet, which imports unchanged', async () => {
  const { app, parts, close } = await openReceiver();
  onTestFinished(close);
  for (const family of ['web', 'api']) {
    const reply = await app.inject(`/${family}/epgxmltv?bRef=${encodeURIComponent(favourites)}&lang=en`);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-type']).toBe('text/xml; charset=UTF-8');
    const parser = new SaxesParser();
    const ids: unknown[] = [];
    parser.on('opentag', ({ name, attributes }) => {
      if (name === 'channel') ids.push(attributes.id);
    });
    parser.write(reply.body).close();
    expect(ids).toContain(alpha);

    const guide = new Guide({ clock: { now: () => now, synchronised: true } });
    const body = async function* () {
      yield Buffer.from(reply.body);
    };
    const { unmatched } = await importXmltv(guide, body(), { servicesOf: channelMatcher(parts.services) });
    expect(unmatched).toEqual([]);
    const service = parts.services.resolve(alpha).dvb;
    if (service === undefined) throw new Error('no service');
    const titles = async (from: Guide) => (await from.window([service], now)).map(({ title, start }) => [title, start]);
    expect(await titles(guide)).toEqual(await titles(parts.guide));
    expect(await titles(guide)).not.toEqual([]);
  }
});

test('epgxmltv of a missing bouquet has no channels; without a bouquet it is an error', async ({ onTestFinished }) => {
  const { app, close } = await openReceiver();
  onTestFinished(close);
  const unknown = await app.inject('/web/epgxmltv?bRef=1:7:1:0:0:0:0:0:0:0:FROM%20BOUQUET%20%22x.tv%22');
  expect(unknown.body).toMatch(/<tv [^>]*>\n<\/tv>\n$/);
  const missing = await app.inject('/web/epgxmltv');
  expect(missing.statusCode).toBe(200);
  expect(missing.body).toContain("Missing mandatory parameter 'bRef'");
});

const programme = (title: string, channel = 'x') =>
  `<programme start="20260101200000 +0100" stop="20260101210000 +0100" channel="${channel}"><title>${title}</title></programme>`;
const document = `<tv><channel id="x"><display-name>beta</display-name></channel>${programme('Imported')}${programme('Lost', 'y')}</tv>`;

test.each(['POST', 'PUT'] as const)('%s of a guide file imports it', async (method) => {
  const { app, parts, close } = await openReceiver();
  onTestFinished(close);
  for (const [payload, headers] of [
    [document, {}],
    [gzipSync(document), { 'content-type': 'application/gzip' }],
    [Readable.from([Buffer.from(document)]), { 'content-type': 'application/x-www-form-urlencoded' }],
  ] as const) {
    const reply = await app.inject({ method, url: '/api/epgimport', payload, headers });
    expect(reply.json()).toMatchObject({
      result: true,
      format: 'xmltv',
      programmes: 2,
      imported: 1,
      unmatched: [{ id: 'y', programmes: 1 }],
    });
    expect(reply.statusCode).toBe(200);
  }
  const service = parts.services.resolve(beta).dvb;
  expect(service && (await parts.guide.window([service], now)).map(({ title }) => title)).toEqual(['Imported']);
});

test('an epg.dat is recognised by its content', async () => {
  const { app, parts, folder, close } = await openReceiver();
  onTestFinished(close);
  const path = join(folder, 'epg.dat');
  await parts.guide.exportEpgDat(path);
  await parts.guide.clear();
  const reply = await app.inject({ method: 'POST', url: '/api/epgimport/', payload: readFileSync(path) });
  expect(reply.json()).toMatchObject({ result: true, format: 'epg.dat' });
  expect((await parts.guide.statistics()).events).toBe(reply.json().events);
});

test('a damaged epg.dat is refused with the damage, and never with a path of this machine', async ({
  onTestFinished,
}) => {
  const { app, parts, folder, close } = await openReceiver();
  onTestFinished(close);
  const path = join(folder, 'epg.dat');
  await parts.guide.exportEpgDat(path);
  const whole = readFileSync(path);
  const cut = Array.from({ length: 60 }, (_, n) => whole.subarray(0, 14 + Math.floor((n * (whole.length - 14)) / 60)));
  const changed = Array.from({ length: 60 }, (_, n) => {
    const bytes = Buffer.from(whole);
    bytes.writeUInt8(255 - bytes.readUInt8(14 + n), 14 + n);
    return bytes;
  });
  let refused = 0;
  for (const payload of [...cut, ...changed, gzipSync(cut[30] ?? '')]) {
    const reply = await app.inject({ method: 'POST', url: '/api/epgimport', payload });
    expect(reply.body).not.toContain(tmpdir());
    if (reply.statusCode === 200) continue;
    refused++;
    expect(reply.statusCode).toBe(400);
    const { error, message } = reply.json();
    expect(error).toBe('epg-dat-malformed');
    expect(message).toMatch(/^the guide file \(epg\.dat\) is (cut or damaged at byte \d+|of an unknown version|not )/);
  }
  expect(refused).toBeGreaterThan(60);
});

test('damaged, empty and foreign files are refused with the position', async () => {
  const { app, close } = await openReceiver();
  onTestFinished(close);
  const send = (payload?: string, headers = {}) =>
    app.inject({ method: 'POST', url: '/api/epgimport', headers, ...(payload === undefined ? {} : { payload }) });
  const damaged = await send(document.replace('</tv>', '<oops'));
  expect(damaged.statusCode).toBe(400);
  expect(damaged.json()).toMatchObject({ result: false, error: 'xmltv-malformed', line: 1, imported: 1 });
  expect((await send('')).json()).toMatchObject({ error: 'xmltv-malformed' });
  expect((await send()).json()).toMatchObject({ error: 'xmltv-malformed' });
  expect((await send('{"json": true}')).json().message).toContain('outside the root element');
  const elsewhere = await send(document, { origin: 'http://elsewhere.example', host: 'box' });
  expect(elsewhere.statusCode).toBe(403);
  expect((await app.inject('/api/epgimport')).statusCode).toBe(405);
});

test('a long file that is not a guide is refused early', async () => {
  const { app, close } = await openReceiver();
  onTestFinished(close);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  let sent = 0;
  const endless = new Readable({
    read() {
      sent += 65_536;
      this.push(sent > 64 * 2 ** 20 ? null : Buffer.alloc(65_536, 'x'));
    },
  });
  const reply = await fetch(`${address}/api/epgimport`, {
    method: 'POST',
    body: Readable.toWeb(endless) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({ error: 'xmltv-malformed', line: 1, column: 1 });
});

test('epgexport returns the whole guide in both formats, and epgimport reads it', async () => {
  const { app, parts, close } = await openReceiver();
  onTestFinished(close);
  const titles = async () => {
    const service = parts.services.resolve(alpha).dvb;
    return (
      service &&
      (await parts.guide.window([service], now)).map(({ title, start, extendedText }) => [title, start, extendedText])
    );
  };
  const before = await titles();
  expect(before).not.toEqual([]);
  for (const format of ['xmltv', 'epg.dat']) {
    const file = await app.inject(`/api/epgexport?format=${format}`);
    expect(file.statusCode).toBe(200);
    await parts.guide.clear();
    const reply = await app.inject({ method: 'POST', url: '/api/epgimport', payload: file.rawPayload });
    expect(reply.json()).toMatchObject({ result: true, format });
    expect(await titles()).toEqual(before);
  }
});
