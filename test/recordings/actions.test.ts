/** Actions on recordings, with real files. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { type ActionParts, RecordingActions } from '../../src/recordings/library/actions.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

let folder: string;
let movie: string;
let settings: Settings;
let library: RecordingLibrary;
let actions: RecordingActions;

const meta = ['1:0:19:2B66:3F3:1:C00000:0:0:0::Alpha HD', 'Ships', 'Episode 3', '1767290220', 'EPG', '0', '0'];
const endings = [
  ...['.ts', '.ts.ap', '.ts.cuts', '.ts.meta', '.ts.sc', '.ts.001', '.ts_mp.jpg'],
  ...['.eit', '.jpg', '.txt', '.nfo'],
];
const setOf = (name: string) => endings.map((ending) => name + ending).sort();

/** A recording with every possible side file. */
function record(path: string): string {
  writeRecording(path, { meta });
  for (const ending of endings.slice(1)) {
    const file = path.replace(/\.ts$/, ending);
    if (!existsSync(file)) writeFileSync(file, `x${ending}`);
  }
  return path;
}

function open(folders: readonly string[], active?: ActionParts['active']): void {
  const all = new RecordingFolders(folders);
  library = new RecordingLibrary(all, () => null);
  actions = new RecordingActions({ folders: all, library, settings, ...(active && { active }) });
}

beforeEach(() => {
  folder = temporaryFolder();
  movie = join(folder, 'movie/');
  mkdirSync(join(movie, 'series'), { recursive: true });
  settings = Settings.parse('');
  open([movie]);
});

it('notifies of every change', async () => {
  const path = record(join(movie, 'Ships.ts'));
  let changes = 0;
  library.onChange(() => {
    changes++;
  });
  const notifies = async (action: Promise<unknown>) => {
    const before = changes;
    await action;
    expect(changes).toBeGreaterThan(before);
  };
  const renamed = join(movie, 'Boats.ts');
  await notifies(actions.rename(path, 'Boats'));
  await notifies(library.edit(renamed, { addTags: ['sea'] }));
  await notifies(actions.copy(renamed, join(movie, 'series')));
  await notifies(actions.delete(join(movie, 'series/Boats.ts'), { forGood: true }));
  await notifies(actions.move(renamed, join(movie, 'series')));
  await notifies(actions.delete(join(movie, 'series/Boats.ts')));
});

/** Bytes of long names without `.ts`. The first is the maximum of a box; the others use all of NAME_MAX. */
const longNames = [239, 243, 247];

it.each(longNames)('a name of %i bytes is tagged, marked, copied, trashed and restored', async (length) => {
  const name = `${'x'.repeat(length)}.ts`;
  writeRecording(join(movie, name), { meta });
  const path = join(movie, name);
  const cuts = [{ kind: 2, position: 90_000 }] as const;
  expect(await actions.edit(path, { addTags: ['seen'], cuts })).toMatchObject({ tags: ['EPG', 'seen'], cuts });
  const copy = await actions.copy(path, join(movie, 'series'));
  const { trashed: first } = await actions.delete(path);
  // The name is taken in the trash.
  const { trashed: second } = await actions.delete(copy);
  expect([first, second].map((one) => existsSync(one as string))).toEqual([true, true]);
  expect(second).not.toBe(first);
  for (const one of [first, second]) expect(await library.find(one as string)).toMatchObject({ tags: ['EPG', 'seen'] });
  expect(await actions.move(first as string, movie)).toBe(path);
});

describe('deleting', () => {
  it('does not follow a trash that is a link out of the folders', async () => {
    const path = record(join(movie, 'Ships.ts'));
    mkdirSync(join(folder, 'outside'));
    symlinkSync(join(folder, 'outside'), join(movie, '.Trash'));
    await expect(actions.delete(path)).rejects.toMatchObject({ code: 'outside-locations' });
    expect(readdirSync(join(folder, 'outside'))).toEqual([]);
    expect(existsSync(path)).toBe(true);
    await actions.delete(path, { forGood: true });
    expect(readdirSync(movie).sort()).toEqual(['.Trash', 'series']);
  });

  it('puts all files into the trash, and a move restores them', async () => {
    const path = record(join(movie, 'Ships.ts'));
    const { files, trashed } = await actions.delete(path);
    expect(files).toEqual(expect.arrayContaining([path]));
    expect(trashed).toBe(join(movie, '.Trash/Ships.ts'));
    expect(readdirSync(movie).sort()).toEqual(['.Trash', 'series']);
    expect(readdirSync(join(movie, '.Trash')).sort()).toEqual(setOf('Ships'));
    expect(await actions.move(join(movie, '.Trash/Ships.ts'), movie)).toBe(path);
    expect(readdirSync(join(movie, '.Trash'))).toEqual([]);
    expect(readFileSync(join(movie, 'Ships.eit'), 'utf8')).toBe('x.eit');
  });

  it('puts a recording from a subfolder into the trash of the location', async () => {
    await actions.delete(record(join(movie, 'series/Ships.ts')));
    expect(readdirSync(join(movie, '.Trash')).sort()).toEqual(setOf('Ships'));
  });

  it('keeps both of two recordings with the same name', async () => {
    for (let count = 0; count < 3; count++) await actions.delete(record(join(movie, 'Ships.ts')));
    const names = readdirSync(join(movie, '.Trash')).sort();
    expect(names).toEqual([...setOf('Ships'), ...setOf('Ships_001'), ...setOf('Ships_002')].sort());
  });

  it('deletes for good within the trash, on request, and without a trash', async () => {
    await actions.delete(record(join(movie, 'A.ts')));
    await actions.delete(join(movie, '.Trash/A.ts'));
    expect(readdirSync(join(movie, '.Trash'))).toEqual([]);
    await actions.delete(record(join(movie, 'B.ts')), { forGood: true });
    settings = Settings.parse('config.usage.movielist_trashcan=false');
    open([movie]);
    await actions.delete(record(join(movie, 'C.ts')));
    expect(readdirSync(movie).sort()).toEqual(['.Trash', 'series']);
    expect(readdirSync(join(movie, '.Trash'))).toEqual([]);
  });

  it('keeps files that another recording shares, and all other files', async () => {
    const path = record(join(movie, 'Ships.ts'));
    writeFileSync(join(movie, 'Ships.mkv'), 'x');
    writeFileSync(join(movie, 'Ships.ts.txt'), 'mine');
    writeFileSync(join(movie, 'Ships and more.eit'), 'x');
    await actions.delete(path, { forGood: true });
    expect(readdirSync(movie).sort()).toEqual(
      [
        'Ships and more.eit',
        'Ships.eit',
        'Ships.jpg',
        'Ships.mkv',
        'Ships.nfo',
        'Ships.ts.txt',
        'Ships.txt',
        'series',
      ].sort(),
    );
  });

  it.each(['Ships.ts.meta', 'series', '../outside.ts', 'nosuch.ts'])('refuses %s', async (name) => {
    record(join(movie, 'Ships.ts'));
    writeFileSync(join(folder, 'outside.ts'), 'x');
    await expect(actions.delete(movie + name)).rejects.toThrow();
    expect(existsSync(join(folder, 'outside.ts'))).toBe(true);
    expect(existsSync(join(movie, 'Ships.ts.meta'))).toBe(true);
  });

  it('stops a running recording first; other actions refuse it', async () => {
    const path = record(join(movie, 'Ships.ts'));
    const running = new Set([path]);
    const active = {
      isActive: (one: string) => running.has(one),
      stop: async (one: string) => void running.delete(one),
    };
    open([movie], active);
    await expect(actions.move(path, join(movie, 'series'))).rejects.toMatchObject({ code: 'recording-active' });
    await expect(actions.rename(path, 'Other')).rejects.toMatchObject({ code: 'recording-active' });
    expect(existsSync(path)).toBe(true);
    await actions.delete(path);
    expect([running.size, existsSync(path)]).toEqual([0, false]);
  });
});

describe('renaming', () => {
  it('renames every file and writes the title; tags stay', async () => {
    const path = await actions.rename(record(join(movie, 'Ships.ts')), 'Boats. On the river');
    expect(path).toBe(join(movie, 'Boats. On the river.ts'));
    expect(readdirSync(movie).sort()).toEqual([...setOf('Boats. On the river'), 'series'].sort());
    expect(await library.find(path)).toMatchObject({ title: 'Boats. On the river', tags: ['EPG'] });
  });

  it('accepts a title with the extension, and the current name', async () => {
    const path = record(join(movie, 'Ships.ts'));
    expect(await actions.rename(path, 'Boats.ts')).toBe(join(movie, 'Boats.ts'));
    expect(await actions.rename(join(movie, 'Boats.ts'), 'Boats')).toBe(join(movie, 'Boats.ts'));
  });

  it.each(['../Ships', 'a/b', '.hidden', '', ' ', 'a\nb', 'a\0b', 'x'.repeat(250)])('refuses %j', async (name) => {
    const path = record(join(movie, 'Ships.ts'));
    await expect(actions.rename(path, name)).rejects.toMatchObject({ code: 'bad-name' });
    expect(readdirSync(movie).sort()).toEqual([...setOf('Ships'), 'series'].sort());
  });

  it('never overwrites another file', async () => {
    const path = record(join(movie, 'Ships.ts'));
    writeFileSync(join(movie, 'Boats.eit'), 'mine');
    await expect(actions.rename(path, 'Boats')).rejects.toMatchObject({ code: 'file-exists' });
    expect(readFileSync(join(movie, 'Boats.eit'), 'utf8')).toBe('mine');
    expect(existsSync(path)).toBe(true);
  });
});

describe('moving', () => {
  it.each([
    ['into a missing folder', 'nosuch', 'folder-not-found'],
    ['into a file', 'Other.ts', 'folder-not-found'],
    ['into its own folder', '.', 'same-folder'],
    ['out of the locations', '..', 'outside-locations'],
    ['into a folder with one of its files', 'series', 'file-exists'],
  ])('is refused: %s', async (_, to, code) => {
    const path = record(join(movie, 'Ships.ts'));
    record(join(movie, 'Other.ts'));
    writeFileSync(join(movie, 'series/Ships.ts.meta'), 'mine');
    await expect(actions.move(path, movie + to)).rejects.toMatchObject({ code });
    await expect(actions.copy(path, movie + to)).rejects.toMatchObject({ code });
    expect(readdirSync(movie)).toEqual(expect.arrayContaining(setOf('Ships')));
  });

  it('does not happen with a copy, which keeps the original', async () => {
    const path = record(join(movie, 'Ships.ts'));
    // Less than half a millisecond before the next second: a Date rounds it up.
    utimesSync(path, 1_767_290_220, 1_767_290_219.9997);
    expect(await actions.copy(path, join(movie, 'series'))).toBe(join(movie, 'series/Ships.ts'));
    expect(readdirSync(join(movie, 'series')).sort()).toEqual(setOf('Ships'));
    expect(readdirSync(movie)).toEqual(expect.arrayContaining(setOf('Ships')));
    const age = (file: string) => Math.floor(statSync(file).mtimeMs / 1000);
    expect(age(join(movie, 'series/Ships.ts'))).toBe(age(path));
    expect(actions.transfers).toEqual([]);
  });
});

it('neither moves nor copies a recording onto a link, even if that leads nowhere', async () => {
  const path = record(join(movie, 'Ships.ts'));
  const to = join(movie, 'series');
  symlinkSync(join(folder, 'missing'), join(to, 'Ships.txt'));
  await expect(actions.copy(path, to)).rejects.toMatchObject({ code: 'file-exists' });
  await expect(actions.move(path, to)).rejects.toMatchObject({ code: 'file-exists' });
  expect(readdirSync(to)).toEqual(['Ships.txt']);
});

describe('a new folder', () => {
  it('is created within a location, with the folders above it, and may exist already', async () => {
    const path = join(movie, 'series/Ships/1/');
    expect(await actions.addFolder(path)).toBe(path);
    expect(await actions.addFolder(path)).toBe(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('is created nowhere else', async () => {
    symlinkSync(folder, join(movie, 'out'));
    writeFileSync(join(movie, 'file'), '');
    for (const [path, code] of [
      [join(folder, 'new'), 'outside-locations'],
      [`${movie}../new`, 'outside-locations'],
      [join(movie, 'out/new'), 'outside-locations'],
      [join(movie, '.new'), 'bad-name'],
      [join(movie, 'x'.repeat(250)), 'bad-name'],
      [join(movie, 'a\nb'), 'bad-name'],
      [join(movie, 'file/new'), 'file-unwritable'],
    ] as const)
      await expect(actions.addFolder(path)).rejects.toMatchObject({ code });
    rmSync(movie, { recursive: true });
    await expect(actions.addFolder(join(movie, 'new'))).rejects.toMatchObject({ code: 'folder-not-found' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

const elsewhere = '/dev/shm';
const isElsewhere = existsSync(elsewhere) && statSync(elsewhere).dev !== statSync(tmpdir()).dev;

describe.skipIf(!isElsewhere)('into another file system', () => {
  let far: string;
  beforeEach(() => {
    far = `${mkdtempSync(join(elsewhere, 'receiverd-actions-'))}/`;
    open([movie, far]);
  });
  afterEach(() => rmSync(far, { recursive: true, force: true }));

  it('moves all files, byte for byte', async () => {
    const path = record(join(movie, 'Ships.ts'));
    writeFileSync(path, Buffer.alloc((9 << 20) + 7, 'content'));
    const before = readFileSync(path);
    expect(await actions.move(path, far)).toBe(`${far}Ships.ts`);
    expect(readFileSync(`${far}Ships.ts`).equals(before)).toBe(true);
    expect(readdirSync(far).sort()).toEqual(setOf('Ships'));
    expect(readdirSync(movie)).toEqual(['series']);
  });

  it('does not write through links in the other folder', async () => {
    const path = record(join(movie, 'Ships.ts'));
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'victim');
    // Links with the names that copies once had.
    for (const name of ['.Ships.ts.copying', '.Ships.ts.meta.copying']) symlinkSync(victim, far + name);
    await actions.copy(path, far);
    expect(readFileSync(victim, 'utf8')).toBe('victim');
    expect(lstatSync(`${far}Ships.ts`).isFile()).toBe(true);
  });

  it('does not move links that somebody has put beside a recording', async () => {
    const path = join(movie, 'Ships.ts');
    writeRecording(path, { meta });
    symlinkSync('/etc/passwd', join(movie, 'Ships.eit'));
    await actions.copy(path, far);
    expect(readdirSync(far).sort()).toEqual(['Ships.ts', 'Ships.ts.meta']);
  });

  it.each(longNames)('moves a name of %i bytes', async (length) => {
    const path = join(movie, `${'x'.repeat(length)}.ts`);
    writeRecording(path, { meta });
    expect(await actions.move(path, far)).toBe(`${far}${'x'.repeat(length)}.ts`);
    expect(readdirSync(movie)).toEqual(['series']);
  });

  it('shows its progress, refuses other actions meanwhile, and leaves no copy when it is cancelled', async () => {
    const path = record(join(movie, 'Ships.ts'));
    truncateSync(path, 512 << 20);
    const moved = actions.move(path, far);
    moved.catch(() => undefined);
    while ((actions.transfers[0]?.done ?? 0) === 0) await setImmediate();
    const [transfer] = actions.transfers;
    expect(transfer).toMatchObject({ id: 1, kind: 'move', from: path, to: `${far}Ships.ts` });
    expect(transfer?.total).toBeGreaterThan(512 << 20);
    await expect(actions.delete(path)).rejects.toMatchObject({ code: 'recording-busy' });
    await expect(actions.edit(path, { title: 'Boats' })).rejects.toMatchObject({ code: 'recording-busy' });
    expect((await library.list(far)).recordings).toEqual([]);
    expect(actions.cancel(1)).toBe(true);
    await expect(moved).rejects.toMatchObject({ code: 'cancelled' });
    expect(readdirSync(far)).toEqual([]);
    expect(readdirSync(movie)).toEqual(expect.arrayContaining(setOf('Ships')));
    expect([actions.transfers, actions.cancel(1)]).toEqual([[], false]);
  });

  it('reserves its target name, and does not overwrite an existing file', async () => {
    const path = record(join(movie, 'Ships.ts'));
    truncateSync(path, 256 << 20);
    const same = record(join(movie, 'series/Ships.ts'));
    const other = record(`${far}Boats.ts`);
    const copied = actions.copy(path, far);
    copied.catch(() => undefined);
    while ((actions.transfers[0]?.done ?? 0) === 0) await setImmediate();
    await expect(actions.move(same, far)).rejects.toMatchObject({ code: 'file-exists' });
    await expect(actions.rename(other, 'Ships')).rejects.toMatchObject({ code: 'file-exists' });
    // Like a recording that begins during the copy.
    writeFileSync(`${far}Ships.ts`, 'recorded');
    await expect(copied).rejects.toMatchObject({ code: 'file-exists' });
    expect(readFileSync(`${far}Ships.ts`, 'utf8')).toBe('recorded');
    expect([path, same, other].map((one) => existsSync(one))).toEqual([true, true, true]);
    expect(readdirSync(far).sort()).toEqual([...setOf('Boats'), 'Ships.ts']);
  });

  it('keeps the recording if there is no room', async () => {
    const path = record(join(movie, 'Ships.ts'));
    truncateSync(path, 8 * 2 ** 40);
    await expect(actions.move(path, far)).rejects.toMatchObject({ code: 'disk-full' });
    expect(readdirSync(far)).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });
});

describe('the folders of a name for media servers', () => {
  it.each([
    ['shows/Ships/Season 02/Ships - S02E05.ts', 'shows'],
    ['shows/Ships (1994)/Ships (1994)_001.ts', 'shows'],
    ['series/Boats.ts', 'series'],
  ])('of %s leave %s when it is deleted or moved', async (name, left) => {
    for (const leave of [
      (path: string) => actions.delete(path),
      (path: string) => actions.delete(path, { forGood: true }),
      (path: string) => actions.move(path, movie).then((moved) => rmSync(moved)),
    ]) {
      const path = join(movie, name);
      mkdirSync(dirname(path), { recursive: true });
      writeRecording(path, { meta });
      const other = join(dirname(path), 'Other.ts');
      writeRecording(other, { meta });
      await actions.delete(other);
      expect(existsSync(path)).toBe(true);
      await leave(path);
      expect(readdirSync(join(movie, left))).toEqual([]);
      for (const rest of ['.Trash', `${basename(path)}.meta`])
        rmSync(join(movie, rest), { recursive: true, force: true });
    }
  });

  it('stay while anything is in them', async () => {
    const path = join(movie, 'Ships/Season 02/Ships - S02E05.ts');
    mkdirSync(dirname(path), { recursive: true });
    writeRecording(path, { meta });
    writeFileSync(join(movie, 'Ships/poster.jpg'), '');
    await actions.delete(path);
    expect(readdirSync(join(movie, 'Ships'))).toEqual(['poster.jpg']);
  });
});
