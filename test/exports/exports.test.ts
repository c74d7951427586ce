/** Exports that clients have requested. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { Exports } from '../../src/exports/exports.ts';
import { RecordingActions } from '../../src/recordings/library/actions.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { haveFfmpeg } from '../dvb/captures.ts';
import { until } from '../fixtures/waits.ts';
import { openMade, probe } from './made.ts';

const client = '192.0.2.9';

/** `waits`: in place of ffmpeg, a program that does not end by itself. */
async function open({ isActive = false, waits = false } = {}) {
  const made = await openMade('Ships', [
    ['out', 10],
    ['in', 20],
  ]);
  const refuseActive = (path: string) => {
    if (isActive) throw fail('recording-active', path);
  };
  const logged: string[] = [];
  const note = (line: unknown) => void logged.push(String(line));
  const log = { info: note, warn: note };
  const { folders, library } = made;
  const waiting = join(made.movie, '..', 'waits');
  if (waits) writeFileSync(waiting, '#!/bin/sh\nexec sleep 100000\n', { mode: 0o755 });
  const exports = new Exports({
    ...{ folders, library, actions: { refuseActive }, log },
    ...{ ffmpeg: waits ? waiting : 'ffmpeg', timeZone: () => 'UTC', names: 'recording' },
  });
  onTestFinished(() => exports.stop());
  const ended = () =>
    until(() => {
      expect(exports.list.every(({ state }) => state === 'done' || state === 'failed')).toBe(true);
      return exports.list;
    });
  return { ...made, exports, ended, logged };
}

describe.skipIf(!haveFfmpeg)('exports', () => {
  it('run one after the other, into a folder beside the recording, and never onto each other', async () => {
    const { movie, path, exports, ended, library } = await open();
    await exports.add(path, { format: 'mkv', isCut: false, client });
    await exports.add(path, { format: 'mkv', isCut: true, client });
    expect(exports.list.filter(({ state }) => state === 'running').length).toBeLessThan(2);
    const all = await ended();
    expect(all.map(({ to, progress }) => [to, progress])).toEqual([
      [join(movie, 'Exports', 'Ships.mkv'), 1],
      [join(movie, 'Exports', 'Ships_001.mkv'), 1],
    ]);
    expect(Math.round(Number(probe(join(movie, 'Exports', 'Ships_001.mkv')).format.duration))).toBe(20);
    const { title, description, begin, serviceName, tags } = await library.find(join(movie, 'Exports', 'Ships.mkv'));
    const told = { title: 'Ships', description: 'S2 E5: Storm', begin: 1767290220, serviceName: 'Alpha HD' };
    expect({ title, description, begin, serviceName, tags }).toEqual({ ...told, tags: ['Export'] });
    expect(readFileSync(path).length).toBeGreaterThan(100_000);
  });

  it('have names for media servers if asked, with .nfo files that are deleted with them', async () => {
    const { movie, path, exports, ended, library } = await open();
    for (const format of ['mkv', 'mp4'] as const)
      await exports.add(path, { format, isCut: false, client, names: 'media' });
    const folder = join(movie, 'Exports', 'Ships', 'Season 02');
    const files = ['mkv', 'mp4'].map((ending) => join(folder, `Ships - S02E05 - Storm.${ending}`));
    expect((await ended()).map(({ to }) => to)).toEqual(files);
    expect(readFileSync(join(folder, 'Ships - S02E05 - Storm.nfo'), 'utf8')).toContain('<episode>5</episode>');
    const show = join(movie, 'Exports', 'Ships', 'tvshow.nfo');
    const written = readFileSync(show, 'utf8');
    expect(written).toContain('<tvshow>\n  <title>Ships</title>\n</tvshow>');
    const folders = new RecordingFolders([movie]);
    const actions = new RecordingActions({ folders, library, settings: Settings.parse('') });
    await actions.delete(files[0] ?? '', { forGood: true });
    expect(existsSync(show)).toBe(true);
    await actions.delete(files[1] ?? '', { forGood: true });
    expect(readdirSync(join(movie, 'Exports'))).toEqual([]);
    // One that somebody has extended stays, and so does a link.
    const link = join(folder, 'Ships - S02E05 - Storm.nfo');
    mkdirSync(folder, { recursive: true });
    symlinkSync('missing', link);
    await exports.add(path, { format: 'mkv', isCut: false, client, names: 'media' });
    await ended();
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    rmSync(link);
    writeFileSync(show, written.replace('</tvshow>', '  <plot>Ships.</plot>\n</tvshow>'));
    await actions.delete(files[0] ?? '', { forGood: true });
    expect(readdirSync(join(movie, 'Exports', 'Ships'))).toEqual(['tvshow.nfo']);
  });

  it('shorten a name that is too long before they run', async () => {
    const { movie, path, exports, ended } = await open();
    const long = join(movie, `${'x'.repeat(251)}.ts`);
    renameSync(path, long);
    await exports.add(long, { format: 'mkv', isCut: false, client });
    await exports.add(long, { format: 'mkv', isCut: false, client });
    const names = (await ended()).map(({ to = '' }) => basename(to));
    expect(names).toEqual([`${'x'.repeat(244)}.mkv`, `${'x'.repeat(240)}_001.mkv`]);
  });

  it('can be cancelled while they wait or run, which leaves nothing behind', async () => {
    const { movie, path, exports, ended } = await open();
    const [first, second] = [
      await exports.add(path, { format: 'mkv', isCut: false, names: 'media', client }),
      await exports.add(path, { format: 'mp4', isCut: false, client }),
    ];
    expect([exports.remove(second.id), exports.remove(first.id), exports.remove(99)]).toEqual([true, true, false]);
    await ended();
    await until(() => expect(exports.list).toEqual([]));
    expect(existsSync(join(movie, 'Exports'))).toBe(false);
  });

  it('report why they have failed', async () => {
    const { exports, ended, path, movie } = await open();
    writeFileSync(join(movie, 'Exports'), 'a file in the way');
    await exports.add(path, { format: 'mkv', isCut: false, client });
    const [only] = await ended();
    expect(only).toMatchObject({ state: 'failed', progress: 0 });
    expect(only?.error).not.toBe('');
  });

  it('are bounded, for each client and together, and cancelled at a stop, which is logged', async () => {
    const { exports, path, logged } = await open({ waits: true });
    const order = { format: 'mkv', isCut: false } as const;
    const refused = (text: string) => expect.objectContaining({ code: 'too-many-exports', message: text });
    for (const one of ['192.0.2.1', '192.0.2.2']) {
      for (let n = 0; n < 16; n++) await exports.add(path, { ...order, client: one });
      const already = one === '192.0.2.1' ? '16 exports at this address' : '32 exports';
      await expect(exports.add(path, { ...order, client: one })).rejects.toEqual(
        refused(`there are already ${already}`),
      );
    }
    const waiting = exports.list.find(({ state }) => state === 'waiting');
    exports.remove(waiting?.id ?? 0);
    exports.remove(waiting?.id ?? 0);
    await exports.add(path, { ...order, client: '192.0.2.3' });
    await expect(exports.add(path, { ...order, client })).rejects.toEqual(refused('there are already 32 exports'));
    await exports.stop();
    const stopped = logged.filter((line) => line === `${path} is not exported as mkv: the receiver stops`);
    expect(stopped.length).toBeGreaterThan(16);
    await expect(exports.add(path, { ...order, client })).rejects.toMatchObject({ code: 'not-allowed' });
  });

  it('are refused while the recording runs', async () => {
    const { exports, path } = await open({ isActive: true });
    await expect(exports.add(path, { format: 'mkv', isCut: false, client })).rejects.toMatchObject({
      code: 'recording-active',
    });
  });
});
