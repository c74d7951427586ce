/** Two receivers: one has the tuner, the demo, and is an HDHomeRun; the other one has no other tuner. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until, untilTrue } from '../fixtures/waits.ts';
import { type Program, removeFolder, runProgram, startProgram, temporaryFolder } from './program.ts';
import { beginStreams, one, other, record, scan, tuners, untilGuided, untilListed } from './two-receivers.ts';

const [attic, livingRoom] = [temporaryFolder(), temporaryFolder()];
let tuner: string;
let server: Program;
let client: Program;

const lending = async (controlPort: number) => {
  const settings = join(attic, 'receiverd.yaml');
  writeFileSync(settings, `hdhomerun:\n  server: true\n  streamPort: 0\n  controlPort: ${controlPort}\n`);
  server = await startProgram(attic, '--tuner', 'demo', '--config', settings);
  const line = () => server.log.map(({ msg = '' }) => msg).find((msg) => msg.startsWith('HDHomeRun '));
  await untilTrue(async () => line() !== undefined);
  return Number(/on port (\d+)/.exec(line() ?? '')?.[1]);
};
const receiving = () => startProgram(livingRoom, '--tuner', tuner);
const streaming = async () => (await tuners(server))[0]?.users.filter(({ purpose }) => purpose === 'stream').length;

/** Reads the beginnings of streams, and closes them. */
async function play(...references: readonly string[]): Promise<void> {
  const close = await beginStreams(client, ...references);
  // One tuner here is one client there.
  expect(await streaming()).toBe(1);
  close();
}

beforeAll(async () => {
  tuner = `hdhomerun:127.0.0.1:${await lending(0)}`;
  await untilListed(server);
});

afterAll(async () => {
  await client?.stop();
  await server.stop();
  for (const folder of [attic, livingRoom]) removeFolder(folder);
});

it('scans, streams, shares and collects the guide by the tuner of the other one', async () => {
  await scan(livingRoom, tuner);
  client = await receiving();
  expect(await tuners(client)).toMatchObject([{ source: tuner, model: 'HDHR4-2DT' }]);
  await play(one, other);
  await untilGuided(client);
});

it('a lock that a killed receiver has left is its own again, and is released at its end', async () => {
  const held = fetch(`${client.stream}/${one}`);
  expect((await held).status).toBe(200);
  await client.stop('SIGKILL');
  await (await held).body?.cancel().catch(() => undefined);
  client = await receiving();
  await play(one);
  await client.stop();
  await until(async () => expect(await streaming()).toBe(0));
  client = await receiving();
});

it('a recording resumes after the other receiver has restarted', async () => {
  const { size, end } = await record(client, livingRoom);
  await server.stop('SIGKILL');
  await untilTrue(() => client.log.some(({ msg }) => msg?.includes('Connection refused')));
  const before = size();
  await lending(Number(tuner.split(':')[2]));
  await until(() => expect(size()).toBeGreaterThan(before + 50_000));
  await untilTrue(() => client.log.some(({ msg }) => msg === `Tuner A (${tuner}) receives again`));
  const said = client.log.filter(({ msg }) => /^Tuner A .* MHz: .*Connection refused$/.test(msg ?? ''));
  expect(said).toHaveLength(1);
  await end();
  expect(client.log.filter(({ level }) => level > 50)).toEqual([]);
});

it('imports and plays the channels of a device that has no tuner control', async () => {
  const folder = temporaryFolder();
  const [, port] = /:(\d+)$/.exec(server.http.replace(/\/$/, '')) ?? [];
  const settings = join(folder, 'receiverd.yaml');
  writeFileSync(settings, 'iptv:\n  allow: [127.0.0.1]\n');
  // Its web port: nothing answers there by UDP.
  const flags = ['--tuner', `hdhomerun:127.0.0.1:${port}`, '--config', settings];
  const other = await startProgram(folder, ...flags);
  await untilTrue(() => other.log.some(({ msg }) => msg?.includes('channels imported: 6') === true));
  const bouquets = await other.json<{
    services: readonly {
      servicereference: string;
      subservices: readonly { servicename: string; servicereference: string }[];
    }[];
  }>('/api/getallservices');
  const channels = bouquets.services.flatMap(({ subservices }) => subservices);
  const channel = channels.find(({ servicename }) => servicename === 'Talblick 24');
  const left = new AbortController();
  const { status, body } = await fetch(`${other.stream}/${encodeURIComponent(channel?.servicereference ?? '')}`, {
    signal: left.signal,
  });
  expect(status).toBe(200);
  for await (const bytes of body ?? []) {
    expect(bytes[0]).toBe(0x47);
    break;
  }
  left.abort();
  await other.stop();
  removeFolder(folder);
});

it('says that a device with only channels cannot be scanned, and that a start imports them', async () => {
  const channels = [{ GuideNumber: '1', GuideName: 'One', URL: 'http://127.0.0.1/auto/v1' }];
  const web = createServer((_, response) => void response.end(JSON.stringify(channels))).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const folder = temporaryFolder();
  const settings = join(folder, 'receiverd.yaml');
  writeFileSync(settings, 'iptv:\n  allow: [127.0.0.1]\n');
  const tuner = `hdhomerun:127.0.0.1:${(web.address() as AddressInfo).port}`;
  const { code, stderr } = await runProgram('scan', '--tuner', tuner, '--config', settings, '--data-dir', folder);
  web.close();
  removeFolder(folder);
  expect(code).toBe(1);
  expect(stderr).toContain(`${tuner} offers only channels by HTTP (1), so there is nothing to scan; \`receiverd start`);
  expect(stderr).toContain(`--tuner ${tuner}\` imports them`);
});
