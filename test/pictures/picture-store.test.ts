/** Pictures on disk: which are taken, and which are removed. */
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pictureFormatOf } from '../../src/pictures/picture-format.ts';
import { PictureStore } from '../../src/pictures/picture-store.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { jpeg, notPictures, png, webp } from './samples.ts';

const megabyte = 1_000_000;

it.each([
  ['png', png(220, 132)],
  ['jpg', jpeg(220, 132)],
  ['webp', webp('VP8 ', 220, 132)],
  ['webp', webp('VP8L', 220, 132)],
  ['webp', webp('VP8X', 220, 132)],
] as const)('recognises a %s and its size', (extension, bytes) => {
  expect(pictureFormatOf(bytes)).toEqual({ extension, width: 220, height: 132 });
});

describe('a store', () => {
  it.each(notPictures)('takes no file that is %s', async (_, bytes) => {
    const store = new PictureStore(temporaryFolder(), megabyte);
    expect(await store.put('x', bytes)).toBe(false);
    expect(await store.find('x')).toBeUndefined();
  });

  it.each([
    ['too wide', jpeg(5000, 10)],
    ['too high', jpeg(10, 5000)],
    ['too many pixels', jpeg(4000, 4000)],
    ['no pixels', jpeg(0, 0)],
    ['too wide to be true', webp('VP8X', 2 ** 24, 2 ** 24)],
  ])('takes no picture with %s', async (_, bytes) => {
    expect(await new PictureStore(temporaryFolder(), megabyte).put('x', bytes)).toBe(false);
  });

  it('keeps its pictures inside its folder, whatever their keys are', async () => {
    const folder = temporaryFolder();
    const store = new PictureStore(join(folder, 'own'), megabyte);
    for (const key of ['../../x', '/etc/passwd', '..', '\0', 'x'.repeat(10_000)]) {
      expect(await store.put(key, png())).toBe(true);
      const { path = '' } = (await store.find(key)) ?? {};
      expect(path).toBe(join(folder, 'own', basename(path)));
      expect(readFileSync(path)).toEqual(png());
    }
    expect(readdirSync(folder)).toEqual(['own']);
  });

  it('removes the pictures that have not been used for the longest time, also after a restart', async () => {
    const folder = temporaryFolder();
    const bytes = png(2, 2, 'x'.repeat(1000));
    const store = new PictureStore(folder, bytes.length * 3);
    for (const key of ['1', '2', '3']) await store.put(key, bytes);
    await store.find('1');
    await store.put('4', bytes);
    const known = async (one: PictureStore) => {
      const found = await Promise.all(['1', '2', '3', '4'].map((key) => one.find(key)));
      return found.map((picture) => picture !== undefined);
    };
    expect(await known(store)).toEqual([true, false, true, true]);
    const { path = '' } = (await store.find('3')) ?? {};
    utimesSync(path, 1, 1);
    expect(await known(new PictureStore(folder, bytes.length * 2))).toEqual([true, false, false, true]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('replaces a picture by one of another format', async () => {
    const folder = temporaryFolder();
    const store = new PictureStore(folder, megabyte);
    await store.put('x', png());
    await store.put('x', jpeg());
    expect(readdirSync(folder)).toEqual([basename((await store.find('x'))?.path ?? '')]);
  });

  it('notices that somebody has emptied its folder, and leaves the files of others alone', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'holiday.jpg'), jpeg());
    mkdirSync(join(folder, `${'a'.repeat(40)}.png`));
    const store = new PictureStore(folder, 10);
    expect(await store.put('x', png())).toBe(false);
    const larger = new PictureStore(folder, megabyte);
    await larger.put('x', png());
    rmSync((await larger.find('x'))?.path ?? '');
    expect(await larger.find('x')).toBeUndefined();
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('keeps nothing without room', async () => {
    const store = new PictureStore(temporaryFolder(), 0);
    expect([store.isOff, await store.put('x', png()), await store.find('x')]).toEqual([true, false, undefined]);
  });
});
