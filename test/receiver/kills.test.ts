/**
 * Power cuts at any moment: while starting, recording, changing timers and settings, or writing the guide. Everything
 * the receiver has confirmed is there after the next start. Unconfirmed changes are there or not, never in part.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually, untilTrue } from '../fixtures/waits.ts';
import { launchProgram, type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

const kills = Number(process.env.RECEIVERD_KILLS ?? 20);
/** Concurrent receivers, each with its own folder: most of the time they are starting. */
const receivers = 4;
/** Maximum milliseconds from ready to the kill; every other receiver is killed before it is ready. */
const maxLifeMs = 2500;
/** Concurrent recordings per receiver: disk speed is not the subject here. */
const maxRecordings = 2;

/** Items by name with their possible values: one after a confirmation, several until then. */
class Promises {
  readonly #possible = new Map<string, readonly (string | undefined)[]>();

  get names(): string[] {
    return [...this.#possible.keys()];
  }

  /** Items that certainly exist. */
  get sure(): string[] {
    return this.names.filter((name) => this.of(name).length === 1 && this.of(name)[0] !== undefined);
  }

  /** Undefined means absent. */
  of(name: string): readonly (string | undefined)[] {
    return this.#possible.get(name) ?? [undefined];
  }

  /** Changes it by `act`; if that rejects, the outcome is unknown. */
  async make(name: string, value: string | undefined, act: () => Promise<unknown>): Promise<void> {
    this.#possible.set(name, [...this.of(name), value]);
    await act();
    this.is(name, value);
  }

  is(name: string, value: string | undefined): void {
    this.#possible.set(name, [value]);
  }

  /** Checks that the value found is possible, and keeps it as the known one. */
  found(name: string, value: string | undefined): void {
    expect(this.of(name), name).toContain(value);
    this.is(name, value);
  }
}

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly begin: number;
  readonly end: number;
  readonly state: number;
  readonly filename: string | null;
}

/** They do not matter for this test. */
const settingKeys = [
  'config.recording.margin_before',
  'config.recording.margin_after',
  'config.recording.keep_timers',
  'config.epg.histminutes',
];

const flags = ['--tuner', 'demo', '--clock', 'system'];
const hour = 3600;
const now = () => Math.floor(Date.now() / 1000);
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
const isEmpty = (path: string) => existsSync(path) && statSync(path).size === 0;
const random = (below: number) => Math.floor(Math.random() * below);

class Household {
  readonly folder = temporaryFolder();
  readonly movies = join(this.folder, 'movie');
  /** Descriptions of timers. */
  readonly #timers = new Promises();
  readonly #times = new Map<string, { readonly sRef: string; readonly begin: string; readonly end: string }>();
  readonly #settings = new Promises();
  /** Titles in the stored guide. */
  readonly #guide = new Promises();
  /** Sizes of finished recordings. */
  readonly #finished = new Map<string, string>();
  #services: readonly string[] = [];
  /** Milliseconds from start to ready. */
  #startTime = 0;
  #count = 0;

  async prepare(): Promise<void> {
    const started = performance.now();
    const program = await startProgram(this.folder, ...flags);
    this.#startTime = performance.now() - started;
    await eventually(async () => program.log.some(({ msg }) => msg === 'services scanned') || undefined, 'a scan');
    const { items } = await program.json<{ items: readonly (readonly string[])[] }>('/services/tv');
    this.#services = items.map(([reference = '']) => reference);
    expect(this.#services.length).toBeGreaterThan(1);
    const settings = await this.#settingsOf(program);
    for (const key of settingKeys) this.#settings.is(key, settings.get(key));
    await program.stop();
  }

  /** From a start to a kill; returns whether it became ready in between. */
  async live(): Promise<boolean> {
    const early = random(2) === 0 ? [setTimeout(random(this.#startTime), undefined)] : [];
    const launched = launchProgram(this.folder, ...flags);
    this.#busy.clear();
    let acting: readonly Promise<void>[] = [];
    try {
      const program = await Promise.race([launched.ready, ...early]);
      if (!program) return false;
      await this.check(program);
      acting = [this.#act(program), this.#act(program), this.#act(program)];
      await Promise.race([setTimeout(random(Math.max(maxLifeMs, this.#startTime))), Promise.all(acting)]);
      return true;
    } finally {
      launched.ready.catch(() => undefined);
      await launched.kill();
      await Promise.allSettled(acting);
    }
  }

  /** Checks that everything confirmed is there. */
  async check(program: Program): Promise<void> {
    const serious = program.log.filter(({ level, msg }) => level >= 40 && !/was (missed|interrupted)/.test(msg ?? ''));
    expect(serious).toEqual([]);

    const timers = await this.#list(program);
    for (const name of this.#timers.names) {
      const timer = timers.find((one) => one.name === name);
      this.#timers.found(name, timer?.description);
      // The demo moves no events, so its timers stay in place.
      if (timer) expect(timer, name).toMatchObject(this.#placeOf(name));
    }

    const settings = await this.#settingsOf(program);
    for (const key of this.#settings.names) this.#settings.found(key, settings.get(key));

    for (const title of this.#guide.names) {
      const { events } = await program.json<{ events: object[] }>(`/api/epgsearch?search=${encodeURIComponent(title)}`);
      this.#guide.found(title, events.length === 1 ? 'there' : undefined);
    }
    this.checkRecordings();
  }

  #placeOf(name: string): Pick<Listed, 'begin' | 'end'> {
    const { begin, end } = this.#times.get(name) ?? {};
    return { begin: Number(begin), end: Number(end) };
  }

  /** Recordings that were seen to have ended. */
  get finished(): number {
    return this.#finished.size;
  }

  checkRecordings(): void {
    for (const [path, digest] of this.#finished) expect(sha256(path), path).toBe(digest);
  }

  /** Recordings that timers had noted at the last start. */
  readonly noted = new Set<string>();

  async noteNames(program: Program): Promise<void> {
    for (const { filename } of await this.#list(program)) this.noted.add(`${filename}.ts`);
  }

  get emptyAndNoted(): string[] {
    return this.recordings.filter((path) => this.noted.has(path) && isEmpty(path));
  }

  get recordings(): string[] {
    if (!existsSync(this.movies)) return [];
    return readdirSync(this.movies)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(this.movies, name));
  }

  async #settingsOf(program: Program): Promise<ReadonlyMap<string, string>> {
    const { settings } = await program.json<{ settings: readonly (readonly [string, string])[] }>('/api/settings');
    return new Map(settings);
  }

  async #list(program: Program): Promise<readonly Listed[]> {
    return (await program.json<{ timers: readonly Listed[] }>('/api/timerlist')).timers;
  }

  /** One action after another until the receiver is gone. */
  async #act(program: Program): Promise<void> {
    const acts = [
      () => this.#addTimer(program),
      () => this.#changeTimer(program),
      () => this.#setSetting(program),
      () => this.#record(program),
      () => this.#writeGuide(program),
    ];
    try {
      for (;;) await acts[random(acts.length)]?.();
    } catch (error) {
      // The error of fetch after the receiver is gone.
      if (!(error instanceof TypeError) && (error as Error).name !== 'SyntaxError') throw error;
    }
  }

  async #ask(program: Program, path: string, init?: RequestInit): Promise<void> {
    const reply = await fetch(program.http + path, init);
    const answer = (await reply.json()) as { readonly result: boolean };
    if (!answer.result) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  }

  #addTimer(program: Program): Promise<void> {
    const number = this.#count++;
    const begin = now() + 24 * hour + number * 60;
    const name = `T${number}`;
    const sRef = this.#services[number % this.#services.length] as string;
    const times = { sRef, begin: String(begin), end: String(begin + 30) };
    this.#times.set(name, times);
    const parameters = new URLSearchParams({ ...times, name, description: 'new' });
    return this.#timers.make(name, 'new', () => this.#ask(program, `/api/timeradd?${parameters}`));
  }

  /** Changes or deletes one. */
  async #changeTimer(program: Program): Promise<void> {
    const all = this.#timers.sure.filter((name) => !this.#busy.has(name));
    const name = all[random(all.length)];
    const times = name === undefined ? undefined : this.#times.get(name);
    if (name === undefined || !times) return;
    this.#busy.add(name);
    if (all.length > 20 || random(3) === 0) {
      const parameters = new URLSearchParams(times);
      await this.#timers.make(name, undefined, () => this.#ask(program, `/api/timerdelete?${parameters}`));
    } else {
      const description = `changed ${this.#count++}`;
      const old = { channelOld: times.sRef, beginOld: times.begin, endOld: times.end };
      const parameters = new URLSearchParams({ ...times, name, description, ...old });
      await this.#timers.make(name, description, () => this.#ask(program, `/api/timerchange?${parameters}`));
    }
    this.#busy.delete(name);
  }

  /** Timers and settings that are being changed. */
  readonly #busy = new Set<string>();

  async #setSetting(program: Program): Promise<void> {
    const number = this.#count++;
    const key = settingKeys[number % settingKeys.length] as string;
    if (this.#busy.has(key)) return;
    this.#busy.add(key);
    // A default is not stored, and none of theirs is this large.
    const value = String(20 + (number % 100));
    const parameters = new URLSearchParams({ key, value });
    await this.#settings.make(key, value, () =>
      this.#ask(program, `/api/saveconfig?${parameters}`, { method: 'POST' }),
    );
    this.#busy.delete(key);
  }

  /** Starts a recording of a second or more if few are running, and checks which have ended. */
  async #record(program: Program): Promise<void> {
    const timers = await this.#list(program);
    for (const { name, state, filename } of timers) {
      const path = `${filename}.ts`;
      if (name.startsWith('R') && state === 3 && filename !== null && existsSync(path) && !this.#finished.has(path))
        this.#finished.set(path, sha256(path));
    }
    if (timers.filter(({ state }) => state === 2).length >= maxRecordings) return void (await setTimeout(50));
    const number = this.#count++;
    const parameters = new URLSearchParams({
      sRef: this.#services[number % this.#services.length] as string,
      begin: String(now()),
      end: String(now() + 2 + random(5)),
      name: `R${number}`,
    });
    await this.#ask(program, `/api/timeradd?${parameters}`);
  }

  /** Adds a programme in the far future, and saves the whole guide. */
  async #writeGuide(program: Program): Promise<void> {
    const number = this.#count++;
    const title = `Proof number ${number} of many`;
    const time = (at: number) => new Date(at * 1000).toISOString().replace(/[-:T]|\..*/g, '');
    const begin = now() + 20 * 24 * hour + number * 60;
    const channel = this.#services[0]?.replace(/:$/, '');
    const body = `<tv><channel id="${channel}"/><programme channel="${channel}" start="${time(begin)}" stop="${time(begin + 60)}"><title>${title}</title></programme></tv>`;
    await this.#guide.make(title, 'there', async () => {
      const headers = { 'content-type': 'application/xml' };
      await this.#ask(program, '/api/epgimport', { method: 'POST', headers, body });
      await this.#ask(program, '/api/saveepg');
    });
  }
}

describe('a receiver without power', () => {
  const households = Array.from({ length: receivers }, () => new Household());
  afterAll(() => households.map(({ folder }) => removeFolder(folder)));

  it(`loses nothing, ${kills} times`, async () => {
    let left = kills;
    let ready = 0;
    /** Otherwise they were only killed while starting, however slow the machine is. */
    const isEnough = () => {
      const finished = households.reduce((sum, household) => sum + household.finished, 0);
      const recordings = households.reduce((sum, household) => sum + household.recordings.length, 0);
      return ready > kills / 4 && finished > 0 && recordings > kills / 20;
    };
    const run = async (household: Household) => {
      await household.prepare();
      while (left > 0 || !isEnough()) {
        left--;
        if (await household.live()) ready++;
      }
      const program = await startProgram(household.folder, ...flags);
      await household.check(program);
      await household.noteNames(program);
      // An empty recording is removed when its timer continues or is over, soon after the start.
      await untilTrue(() => household.emptyAndNoted.length === 0);
      await program.stop();
    };
    await Promise.all(households.map(run));
    expect(left).toBeLessThanOrEqual(0);
  }, 3_600_000);

  it('has playable recordings', async () => {
    const all = households.flatMap(({ recordings }) => recordings);
    expect(all.length).toBeGreaterThan(0);
    // One whose name the disk did not take within two seconds belongs to no timer after the kill.
    expect(households.flatMap(({ emptyAndNoted }) => emptyAndNoted)).toEqual([]);
    for (const path of all.filter((path) => !isEmpty(path))) {
      expect(existsSync(`${path}.meta`), path).toBe(true);
      const { stdout } = await promisify(execFile)('ffprobe', [
        ...['-v', 'error', '-show_entries', 'stream=codec_type', path],
      ]);
      expect(stdout, path).toContain('codec_type=video');
    }
  }, 3_600_000);
});
