/** Two receivers: one has the tuner, the demo; the other one has only that of the first. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { until, untilTrue } from '../fixtures/waits.ts';
import { type Program, runProgram } from './program.ts';

interface Tuner {
  readonly source: string;
  readonly state: string;
  readonly model: string;
  readonly users: readonly { readonly purpose: string; readonly user: string }[];
}

export const one = '1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:';
export const other = '1:0:19:D12:D01:FF0D:EEEE0000:0:0:0:';

export const tuners = async ({ json }: Program) =>
  (await json<{ readonly tuners: readonly Tuner[] }>('/api/tunerstatus')).tuners;

/** Waits until it has its lists, so that others name a transponder that it knows. */
export const untilListed = ({ get }: Program) =>
  until(async () => expect(await (await get('/web/services.m3u')).text()).toContain('Aldermoor One'));

export async function scan(folder: string, tuner: string): Promise<void> {
  const table = join(folder, 'table');
  writeFileSync(table, '[A]\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = 474000000\n\tBANDWIDTH_HZ = 8000000\n');
  const scanned = await runProgram('scan', '--tuner', tuner, '--from', table, '--save', '--data-dir', folder);
  expect(scanned.stdout).toContain('new: 8, renamed: 0');
}

/** Reads the beginnings of streams, all by one tuner of the client. Returns a function that closes them. */
export async function beginStreams(client: Program, ...references: readonly string[]): Promise<() => void> {
  const left = new AbortController();
  const streams = await Promise.all(
    references.map((reference) => fetch(`${client.stream}/${reference}`, { signal: left.signal })),
  );
  for (const { status, body } of streams) {
    expect(status).toBe(200);
    for await (const bytes of body ?? []) {
      expect(bytes[0]).toBe(0x47);
      break;
    }
  }
  expect((await tuners(client)).filter(({ state }) => state === 'locked')).toHaveLength(1);
  return () => left.abort();
}

export const untilGuided = ({ json }: Program) =>
  until(async () => {
    const { events } = await json<{ events: readonly { title: string }[] }>(
      `/api/epgservice?sRef=${encodeURIComponent(one)}`,
    );
    expect(events.length).toBeGreaterThan(20);
  });

/** Begins a recording of a receiver, whose data folder this is: its bytes, and what ends it. */
export async function record({ json }: Program, folder: string) {
  const now = Math.floor(Date.now() / 1000);
  const timer = { sRef: one, begin: String(now - 1), end: String(now + 3600), name: 'Far' };
  await json(`/api/timeradd?${new URLSearchParams(timer)}`);
  const movies = join(folder, 'movie');
  const size = () => {
    const [file = ''] = readdirSync(movies).filter((name) => name.endsWith('.ts'));
    return statSync(join(movies, file)).size;
  };
  await until(() => expect(size()).toBeGreaterThan(50_000));
  const end = async () => {
    await json(`/api/timerdelete?${new URLSearchParams(timer)}`);
    await untilTrue(async () => (await json<{ isRecording: string }>('/api/statusinfo')).isRecording === 'false');
  };
  return { size, end };
}
