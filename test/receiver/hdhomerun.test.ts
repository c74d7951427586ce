/** The receiver as an HDHomeRun: documents, streams, and control by a client that speaks the protocol itself. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  formatPacket,
  maxPacketBytes,
  packetLength,
  packetType,
  parsePacket,
  tag,
  textOf,
  textValue,
} from '../../src/dvb/hdhomerun/packet.ts';
import { untilTrue } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
let program: Program;
let controlPort: number;
let streams: string;

beforeAll(async () => {
  const settings = join(folder, 'receiverd.yaml');
  writeFileSync(settings, 'hdhomerun:\n  server: true\n  streamPort: 0\n  controlPort: 0\n');
  program = await startProgram(folder, '--tuner', 'demo', '--config', settings);
  const line = () => program.log.map(({ msg = '' }) => msg).find((msg) => msg.startsWith('HDHomeRun '));
  await untilTrue(async () => line() !== undefined);
  const [, control, stream] = /on port (\d+), streams on port (\d+)/.exec(line() ?? '') ?? [];
  controlPort = Number(control);
  streams = `http://127.0.0.1:${stream}`;
});

afterAll(async () => {
  await program.stop();
  removeFolder(folder);
});

interface Channel {
  readonly GuideNumber: string;
  readonly GuideName: string;
  readonly URL: string;
}

/** A connection of a client. */
class Client {
  readonly socket: Socket = connect(controlPort, '127.0.0.1');

  /** The value of a variable, or the error. With `value`, sets it first. */
  async ask(name: string, value?: string, lockKey?: number): Promise<string> {
    this.send(
      formatPacket(packetType.getSetRequest, [
        [tag.name, textValue(name)],
        ...(value === undefined ? [] : ([[tag.value, textValue(value)]] as const)),
        ...(lockKey === undefined ? [] : ([[tag.lockKey, lockKey]] as const)),
      ]),
    );
    let bytes = Buffer.alloc(0);
    while (bytes.length < packetLength(bytes)) {
      const [piece] = (await once(this.socket, 'data')) as [Buffer];
      bytes = Buffer.concat([bytes, piece]);
    }
    const { type, values } = parsePacket(bytes);
    expect(type).toBe(packetType.getSetReply);
    return textOf(values.get(tag.value) ?? values.get(tag.error)) ?? '';
  }

  send(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  close(): void {
    this.socket.destroy();
  }
}

describe('documents', () => {
  it('describe the device alike', async () => {
    const device = await program.json<Record<string, unknown>>('/discover.json');
    expect(device).toMatchObject({ BaseURL: program.http, LineupURL: `${program.http}/lineup.json`, TunerCount: 1 });
    expect(device.DeviceID).toMatch(/^1[0-9A-F]{7}$/);
    const description = await (await program.get('/device.xml')).text();
    expect(description).toContain(`<UDN>uuid:${device.DeviceID}</UDN>`);
    expect(description).toContain(`\t<URLBase>${program.http}</URLBase>`);
    expect(await (await program.get('/capability')).text()).toBe(description);
  });

  it('list the channels with unique numbers, and play', async () => {
    const channels = await program.json<readonly Channel[]>('/lineup.json');
    expect(channels.map(({ GuideNumber }) => GuideNumber)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(channels[0]).toEqual({ GuideNumber: '1', GuideName: 'Aldermoor One', URL: `${streams}/auto/v1` });
    const list = await (await program.get('/lineup.m3u')).text();
    expect(list).toContain(
      `#EXTINF:-1 tvg-id="2" tvg-chno="2" tvg-name="Talblick 24",Talblick 24\n${streams}/auto/v2\n`,
    );
    expect(await (await program.get('/lineup.xml')).text()).toContain('\t\t<GuideNumber>6</GuideNumber>');
  });

  it('have a guide with these numbers, which is not sent again unchanged', async () => {
    const answer = await program.get('/xmltv.xml');
    const text = await answer.text();
    expect(text).toContain(
      '<channel id="2">\n\t\t<display-name>Talblick 24</display-name>\n\t\t<display-name>2</display-name>',
    );
    await untilTrue(async () => (await (await program.get('/xmltv.xml')).text()).includes('channel="2">'));
    await untilTrue(async () => {
      const etag = (await program.get('/xmltv.xml')).headers.get('etag') ?? '';
      return (await program.get('/xmltv.xml', { 'If-None-Match': etag })).status === 304;
    });
  });

  it('accept a scan without doing one', async () => {
    expect(await program.json('/lineup_status.json')).toMatchObject({ ScanInProgress: 0 });
    const accepted = await fetch(`${program.http}/lineup.post?scan=start&source=Antenna`, { method: 'POST' });
    expect([accepted.status, await accepted.text()]).toEqual([200, '{}']);
  });
});

describe('streams', () => {
  it.each(['/auto/v1', '/tuner0/v1'])('%s is a transport stream that ends in time', async (path) => {
    const answer = await fetch(`${streams}${path}?duration=1`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'video/mp2t']);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length % 188).toBe(0);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0x47, 0x40, 0x00]));
  });

  it.each(['/auto/v99', '/auto/v1.1', '/auto/1', '/', '/tuner0/v%31', '/1:0:1:D11:D01:1:EEEE0000:0:0:0:'])(
    '%s is no channel',
    async (path) => {
      const answer = await fetch(`${streams}${path}`);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('x-hdhomerun-error')).toBe('801 Unknown Channel');
    },
  );
});

describe('control', () => {
  it('tunes, and names what it receives', async () => {
    const client = new Client();
    expect(await client.ask('/sys/model')).toBe('hdhomerun4_dvbt');
    expect(await client.ask('/sys/features')).toContain('modulation: dvbt\n');
    expect(await client.ask('/tuner0/status')).toBe('ch=none lock=none ss=0 snq=0 seq=0 bps=0 pps=0');
    expect(await client.ask('/tuner0/channel', 'auto:474000000')).toBe('auto:474000000');
    await untilTrue(async () => (await client.ask('/tuner0/streaminfo')).includes(' 1 Aldermoor One\n'));
    expect(await client.ask('/tuner0/status')).toMatch(/^ch=auto:474000000 lock=t8dvbt ss=\d+ snq=\d+ seq=100 bps=\d+/);
    expect(await client.ask('/tuner0/vchannel', '2')).toBe('2');
    expect(await client.ask('/tuner0/program')).not.toBe('0');
    expect(await client.ask('/tuner0/channel', 'none')).toBe('none');
    client.close();
  });

  it('obeys the client with the lock only', async () => {
    const [one, other] = [new Client(), new Client()];
    expect(await one.ask('/tuner0/lockkey', '4711')).toBe('127.0.0.1');
    expect(await other.ask('/tuner0/channel', 'auto:474000000')).toContain('resource locked by 127.0.0.1');
    expect(await other.ask('/tuner0/channel', 'auto:474000000', 1)).toContain('ERROR');
    expect(await other.ask('/tuner0/lockkey')).toBe('127.0.0.1');
    expect(await one.ask('/tuner0/channel', 'auto:474000000', 4711)).toBe('auto:474000000');
    expect(await one.ask('/tuner0/lockkey', 'none', 4711)).toBe('none');
    expect(await other.ask('/tuner0/channel', 'none')).toBe('none');
    one.close();
    other.close();
  });

  it.each([
    ['/tuner0/target', 'rtp://192.0.2.1:5000'],
    ['/tuner0/target', 'rtp://127.0.0.1:0'],
    ['/tuner0/target', 'file:///etc/passwd'],
    ['/tuner0/channel', 'auto:1;reboot'],
    ['/tuner0/vchannel', '99'],
    ['/tuner0/program', '-1'],
    ['/tuner0/lockkey', 'x'],
    ['/tuner0/constructor', '1'],
    ['/tuner0/toString', undefined],
    ['/tuner9/channel', 'none'],
    ['/sys/restart', 'self'],
    ['__proto__', undefined],
    ['/sys/../model', undefined],
  ])('refuses %s %s', async (name, value) => {
    const client = new Client();
    expect(await client.ask(name, value)).toMatch(/^ERROR: /);
    client.close();
  });

  it('quotes a long value only as far as the reply has room', async () => {
    const client = new Client();
    client.send(
      formatPacket(packetType.getSetRequest, [
        [tag.name, textValue('/tuner0/channel')],
        [tag.value, Buffer.alloc(1400, 0xff)],
      ]),
    );
    const [reply] = (await once(client.socket, 'data')) as [Buffer];
    expect(reply.length).toBeLessThanOrEqual(maxPacketBytes);
    expect(textOf(parsePacket(reply).values.get(tag.error))).toMatch(/^ERROR: .*\ufffd$/);
    client.close();
  });

  it('closes a connection that sends anything else, and serves the next', async () => {
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\0\x04\xff\xff', `\0\x04\0\x04abcd0000`]) {
      const client = new Client();
      client.send(Buffer.from(bytes, 'latin1'));
      await once(client.socket, 'close');
    }
    const client = new Client();
    expect(await client.ask('/sys/hwmodel')).toBe('HDHR4-2DT');
    client.close();
  });
});
