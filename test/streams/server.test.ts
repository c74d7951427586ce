/** The stream port on a tuner that plays a file: clients, limits, and refused requests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { StreamServer } from '../../src/http/streams/stream-server.ts';
import { ServiceScanner } from '../../src/scan/scanner.ts';
import { Services } from '../../src/services/services.ts';
import { openAccessControl } from '../fixtures/access-control.ts';
import { networkStreams } from '../fixtures/network.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';
import { until } from '../fixtures/waits.ts';

const log = pino({ level: 'silent' });
const first = '1:0:2:1001:44:3333:EEEE0000:0:0:0:';
const second = '1:0:2:1002:44:3333:EEEE0000:0:0:0:';
/** In the service list, but on a multiplex that the tuner does not receive. */
const unreachable = '1:0:2:2003:45:3333:C00000:0:0:0:';
const lamedb = `eDVB services /4/
transponders
00c00000:0045:3333
\ts 11303500:22000000:0:2:192:2:0
/
end
services
2003:00c00000:0045:3333:2:0
Three
p:
end
`;

let folder: string;
let pool: TunerPool;
let server: StreamServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'receiverd-streams-'));
  const path = join(folder, 'stream.ts');
  writeTransportStream(path, {
    transportStreamId: 0x44,
    originalNetworkId: 0x3333,
    services: [
      { serviceId: 0x1001, name: 'One' },
      { serviceId: 0x1002, name: 'Two' },
      { serviceId: 0x1003, name: 'Sealed', isFlagged: true, isScrambled: true },
      { serviceId: 0x1004, name: 'Open for now', isFlagged: true },
    ],
    bitRate: 60_000_000,
    seconds: 2,
  });
  // The source waits for readers, so that only those that do not read at all are dropped.
  pool = new TunerPool([new Tuner({ kind: 'file', path, loop: true, paced: false })], { linger: 0 });
  writeFileSync(join(folder, 'lamedb'), lamedb);
  const services = await Services.load(folder);
  await new ServiceScanner({ pool, services, log }).run('always');
  server = new StreamServer(
    { pool, network: networkStreams(), clock: systemClock, accessControl: openAccessControl(folder), log, services },
    { bind: '127.0.0.1', port: 0, clientBound: 1 << 20, maximumClients: 6 },
  );
  await server.start();
});

afterAll(async () => {
  await server.stop();
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Viewer {
  readonly response: http.IncomingMessage;
  received: number;
  readonly chunks: Buffer[];
  leave(): void;
}

/** Opens a stream and reads it; keeps the first bytes. */
function watch(path: string): Promise<Viewer> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port: server.port, path }, (response) => {
      const viewer: Viewer = { response, received: 0, chunks: [], leave: () => request.destroy() };
      response.on('data', (chunk: Buffer) => {
        viewer.received += chunk.length;
        if (viewer.received < 1 << 20) viewer.chunks.push(chunk);
      });
      response.on('error', () => undefined);
      resolve(viewer);
    });
    request.on('error', reject);
  });
}

function ask(
  path: string,
  method = 'GET',
): Promise<{ status: number; headers: http.IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: server.port, path, method }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on('error', reject).end();
  });
}

function pidsOf(stream: Buffer): Set<number> {
  const pids = new Set<number>();
  for (let at = 0; at + 188 <= stream.length; at += 188) {
    expect(stream[at]).toBe(0x47);
    pids.add(stream.readUInt16BE(at + 1) & 0x1fff);
  }
  return pids;
}

/** An address as in a bouquet, with encoded colons, encoded again for the path of a request. */
const listed = (address: string) => encodeURIComponent(address.replaceAll('%', '%25').replaceAll(':', '%3a'));

describe('the stream port', () => {
  it('sends several services from one tuner, to each client its own service', async () => {
    const viewers = await Promise.all([
      watch(`/${first}`),
      watch(`/${encodeURIComponent(first)}`),
      watch(`/${second.slice(0, -1)}`),
    ]);
    await until(() => expect(Math.min(...viewers.map((viewer) => viewer.received))).toBeGreaterThan(400_000));
    expect(pool.tuners[0]?.users).toHaveLength(3);
    expect(server.clients.map((client) => client.reference.serviceId).sort()).toEqual([0x1001, 0x1001, 0x1002]);
    const [one, , two] = viewers.map((viewer) => pidsOf(Buffer.concat(viewer.chunks)));
    expect(one).toContain(0x200);
    expect(one).not.toContain(0x201);
    expect(two).toContain(0x201);
    expect(two).not.toContain(0x200);
    expect(viewers[0]?.response.headers).toMatchObject({
      'content-type': 'video/mp2t',
      'access-control-allow-origin': '*',
    });
    for (const viewer of viewers) viewer.leave();
    await until(() => expect(pool.tuners[0]?.tuner.running).toBe(false));
    await until(() => expect(server.clients).toHaveLength(0));
  });

  it('drops a client that stops reading without affecting others', async () => {
    // If the machine stalls for seconds, the reader stops reading as well; then the test is repeated.
    for (let survives = false; !survives; ) {
      await until(() => expect(server.clients).toHaveLength(0));
      const reader = await watch(`/${first}`);
      const idle = connect({ host: '127.0.0.1', port: server.port });
      idle.on('error', () => undefined);
      idle.pause();
      idle.write(`GET /${first} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await until(() => expect(reader.response.closed || server.clients.length === 2).toBe(true));
      await until(() => expect(server.clients.length).toBeLessThanOrEqual(1));
      const before = reader.received;
      await until(() => expect(reader.response.closed || reader.received > before + 2_000_000).toBe(true));
      survives = !reader.response.closed;
      idle.destroy();
      reader.leave();
    }
    expect(server.dropped).toBeGreaterThan(0);
  });

  it('reports connecting and disconnecting clients', async () => {
    await until(() => expect(server.clients).toHaveLength(0));
    const seen: number[] = [];
    const off = server.onChange(() => seen.push(server.clients.length));
    const viewer = await watch(`/${first}`);
    expect(seen).toEqual([1]);
    viewer.leave();
    await until(() => expect(seen).toEqual([1, 0]));
    off();
  });

  it('ends a stream after the requested duration', async () => {
    const begin = performance.now();
    const viewer = await watch(`/${first}?duration=1`);
    await new Promise((resolve) => viewer.response.once('close', resolve));
    expect(viewer.response.complete).toBe(true);
    // Node timers may fire a millisecond early.
    expect(performance.now() - begin).toBeGreaterThan(990);
  });

  it('refuses an invalid duration, without tuning', async () => {
    await until(() => expect(pool.tuners[0]?.users).toHaveLength(0));
    for (const duration of ['abc', '0', '604801']) {
      const { status, body } = await ask(`/${first}?duration=${duration}`);
      expect([status, JSON.parse(body)]).toMatchObject([400, { result: false, error: 'parameter-invalid' }]);
      expect(JSON.parse(body).message).toContain(`'duration' must be a number from 1 to 604800, not '${duration}'`);
    }
    expect(pool.tuners[0]?.users).toHaveLength(0);
  });

  it('answers 404 for a service that is not in the list and for an invalid reference', async () => {
    expect(await ask('/1:0:1:7:7:7:EEEE0000:0:0:0:')).toMatchObject({ status: 404 });
    const { status, headers, body } = await ask('/favicon.ico');
    expect([status, headers['access-control-allow-origin']]).toEqual([404, '*']);
    expect(JSON.parse(body)).toMatchObject({ result: false, error: 'service-not-found' });
  });

  it('refuses a scrambled service with the reason, and frees the tuner', async () => {
    const { status, body } = await ask('/1:0:2:1003:44:3333:EEEE0000:0:0:0:');
    expect([status, JSON.parse(body)]).toEqual([
      403,
      {
        result: false,
        message: "'Sealed' is scrambled by the broadcaster, and nothing here descrambles it",
        error: 'scrambled',
      },
    ]);
    await until(() => expect(pool.tuners[0]?.users).toHaveLength(0));
  });

  it('sends a service that is flagged as scrambled while its packets are clear', async () => {
    const viewer = await watch('/1:0:2:1004:44:3333:EEEE0000:0:0:0:');
    await until(() => expect(pidsOf(Buffer.concat(viewer.chunks))).toContain(0x203));
    expect(viewer.response.statusCode).toBe(200);
    viewer.leave();
  });

  it('answers HEAD without tuning, and refuses methods other than GET and HEAD', async () => {
    await until(() => expect(pool.tuners[0]?.users).toHaveLength(0));
    expect(await ask(`/${first}`, 'HEAD')).toMatchObject({ status: 200, headers: { 'content-type': 'video/mp2t' } });
    expect(await ask(`/${first}`, 'DELETE')).toMatchObject({ status: 405, headers: { allow: 'GET,HEAD' } });
    expect(pool.tuners[0]?.users).toHaveLength(0);
  });

  it('answers HEAD like GET for what cannot be received', async () => {
    const missing = '/1:134:1:0:0:0:0:0:0:0:FROM BOUQUET "alternatives.none.tv" ORDER BY bouquet';
    for (const path of [encodeURI(missing), `/${unreachable}`]) {
      const { status } = await ask(path);
      expect([404, 503]).toContain(status);
      expect(await ask(path, 'HEAD')).toMatchObject({ status });
    }
  });

  it('redirects players of a network stream to its address', async () => {
    const { status, headers } = await ask('/4097:0:1:0:0:0:0:0:0:0:http%253a//host%253a8080/live.ts:Name');
    expect([status, headers.location]).toEqual([302, 'http://host:8080/live.ts']);
  });

  it.each([
    ['http://host/a€b/ü ö.ts?q=é', 'http://host/a%E2%82%ACb/%C3%BC%20%C3%B6.ts?q=%C3%A9'],
    ['https://bücher.example/live', 'https://xn--bcher-kva.example/live'],
    ['http://host/%e4%c3%bc|User-Agent=X', 'http://host/%e4%c3%bc|User-Agent=X'],
    ['HTTP://host:80/x#User-Agent=X', 'HTTP://host:80/x'],
  ])('writes the address %s in ASCII', async (address, location) => {
    const { status, headers } = await ask(`/4097:0:1:0:0:0:0:0:0:0:${listed(address)}:Name`);
    expect([status, headers.location]).toEqual([302, location]);
  });

  it.each(['file:///etc/passwd', 'rtmp://host/live', 'http://[::1', 'http://host:99999/ü'])(
    'does not send players to %s',
    async (address) => {
      const { status, headers, body } = await ask(`/4097:0:1:0:0:0:0:0:0:0:${listed(address)}:Name`);
      expect([status, headers.location]).toEqual([501, undefined]);
      expect(JSON.parse(body)).toMatchObject({ result: false, error: 'unsupported' });
    },
  );

  it('admits at most three quarters of the configured clients from one address', async () => {
    const viewers = await Promise.all(Array.from({ length: 4 }, () => watch(`/${first}`)));
    expect(await ask(`/${first}`)).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    for (const viewer of viewers) viewer.leave();
  });
});
