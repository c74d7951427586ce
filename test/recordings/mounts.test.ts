/** Locations whose file system is not mounted: nothing must be recorded below their mount points. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { Locations } from '../../src/recordings/library/locations.ts';
import { LocationMounts } from '../../src/recordings/library/mounts.ts';
import { recordingFolder } from '../../src/timers/timer-specs.ts';
import { noMount, smallDisk } from '../fixtures/small-disk.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

let data: string;
let other: string;
beforeEach(() => {
  [data, other] = [temporaryFolder(), `${temporaryFolder()}/`];
});

const unmount = (share: string) => expect(spawnSync('umount', ['-l', share]).status).toBe(0);
const mountAgain = (share: string) =>
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=65536', 'tmpfs', share]).status).toBe(0);
const open = (...all: readonly string[]) =>
  new RecordingFolders(all, undefined, undefined, all, new LocationMounts(data));

it('records elsewhere while a share is not mounted, creates no folder below its mount point, and lists it once it is back', async ({
  skip,
}) => {
  const share = smallDisk(65536) ?? skip(noMount);
  const movie = join(share, 'movie/');
  mkdirSync(movie);
  const folders = open(movie, other);
  const settings = Settings.read(join(data, 'settings'));
  expect(await recordingFolder(folders, settings)).toBe(movie);
  expect(JSON.parse(readFileSync(join(data, 'locations.json'), 'utf8'))).toEqual({ [movie]: share });

  unmount(share);
  // Another program may create the folder on the disk below the mount point.
  for (const isMade of [false, true]) {
    if (isMade) mkdirSync(movie);
    const refused: string[] = [];
    const onRefused = ({ message }: Error, folder: string) => refused.push(`${message} > ${folder}`);
    const named = `${movie}series/`;
    expect(await recordingFolder(folders, settings, { requested: named, onRefused })).toBe(other);
    expect(refused).toEqual([named, movie].map((one) => `'${one}' is missing: ${share} is not mounted > ${other}`));
    await expect(folders.create(named)).rejects.toMatchObject({ code: 'folder-not-found' });
    expect(existsSync(named)).toBe(false);
    // A receiver that starts now does not create the location either.
    expect(await new LocationMounts(data).create(movie)).toBe(`${share} is not mounted`);
    expect(await open(movie, other).missingReason(movie)).toBe(`${share} is not mounted`);
    expect(existsSync(movie)).toBe(isMade);
  }
  await expect(recordingFolder(open(movie), settings)).rejects.toMatchObject({ code: 'folder-not-found' });
  const locations = new Locations({ folders, settings }, [movie, other], [share]);
  await expect(locations.add(join(share, 'usb'), { create: true })).rejects.toMatchObject({ code: 'folder-not-found' });

  mountAgain(share);
  mkdirSync(movie);
  writeFileSync(join(movie, 'Ships.ts'), 'TS');
  expect(await folders.missingReason(movie)).toBe('');
  expect(await recordingFolder(folders, settings)).toBe(movie);
  const listed = await new RecordingLibrary(folders, () => null).all();
  expect(listed.map(({ path }) => path)).toEqual([join(movie, 'Ships.ts')]);
});

it('does not remember a file system that also holds the data folder', async ({ skip }) => {
  const disk = smallDisk(65536) ?? skip(noMount);
  data = join(disk, 'data');
  mkdirSync(data);
  mkdirSync(join(disk, 'movie'));
  const mounts = new LocationMounts(data);
  await mounts.remember(join(disk, 'movie'));
  expect(existsSync(join(data, 'locations.json'))).toBe(false);
});

it('creates missing locations when the receiver starts, except in an empty folder, which may be a mount point', async () => {
  const mounts = new LocationMounts(data);
  expect(await mounts.create(join(data, 'movie/'))).toBe('');
  expect(await mounts.create(join(other, 'new/movie/'))).toBe('');
  expect(existsSync(join(data, 'movie')) && existsSync(join(other, 'new/movie'))).toBe(true);
  const point = join(other, 'nas');
  mkdirSync(point);
  expect(await mounts.create(`${point}/movie/`)).toContain(`${point} is empty`);
  expect(existsSync(join(point, 'movie'))).toBe(false);
});

it('does not create a location that disappears after the start', async () => {
  const gone = join(other, 'gone/');
  const folders = open(gone);
  await expect(folders.create(gone)).rejects.toMatchObject({ code: 'folder-not-found' });
  expect(existsSync(gone)).toBe(false);
});

it.for(['{"/a', '[1]', '{"/a/":7,"b":"/c"}', 'null'])('starts with a damaged locations.json: %s', async (text) => {
  writeFileSync(join(data, 'locations.json'), text);
  expect(await new LocationMounts(data).missingMountAbove(other)).toBeUndefined();
});
