/** Two receivers: one has the tuner, the demo, and lends it by SAT>IP; the other one has no other tuner. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until, untilTrue } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';
import { beginStreams, one, other, record, scan, tuners, untilGuided, untilListed } from './two-receivers.ts';

const [attic, livingRoom] = [temporaryFolder(), temporaryFolder()];
let port: number;
let server: Program;
let client: Program;

const lending = () => startProgram(attic, '--tuner', 'demo', '--config', join(attic, 'receiverd.yaml'));

beforeAll(async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  port = (probe.address() as AddressInfo).port;
  probe.close();
  writeFileSync(join(attic, 'receiverd.yaml'), `satip:\n  server:\n    enabled: true\n    port: ${port}\n`);
  server = await lending();
  await untilListed(server);
});

afterAll(async () => {
  await client?.stop();
  await server.stop();
  for (const folder of [attic, livingRoom]) removeFolder(folder);
});

it('scans, streams, shares and collects the guide by the tuner of the other one', async () => {
  const tuner = `satip:127.0.0.1:${port},tuners=DVBT2-2`;
  await scan(livingRoom, tuner);
  client = await startProgram(livingRoom, '--tuner', tuner);
  const close = await beginStreams(client, one, other);
  // One tuner here is one client there.
  const [demo] = await tuners(server);
  expect(demo?.users.filter(({ purpose }) => purpose === 'stream')).toEqual([
    expect.objectContaining({ user: '127.0.0.1' }),
  ]);
  close();
  await untilGuided(client);
});

it('a recording resumes after the other receiver has restarted', async () => {
  const { size, end } = await record(client, livingRoom);
  await server.stop('SIGKILL');
  await untilTrue(() => client.log.some(({ msg }) => msg?.includes('Connection refused')));
  const before = size();
  server = await lending();
  await until(() => expect(size()).toBeGreaterThan(before + 50_000));
  await end();
  expect(client.log.filter(({ level }) => level > 50)).toEqual([]);
});
