/** Automatic deletion: what is deleted and what is kept. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { createTemporary } from '../../src/base/files.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { RecordingActions } from '../../src/recordings/library/actions.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { type CleaningRules, Housekeeping } from '../../src/recordings/library/housekeeping.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until } from '../fixtures/waits.ts';

const hour = 3600;
const day = 24 * hour;
const gigabyte = 2 ** 30;

/** The time by the clock of the file system, which stamps deletions; Unix seconds. */
const now = () => Math.floor(statSync(folder).ctimeMs / 1000);

let folder: string;
let movie: string;
/** Seconds by which the receiver's clock is ahead. */
let ahead: number;
/** Size of the disk in gigabytes; each recording takes one. */
let free: number;
let capacity: number;
let logged: string[];
beforeEach(() => {
  folder = temporaryFolder();
  movie = join(folder, 'movie/');
  [ahead, free, capacity, logged] = [0, 100, 1000, []];
});

/** A recording that began this many days ago. */
function record(name: string, days: number, tags = ''): string {
  const path = join(movie, `${name}.ts`);
  const begin = now() - days * day;
  writeRecording(path, { meta: ['1:0:1:1:1:1:C00000:0:0:0::X', name, '', String(begin), tags] });
  return path;
}

function open(rules: Partial<CleaningRules> = {}, settingsText = '', active = '') {
  const settings = Settings.parse(settingsText);
  const folders = new RecordingFolders([movie]);
  const library = new RecordingLibrary(folders, () => null);
  const actions = new RecordingActions({ folders, library, settings });
  const count = () => readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.ts')).length;
  const before = count();
  const clock = { now: () => now() + ahead, synchronised: true };
  const log = pino({ level: 'warn' }, { write: (line) => logged.push(JSON.parse(line).msg) });
  const parts = { folders, library, actions, settings, clock, log, isActive: (path: string) => path === active };
  const house = new Housekeeping(parts, { minimumFree: 0, deleteAfter: 0, keepTag: 'Keep', ...rules }, async () => ({
    free: (free + before - count()) * gigabyte,
    capacity: capacity * gigabyte,
  }));
  return { house, actions };
}

const left = () =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replace(/^.*?\//, ''))
    .sort();

it('the trash is emptied after the configured days, and nothing else is deleted', async () => {
  record('Old', 1000);
  const { house, actions } = open({}, 'config.usage.movielist_trashcan_days=3');
  await actions.delete(record('Deleted', 1));
  ahead = 3 * day - hour;
  await house.round();
  expect(left()).toEqual(['.Trash/Deleted.ts', 'Old.ts']);
  ahead = 3 * day + hour;
  await house.round();
  expect(left()).toEqual(['Old.ts']);
  expect(readdirSync(join(movie, '.Trash'))).toEqual([]);
});

it('the oldest in the trash are deleted when space runs short, as many as needed', async () => {
  for (const name of ['A', 'B', 'C']) {
    await open().actions.delete(record(name, 1));
    // File times have a resolution of some milliseconds: the next one must be later.
    const { ctimeMs } = statSync(join(movie, `.Trash/${name}.ts`));
    const probe = () => {
      writeFileSync(join(folder, 'probe'), String(Math.random()));
      return statSync(join(folder, 'probe')).ctimeMs;
    };
    await until(() => expect(probe()).toBeGreaterThan(ctimeMs));
  }
  record('Kept', 1000);
  free = 39;
  await open().house.round();
  expect(left()).toEqual(['.Trash/B.ts', '.Trash/C.ts', 'Kept.ts']);
});

it('on a small disk the trash leaves a tenth of the disk free', async () => {
  await open().actions.delete(record('A', 1));
  [free, capacity] = [5, 40];
  await open().house.round();
  expect(left()).toEqual(['.Trash/A.ts']);
  free = 3;
  await open().house.round();
  expect(left()).toEqual([]);
});

it("the oldest recordings are deleted if configured, but not today's, tagged or running ones", async () => {
  for (let days = 0; days < 6; days++) record(`D${days}`, days, days === 4 ? 'EPG Keep' : 'EPG');
  ahead = 3600;
  free = 7;
  await open({ minimumFree: 9 }, '', join(movie, 'D5.ts')).house.round();
  expect(left()).toEqual(['D0.ts', 'D1.ts', 'D4.ts', 'D5.ts']);
  free = 0;
  await open({ minimumFree: 9 }, '', join(movie, 'D5.ts')).house.round();
  expect(left()).toEqual(['D0.ts', 'D4.ts', 'D5.ts']);
  expect(logged).toEqual([expect.stringContaining('MB are free for recordings')]);
});

it('recordings are deleted by age if configured', async () => {
  record('New', 9);
  record('Old', 11);
  record('Tagged', 11, 'Keep');
  await open({ deleteAfter: 10 }).house.round();
  expect(left()).toEqual(['New.ts', 'Tagged.ts']);
});

it('the remains of interrupted copies and writes are removed, and nothing else', async () => {
  record('series/A', 1);
  const { path, file } = await createTemporary(join(movie, 'series'));
  await file.close();
  for (const name of ['.B.ts.copying', 'C.copying', '.hidden']) writeFileSync(join(movie, 'series', name), 'x');
  await open().house.clearLeftovers();
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(join(movie, 'series')).sort()).toEqual(['.hidden', 'A.ts', 'A.ts.meta', 'C.copying']);
});
