/**
 * The real clients, one by one: the requests they make, in their order, read as strictly as they read them. One test a row of what
 * is known of each.
 */
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/http/operations/index.ts';
import { createServer } from '../../src/http/server.ts';
import { xmlType } from '../../src/http/xml.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import {
  alpha,
  beta,
  favourites,
  fillGuide,
  marker,
  openReceiver,
  radio,
  renamed,
  second,
  type TestReceiver,
} from './receiver.ts';
import { all, at, get, parseXml, type XmlElement } from './reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

beforeEach(async () => {
  await receiver.playback.zap(ServiceReference.parse(alpha));
  await fillGuide(receiver.parts.guide);
});

const json = async (path: string, parameters: Record<string, string | number> = {}) => {
  const reply = await get(receiver, path, parameters);
  expect(reply.status).toBe(200);
  const value = JSON.parse(reply.body) as unknown;
  expect(Object.prototype.toString.call(value)).toBe('[object Object]');
  return value as Record<string, unknown>;
};

const xml = async (path: string, parameters: Record<string, string | number> = {}) => {
  const reply = await get(receiver, path, parameters);
  expect(reply.status).toBe(200);
  return parseXml(reply.body);
};

describe('Kodi', () => {
  /** As TinyXML and the add-on read: an element without text is missing. */
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

  it('starts: the device has versions and a name, short enough for its buffers', async () => {
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

  it('starts: there are settings, none empty, with the margins as numbers', async () => {
    const settings = all(await xml('/web/settings'), 'e2setting');
    expect(settings.length).toBeGreaterThan(0);
    for (const setting of settings) expect(string(setting, 'e2settingvalue')).toBeTruthy();
    const value = (key: string) => settings.find((one) => string(one, 'e2settingname') === key)?.children[1]?.text;
    expect(value('config.recording.margin_before')).toBe('7');
    expect(value('config.recording.margin_after')).toBe('5');
  });

  it.each(['getlocations', 'getcurrlocation'])('starts: %s has one with text, ended by a slash', async (name) => {
    const locations = all(await xml(`/web/${name}`), 'e2location');
    expect(locations.length).toBeGreaterThan(0);
    for (const { text } of locations) expect(text).toMatch(/^\/.*\/$/);
  });

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

  it('has names of bouquets only once over both roots, and the same references after a restart', async () => {
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

  it('finds one event by its start, and never the one that ends then', async () => {
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

  it('polls the timers and lists recordings and deleted ones', async () => {
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

  it('zaps, and sends 4, 5 and 1 when it leaves', async () => {
    expect((await get(receiver, '/web/zap', { sRef: beta })).status).toBe(200);
    for (const newstate of [5, 4, 1]) expect((await get(receiver, '/web/powerstate', { newstate })).status).toBe(200);
    expect(receiver.parts.device.power.standby).toBe(false);
  });

  describe('as seen on the wire', () => {
    it('1. doubles its base URL', async () => {
      const doubled = await get(receiver, '/http://user:pass@127.0.0.1:8080/api/vol?unused=1');
      expect(doubled.body).toContain('"result": true');
    });

    it('2. sends a range and every coding with each request, and gets the whole of it', async () => {
      const headers = { range: 'bytes=0-', 'accept-encoding': 'deflate, gzip, br, zstd' };
      const reply = await receiver.app.inject({ method: 'GET', url: '/web/currenttime', headers });
      expect(reply.statusCode).toBe(200);
      expect(reply.headers['content-range']).toBeUndefined();
      expect(gunzipSync(reply.rawPayload).toString()).toContain('<e2currenttime>');
    });

    it('3. drops requests in the middle, and nobody minds', async () => {
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
        allBouquets: {
          value: () => [
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

    it('4. asks for picons with HEAD', async () => {
      const head = await get(receiver, '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png', {}, { method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, type: 'image/png' });
    });

    it('5. shows an error window for an empty e2statetext: there is none', async () => {
      for (const { name } of operations) {
        const { type, body } = await get(receiver, `/web/${name}`);
        if (type !== xmlType) continue;
        const reply = parseXml(body);
        if (reply.name === 'e2simplexmlresult') expect(string(reply, 'e2statetext'), name).toBeTruthy();
      }
    });

    it('9. takes no genre without text: every genre of the standard has one', async () => {
      const { genreText } = await import('../../src/epg/guide.ts');
      for (let group = 1; group <= 0xc; group++)
        for (let kind = 0; kind < 16; kind++) expect(genreText(group, kind)).toBeTruthy();
    });

    it('11. asks for cut lists that are not there, of recordings that are', async () => {
      writeRecording(join(receiver.folder, 'movie', 'x.ts'));
      expect((await get(receiver, '/file', { file: '/media/hdd/movie/x.ts' })).status).toBe(200);
      expect((await get(receiver, '/file', { file: '/media/hdd/movie/x.edl' })).status).toBe(404);
    });
  });
});

describe('Kodi and what it looks for beside channels', () => {
  it('reads the AutoTimer settings, and finds no value empty and nothing to change', async () => {
    const settings = all(await xml('/autotimer/get'), 'e2setting').map((one) => [
      at(one, 'e2settingname').text,
      at(one, 'e2settingvalue').text,
    ]);
    expect(settings).toEqual([
      ['config.plugins.autotimer.add_autotimer_to_tags', 'True'],
      ['config.plugins.autotimer.add_name_to_tags', 'True'],
    ]);
  });

  it('makes an AutoTimer of what it sends, reads it back, and takes it out', async () => {
    const rules = await xml('/autotimer');
    expect([rules.name, rules.attributes.version, rules.children]).toEqual(['autotimer', '8', []]);
    const state = async (path: string) => at(await xml(path), 'e2state').text;
    expect(
      await state(
        '/autotimer/edit?name=Weather&match=Weather&enabled=yes&timespanFrom=19%3a30&timespanTo=21%3a00&offset=3,5' +
          '&encoding=UTF-8&searchCase=sensitive&searchType=exact&avoidDuplicateDescription=3&searchForDuplicateDescription=2' +
          '&services=1%3A0%3A19%3A2B66%3A3F3%3A1%3AC00000%3A0%3A0%3A0%3A&tag=ChannelType%3DTV' +
          '&tag=ChannelRef%3D1%3A0%3A19%3A2B66%3A3F3%3A1%3AC00000%3A0%3A0%3A0%3A&tag=GenreId%3D0x20&dayofweek=3&dayofweek=4',
      ),
    ).toBe('True');
    const [rule] = all(await xml('/autotimer'), 'timer');
    expect(rule?.attributes).toEqual({
      id: '1',
      name: 'Weather',
      match: 'Weather',
      enabled: 'yes',
      from: '19:30',
      to: '21:00',
      offset: '3,5',
      encoding: 'UTF-8',
      searchType: 'exact',
      searchCase: 'sensitive',
      avoidDuplicateDescription: '3',
    });
    expect(rule?.children.map(({ name, text, attributes }) => [name, text.trim(), attributes])).toEqual([
      ['e2tags', `ChannelType=TV ChannelRef=${alpha} GenreId=0x20`, {}],
      ['e2service', '', {}],
      ['include', '3', { where: 'dayofweek' }],
      ['include', '4', { where: 'dayofweek' }],
    ]);
    // It finds the timers of a rule by these tags.
    const [timer] = all(await xml('/web/timerlist'), 'e2timer');
    expect(at(timer ?? expect.fail('no timer'), 'e2tags').text.split(' ')).toEqual(
      expect.arrayContaining(['AutoTimer', 'Weather']),
    );
    expect(await state('/autotimer/edit?id=1&name=Weather&match=Weather&enabled=no&offset=&dayofweek=')).toBe('True');
    expect(await state('/autotimer/remove?id=1')).toBe('True');
    expect(await state('/autotimer/remove?id=1')).toBe('False');
    expect(await state('/autotimer/set?add_name_to_tags=true&add_autotimer_to_tags=true')).toBe('True');
  });

  it('asks for ranges of picons, and for AutoTimers with its base URL doubled', async () => {
    const headers = { range: 'bytes=0-', 'accept-encoding': 'deflate, gzip, br, zstd' };
    const reply = await get(receiver, '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png', {}, { headers });
    expect([200, 206]).toContain(reply.status);
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect((await get(receiver, '/http://user:word@box:80/autotimer/get')).status).toBe(200);
  });

  it('shows the picons that getservices names: every link leads to a picture', async () => {
    for (const sRef of [favourites, second]) {
      const { services } = await json('/api/getservices', { provider: 1, picon: 1, sRef });
      for (const { picon } of services as { picon: string }[]) {
        expect(picon).toMatch(/^\//);
        expect((await get(receiver, picon, {}, { method: 'HEAD' })).status, picon).toBe(200);
      }
    }
  });

  it('asks for the last scanned channels by the name of the file, once with two blanks', async () => {
    for (const blank of [' ', '  ']) {
      const sRef = `1:7:1:0:0:0:0:0:0:0:FROM BOUQUET${blank}"userbouquet.LastScanned.tv" ORDER BY bouquet`;
      expect((await xml('/web/getservices', { sRef })).name).toBe('e2servicelist');
    }
  });
});

describe('Kodi and the settings', () => {
  it('writes the margins by POST with a body that means nothing, and searches the raw text of the answer', async () => {
    for (const [key, value] of [
      ['config.recording.margin_before', '4'],
      ['config.recording.margin_after', '9'],
    ] as const) {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const options = { method: 'POST', headers: form, payload: '\0\0' } as const;
      const reply = await get(receiver, '/api/saveconfig', { key, value }, options);
      expect(reply.body).toContain('"result": true');
      expect(receiver.parts.settings.get(key)).toBe(value);
    }
  });
});

describe('Home Assistant (openwebifpy)', () => {
  it('sets up with model, brand, version and MAC address', async () => {
    const { info } = (await json('/api/about')) as unknown as { info: Record<string, unknown> };
    for (const key of ['model', 'brand', 'webifver']) expect(info[key]).toBeTruthy();
    for (const { mac } of info.ifaces as { mac: string }[]) expect(mac).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  });

  it('asks for the status every 15 seconds: strings, number, boolean', async () => {
    const status = await json('/api/statusinfo');
    expect(['true', 'false']).toContain(status.inStandby);
    expect(['true', 'false']).toContain(status.isRecording);
    expect(['true', 'false']).toContain(status.isStreaming);
    expect([typeof status.volume, typeof status.muted]).toEqual(['number', 'boolean']);
  });

  it.each(['tv', 'radio'])('reads the bouquets of %s as pairs, references first', async (stype) => {
    const { bouquets } = await json('/api/bouquets', { stype });
    for (const pair of bouquets as unknown[][]) {
      expect(pair).toHaveLength(2);
      expect(pair[0]).toMatch(/^1:7:[12]:0:0:0:0:0:0:0/);
    }
  });

  it('builds its sources from epgnow, one a service, and shows the current one under the same name', async () => {
    for (const bouquet of [favourites, second]) {
      const { events } = await json('/api/epgnow', { bRef: bouquet });
      const { services } = await json('/api/getservices', { sRef: bouquet });
      const sources = (events as { sname: string; sref: string }[]).map(({ sname, sref }) => [sname, sref]);
      expect(sources).toEqual(
        (services as Record<string, string>[]).map(({ servicename, servicereference }) => [
          servicename,
          servicereference,
        ]),
      );
      for (const [name, reference = ''] of sources) {
        if (reference === marker || reference.includes('7777') || reference.includes('FROM BOUQUET')) continue;
        expect((await json('/api/zap', { sRef: reference })).result).toBe(true);
        expect((await json('/api/statusinfo')).currservice_station).toBe(name);
      }
    }
  });

  it('asks epgnow with an empty bouquet, and gets an object', async () => {
    expect(await json('/api/epgnow', { bRef: '' })).toMatchObject({ result: false });
  });

  it('changes volume, mute and power', async () => {
    for (const set of ['set40', 'up', 'down', 'mute', 'mute', 'set55']) {
      const { current, ismute, result } = await json('/api/vol', { set });
      expect([typeof current, typeof ismute, result]).toEqual(['number', 'boolean', true]);
    }
    for (const newstate of [5, 4]) expect((await json('/api/powerstate', { newstate })).result).toBe(true);
  });

  it('presses keys and sends messages', async () => {
    for (const command of [402, 403, 128, 207, 119]) {
      expect(await json('/api/remotecontrol', { command })).toMatchObject({ result: true });
    }
    const message = { timeout: '10', type: '1', text: 'The door bell rings' };
    expect(await json('/api/message', message)).toMatchObject({ result: true });
  });

  it('probes picons by the reduced name, then by the reference', async () => {
    const head = async (name: string) => (await get(receiver, `/picon/${name}.png`, {}, { method: 'HEAD' })).status;
    expect(await head('alphahd')).toBe(200);
    expect(await head('nosuchservice')).toBe(404);
    expect(await head('1_0_19_2B66_3F3_1_C00000_0_0_0')).toBe(200);
    expect(await head('beta')).toBe(200);
  });

  it('reads everything at once on demand', async () => {
    expect((await json('/api/getallservices')).services).toHaveLength(3);
  });

  it('shows the screen, or a picture in its place', async () => {
    for (const shown of [undefined, Buffer.from([0xff, 0xd8, 0xff])]) {
      receiver.playback.picture = shown;
      const reply = await receiver.app.inject('/grab?mode=all&format=jpg&t=1767291000&r=0');
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, shown ? 'image/jpeg' : 'image/png']);
      expect(reply.rawPayload.length).toBeGreaterThan(2);
    }
    receiver.playback.picture = undefined;
  });
});

describe('homebridge-openwebif-tv', () => {
  it('sends an empty login that nobody asked for', async () => {
    const headers = { authorization: 'Basic Og==' };
    for (const path of ['/api/deviceinfo', '/api/statusinfo', '/web/currenttime', '/services/tv']) {
      expect((await get(receiver, path, {}, { headers })).status).toBe(200);
    }
  });

  it('finds the current channel letter for letter in getallservices', async () => {
    const { services } = (await json('/api/getallservices')) as unknown as {
      services: { subservices: { servicereference: string }[] }[];
    };
    const listed = services.flatMap(({ subservices }) => subservices.map(({ servicereference }) => servicereference));
    for (const reference of [alpha, beta, renamed]) {
      await json('/api/zap', { sRef: reference });
      expect(listed).toContain((await json('/api/statusinfo')).currservice_serviceref);
    }
  });

  it('sends key 159 for fast forward', async () => {
    expect(await json('/api/remotecontrol', { command: 159 })).toMatchObject({ result: true });
  });

  it('saves the device by the MAC address of deviceinfo', async () => {
    expect(await json('/api/deviceinfo')).toMatchObject({ ifaces: [{ mac: '02:00:00:00:00:01' }] });
  });
});

describe('dreamDroid', () => {
  const types = '(type == 1) || (type == 17) || (type == 195) || (type == 25)';

  it('connects', async () => {
    const info = await xml('/web/deviceinfo');
    expect(at(info, 'e2devicename').text).toBe('Living room');
  });

  it.each([
    `1:7:1:0:0:0:0:0:0:0:${types} FROM BOUQUET "bouquets.tv" ORDER BY bouquet`,
    '1:7:2:0:0:0:0:0:0:0:(type == 2)FROM BOUQUET "bouquets.radio" ORDER BY bouquet',
    `1:7:1:0:0:0:0:0:0:0:${types} FROM PROVIDERS ORDER BY name`,
    `1:7:1:0:0:0:0:0:0:0:${types} ORDER BY name`,
    '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET \\"bouquets.tv\\" ORDER BY bouquet',
  ])('lists %s', async (sRef) => {
    expect(all(await xml('/web/getservices', { sRef }), 'e2service').length).toBeGreaterThan(0);
  });

  it('pairs the events of epgnownext two by two', async () => {
    const events = all(await xml('/web/epgnownext', { bRef: favourites }), 'e2event');
    expect(events.length % 2).toBe(0);
    for (let i = 0; i < events.length; i += 2) {
      const [running, next] = [events[i], events[i + 1]] as [XmlElement, XmlElement];
      expect(at(running, 'e2eventservicereference').text).toBe(at(next, 'e2eventservicereference').text);
    }
  });

  it('reads numbers or None, never anything else', async () => {
    for (const [path, parameters] of [
      ['/web/epgnow', { bRef: favourites }],
      ['/web/epgbouquet', { bRef: favourites, time: 1767293100 }],
      ['/web/epgmulti', { bRef: favourites }],
      ['/web/epgservice', { sRef: alpha }],
    ] as const) {
      for (const event of all(await xml(path, parameters), 'e2event')) {
        expect(at(event, 'e2eventstart').text).toMatch(/^(\d+|None)$/);
        expect(at(event, 'e2eventduration').text).toMatch(/^(\d+|None)$/);
      }
    }
  });

  it('compares True and False raw, without white space', async () => {
    const volume = await xml('/web/vol', { set: 'mute' });
    expect([at(volume, 'e2result').text, at(volume, 'e2ismuted').text]).toEqual(['True', 'True']);
    expect(at(await xml('/web/vol', { set: 'mute' }), 'e2ismuted').text).toBe('False');
    expect(at(await xml('/web/zap', { sRef: alpha }), 'e2state').text).toBe('True');
    expect(at(await xml('/web/powerstate', { newstate: 0 }), 'e2instandby').text).toBe('true');
    expect(at(await xml('/web/powerstate', { newstate: 0 }), 'e2instandby').text).toBe('false');
  });

  it('posts with the parameters in the URL and an empty body, and never gets 405 or 412', async () => {
    for (const { name } of operations) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      for (const method of ['POST', 'GET', 'HEAD'] as const) {
        const { status } = await get(receiver, `/web/${name}`, { bRef: favourites }, { method, headers, payload: '' });
        expect([200, 400, 404], `${method} ${name}`).toContain(status);
      }
    }
  });

  it('takes screen shots with parameters of its own', async () => {
    for (const mode of ['o', 'n', 'v', 'o=%20&v']) {
      const reply = await receiver.app.inject(`/grab?${mode}=%20&format=jpg&r=640&filename=/tmp/x`);
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'image/png']);
    }
  });

  it('sets the sleep timer, sends messages, presses keys for long', async () => {
    const set = { cmd: 'set', time: '30', action: 'standby', enabled: 'True' };
    expect(at(await xml('/web/sleeptimer', set), 'e2enabled').text).toBe('True');
    expect(at(await xml('/web/sleeptimer', { ...set, enabled: 'False' }), 'e2enabled').text).toBe('False');
    const message = await xml('/web/message', { text: 'Hello', type: '2', timeout: '5' });
    expect(at(message, 'e2state').text).toBe('True');
    const key = await xml('/web/remotecontrol', { command: '139', rcu: 'standard', type: 'long' });
    expect(at(key, 'e2result').text).toBe('True');
  });

  it('asks for standby, shutting down, rebooting and restarting', async () => {
    for (const newstate of ['0', '1', '2', '3', '0']) {
      expect(at(await xml('/web/powerstate', { newstate }), 'e2instandby').text).toMatch(/^(true|false)$/);
    }
  });

  it('shows current, locations, tags, signal', async () => {
    for (const name of ['getcurrent', 'getlocations', 'gettags', 'movielist', 'signal', 'timerlist'])
      await xml(`/web/${name}`);
  });
});

describe('dreamDroid and the media player', () => {
  it('finds it empty', async () => {
    for (const [name, root] of [
      ['mediaplayerlist?path=&types=', 'e2filelist'],
      ['mediaplayercurrent', 'e2mediaplayercurrent'],
    ]) {
      expect(await xml(`/web/${name}`)).toMatchObject({ name: root, children: [] });
    }
    const reply = await xml('/web/mediaplayercmd?command=play');
    expect([at(reply, 'e2state').text, at(reply, 'e2statetext').text]).toEqual(['False', expect.stringMatching(/./)]);
  });
});

describe('openHAB', () => {
  it('shows the answer to a power change as the new state', async () => {
    const state = async (parameters = {}) => at(await xml('/web/powerstate', parameters), 'e2instandby').text.trim();
    const before = await state();
    const after = await state({ newstate: 0 });
    expect(after).not.toBe(before);
    expect(await state()).toBe(after);
    await state({ newstate: 4 });
  });

  it('takes the last word of the answer to its question, without the mark', async () => {
    const word = async () => {
      const text = at(await xml('/web/messageanswer', { getanswer: 'now' }), 'e2statetext').text;
      return text.split(' ').at(-1)?.replace('!', '');
    };
    await xml('/web/message', { type: '0', timeout: '30', text: 'Lights off?' });
    expect(await word()).toBe('time');
    // Somebody presses exit, then ok.
    await xml('/web/remotecontrol', { command: '174' });
    expect(await word()).toBe('NO');
    await xml('/web/message', { type: '0', timeout: '30', text: 'Lights on?' });
    await xml('/web/remotecontrol', { command: '352' });
    expect(await word()).toBe('YES');
  });

  it('maps names to references from getallservices', async () => {
    const channels = new Map<string, string>();
    for (const bouquet of all(await xml('/web/getallservices'), 'e2bouquet')) {
      for (const service of all(at(bouquet, 'e2servicelist'), 'e2service')) {
        channels.set(at(service, 'e2servicename').text, at(service, 'e2servicereference').text);
      }
    }
    expect(channels.get('Alpha HD')).toBe(alpha);
  });

  it('takes the first sub-service for the current channel, the first event for the current programme', async () => {
    expect(at(await xml('/web/subservices'), 'e2service', 'e2servicename').text).toBe('Alpha HD');
    const [event] = all(await xml('/web/epgservicenow', { sRef: alpha }), 'e2event');
    expect(at(event as XmlElement, 'e2eventtitle').text).toBe('Ships & Harbours');
    expect(at(event as XmlElement, 'e2eventdescription').text).toBe('Episode 3');
  });
});

describe('others', () => {
  it('ioBroker: an interface, a list of disks, no bouquet with an empty list, a colon at the end of references', async () => {
    const info = await xml('/web/deviceinfo');
    expect(all(at(info, 'e2network'), 'e2interface').length).toBeGreaterThan(0);
    at(info, 'e2hdds');
    for (const bouquet of all(await xml('/web/getallservices'), 'e2bouquet')) {
      expect(at(bouquet, 'e2servicelist').children.length).toBeGreaterThan(0);
    }
    expect(at(await xml('/web/getcurrent'), 'e2service', 'e2servicereference').text).toMatch(/:$/);
  });

  it('ioBroker: two events of the current service, known or not, with the fields that it reads without asking', async () => {
    for (const sRef of [alpha, beta]) {
      await xml('/web/zap', { sRef });
      const current = await xml('/web/getcurrent');
      const events = all(at(current, 'e2eventlist'), 'e2event');
      expect(events).toHaveLength(2);
      for (const event of events) {
        for (const name of ['start', 'duration', 'remaining']) {
          expect(at(event, `e2event${name}`).text).toMatch(/^(\d+|None)$/);
        }
        for (const name of ['name', 'description', 'descriptionextended']) at(event, `e2event${name}`);
        expect(at(event, 'e2eventservicereference').text).toMatch(/:$/);
      }
    }
  });

  it('ioBroker: about, volume, power, messages and keys in its own words', async () => {
    expect(at(await xml('/web/about'), 'e2about', 'e2servicename').text).toBe('Alpha HD');
    expect(at(await xml('/web/vol?set=set33'), 'e2current').text).toBe('33');
    expect(at(await xml('/web/remotecontrol?command=402&rcu=advanced'), 'e2result').text).toBe('True');
    const message = await xml('/web/message?text=Door%20%26%20%3Cbell%3E&type=1&timeout=15');
    expect(at(message, 'e2state').text).toBe('True');
    expect(at(await xml('/web/messageanswer?getanswer=now'), 'e2statetext').text).toMatch(/./);
  });

  it('homebridge-dreambox: finds the bouquet by name, the current channel letter for letter', async () => {
    const about = at(await xml('/web/about'), 'e2about');
    for (const name of ['e2model', 'e2lanmac', 'e2enigmaversion']) expect(at(about, name).text).not.toBe('');
    const bouquet = all(await xml('/web/getallservices'), 'e2bouquet').find(
      (one) => at(one, 'e2servicename').text === 'Favourites (TV)',
    );
    const references = all(at(bouquet as XmlElement, 'e2servicelist'), 'e2service').map(
      (service) => at(service, 'e2servicereference').text,
    );
    for (const sRef of [alpha, beta]) {
      // URLSearchParams, which percent-encodes the colons.
      await xml(`/web/zap?${new URLSearchParams({ sRef })}`);
      expect(references).toContain(at(await xml('/web/getcurrent'), 'e2service', 'e2servicereference').text);
    }
    expect(at(await xml('/web/powerstate?newstate=4'), 'e2instandby').text).toBe('false');
  });

  it.each(['about', 'deviceinfo', 'getaudiotracks', 'getcurrent', 'epgservice', 'subservices'])(
    'SmartHomeNG: %s is well-formed',
    async (name) => {
      await xml(`/web/${name}`, { sRef: alpha });
    },
  );

  it('scripts: stray parameters and capitals do not matter', async () => {
    const reply = await get(receiver, '/web/vol?.xml&TIMEOUT=5&sessionid=0');
    expect(parseXml(reply.body).name).toBe('e2volume');
  });
});
