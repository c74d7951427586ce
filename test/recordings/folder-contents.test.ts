/** A listed folder is cached, and the next list shows every change from outside. */
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { mergeInSlices, sortInSlices } from '../../src/recordings/library/sorting.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

let folder: string;
let movie: string;
let library: RecordingLibrary;
beforeEach(() => {
  folder = temporaryFolder();
  movie = join(folder, 'movie/');
  for (const [n, name] of ['A', 'B', 'C'].entries()) record(name, 100 - n);
  library = new RecordingLibrary(new RecordingFolders([movie]), () => null);
});
afterEach(() => {
  library.stop();
});

const metaOf = (title: string, begin: number) => ['1:0:1:1:1:1:C00000:0:0:0::X', title, '', String(begin)];
const record = (name: string, begin = 50) =>
  writeRecording(join(movie, `${name}.ts`), { meta: metaOf(name.replace(/.*\//, ''), 1_700_000_000 + begin) });

const listed = async (options: object = {}) => (await library.list(movie, options)).recordings;
const titles = async (options: object = {}) => (await listed(options)).map(({ title }) => title);

it('unchanged recordings are the same objects', async () => {
  const [first, second] = [await listed(), await listed()];
  expect(second).toBe(first);
});

describe('the next list', () => {
  beforeEach(async () => {
    expect(await titles()).toEqual(['A', 'B', 'C']);
  });

  it('has a new recording, in its place, and one without a description', async () => {
    record('D');
    writeFileSync(join(movie, 'E.mkv'), 'x');
    expect(await titles()).toEqual(expect.arrayContaining(['D', 'E']));
    expect(await listed()).toHaveLength(5);
  });

  it('lacks a removed recording', async () => {
    unlinkSync(join(movie, 'B.ts'));
    expect(await titles()).toEqual(['A', 'C']);
    unlinkSync(join(movie, 'B.ts.meta'));
    expect(await titles()).toEqual(['A', 'C']);
  });

  it('has new metadata from a side file, and reads only that again', async () => {
    const before = await listed();
    writeFileSync(join(movie, 'B.ts.meta'), metaOf('Better', 1_700_000_000).join('\n'));
    expect(await titles()).toEqual(['A', 'C', 'Better']);
    const after = await listed();
    expect(after[0]).toBe(before[0]);
    unlinkSync(join(movie, 'B.ts.meta'));
    expect(await titles()).toEqual(expect.arrayContaining(['A', 'B', 'C']));
  });

  it('has the size of a grown recording', async () => {
    appendFileSync(join(movie, 'A.ts'), Buffer.alloc(1000));
    expect((await listed())[0]).toMatchObject({ title: 'A', size: 1188 });
  });

  it('has the new name of a renamed recording', async () => {
    renameSync(join(movie, 'A.ts'), join(movie, 'Z.ts'));
    renameSync(join(movie, 'A.ts.meta'), join(movie, 'Z.ts.meta'));
    const [first] = await listed();
    expect(first).toMatchObject({ title: 'A', path: join(movie, 'Z.ts') });
    expect(await listed()).toHaveLength(3);
  });

  it('follows folders that appear and disappear, with their contents', async () => {
    mkdirSync(join(movie, 'series'));
    record('series/D', 200);
    expect((await library.list(movie)).folders).toEqual(['series']);
    expect(await titles({ recursive: true })).toEqual(['D', 'A', 'B', 'C']);
    record('series/E', 201);
    expect(await titles({ recursive: true })).toEqual(['E', 'D', 'A', 'B', 'C']);
    rmSync(join(movie, 'series'), { recursive: true });
    expect(await library.list(movie, { recursive: true })).toMatchObject({ folders: [], recordings: { length: 3 } });
  });

  it('has the contents of a folder that replaced another', async () => {
    renameSync(movie, join(folder, 'old'));
    expect(await titles()).toEqual([]);
    record('New');
    expect(await titles()).toEqual(['New']);
    record('Newer', 60);
    expect(await titles()).toEqual(['Newer', 'New']);
  });

  it('does not show links', async () => {
    unlinkSync(join(movie, 'A.ts'));
    symlinkSync(join(movie, 'B.ts'), join(movie, 'A.ts'));
    expect(await titles()).toEqual(['B', 'C']);
  });

  it('shows thousands of changes', async () => {
    for (let n = 0; n < 1500; n++) writeFileSync(join(movie, `${n}.ts`), 'x');
    expect(await listed()).toHaveLength(1503);
    for (let n = 0; n < 1500; n++) unlinkSync(join(movie, `${n}.ts`));
    expect(await titles()).toEqual(['A', 'B', 'C']);
  });

  it('is complete when requested during changes', async () => {
    const lists = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        record(`N${n}`);
        return (await titles()).includes(`N${n}`);
      }),
    );
    expect(lists.every(Boolean)).toBe(true);
  });
});

it('sorting in slices gives the same order as Array.sort', async () => {
  const compare = (a: number, b: number) => a - b;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer(), { maxLength: 2000, size: 'max' }), async (numbers) => {
      const sorted = [...numbers].sort(compare);
      expect(await sortInSlices(numbers, compare)).toEqual(sorted);
      const [left, right] = [numbers.slice(0, 300), numbers.slice(300)];
      expect(await mergeInSlices([left.sort(compare), [], right.sort(compare)], compare)).toEqual(sorted);
    }),
  );
});
