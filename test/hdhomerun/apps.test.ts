/**
 * The receiver as an HDHomeRun, by the requests of apps that are not available here: Plex, Jellyfin, Emby and Channels. Their
 * answers are parsed as strictly as the apps do.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { elementsOf, parseXml, textOf, type XmlElement } from '../../src/base/xml.ts';
import { until, untilTrue } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';

const folder = temporaryFolder();
let program: Program;
let controlPort: number;
const maxClients = 8;

beforeAll(async () => {
  const settings = join(folder, 'receiverd.yaml');
  const server = 'hdhomerun:\n  server: true\n  streamPort: 0\n  controlPort: 0\n';
  writeFileSync(settings, `${server}stream:\n  maximumClients: ${maxClients}\n`);
  program = await startProgram(folder, '--tuner', 'demo', '--config', settings);
  const line = () => program.log.map(({ msg = '' }) => msg).find((msg) => msg.startsWith('HDHomeRun '));
  await untilTrue(async () => line() !== undefined);
  controlPort = Number(/on port (\d+)/.exec(line() ?? '')?.[1]);
});

afterAll(async () => {
  await program.stop();
  removeFolder(folder);
});

interface Reply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Sends a request as it is, and reads the reply up to the end of the connection, or `maxBytes` of its body. */
async function send(address: string, lines: readonly string[], maxBytes = Number.POSITIVE_INFINITY): Promise<Reply> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let bytes = Buffer.alloc(0);
  let end = -1;
  for await (const piece of socket) {
    bytes = Buffer.concat([bytes, piece as Buffer]);
    end = bytes.indexOf('\r\n\r\n');
    if (end >= 0 && bytes.length - end - 4 >= maxBytes) break;
  }
  socket.destroy();
  const [first = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = fields.map((field) => {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(field) ?? [];
    return [name.toLowerCase(), value] as const;
  });
  return { status: Number(first.split(' ')[1]), headers: new Map(headers), body: bytes.subarray(end + 4) };
}

type Kind = 'string' | 'integer' | 'boolean';

/** A record as a serializer with fixed types reads it: other types are errors, missing and further members are not. */
function typed(value: unknown, kinds: Readonly<Record<string, Kind>>): Readonly<Record<string, unknown>> {
  const record = value as Readonly<Record<string, unknown>>;
  for (const [name, kind] of Object.entries(kinds)) {
    const one = record[name];
    if (one === undefined) continue;
    if (kind === 'integer') expect(Number.isInteger(one), name).toBe(true);
    else if (kind === 'boolean') expect([true, false, 0, 1], name).toContain(one);
    else expect(typeof one, name).toBe('string');
  }
  return record;
}

const texts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'string' as const]));
const deviceKinds: Readonly<Record<string, Kind>> = {
  ...texts('FriendlyName', 'ModelNumber', 'FirmwareName', 'FirmwareVersion', 'DeviceID', 'DeviceAuth', 'BaseURL'),
  ...{ ...texts('LineupURL'), TunerCount: 'integer' },
};
const channelKinds: Readonly<Record<string, Kind>> = {
  ...texts('GuideNumber', 'GuideName', 'VideoCodec', 'AudioCodec', 'URL'),
  ...{ Favorite: 'boolean', DRM: 'boolean', HD: 'boolean' },
};

/** PAT and PMT come first, so that a player with little patience finds the streams. */
function expectTransportStream(body: Buffer): void {
  const packet = (n: number) => body.subarray(n * 188, (n + 1) * 188);
  const pidOf = (one: Buffer) => one.readUInt16BE(1) & 0x1fff;
  expect([packet(0)[0], packet(1)[0], pidOf(packet(0))]).toEqual([0x47, 0x47, 0]);
  const section = packet(0).subarray(5);
  // The programme after program 0, which leads to the NIT.
  const entries = [8, 12].map((at) => [section.readUInt16BE(at), section.readUInt16BE(at + 2) & 0x1fff] as const);
  expect(pidOf(packet(1))).toBe(entries.find(([number]) => number !== 0)?.[1]);
}

const textIn = (element: XmlElement, name: string) =>
  elementsOf(element)
    .filter((one) => one.name === name)
    .map(textOf);

describe('Plex', () => {
  // Its requests are those of HTTP/1.0, and any other status than 200 means `device not found`.
  const plex = async (line: string, host = new URL(program.http).host) => {
    const reply = await send(program.http, [`${line} HTTP/1.0`, `Host: ${host}`, 'Accept: */*']);
    expect([line, reply.status]).toEqual([line, 200]);
    expect(reply.headers.get('transfer-encoding')).toBeUndefined();
    expect(Number(reply.headers.get('content-length'))).toBe(reply.body.length);
    return reply.body.toString();
  };
  const channelsOf = (text: string) =>
    (JSON.parse(text) as unknown[]).map((one) => typed(one, channelKinds) as { GuideNumber: string; URL: string });

  it('adds the device, scans, and gets the channels', async () => {
    const device = typed(JSON.parse(await plex('GET /discover.json')), deviceKinds);
    expect(device.BaseURL).toBe(program.http);
    expect(device.DeviceID).toMatch(/^[0-9A-F]{8}$/);
    expect(device.TunerCount).toBeGreaterThan(0);
    const status = JSON.parse(await plex('GET /lineup_status.json'));
    expect(status.SourceList).toContain(status.Source);
    const before = channelsOf(await plex('GET /lineup.json'));
    for (const source of [...status.SourceList, 'Cable']) await plex(`POST /lineup.post?scan=start&source=${source}`);
    expect(JSON.parse(await plex('GET /lineup_status.json')).ScanInProgress).toBe(0);
    await plex('POST /lineup.post?scan=abort');
    const channels = channelsOf(await plex('GET /lineup.json'));
    expect(channels).toEqual(before);
    const numbers = channels.map(({ GuideNumber }) => GuideNumber);
    for (const number of numbers) expect(number).toMatch(/^\d+(\.\d+)?$/);
    expect(new Set(numbers).size).toBe(numbers.length);
    const root = await parseXml(await plex('GET /device.xml'), 'root');
    expect(textIn(root, 'URLBase')).toEqual([program.http]);
    const inner = elementsOf(root).find(({ name }) => name === 'device') as XmlElement;
    expect(textIn(inner, 'UDN')).toEqual([`uuid:${device.DeviceID}`]);
    expect(await plex('GET /capability')).toBe(await plex('GET /device.xml'));
  });

  it('scans also by a name that the receiver does not know', async () => {
    await plex('POST /lineup.post?scan=start&source=Antenna', 'tv.example:8080');
  });

  it('gets a guide whose channels are those of the device', async () => {
    const guide = await until(async () => {
      const found = await parseXml(await guideText(), 'tv');
      expect(elementsOf(found).filter(({ name }) => name === 'programme').length).toBeGreaterThan(0);
      return elementsOf(found);
    });
    const channels = guide.filter(({ name }) => name === 'channel');
    const numbers = channelsOf(await plex('GET /lineup.json')).map(({ GuideNumber }) => GuideNumber);
    expect(channels.map(({ attributes }) => attributes.id)).toEqual(numbers);
    for (const channel of channels) expect(textIn(channel, 'display-name')).toContain(channel.attributes.id);
    for (const programme of guide.filter(({ name }) => name === 'programme')) {
      const { start = '', stop = '', channel = '' } = programme.attributes;
      expect(numbers).toContain(channel);
      for (const time of [start, stop]) expect(time).toMatch(/^\d{14} [+-]\d{4}$/);
      expect(stop > start).toBe(true);
      expect(textIn(programme, 'title').join('')).not.toBe('');
    }
  });

  const guideText = async () => {
    const answer = await program.get('/xmltv.xml', { 'Accept-Encoding': 'gzip' });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    return (await answer.text()).replace(/<!DOCTYPE[^>]*>/, '');
  };

  it('tunes', async () => {
    const [channel] = channelsOf(await plex('GET /lineup.json'));
    const { host, pathname } = new URL(channel?.URL ?? '');
    const request = [`GET ${pathname} HTTP/1.0`, `Host: ${host}`, 'User-Agent: Lavf/58.76.100', 'Icy-MetaData: 1'];
    const { status, headers, body } = await send(channel?.URL ?? '', request, 1880);
    expect([status, headers.get('content-type')]).toEqual([200, 'video/mp2t']);
    expectTransportStream(body);
  });
});

/** Twenty bytes that Jellyfin and others broadcast: a device of any type and id. */
const discovery = Buffer.from('0002000c0104ffffffff0204ffffffff73cc7d8f', 'hex');

async function discovered(): Promise<Buffer> {
  const socket = createSocket('udp4');
  try {
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    socket.send(discovery, controlPort, '127.0.0.1');
    const [reply] = (await once(socket, 'message')) as [Buffer];
    return reply;
  } finally {
    socket.close();
  }
}

describe('Jellyfin', () => {
  it('finds the device', async () => {
    const reply = await discovered();
    expect(reply.length).toBeGreaterThan(13);
    expect(reply[1]).toBe(3);
  });

  it('adds it with or without a slash, and gets the channels', async () => {
    for (const url of [program.http, `${program.http}/`]) {
      const device = await fetch(`${url.replace(/\/$/, '')}/discover.json`);
      expect([device.status, device.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      const { LineupURL, ModelNumber, DeviceID } = typed(await device.json(), deviceKinds);
      expect(DeviceID).not.toBe('');
      // Else it would ask for transcoded streams.
      expect(String(ModelNumber).toLowerCase()).not.toContain('hdtc');
      const lineup = (await (await fetch(String(LineupURL))).json()) as readonly unknown[];
      const channels = lineup.map((one) => typed(one, channelKinds));
      expect(channels.filter(({ DRM }) => !DRM).length).toBeGreaterThan(0);
      for (const { GuideNumber, URL: address } of channels) {
        // Its own ids are `hdhr_7`, which it takes apart at the line.
        expect(GuideNumber).not.toContain('_');
        expect(address).toMatch(/^http:/);
      }
    }
  });

  it('streams what is not a text or a playlist', async () => {
    const [first] = await program.json<readonly { URL: string }[]>('/lineup.json');
    const { host, pathname } = new URL(first?.URL ?? '');
    const request = [`GET ${pathname} HTTP/1.1`, `Host: ${host}`, 'Accept: */*', 'Connection: close'];
    const { status, headers, body } = await send(first?.URL ?? '', request, 4000);
    expect([status, headers.get('content-type')]).toEqual([200, 'video/mp2t']);
    expectTransportStream(
      headers.get('transfer-encoding') === 'chunked' ? body.subarray(body.indexOf('\r\n') + 2) : body,
    );
  });
});

describe('Emby', () => {
  it('gets the device and the channels, compressed', async () => {
    const headers = { 'Accept-Encoding': 'gzip, deflate', 'User-Agent': 'Emby Server' };
    const device = typed(await (await program.get('/discover.json', headers)).json(), deviceKinds);
    expect(device.BaseURL).toBe(program.http);
    expect(await (await program.get('/lineup.json', headers)).json()).not.toEqual([]);
  });

  it('hides no channel of the playlist for an id that another one has', async () => {
    const list = await (await program.get('/lineup.m3u')).text();
    const ids = [...list.matchAll(/tvg-id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids.length).toBe((await program.json<readonly unknown[]>('/lineup.json')).length);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('Channels', () => {
  it('finds the device with its addresses', async () => {
    const reply = await discovered();
    const end = reply.length - 4;
    expect(reply.readUInt32LE(end)).toBe(crc32(reply.subarray(0, end)));
    expect([reply.readUInt16BE(0), reply.readUInt16BE(2)]).toEqual([3, end - 4]);
    const values = new Map<number, Buffer>();
    for (let at = 4; at < end; ) {
      const [tag = 0, length = 0] = reply.subarray(at);
      expect(length).toBeLessThan(0x80);
      values.set(tag, reply.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
    const device = await program.json<{ DeviceID: string; TunerCount: number }>('/discover.json');
    const id = values.get(0x02)?.toString('hex').toUpperCase();
    expect([id, values.get(0x10)?.[0]]).toEqual([device.DeviceID, device.TunerCount]);
    expect(values.get(0x01)).toEqual(Buffer.from([0, 0, 0, 1]));
    const base = values.get(0x2a)?.toString() ?? '';
    expect(values.get(0x27)?.toString()).toBe(`${base}/lineup.json`);
    expect(await (await fetch(`${base}/discover.json`)).json()).toMatchObject({ DeviceID: id });
  });

  it.each(['show=found', 'show=unprotected', 'show=all&tuning', 'tuning'])(
    'lists the channels with %s',
    async (query) => {
      const all = await program.json('/lineup.json');
      expect(await program.json(`/lineup.json?${query}`)).toEqual(all);
    },
  );

  it('records for a time, from any tuner or one of its choice', async () => {
    const [first] = await program.json<readonly { URL: string }[]>('/lineup.json');
    for (const address of [first?.URL ?? '', (first?.URL ?? '').replace('/auto/', '/tuner0/')]) {
      const answer = await fetch(`${address}?duration=1&transcode=none`);
      expect(answer.status).toBe(200);
      expectTransportStream(Buffer.from(await answer.arrayBuffer()));
    }
  });

  it('learns why a channel cannot be had', async () => {
    const [first] = await program.json<readonly { URL: string }[]>('/lineup.json');
    const answer = await fetch((first?.URL ?? '').replace(/v1$/, 'v999'));
    expect([answer.ok, answer.headers.get('x-hdhomerun-error')]).toEqual([false, '801 Unknown Channel']);
  });

  it('gets an error when no tuner is free', async () => {
    const [first] = await program.json<readonly { URL: string }[]>('/lineup.json');
    const open: Response[] = [];
    do open.push(await fetch(first?.URL ?? ''));
    while (open.at(-1)?.ok && open.length <= maxClients);
    const refused = open.at(-1);
    expect([refused?.status, refused?.headers.get('x-hdhomerun-error')]).toEqual([503, '805 All Tuners In Use']);
    for (const { body } of open) await body?.cancel();
  });
});
