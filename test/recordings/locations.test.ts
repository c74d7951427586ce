/** Recording folders that clients add and remove: only where the owner allows them, and stored. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { listLiteral, stringList } from '../../src/config/enigma2-setting-keys.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { RecordingFolders, recordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { Locations } from '../../src/recordings/library/locations.ts';
import { recordingFolder, timerFolder } from '../../src/timers/timer-specs.ts';
import { irreplaceable } from '../fixtures/irreplaceable.ts';
import { noMount, smallDisk } from '../fixtures/small-disk.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ['movie', 'media/usb', 'other']) mkdirSync(join(folder, name), { recursive: true });
});

/** The folders and locations after a start of the receiver. */
function open() {
  const settings = Settings.read(join(folder, 'settings'));
  const [configured, roots] = [[join(folder, 'movie/')], [join(folder, 'media')]];
  const folders = recordingFolders(configured, settings, roots);
  return { settings, folders, locations: new Locations({ folders, settings }, configured, roots) };
}

it('adds folders of a location and of a root, creates them on request, and keeps them over a restart', async () => {
  const { folders, locations } = open();
  const [series, usb] = [join(folder, 'movie/series/'), join(folder, "media/usb/it's/")];
  await expect(locations.add(series)).rejects.toMatchObject({ code: 'folder-not-found' });
  await locations.add(series, { create: true });
  await locations.add(usb, { create: true });
  await expect(locations.add(series)).rejects.toMatchObject({ code: 'file-exists' });
  const all = [join(folder, 'movie/'), series, usb];
  expect(folders.all).toEqual(all);
  expect(open().folders.all).toEqual(all);
  expect(await folders.resolveExisting(usb)).toBe(usb);
});

it.for([
  ['that is full', 'full'],
  ['that refuses it', 'refusing'],
])('creates no folder that it cannot store, on a disk %s', async ([_, kind], { skip }) => {
  const settingsFolder = kind === 'full' ? (smallDisk(4096) ?? skip(noMount)) : folder;
  writeFileSync(join(settingsFolder, 'settings'), '');
  if (kind === 'full') writeFileSync(join(settingsFolder, 'ballast'), Buffer.alloc(4096));
  const end = kind === 'full' ? undefined : (irreplaceable(join(folder, 'settings')) ?? skip(noMount));
  const settings = Settings.read(join(settingsFolder, 'settings'));
  const configured = [join(folder, 'movie/')];
  const folders = recordingFolders(configured, settings);
  const locations = new Locations({ folders, settings }, configured);
  await expect(locations.add(join(folder, 'movie/a/b/c'), { create: true })).rejects.toMatchObject({
    code: 'file-unwritable',
  });
  expect(readdirSync(join(folder, 'movie'))).toEqual([]);
  expect(folders.all).toEqual(configured);
  mkdirSync(join(folder, 'movie/kept'));
  await expect(locations.add(join(folder, 'movie/kept'), { create: true })).rejects.toThrow();
  expect(readdirSync(join(folder, 'movie'))).toEqual(['kept']);
  end?.();
});

it('contains nothing once it is replaced by a link that leads out of the roots', async () => {
  const { folders, locations } = open();
  const usb = join(folder, 'media/usb/');
  await locations.add(usb);
  writeFileSync(join(folder, 'other/private'), 'secret');
  rmSync(usb, { recursive: true });
  symlinkSync(join(folder, 'other'), usb.slice(0, -1));
  for (const { folders: now } of [{ folders }, open()]) {
    const refused = { code: 'outside-locations' };
    await expect(now.resolveExisting(join(usb, 'private'))).rejects.toMatchObject(refused);
    await expect(now.open(join(usb, 'private'))).rejects.toMatchObject(refused);
    await expect(now.resolveForWriting(usb)).rejects.toMatchObject(refused);
    expect(await now.foldersOutsideRoots()).toEqual([[usb, join(folder, 'other')]]);
    // The other folders are as before.
    writeFileSync(join(folder, 'movie/Ships.ts'), 'x');
    writeFileSync(join(folder, 'other/Secret.ts'), 'x');
    const library = new RecordingLibrary(now, () => null);
    expect((await library.all()).map(({ title }) => title)).toEqual(['Ships']);
    library.stop();
  }
});

it('keeps other entries of the list', async () => {
  const foreign = "config.movielist.videodirs=['/media/hdd/movie/', '/mnt/elsewhere/']\n";
  writeFileSync(join(folder, 'settings'), foreign);
  const { locations } = open();
  await locations.add(join(folder, 'media/usb'));
  await locations.remove(join(folder, 'media/usb/'));
  expect(readFileSync(join(folder, 'settings'), 'utf8')).toBe(foreign);
});

it.each([
  ['elsewhere', 'other'],
  ['outside a root by dots', 'media/../other'],
  ['behind a link', 'media/link'],
  ['below a link', 'media/link/new'],
  ['whose name begins like a root', 'media2'],
])('refuses a folder %s', async (_, name) => {
  symlinkSync(join(folder, 'other'), join(folder, 'media/link'));
  const { folders, locations } = open();
  await expect(locations.add(join(folder, name), { create: true })).rejects.toMatchObject({
    code: 'outside-locations',
  });
  expect(folders.all).toEqual([join(folder, 'movie/')]);
  expect(existsSync(join(folder, 'other/new'))).toBe(false);
});

it('removes added folders, and empty ones from the disk', async () => {
  const { folders, locations } = open();
  const [usb, more] = [join(folder, 'media/usb/'), join(folder, 'media/more/')];
  await locations.add(usb);
  await locations.add(more, { create: true });
  writeFileSync(join(usb, 'Ships.ts'), 'x');
  expect(await locations.remove(usb, { erase: true })).toBe(false);
  expect(await locations.remove(more.slice(0, -1), { erase: true })).toBe(true);
  expect([existsSync(join(usb, 'Ships.ts')), existsSync(more)]).toEqual([true, false]);
  await expect(locations.remove(usb)).rejects.toMatchObject({ code: 'not-found' });
  await expect(locations.remove(join(folder, 'movie'))).rejects.toMatchObject({ code: 'not-allowed' });
  expect(folders.all).toEqual([join(folder, 'movie/')]);
});

describe('a folder for a recording', () => {
  it.each([
    ['a location', 'movie', true],
    ['new, in a location', 'movie/new/deep', true],
    ['behind a link within it', 'movie/inner', true],
    ['new, behind such a link', 'movie/inner/new', true],
    ['behind a link to another location', 'movie/usb/films', true],
    ['behind a link out of it', 'movie/link', false],
    ['new, behind such a link', 'movie/link/new', false],
    ['back in it from there', 'movie/link/../new', true],
    ['behind a link that leads nowhere', 'movie/nowhere/new', false],
    ['elsewhere', 'other', false],
  ])('may be %s: %s %s', async (_, name, isAllowed) => {
    mkdirSync(join(folder, 'movie/series'));
    const links = { inner: 'movie/series', usb: 'media/usb', link: 'other', nowhere: 'none' };
    for (const [link, to] of Object.entries(links)) symlinkSync(join(folder, to), join(folder, 'movie', link));
    const { folders, locations, settings } = open();
    await locations.add(join(folder, 'media/usb'));
    const path = `${folder}/${name}`;
    const wanted = `${join(path)}/`;
    if (!isAllowed) {
      await expect(folders.resolveForWriting(path)).rejects.toMatchObject({ code: 'outside-locations' });
      await expect(timerFolder(folders, path)).rejects.toMatchObject({ code: 'outside-locations' });
      expect(await recordingFolder(folders, settings, { requested: path })).toBe(folders.default);
      return;
    }
    expect(await timerFolder(folders, path)).toBe(wanted);
    expect(await recordingFolder(folders, settings, { requested: path })).toBe(wanted);
    // A recording there can be played.
    mkdirSync(wanted, { recursive: true });
    writeFileSync(join(wanted, 'Ships.ts'), 'x');
    expect(await folders.resolveExisting(join(wanted, 'Ships.ts'))).toBe(join(wanted, 'Ships.ts'));
  });

  it('may be on a disk that is not mounted', async () => {
    const gone = join(folder, 'gone/movie/');
    expect(await new RecordingFolders([gone]).resolveForWriting(`${gone}series`)).toBe(`${gone}series/`);
  });
});

it('remembers the current folder for as long as it is a location', async () => {
  const { folders, locations } = open();
  const usb = join(folder, 'media/usb/');
  await locations.add(usb);
  await locations.choose(join(usb, 'Ships.ts'));
  expect(folders.current).toBe(usb);
  expect(open().folders.current).toBe(usb);
  await locations.remove(usb);
  expect([folders.current, open().folders.current]).toEqual([folders.default, folders.default]);
});

it('a list is read back as written', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      const literal = listLiteral(texts);
      expect(literal).not.toMatch(/[\n\r\0]/);
      expect(stringList(literal)).toEqual(texts);
    }),
  );
});

it.skipIf(!existsSync('/proc/self'))(
  'refuses a folder on a file system that allows none, and stays usable',
  async () => {
    const settings = Settings.read(join(folder, 'settings'));
    const configured = [join(folder, 'movie/')];
    const folders = recordingFolders(configured, settings, ['/proc']);
    const locations = new Locations({ folders, settings }, configured, ['/proc']);
    await expect(locations.add('/proc/new/folder', { create: true })).rejects.toMatchObject({
      code: 'file-unwritable',
      message: expect.stringContaining("'/proc' takes no new folders"),
    });
    await locations.add(join(folder, 'movie/series'), { create: true });
    expect(folders.all).toHaveLength(2);
  },
);
