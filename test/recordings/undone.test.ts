/** If one of the files fails, the steps already done are undone. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import disk from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { RecordingActions } from '../../src/recordings/library/actions.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** Simulates a failing disk: files with this suffix can be neither renamed nor written. */
function breakFiles(ending: string): void {
  for (const name of ['rename', 'open'] as const) {
    const real = disk[name] as (path: string, ...rest: unknown[]) => Promise<never>;
    vi.spyOn(disk, name).mockImplementation(async (path: unknown, ...rest: unknown[]) => {
      if (String(path).endsWith(ending)) throw Object.assign(new Error('input/output error'), { code: 'EIO' });
      return real(String(path), ...rest);
    });
  }
  syncBuiltinESMExports();
}

function mendFiles(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

afterEach(mendFiles);

it('no move, rename, deletion or copy leaves an incomplete set of files', async () => {
  const folder = temporaryFolder();
  const movie = join(folder, 'movie/');
  mkdirSync(join(movie, 'series'), { recursive: true });
  const path = join(movie, 'Ships.ts');
  writeRecording(path, { meta: ['x', 'Ships'], cuts: [{ kind: 2, position: 1 }], accessPoints: [[0, 1]] });
  const before = readdirSync(movie).sort();
  const folders = new RecordingFolders([movie]);
  const library = new RecordingLibrary(folders, () => null);
  const actions = new RecordingActions({ folders, library, settings: Settings.parse('') });
  breakFiles('Ships.ts.cuts');
  const series = join(movie, 'series');
  for (const action of [
    () => actions.move(path, series),
    () => actions.copy(path, series),
    () => actions.rename(path, 'Boats'),
    () => actions.delete(path),
  ]) {
    await expect(action()).rejects.toMatchObject({ code: 'file-unwritable' });
    rmSync(join(movie, '.Trash'), { recursive: true, force: true });
    expect(readdirSync(movie).sort()).toEqual(before);
    expect(readdirSync(series)).toEqual([]);
  }
  mendFiles();
  await actions.move(path, series);
  expect(existsSync(join(series, 'Ships.ts.cuts'))).toBe(true);
  library.stop();
});
