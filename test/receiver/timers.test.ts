/** Timers of the whole program, with the demo tuner: every planned recording exists, whatever happens in between. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { noMount, smallDisk } from '../fixtures/small-disk.ts';
import { until } from '../fixtures/waits.ts';
import { type Program, removeFolder, runProgram, startProgram, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));
const movies = join(folder, 'movie');
const start = () => startProgram(folder, '--tuner', 'demo', '--clock', 'system');

interface Listed {
  readonly name: string;
  readonly state: number;
  readonly cancelled: boolean;
  readonly filename: string | null;
}
const timersOf = async (program: Program) =>
  (await program.json<{ timers: readonly Listed[] }>('/api/timerlist')).timers;

async function services(program: Program): Promise<readonly string[]> {
  return until(async () => {
    const { items } = await program.json<{ items: readonly (readonly string[])[] }>('/services/tv');
    expect(items.length).toBeGreaterThan(1);
    return items.map(([reference = '']) => reference);
  });
}

const now = () => Math.floor(Date.now() / 1000);
const hour = 3600;

/** Adds a timer that runs from now on. */
async function add(program: Program, name: string, seconds: number) {
  const begin = now();
  const [sRef = ''] = await services(program);
  const times = { begin: String(begin), end: String(begin + seconds) };
  const parameters = new URLSearchParams({ sRef, ...times, name, tags: 'Manual' });
  expect(await program.json(`/api/timeradd?${parameters}`)).toMatchObject({ result: true });
  return { sRef, begin, end: begin + seconds };
}

/** Moves the end of that timer to the next seconds. */
async function endSoon(program: Program, name: string, timer: Awaited<ReturnType<typeof add>>) {
  const { sRef, begin, end } = timer;
  const old = { channelOld: sRef, beginOld: String(begin), endOld: String(end), deleteOldOnSave: '1' };
  const times = { begin: String(begin), end: String(now() + 2) };
  const parameters = new URLSearchParams({ sRef, ...times, ...old, name, tags: 'Manual' });
  expect(await program.json(`/api/timerchange?${parameters}`)).toMatchObject({ result: true });
}

/** The timer's element in timers.xml. */
const storedTimer = (name: string) =>
  readFileSync(join(folder, 'enigma2', 'timers.xml'), 'utf8')
    .split('<timer ')
    .find((element) => element.includes(` name="${name}"`));

/** Its recording is on the disk so far: it is running (2) or has ended (3). */
async function recorded(program: Program, name: string, state: 2 | 3, as = /\.ts$/): Promise<string> {
  return until(async () => {
    const timer = (await timersOf(program)).find((one) => one.name === name);
    const path = `${timer?.filename}.ts`;
    expect(timer?.state).toBe(state);
    expect(path).toMatch(as);
    expect(existsSync(path) && statSync(path).size).toBeGreaterThan(100_000);
    return path;
  });
}

describe('a timer', () => {
  it('records, stops at its end, and continues after the program was killed', async () => {
    let program = await start();
    const timer = await add(program, 'Short', hour);
    await add(program, 'Long', 2 * hour);
    const [, other = ''] = await services(program);
    expect(await program.json(`/api/zap?sRef=${other}`)).toMatchObject({ result: true });
    expect(await program.json('/api/recordnow?recordnow=infinite')).toMatchObject({ result: true });
    await recorded(program, 'Short', 2);
    await endSoon(program, 'Short', timer);
    const short = await recorded(program, 'Short', 3);
    const first = await recorded(program, 'Long', 2);
    const instant = (await timersOf(program)).at(-1)?.name as string;
    const begun = await recorded(program, instant, 2);
    await until(() => expect(storedTimer('Short')).toContain(' state="3"'));
    await program.stop('SIGKILL');

    program = await start();
    const second = await recorded(program, 'Long', 2, /_001\.ts$/);
    const continued = await recorded(program, instant, 2, /_001\.ts$/);
    expect((await timersOf(program)).map(({ name, cancelled }) => [name, cancelled])).toEqual([
      ['Short', false],
      ['Long', false],
      [instant, false],
    ]);
    expect(await program.json('/api/statusinfo')).toMatchObject({ isRecording: 'true' });
    await program.stop();

    expect(readdirSync(movies).filter((name) => name.endsWith('.ts'))).toHaveLength(5);
    for (const path of [short, first, second, begun, continued]) {
      const { stdout } = await promisify(execFile)('ffprobe', [
        '-v',
        'error',
        '-show_entries',
        'stream=codec_type',
        path,
      ]);
      expect(stdout).toContain('codec_type=video');
      expect(stdout).toContain('codec_type=audio');
    }
  });

  it('of a damaged list records, where it can be played, though its folder leads elsewhere', async () => {
    const box = temporaryFolder();
    let program = await startProgram(box, '--tuner', 'demo');
    const [sRef = ''] = await services(program);
    expect(await program.stop()).toBe(0);
    mkdirSync(join(box, 'elsewhere'));
    symlinkSync(join(box, 'elsewhere'), join(box, 'movie', 'link'));
    const timer = `<timer begin="${now()}" end="${now() + hour}" serviceref="${sRef}" name="Link" location="${box}/movie/link/">`;
    writeFileSync(join(box, 'enigma2', 'timers.xml'), `<timers>\n${timer}\n<log code="1" ti`);
    program = await startProgram(box, '--tuner', 'demo');
    const path = await recorded(program, 'Link', 2);
    expect((await fetch(`${program.http}/file?file=${encodeURIComponent(path)}`, { method: 'HEAD' })).status).toBe(200);
    expect(readdirSync(join(box, 'elsewhere'))).toEqual([]);
    expect(existsSync(join(box, 'enigma2', 'timers.xml.damaged'))).toBe(true);
    expect(await program.stop()).toBe(0);
    expect(program.log.some(({ msg = '' }) => msg.includes('is outside the folders of this receiver'))).toBe(true);
    removeFolder(box);
  });
});

it('records into another location while a share is not mounted, and says so', async ({ skip }) => {
  const share = smallDisk(65536) ?? skip(noMount);
  const own = temporaryFolder();
  const [away, there] = [join(share, 'movie/'), join(own, 'movie/')];
  mkdirSync(away);
  const config = join(own, 'receiverd.yaml');
  writeFileSync(config, JSON.stringify({ locations: [away, there], tuners: ['demo'], clock: 'system' }));
  const program = await startProgram(own, '--config', config);
  try {
    await until(() => expect(existsSync(join(own, 'locations.json'))).toBe(true));
    expect(spawnSync('umount', ['-l', share]).status).toBe(0);
    await add(program, 'Away', hour);
    expect(await recorded(program, 'Away', 2)).toContain(there);
    expect(readdirSync(share)).toEqual([]);
    const { timers } = await program.json<{ timers: readonly { readonly logentries: unknown }[] }>('/api/timerlist');
    const reason = `'${away}' is missing: ${share} is not mounted; recording into ${there}`;
    expect(timers[0]?.logentries).toContainEqual([expect.any(Number), 16, reason]);
    const warning = expect.objectContaining({ level: 40, msg: `timer 'Away': ${reason}` });
    await until(() => expect(program.log).toContainEqual(warning));
    // Again if a disk has not answered within a second.
    await until(async () =>
      expect(await program.json('/api/storage')).toMatchObject({
        folders: [
          { folder: away, free: null, missing: `${share} is not mounted` },
          { folder: there, free: expect.any(Number), missing: null },
        ],
      }),
    );
    const { stdout } = await runProgram('doctor', '--config', config, '--data-dir', own);
    expect(stdout).toContain(`folder ${away}: ${share} is not mounted`);
  } finally {
    await program.stop();
    removeFolder(own);
  }
});
