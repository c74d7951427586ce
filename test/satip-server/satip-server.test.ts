/** The description of the server, as SAT>IP clients get it from the web server. */

import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { once } from '../../src/base/once.ts';
import { loadConfiguration } from '../../src/config/config.ts';
import { fetchDescription } from '../../src/dvb/satip/description.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { registerSatip } from '../../src/http/satip.ts';
import { IdentityFile } from '../../src/satip-server/identity.ts';
import { SatipServer } from '../../src/satip-server/satip-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const log = pino({ level: 'silent' });
let dataDir: string;
let web: FastifyInstance;
let server: SatipServer;

beforeEach(() => {
  dataDir = temporaryFolder();
});
afterEach(async () => {
  await server.stop();
  await web.close();
});

/** Returns the address of the description. */
async function serve(enabled: boolean, more: object = {}): Promise<string> {
  const flags = { dataDir, bind: '127.0.0.1', name: 'Fish & Chips', satip: { server: { enabled, port: 0, ...more } } };
  const identity = once(() => new IdentityFile(join(dataDir, 'satip.json')));
  const parts = { pool: new TunerPool([], { linger: 0 }), identity, transponders: () => [], log };
  server = new SatipServer(parts, loadConfiguration({ environment: {}, flags }));
  web = Fastify();
  registerSatip(web, { satip: server });
  await web.listen({ host: '127.0.0.1', port: 0 });
  const { port } = web.server.address() as AddressInfo;
  await server.start(port);
  return `http://127.0.0.1:${port}/satip/desc.xml`;
}

it('has the identity of the server and its port for requests', async () => {
  const address = await serve(true);
  const found = await fetchDescription(address);
  expect(found).toMatchObject({ name: 'Fish & Chips', manufacturer: 'receiverd', host: '127.0.0.1', frontEnds: [] });
  expect(found.rtspPort).toBe(server.port);
  const { rawHeaders } = await new Promise<IncomingMessage>((resolve) =>
    get(address, (response) => resolve(response.resume())),
  );
  expect(rawHeaders).toContain('X-SATIP-RTSP-Port');
  expect(found.identity).toMatch(/^uuid:[0-9a-f-]{36}$/);
  await server.stop();
  await web.close();
  expect((await fetchDescription(await serve(true))).identity).toBe(found.identity);
});

it('does not exist unless the server is enabled', async () => {
  expect((await fetch(await serve(false))).status).toBe(404);
  expect(server.port).toBe(0);
});

it('is refused to addresses that are not allowed', async () => {
  const response = await fetch(await serve(true, { allow: ['192.0.2.0/24'] }));
  expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('satip.server.allow')]);
});
