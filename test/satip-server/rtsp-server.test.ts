/** The RTSP side of the SAT>IP server, over real sockets, with files as tuners. */
import { connect } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import { addressMatcher } from '../../src/base/ip-prefixes.ts';
import { automaticBut, type Transponder } from '../../src/dvb/transponder.ts';
import { Tuner } from '../../src/dvb/tuner.ts';
import { type PoolTuner, TunerPool } from '../../src/dvb/tuner-pool.ts';
import { RtspServer, type RtspServerOptions } from '../../src/satip-server/rtsp-server.ts';
import { TunerAllocator } from '../../src/satip-server/tuner-allocator.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';
import { untilTrue } from '../fixtures/waits.ts';
import { packetsOf, pidsIn, RtpPorts, RtspClient, statusOf } from './client.ts';

const transponders: readonly Transponder[] = [498e6, 522e6].map((frequency, index) => ({
  namespace: 0xeeee0000,
  transportStreamId: 1101 + index,
  originalNetworkId: 0x22d4,
  parameters: automaticBut('terrestrial', { frequency, system: 0, bandwidth: 0 }),
}));
const first = '?freq=498&bw=8&msys=dvbt';
const second = '?freq=522&bw=8&msys=dvbt';

let pool: TunerPool;
let server: RtspServer;
let now = 0;
let url: string;
const clients: { close(): void }[] = [];

/** One file per multiplex, with two services: PMT PIDs 0x100 and 0x101, audio 0x200 and 0x201. */
function made({ transportStreamId, originalNetworkId }: Transponder): Tuner {
  const path = join(temporaryFolder(), `${transportStreamId}.ts`);
  const services = [1, 2].map((serviceId) => ({ serviceId, name: `Service ${serviceId}` }));
  writeTransportStream(path, { transportStreamId, originalNetworkId, services, bitRate: 2_000_000, seconds: 2 });
  return new Tuner({ kind: 'file', path, loop: true, paced: true });
}

async function start(options: Partial<RtspServerOptions> = {}, tuners = transponders.map(made)): Promise<void> {
  pool = new TunerPool(tuners, { linger: 0 });
  for (const one of pool.tuners) {
    const lease = one.lease({ purpose: 'scan', user: 'test' });
    await one.until(({ originalNetworkId }) => originalNetworkId !== null);
    lease.release();
  }
  const allocator = new TunerAllocator({ pool, transponders: () => transponders, satellites: [] });
  const common = { bind: '127.0.0.1', port: 0, clients: 8, isAllowed: () => true, now: () => now };
  server = new RtspServer(allocator, { ...common, ...options }, pino({ level: 'silent' }));
  await server.start();
  url = `rtsp://127.0.0.1:${server.port}/`;
}

beforeEach(() => {
  now = 0;
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients.splice(0)) client.close();
  await server.stop();
  await pool.close();
});

async function connected(): Promise<RtspClient> {
  const client = await RtspClient.connect(server.port);
  clients.push(client);
  return client;
}

async function ports(): Promise<RtpPorts> {
  const open = await RtpPorts.open();
  clients.push(open);
  return open;
}

/** Sets up a stream and plays it. */
async function playing(client: RtspClient, transport: string, setup: string, play = '') {
  const reply = await client.ask('SETUP', url + setup, { Transport: transport });
  expect(reply.status).toBe(200);
  const Session = reply.headers.session?.replace(/;.*/, '') ?? '';
  const stream = `${url}stream=${reply.headers['com.ses.streamid']}`;
  const played = await client.ask('PLAY', stream + play, { Session });
  expect(played.status).toBe(200);
  return { Session, stream, setup: reply, played };
}

const users = () => pool.tuners.map((tuner) => tuner.users.map(({ user, purpose }) => `${user} ${purpose}`));

describe('by UDP', () => {
  it('sends exactly the requested PIDs, and follows changes', async () => {
    await start();
    const client = await connected();
    const udp = await ports();
    const { Session, stream, setup, played } = await playing(client, udp.transport, first, '?pids=0,512');
    expect(setup.headers.session).toMatch(/^a[0-9a-f]{16};timeout=60$/);
    expect(setup.headers['com.ses.streamid']).toBe('1');
    const port = udp.transport.replace(/.*=/, '');
    expect(setup.headers.transport).toMatch(
      new RegExp(`^RTP/AVP;unicast;client_port=${port};source=127\\.0\\.0\\.1;server_port=\\d+-\\d+$`),
    );
    expect(played.headers['rtp-info']).toMatch(new RegExp(`^url=${stream};seq=\\d+$`));
    await untilTrue(() => packetsOf(udp.rtp).length > 500);
    expect(pidsIn(udp.rtp)).toEqual([0, 0x200]);
    expect(udp.rtp[0]?.readUInt16BE(2)).toBe(Number(played.headers['rtp-info']?.replace(/.*=/, '')));
    expect(users()).toEqual([['127.0.0.1 stream'], []]);

    expect((await client.ask('PLAY', `${stream}?addpids=513,17&delpids=512`, { Session })).status).toBe(200);
    await untilTrue(() => pidsIn(udp.rtp.slice(-3)).includes(0x201) && !pidsIn(udp.rtp.slice(-3)).includes(0x200));
    // Equal tuning: the stream continues without an interruption.
    expect((await client.ask('PLAY', `${stream}${first}&pids=all`, { Session })).status).toBe(200);
    await untilTrue(() => pidsIn(udp.rtp).length === 7);
    expect(pidsIn(udp.rtp)).toEqual([0, 0x10, 0x11, 0x100, 0x101, 0x200, 0x201]);

    expect((await client.ask('TEARDOWN', stream, { Session })).status).toBe(200);
    expect(users()).toEqual([[], []]);
    expect((await client.ask('PLAY', stream, { Session })).status).toBe(454);
  });

  it('changes the transponder within a session', async () => {
    await start();
    const client = await connected();
    const udp = await ports();
    const { Session, stream } = await playing(client, udp.transport, `${first}&pids=0`);
    await untilTrue(() => udp.rtp.length > 0);
    expect(packetsOf(udp.rtp).at(-1)?.readUInt16BE(8)).toBe(1101);
    expect((await client.ask('PLAY', `${stream}${second}&pids=0`, { Session })).status).toBe(200);
    await untilTrue(() => packetsOf(udp.rtp).at(-1)?.readUInt16BE(8) === 1102);
    expect(users()).toEqual([[], ['127.0.0.1 stream']]);
  });

  it('reports the tuner, also without PIDs', async () => {
    await start();
    const client = await connected();
    const udp = await ports();
    const { Session, stream } = await playing(client, udp.transport, `${first}&fe=3`);
    await untilTrue(() => udp.rtcp.length > 2);
    expect(statusOf(udp.rtcp.at(-1))).toMatch(/^ver=1\.1;tuner=3,\d+,[01],\d+,498,8,dvbt,.*;pids=none$/);
    await untilTrue(() => /^ver=1\.1;tuner=3,\d+,1,[1-9]\d?,/.test(statusOf(udp.rtcp.at(-1))));
    expect(udp.rtp).toEqual([]);
    await client.ask('PLAY', `${stream}?pids=0,17`, { Session });
    await untilTrue(() => statusOf(udp.rtcp.at(-1)).endsWith(';pids=0,17'));
  });

  it('keeps a session whose connection is closed, until it has been silent for more than a minute', async () => {
    await start();
    const udp = await ports();
    const before = await connected();
    const { Session, stream } = await playing(before, udp.transport, `${first}&pids=0`);
    before.close();
    await untilTrue(() => udp.rtp.length > 1);
    now = 69_000;
    const client = await connected();
    expect((await client.ask('OPTIONS', url, { Session })).status).toBe(200);
    now = 130_000;
    expect((await client.ask('GET_PARAMETER', stream, { Session })).status).toBe(200);
    expect(server.clients).toEqual(['127.0.0.1']);
    now = 201_000;
    await untilTrue(() => server.clients.length === 0);
    await untilTrue(() => users()[0]?.length === 0);
    expect((await client.ask('OPTIONS', url, { Session })).status).toBe(454);
  });

  it('keeps a session whose request arrived in time while the receiver was stalled', async () => {
    await start();
    const client = await connected();
    const { Session } = await playing(client, (await ports()).transport, `${first}&pids=0`);
    now = 75_000;
    const asked = client.ask('OPTIONS', url, { Session });
    // The checks of sessions are due before the request is read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    expect((await asked).status).toBe(200);
  });
});

describe('tuners', () => {
  it('are leased again after they went to a more important user', async () => {
    await start();
    const client = await connected();
    const udp = await ports();
    await playing(client, udp.transport, `${first}&pids=0`);
    await untilTrue(() => udp.rtp.length > 1);
    const looked = vi.spyOn(pool.tuners[0] as PoolTuner, 'lease').mockImplementation(() => {
      throw fail('tuners-busy', 'it', 'a recording');
    });
    pool.tuners[0]?.revokeLeases('a recording');
    await untilTrue(() => /^ver=1\.1;tuner=1,0,0,0,498,/.test(statusOf(udp.rtcp.at(-1))));
    looked.mockRestore();
    const before = udp.rtp.length;
    await untilTrue(() => udp.rtp.length > before + 3);
    expect(pidsIn(udp.rtp)).toEqual([0]);
    expect(users()[0]).toEqual(['127.0.0.1 stream']);
  });

  it('may all be in use', async () => {
    await start();
    vi.spyOn(pool, 'tuneTo').mockRejectedValue(fail('tuners-busy', 'it', 'a recording'));
    const client = await connected();
    const udp = await ports();
    const refused = await client.ask('SETUP', `${url}?freq=700&msys=dvbt`, { Transport: udp.transport });
    expect([refused.status, refused.body]).toEqual([503, 'No-More: frontends']);
    // A stream that was refused another transponder has none, and may request one again.
    const { Session, stream } = await playing(client, udp.transport, `${first}&pids=0`);
    await untilTrue(() => udp.rtp.length > 0);
    expect((await client.ask('PLAY', `${stream}?freq=700&msys=dvbt`, { Session })).status).toBe(503);
    await untilTrue(() => users()[0]?.length === 0);
    expect((await client.ask('PLAY', `${stream}${second}`, { Session })).status).toBe(200);
    await untilTrue(() => packetsOf(udp.rtp).at(-1)?.readUInt16BE(8) === 1102);
  });
});

describe('inside the connection', () => {
  it('sends the same packets, and ends with the connection', async () => {
    await start();
    const client = await connected();
    const { setup, Session, stream } = await playing(
      client,
      'RTP/AVP/TCP;unicast;interleaved=4-5',
      `${first}&pids=0,512`,
    );
    expect(setup.headers.transport).toBe('RTP/AVP/TCP;interleaved=4-5');
    const of = (channel: number) =>
      client.frames.filter((frame) => frame.channel === channel).map(({ datagram }) => datagram);
    await untilTrue(() => packetsOf(of(4)).length > 500 && of(5).length > 1);
    expect(pidsIn(of(4))).toEqual([0, 0x200]);
    expect(statusOf(of(5).at(-1))).toMatch(/;pids=0,512$/);
    // A receiver report of the client counts as a sign of life, whatever its contents.
    client.write(Buffer.from('$\x05\x00\x04abcd'));
    expect((await client.ask('PLAY', `${stream}?pids=0`, { Session })).status).toBe(200);
    await untilTrue(() => pidsIn(of(4).slice(-2)).join() === '0');
    client.close();
    await untilTrue(() => server.clients.length === 0);
  });

  it('drops packets of a client that reads nothing, and serves the others', async () => {
    const [transponder] = transponders as readonly [Transponder];
    await start({}, [made(transponder)]);
    const stuck = await connected();
    await playing(stuck, 'RTP/AVP/TCP;unicast;interleaved=0-1', `${first}&pids=all`);
    stuck.pause();
    const client = await connected();
    const udp = await ports();
    await playing(client, udp.transport, `${first}&pids=512`);
    await untilTrue(() => packetsOf(udp.rtp).length > 2000);
    expect(pidsIn(udp.rtp)).toEqual([0x200]);
    expect(users()).toEqual([['127.0.0.1 stream', '127.0.0.1 stream']]);
  });
});

describe('requests', () => {
  const tcp = { Transport: 'RTP/AVP/TCP;interleaved=0-1' };

  it.each([
    ['an unknown session', 'PLAY', 'stream=1', { Session: 'nonsense' }, 454, ''],
    ['PLAY without a session', 'PLAY', 'stream=1', {}, 454, ''],
    ['an unknown method', 'RECORD', '', {}, 501, ''],
    ['an unknown path', 'SETUP', 'other', tcp, 404, ''],
    ['an unknown stream', 'SETUP', 'stream=7', tcp, 404, ''],
    ['DESCRIBE without streams', 'DESCRIBE', '', {}, 404, ''],
    ['DESCRIBE for another type', 'DESCRIBE', '', { Accept: 'text/html' }, 406, ''],
    ['a feature', 'SETUP', first, { ...tcp, Require: 'x-y' }, 551, ''],
    ['no transport', 'SETUP', first, {}, 461, ''],
    ['multicast', 'SETUP', first, { Transport: 'RTP/AVP;multicast;destination=239.1.1.1;port=5004-5005' }, 461, ''],
    ['an invalid frequency', 'SETUP', '?freq=x', tcp, 403, 'Out-of-Range: freq'],
    ['an unknown system', 'SETUP', '?freq=498&msys=dab', tcp, 403, 'Out-of-Range: msys'],
    ['an invalid PID', 'SETUP', `${first}&pids=9000`, tcp, 403, 'Out-of-Range: pids'],
    ['an unknown satellite', 'SETUP', '?src=2&freq=11494&pol=h&msys=dvbs&sr=22000', tcp, 403, 'Out-of-Range: src'],
    ['a transponder that no tuner can receive', 'SETUP', '?freq=700&msys=dvbt&bw=8', tcp, 404, ''],
  ] as const)('refuses %s', async (_what, method, path, headers, status, body) => {
    await start();
    const client = await connected();
    const reply = await client.ask(method, url + path, headers);
    expect([reply.status, reply.body]).toEqual([status, body]);
    expect(reply.headers.session).toBeUndefined();
    expect(server.clients).toEqual([]);
    expect((await client.ask('OPTIONS', url)).headers.public).toContain('DESCRIBE');
  });

  it('allows as many sessions as configured', async () => {
    await start({ clients: 1 });
    const client = await connected();
    const { Session, stream } = await playing(client, 'RTP/AVP/TCP;interleaved=0-1', first);
    const other = await connected();
    const refused = await other.ask('SETUP', url + first, tcp);
    expect([refused.status, refused.body]).toEqual([503, 'No-More: sessions']);
    await client.ask('TEARDOWN', stream, { Session });
    expect((await other.ask('SETUP', url + first, tcp)).status).toBe(200);
  });

  it('describes streams, and the stream that a query would open', async () => {
    await start();
    const client = await connected();
    const offered = await client.ask('DESCRIBE', `${url}${first}&pids=0`, { Accept: 'application/sdp' });
    expect(offered.headers['content-base']).toBe(url);
    expect(offered.headers['content-type']).toBe('application/sdp');
    expect(offered.body).toContain('s=SatIPServer:1 0,2,0\r\n');
    const control = /^a=control:(stream=\d+)\r$/m.exec(offered.body)?.[1];
    expect(offered.body).toContain('m=video 0 RTP/AVP 33\r\n');
    const reply = await client.ask('SETUP', url + control, { Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1' });
    expect(reply.status).toBe(200);
    const Session = reply.headers.session?.replace(/;.*/, '') ?? '';
    expect((await client.ask('DESCRIBE', url + control, { Session })).body).toContain('\r\na=inactive\r\n');
    expect((await client.ask('PLAY', url, { Session, Range: 'npt=0.000-' })).status).toBe(200);
    expect((await client.ask('PLAY', url, { Session, Range: 'clock=1' })).status).toBe(457);
    await untilTrue(() => client.frames.length > 3);
    const described = await client.ask('DESCRIBE', url);
    expect(described.body).toMatch(/a=fmtp:33 ver=1\.1;tuner=1,\d+,[01],\d+,498,8,dvbt,.*;pids=0\r\na=sendonly\r\n$/);
  });

  it('accepts several requests at once, in pieces, with bodies, and closes on `Connection: close`', async () => {
    await start();
    const client = await connected();
    client.write('\r\nOPTIONS * RTSP/1.0\r\ncseq:1\r\nContent-Length: 5\r\n\r\nhelloOPTIONS * RT');
    const reply = await client.send('SP/1.0\nCSEQ:  2 \nConnection: close\n\n');
    expect(reply.headers.cseq).toBe('2');
    await untilTrue(() => client.closed);
  });

  it('refuses addresses that are not allowed', async () => {
    await start({ isAllowed: addressMatcher(['192.0.2.0/24', '::1']) });
    const client = await connected();
    await untilTrue(() => client.closed);
  });
});

describe('hostile clients', () => {
  it('leave connections for others: one address may have 24', async () => {
    await start();
    const sockets = Array.from({ length: 25 }, () => connect(server.port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => undefined);
    await untilTrue(() => sockets.some(({ destroyed }) => destroyed));
    expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(1);
    for (const socket of sockets) socket.destroy();
    await untilTrue(async () => (await (await connected()).ask('OPTIONS', url)).status === 200);
  });

  /** The same sequence each time (xorshift). */
  function arbitrary(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) % below;
    };
  }

  const pieces = [
    ...[
      'SETUP',
      'PLAY',
      'DESCRIBE',
      'TEARDOWN',
      ' ',
      'rtsp://',
      '/stream=1',
      '?',
      'pids=0,,',
      '&',
      'addpids=',
      'freq=',
    ],
    ...['498', '99999999999', '-1', ' RTSP/1.0', ' RTSP/2.0', '\r\n', '\n', 'CSeq: ', 'Session: ', 'Transport: ', ';'],
    ...[
      'RTP/AVP;unicast;client_port=',
      'RTP/AVP/TCP;interleaved=',
      '0-1',
      '70000',
      '%',
      '%00',
      '\0',
      '$',
      '$\x00\xff\xff',
    ],
    ...['\xff'.repeat(50), 'x'.repeat(3000), 'Content-Length: ', '\r\n\r\n'],
  ];

  it('survives arbitrary bytes', async () => {
    await start({ clients: 2 });
    const some = arbitrary(20_260_101);
    for (let round = 0; round < 60; round++) {
      const client = await connected();
      for (let length = some(40); length > 0; length--)
        client.write(Buffer.from(pieces[some(pieces.length)] ?? '', 'latin1'));
      client.write('\r\n\r\n');
      if (some(3) === 0) client.close();
    }
    for (const client of clients.splice(0)) client.close();
    await untilTrue(async () => {
      const client = await connected();
      const reply = await Promise.race([
        client.ask('OPTIONS', url),
        untilTrue(() => client.closed).then(() => undefined),
      ]);
      return reply?.status === 200;
    });
  });

  it('ends a connection of another protocol', async () => {
    await start();
    const client = await connected();
    const reply = await client.send(`POST / HTTP/1.1\r\nCSeq: 3\r\n\r\nSETUP ${url}${first} RTSP/1.0\r\n\r\n`);
    expect([reply.status, reply.headers.cseq]).toEqual([400, '3']);
    await untilTrue(() => client.closed);
    expect(server.clients).toEqual([]);
  });

  it('ends a connection whose request is too long', async () => {
    await start();
    const client = await connected();
    const reply = await client.send(`SETUP rtsp://127.0.0.1/?${'x'.repeat(9000)}`);
    expect(reply.status).toBe(414);
    await untilTrue(() => client.closed);
  });
});
