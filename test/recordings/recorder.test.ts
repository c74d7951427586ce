/** Recordings of the demo multiplex and of captures: their files, and what happens when something fails. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { parseTunerSpec, Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { Guide } from '../../src/epg/guide.ts';
import { ActiveRecording } from '../../src/recordings/active-recording.ts';
import { parseCuts } from '../../src/recordings/files/cuts-file.ts';
import { parseMeta } from '../../src/recordings/files/meta-file.ts';
import type { RecordingSpec } from '../../src/recordings/files/recording-spec.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { Recorder } from '../../src/recordings/recorder.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { Services } from '../../src/services/services.ts';
import { haveFfmpeg } from '../dvb/captures.ts';
import { faults, faultsOfTorn } from '../fixtures/decoding.ts';
import { eitSections, presentSection } from '../fixtures/eit.ts';
import { fastDemo } from '../fixtures/fast-demo.ts';
import { networkStreams } from '../fixtures/network.ts';
import { noMount, smallDisk } from '../fixtures/small-disk.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';
import { programTimeoutMs, untilTrue } from '../fixtures/waits.ts';
import { sends, station, streamOf } from '../iptv/station.ts';

const anyFolder = new RecordingFolders(['/']);
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A recorder with one running tuner; `spec(n)` is a spec for its n-th service. */
async function openRecorder({
  tuner: tunerSpec = fastDemo,
  folder = temporaryFolder(),
  clock = systemClock,
  isGuideFed = true,
  /** Of the service lists. */
  lists = temporaryFolder(),
  settings = '',
} = {}) {
  const guide = new Guide();
  const tuner = new Tuner(parseTunerSpec(tunerSpec), isGuideFed ? { guide: guide.native } : {});
  const pool = new TunerPool([tuner], { linger: 0 });
  closing.push(() => pool.close());
  const lease = pool.tuners[0]?.lease({ purpose: 'scan', user: 'test' });
  await pool.tuners[0]?.until((multiplex) => multiplex.complete, { timeoutMs: programTimeoutMs });
  const recorder = new Recorder(
    {
      pool,
      network: networkStreams(),
      guide,
      services: await Services.load(lists),
      settings: Settings.parse(settings),
      folders: anyFolder,
      clock,
      log: pino({ level: 'silent' }),
      timeZone: () => 'Europe/Berlin',
    },
    { queueBound: 32 << 20, sync: 'interval', syncInterval: 1 },
  );
  closing.push(() => recorder.stop());
  const services = tuner.multiplex().services;
  const spec = (index: number, changes: Partial<RecordingSpec> = {}): RecordingSpec => {
    const service = services[index];
    if (service === undefined) throw new Error('the multiplex has fewer services');
    return {
      reference: ServiceReference.service(service.type, service, 0xffff0000),
      serviceName: service.name,
      title: 'Ships: Harbours',
      description: 'Episode 3',
      tags: ['News'],
      folder: join(folder, 'movie'),
      begin: 1767290400,
      ...changes,
    };
  };
  return { folder: join(folder, 'movie'), guide, pool, lease, recorder, services, spec };
}

const withoutEnding = (path: string) => path.replace(/\.ts$/, '');

describe('a recording of the demo multiplex', () => {
  it('has all the side files that a box writes', async () => {
    const { folder, recorder, spec, services, guide, lease, pool } = await openRecorder();
    const [service] = services;
    if (service === undefined) throw new Error('no service');
    await untilTrue(() => guide.generation > 0);
    await guide.flush();
    const [{ now: present } = { now: null }] = await guide.nowNext([service]);
    const recording = await recorder.start(spec(0, present ? { eventId: present.id } : {}));
    lease?.release();
    expect(recorder.active).toEqual([recording]);
    expect(pool.tuners[0]?.users).toMatchObject([{ purpose: 'recording', user: 'Ships: Harbours' }]);
    await untilTrue(() => recording.length > 2);
    expect(recording.trouble).toBeUndefined();
    await recording.stop();
    expect(recorder.active).toEqual([]);
    expect(recorder.totals).toEqual({ bytes: recording.size, lost: 0, continuityErrors: 0 });
    expect(pool.tuners[0]?.users).toEqual([]);

    const name = `20260101 1900 - ${service.name} - Ships Harbours`;
    expect((await readdir(folder)).sort()).toEqual(
      ['.eit', '.ts', '.ts.ap', '.ts.meta', '.ts.sc'].map((ending) => name + ending),
    );
    const path = join(folder, `${name}.ts`);
    expect(recording.path).toBe(path);
    const { size } = statSync(path);
    expect(recording.size).toBe(size);
    expect(size % 188).toBe(0);
    const meta = readFileSync(`${path}.meta`);
    expect(meta.toString().split('\n')).toHaveLength(11);
    expect(parseMeta(meta)).toMatchObject({
      title: 'Ships: Harbours',
      description: 'Episode 3',
      begin: 1767290400,
      tags: ['News'],
      length: { size },
      scrambled: false,
    });
    expect(guide.eventOfFile(readFileSync(join(folder, `${name}.eit`)))).toMatchObject({
      id: present?.id,
      title: present?.title,
      shortText: present?.shortText,
      extendedText: present?.extendedText,
      start: present?.start,
      duration: present?.duration,
    });
  });

  it.each([
    ['that was requested', { eventId: 7 }, -3600, 'Harbour'],
    ['that fills it', {}, 0, 'Harbour'],
    ['of an hour ago', {}, -3600, undefined],
  ])('has at its end the event %s, which the guide did not have before', async (_, changes, later, title) => {
    const { recorder, spec, services, guide } = await openRecorder({ isGuideFed: false });
    const [service] = services;
    if (service === undefined) throw new Error('no service');
    const recording = await recorder.start(spec(0, changes));
    const file = `${withoutEnding(recording.path)}.eit`;
    await untilTrue(() => recording.length > 1);
    expect(existsSync(file)).toBe(false);
    const now = systemClock.now();
    const harbour = { id: 7, start: now + later - 600, duration: 1800, title: 'Harbour' };
    for (const section of eitSections(service, harbour.start, [harbour])) guide.ingestSection(section);
    await guide.flush();
    await recording.stop();
    expect(existsSync(file) ? guide.eventOfFile(readFileSync(file))?.title : undefined).toBe(title);
  });

  it('has the season and the episode that only the long text names in its .meta', async () => {
    const { recorder, spec, services, guide } = await openRecorder({ isGuideFed: false });
    const [service] = services;
    if (service === undefined) throw new Error('no service');
    const harbour = {
      id: 7,
      start: systemClock.now() - 600,
      duration: 1800,
      title: 'Harbour',
      extendedText: 'S2 E5 · 2019',
    };
    for (const section of eitSections(service, harbour.start, [harbour])) guide.ingestSection(section);
    await guide.flush();
    const changes = { eventId: 7, title: 'Harbour', description: 'The storm' };
    const recording = await recorder.start(spec(0, changes));
    expect(parseMeta(readFileSync(`${recording.path}.meta`)).description).toBe('S2 E5 · The storm');
  });

  it('continues in its folder after that is replaced by a link', async () => {
    const { folder, recorder, spec } = await openRecorder();
    const recording = await recorder.start(spec(0));
    await untilTrue(() => recording.length > 1);
    const foreign = temporaryFolder();
    renameSync(folder, `${folder}.aside`);
    symlinkSync(foreign, folder);
    const { length } = recording;
    await untilTrue(() => recording.length > length + 1);
    await recording.stop();
    expect(readdirSync(foreign)).toEqual([]);
    const written = join(`${folder}.aside`, basename(recording.path));
    expect(statSync(written).size).toBe(recording.size);
    expect(parseMeta(readFileSync(`${written}.meta`)).length).toMatchObject({ size: recording.size });
  });

  it.runIf(haveFfmpeg)('is decoded by ffmpeg without an error, two of them with one tuner', async () => {
    const { recorder, spec, pool } = await openRecorder();
    const both = [await recorder.start(spec(0)), await recorder.start(spec(1))];
    // The tuner was leased for a scan first, but recordings have priority.
    expect(pool.tuners[0]?.users.map(({ purpose }) => purpose)).toEqual(['recording', 'recording', 'scan']);
    await untilTrue(() => both.every(({ length }) => length > 3));
    // A growing file can be played too.
    await untilTrue(() => both.every(({ size }) => size > 200_000));
    for (const { path } of both) expect(await faultsOfTorn(path)).toBe('');
    await recorder.stop();
    for (const { path } of both) {
      expect(await faults(path)).toBe('');
    }
  });

  it('gets a number if its name is taken', async () => {
    const { recorder, spec } = await openRecorder();
    const all = [await recorder.start(spec(0)), await recorder.start(spec(0)), await recorder.start(spec(0))];
    expect(all.map(({ path }) => path.slice(-12))).toEqual([' Harbours.ts', 'bours_001.ts', 'bours_002.ts']);
    // A link beside it is not replaced, even if it leads nowhere.
    const links = ['003.ts.meta', '004.nfo'].map((end) => all[0]?.path.replace('.ts', `_${end}`) ?? '');
    for (const link of links) symlinkSync('missing', link);
    all.push(await recorder.start(spec(0)));
    expect(all[3]?.path.slice(-12)).toBe('bours_005.ts');
    for (const link of links) expect(lstatSync(link).isSymbolicLink()).toBe(true);
    await untilTrue(() => all.every(({ size }) => size > 0));
  });

  it('is named after the recording that it continues, whenever it begins', async () => {
    const { recorder, spec } = await openRecorder();
    const first = await recorder.start(spec(0));
    const second = await recorder.start(spec(0, { begin: spec(0).begin + 60, continues: withoutEnding(first.path) }));
    const third = await recorder.start(spec(0, { begin: spec(0).begin + 120, continues: withoutEnding(second.path) }));
    const name = withoutEnding(first.path);
    expect([second.path, third.path]).toEqual([`${name}_001.ts`, `${name}_002.ts`]);
    await untilTrue(() => [first, second, third].every(({ size }) => size > 0));
  });

  it('has a name for media servers if the settings say so, with a .nfo file, and so has what continues it', async () => {
    const { folder, recorder, spec } = await openRecorder({
      settings: 'config.recording.filename_composition=media',
    });
    const onNamed = async (name: string) => void named.push(name);
    const named: string[] = [];
    const numbered = spec(0, { title: '../Ships', description: 'S2 E5: Storm', onNamed });
    const first = await recorder.start(numbered);
    const name = join(folder, 'Ships', 'Season 02', 'Ships - S02E05 - Storm');
    const second = await recorder.start({ ...numbered, description: '', continues: name });
    expect([first.path, second.path]).toEqual([`${name}.ts`, `${name}_001.ts`]);
    expect(named).toEqual([name, `${name}_001`]);
    expect(readFileSync(`${name}.nfo`, 'utf8')).toContain('<season>2</season>');
    const show = join(folder, 'Ships', 'tvshow.nfo');
    expect(readFileSync(show, 'utf8')).toContain('<title>../Ships</title>');
    writeFileSync(show, 'edited');
    const another = await recorder.start({ ...numbered, description: 'S2 E6' });
    expect(readFileSync(show, 'utf8')).toBe('edited');
    rmSync(show);
    symlinkSync(join(folder, 'missing'), show);
    const last = await recorder.start({ ...numbered, description: 'S2 E7' });
    expect(lstatSync(show).isSymbolicLink()).toBe(true);
    expect(parseMeta(readFileSync(`${name}.ts.meta`))).toMatchObject({ title: '../Ships' });
    await untilTrue(() => [first, second, another, last].every(({ size }) => size > 0));
    await recorder.stop();
    rmSync(`${name}.ts`);
    writeFileSync(`${name}.ts`, '');
    expect(await recorder.lastWrittenAt(name)).toBeUndefined();
    expect(existsSync(`${name}.nfo`)).toBe(false);
  });

  it('is in the folder of the timer if the one of its name for media servers cannot be', async () => {
    const { folder, recorder, spec } = await openRecorder({
      settings: 'config.recording.filename_composition=media',
    });
    mkdirSync(folder);
    writeFileSync(join(folder, 'Ships'), 'a file in the way');
    const { path } = await recorder.start(spec(0, { title: 'Ships', description: 'S2 E5: Storm' }));
    expect(path).toBe(join(folder, 'Ships - S02E05 - Storm.ts'));
    expect(existsSync(path)).toBe(true);
  });

  it('reports its name before the file exists', async () => {
    const { recorder, spec } = await openRecorder();
    const named: (readonly [name: string, isThere: boolean])[] = [];
    const onName = async (name: string) => void named.push([name, existsSync(`${name}.ts`)]);
    const first = await recorder.start(spec(0, { onNamed: onName }));
    const second = await recorder.start(spec(0, { onNamed: onName }));
    expect(named).toEqual([first, second].map(({ path }) => [withoutEnding(path), false]));
  });

  it('replaces an empty file left by a power cut', async () => {
    const { recorder, spec } = await openRecorder();
    const being = await recorder.start(spec(0));
    const other = await recorder.start(spec(0));
    expect(other.path).not.toBe(being.path);
    expect(await recorder.lastWrittenAt(withoutEnding(being.path))).toBe(Number.POSITIVE_INFINITY);
    await recorder.stop();

    const leave = () => {
      for (const ending of ['.ts', '.ts.meta', '.eit']) writeFileSync(withoutEnding(being.path) + ending, '');
    };
    leave();
    const { recorder: next } = await openRecorder();
    const again = await next.start(spec(0));
    expect(again.path).toBe(being.path);
    await untilTrue(() => again.size > 0);
    await next.stop();
    const written = statSync(again.path).mtimeMs / 1000;
    expect(await next.lastWrittenAt(withoutEnding(again.path))).toBe(written);
    leave();
    expect(await next.lastWrittenAt(withoutEnding(again.path))).toBeUndefined();
    const names = await readdir(dirname(again.path));
    expect(names.filter((name) => name.startsWith(`${basename(again.path, '.ts')}.`))).toEqual([]);
  });

  it('can be found after a power cut, with the time of its last write if the clock is that of the machine', async () => {
    const { recorder, folder } = await openRecorder();
    mkdirSync(folder);
    const name = join(folder, 'Ships');
    expect(await recorder.lastWrittenAt(name)).toBeUndefined();
    writeFileSync(`${name}.ts`, 'x');
    expect(await recorder.lastWrittenAt(name)).toBe(statSync(`${name}.ts`).mtimeMs / 1000);
    for (const part of ['_001', '_002']) {
      for (const ending of ['.ts', '.ts.meta']) writeFileSync(name + part + ending, '');
    }
    // The timer has stored the name of the part that was to continue the recording.
    expect(await recorder.lastWrittenAt(`${name}_001`)).toBe(Number.NEGATIVE_INFINITY);
    expect(await readdir(folder)).toEqual(['Ships.ts']);
    const later = { ...systemClock, now: () => systemClock.now() + 3600 };
    const { recorder: elsewhere } = await openRecorder({ clock: later });
    expect(await elsewhere.lastWrittenAt(name)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('without data leaves no file', async () => {
    const { recorder, spec, folder } = await openRecorder();
    const recording = await recorder.start(spec(0));
    await recording.stop();
    if (recording.size === 0) expect(await readdir(folder)).toEqual([]);
    expect(existsSync(recording.path)).toBe(recording.size > 0);
  });

  it('continues in the same file after the tuner was stopped', async () => {
    const { recorder, spec, pool, lease } = await openRecorder();
    const recording = await recorder.start(spec(0));
    lease?.release();
    await untilTrue(() => recording.length > 0.5);
    await pool.tuners[0]?.tuner.stop();
    const { size } = recording;
    await untilTrue(() => recording.size > size + 500_000);
    await recorder.stop();
    const meta = readFileSync(`${recording.path}.meta`).toString().split('\n');
    expect(meta[10]).toMatch(/^receiverd: interrupted 1 times/);
  });
});

it('says in its meta file for how long it had no tuner', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'Ships.ts');
  writeFileSync(`${path}.meta`, '1:0:1:7:1:1:0:0:0:0:\nShips\n');
  const none = { lost: 0, error: 0, continuityErrors: 0, scrambled: 0, waiting: 0, deleted: false, end: null };
  const stream = { status: () => ({ ...none, bytes: 188, packets: 1, ticks: 0 }), stop: async () => undefined };
  const lease = { current: undefined, trouble: 'no tuner', losses: 1, stop: async () => undefined, release: () => {} };
  const recording = new ActiveRecording({
    ...{ spec: {} as never, path, held: { at: `${folder}/`, close: async () => undefined }, began: 0 },
    ...{ stream: stream as never, lease: lease as never, lateEvent: undefined },
    ...{ log: pino({ level: 'silent' }), onChange: () => undefined },
  });
  await untilTrue(() => recording.trouble === 'no tuner');
  await recording.stop();
  const meta = readFileSync(`${path}.meta`).toString().split('\n');
  expect(meta[10]).toMatch(/^receiverd: interrupted 1 times; no tuner for [1-9]\d* s$/);
});

describe('a recording of a network stream', () => {
  it('says in its meta file for how long nothing was received', async () => {
    const provider = await station({ '/live.ts': sends(streamOf(0x101)) });
    closing.push(provider.stop);
    const reference = `4097:0:1:0:0:0:0:0:0:0:${provider.url.replaceAll(':', '%3a')}/live.ts:Web`;
    const lists = temporaryFolder();
    writeFileSync(join(lists, 'bouquets.tv'), '#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.web.tv"\n');
    writeFileSync(join(lists, 'userbouquet.web.tv'), `#NAME Web\n#SERVICE ${reference}\n`);
    const { recorder, spec } = await openRecorder({ lists });
    const recording = await recorder.start(spec(0, { reference: ServiceReference.parse(reference) }));
    await untilTrue(() => recording.trouble === 'nothing is received');
    await recording.stop();
    const meta = readFileSync(`${recording.path}.meta`).toString().split('\n');
    expect(meta[10]).toMatch(/^receiverd: nothing received for [5-9] s$/);
  });
});

describe('a recording over several events', () => {
  it('has a mark where the broadcast changes to the next event', async () => {
    const folder = temporaryFolder();
    const service = { serviceId: 0x101, transportStreamId: 0x3f3, originalNetworkId: 1 };
    const event = { start: 1767290400, duration: 600, title: 'Ships' };
    const eit = (seconds: number, id: number, version: number) => ({
      seconds,
      pid: 0x12,
      section: presentSection(service, { ...event, id }, version),
    });
    const path = join(folder, 'stream.ts');
    // Repeated as on the air; the second event is there from the third second of six on.
    const sections = [0, 1, 2, 3, 4, 5].map((second) => eit(second, second < 3 ? 1 : 2, second < 3 ? 0 : 1));
    writeTransportStream(path, {
      ...service,
      services: [{ serviceId: 0x101, name: 'Alpha' }],
      sections,
      bitRate: 1_000_000,
      seconds: 6,
    });
    const { recorder, spec } = await openRecorder({ tuner: `file:${path}` });
    const recording = await recorder.start(spec(0));
    await untilTrue(() => recording.length > 6.5);
    await recording.stop();
    const cuts = parseCuts(readFileSync(`${recording.path}.cuts`));
    expect(cuts.length).toBeGreaterThan(0);
    expect(cuts.every(({ kind }) => kind === 2)).toBe(true);
    // The events change every three seconds, because the file loops.
    for (const [n, { position }] of cuts.entries()) {
      const before = cuts[n - 1]?.position;
      if (before !== undefined) expect((position - before) / 90_000).toBeCloseTo(3, 0);
    }
  });
});

describe('a full disk', () => {
  it('is reported, and recording continues once there is room', async ({ skip }) => {
    const folder = smallDisk(1 << 20) ?? skip(noMount);
    const tuner = 'demo'; // A faster one would fill the disk again.
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(800_000));
    const { recorder, spec } = await openRecorder({ folder, tuner });
    const recording = await recorder.start(spec(0));
    const changes: (string | undefined)[] = [];
    recorder.onChange(({ trouble }, change) => changes.push(change === 'trouble' ? trouble : change));
    await untilTrue(() => recording.trouble !== undefined);
    expect(recording.trouble).toBe('the disk is full');
    expect(statSync(recording.path).size % 188).toBe(0);
    if (haveFfmpeg) expect(await faultsOfTorn(recording.path)).toBe('');
    // With room for all that a slow machine records until it is stopped.
    spawnSync('mount', ['-o', 'remount,size=64m', folder]);
    rmSync(ballast);
    await untilTrue(() => recording.trouble === undefined && recording.size > 500_000);
    await recording.stop();
    expect(changes).toEqual(['the disk is full', undefined, 'stopped']);
    // The queue held what the disk could not.
    expect(readFileSync(`${recording.path}.meta`).toString().split('\n')).toHaveLength(11);
    if (haveFfmpeg) expect(await faults(recording.path)).toBe('');
  });

  it('keeps what was written when a recording ends, with a remark in its meta file if possible', async ({ skip }) => {
    const folder = smallDisk(300_000) ?? skip(noMount);
    const { recorder, spec } = await openRecorder({ folder });
    const recording = await recorder.start(spec(0));
    await untilTrue(() => recording.trouble !== undefined);
    const { size } = recording;
    await recording.stop();
    expect(recording.size).toBe(size);
    expect(existsSync(`${recording.path}.meta`)).toBe(true);
    if (haveFfmpeg) expect(await faultsOfTorn(recording.path)).toBe('');
  });

  it('refuses a new recording and leaves no file of it', async ({ skip }) => {
    const folder = smallDisk(1 << 20) ?? skip(noMount);
    const { recorder, spec } = await openRecorder({ folder });
    try {
      writeFileSync(join(folder, 'ballast'), Buffer.alloc(2 << 20));
    } catch {
      // Expected: it fills the disk.
    }
    await expect(recorder.start(spec(0))).rejects.toMatchObject({ code: 'disk-full' });
    expect(await readdir(join(folder, 'movie'))).toEqual([]);
    expect(recorder.active).toEqual([]);
  });
});

describe('a recording that was killed', () => {
  it.runIf(haveFfmpeg)('plays, and its length is read from the side files', async () => {
    for (const delay of [0, 700, 1900]) {
      const root = temporaryFolder();
      const folder = join(root, 'movie');
      const child = spawn(process.execPath, ['--import', 'tsx', join('test', 'recordings', 'endless.ts'), folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const guide = new Guide();
      const library = new RecordingLibrary(new RecordingFolders([folder]), (bytes) => guide.eventOfFile(bytes));
      const { recordings } = await library.list(folder);
      expect(recordings).toHaveLength(2);
      for (const { path, title, size, length } of recordings) {
        expect(title).toBe('Endless');
        expect(length).toBeGreaterThan(0);
        expect(await faultsOfTorn(path)).toBe('');
        const points = existsSync(`${path}.ap`) ? readFileSync(`${path}.ap`) : Buffer.alloc(0);
        expect(points.length % 16).toBe(0);
        for (let at = 0; at < points.length; at += 16) expect(points.readBigUInt64BE(at)).toBeLessThan(BigInt(size));
      }
    }
  });
});
