/** A receiver and the tuner of another one, with a network between them that loses, swaps and repeats datagrams. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until, untilTrue } from '../fixtures/waits.ts';
import { type Fate, LossyPath } from './lossy-path.ts';
import { type Program, removeFolder, runProgram, startProgram, temporaryFolder } from './program.ts';

interface Losses {
  readonly continuity_errors: number;
  readonly network_lost: number;
  readonly network_reordered: number;
}

const [attic, livingRoom] = [temporaryFolder(), temporaryFolder()];
const one = '1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:';
const now = Math.floor(Date.now() / 1000);
const timer = { sRef: one, begin: String(now - 1), end: String(now + 3600), name: 'Rough' };
let server: Program;
let client: Program;
let path: LossyPath;
/** What has come from port 8001. */
const streamed: Buffer[] = [];

beforeAll(async () => {
  writeFileSync(join(attic, 'receiverd.yaml'), 'satip:\n  server:\n    enabled: true\n    port: 0\n');
  server = await startProgram(attic, '--tuner', 'demo', '--config', join(attic, 'receiverd.yaml'));
  // Its lists, so that requests name a transponder that it knows.
  await until(async () => expect(await (await server.get('/web/services.m3u')).text()).toContain('Aldermoor One'));
  const description = await server.get('/satip/desc.xml');
  path = await LossyPath.open(Number(description.headers.get('x-satip-rtsp-port')));
  const tuner = `satip:127.0.0.1:${path.port},tuners=DVBT2-1`;
  const table = join(livingRoom, 'table');
  writeFileSync(table, '[A]\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = 474000000\n\tBANDWIDTH_HZ = 8000000\n');
  await runProgram('scan', '--tuner', tuner, '--from', table, '--save', '--data-dir', livingRoom);
  client = await startProgram(livingRoom, '--tuner', tuner);
  const { status, body } = await fetch(`${client.stream}/${one}`);
  expect(status).toBe(200);
  void (async () => {
    for await (const bytes of body ?? []) streamed.push(Buffer.from(bytes));
  })().catch(() => undefined);
  await client.json(`/api/timeradd?${new URLSearchParams(timer)}`);
  await until(() => expect(readFileSync(recording()).length).toBeGreaterThan(0));
});

afterAll(async () => {
  await client?.stop();
  path?.close();
  await server?.stop();
  for (const folder of [attic, livingRoom]) removeFolder(folder);
});

/** Gaps of the continuity counters in a stream of packets, the last of which may be incomplete. */
function gaps(stream: Buffer): number {
  const counters = new Map<number, number>();
  let found = 0;
  for (let at = 0; at + 188 <= stream.length; at += 188) {
    if (stream[at] !== 0x47) throw new Error(`no packet at ${at} of ${stream.length}`);
    const pid = stream.readUInt16BE(at + 1) & 0x1fff;
    const flags = stream.readUInt8(at + 3);
    if ((flags & 0x10) === 0) continue;
    const counter = flags & 0x0f;
    if (counter !== (((counters.get(pid) ?? counter - 1) + 1) & 0x0f)) found++;
    counters.set(pid, counter);
  }
  return found;
}

const movies = join(livingRoom, 'movie');
const recording = () => join(movies, readdirSync(movies).find((name) => name.endsWith('.ts')) ?? '');
const size = () => Math.min(Buffer.concat(streamed).length, statSync(recording()).size);

/** What the interface shows, and the gaps that there really are. */
async function counts() {
  const { tuners } = await client.json<{ tuners: readonly [{ losses: Losses }] }>('/api/tunerstatus');
  const { network_lost: lost, network_reordered: reordered, continuity_errors: errors } = tuners[0].losses;
  const recorded = gaps(readFileSync(recording()));
  return { lost, reordered, errors, streamed: gaps(Buffer.concat(streamed)), recorded };
}

/** Has this happen to some datagrams, and others come twice. Resolves with how many, and what was counted for them. */
async function suffer(fate: Fate) {
  const [before, happened] = [await counts(), path.fates[fate]];
  const since = async () => {
    const after = await counts();
    const count = (name: keyof typeof after) => after[name] - before[name];
    const [lost, reordered, errors] = [count('lost'), count('reordered'), count('errors')];
    return { lost, reordered, errors, streamed: count('streamed'), recorded: count('recorded') };
  };
  path.fate = (n) => (n % 5 === 0 ? fate : n % 5 === 2 ? 'twice' : 'arrives');
  await untilTrue(() => path.fates[fate] >= happened + 20);
  path.fate = () => 'arrives';
  const caused = path.fates[fate] - happened;
  // One that is put back too late was given up.
  await untilTrue(async () => {
    const { lost, reordered } = await since();
    return lost + reordered >= caused;
  });
  // Both outputs have all of it, and continue.
  const reached = size();
  await untilTrue(() => size() > reached + 50_000);
  return { caused, ...(await since()) };
}

// Again if the machine has stood still meanwhile: swapped datagrams came too late, or others were lost.

it('puts back datagrams that overtake others, and leaves out those that come twice', () =>
  until(async () => {
    const { caused, ...counted } = await suffer('late');
    expect(counted).toEqual({ lost: 0, reordered: caused, errors: 0, streamed: 0, recorded: 0 });
  }));

it('counts lost datagrams, and continues', async () => {
  await until(async () => {
    const { caused, errors, streamed, recorded, ...network } = await suffer('lost');
    expect(network).toEqual({ lost: caused, reordered: 0 });
    for (const found of [errors, streamed, recorded]) expect(found).toBeGreaterThan(0);
  });
  await until(async () => {
    const { lost, reordered, errors } = await counts();
    const document = await (await client.get('/web/tunerstatus')).text();
    const shown = { continuityerrors: errors, networklost: lost, networkreordered: reordered };
    for (const [name, count] of Object.entries(shown)) expect(document).toContain(`<e2${name}>${count}</e2${name}>`);
  });
});

it('the recording says how many gaps it has', async () => {
  await client.json(`/api/timerdelete?${new URLSearchParams(timer)}`);
  await untilTrue(() => client.log.some(({ msg }) => msg === 'recording ended'));
  expect(readFileSync(`${recording()}.meta`, 'utf8')).toContain(`${gaps(readFileSync(recording()))} gaps`);
});
