/** Creating folders and replacing files, including refusals by the file system. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder, createTemporary, isTemporary, removeTemporaries, replaceFile } from '../../src/base/files.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

describe('createFolder', () => {
  it('creates missing parents and accepts a folder that exists', async () => {
    const path = join(temporaryFolder(), 'a', 'b', 'c');
    await createFolder(`${path}/`);
    await createFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('returns what it has created, and leaves nothing behind if it fails', async () => {
    const folder = temporaryFolder();
    expect(await createFolder(join(folder, 'a', 'b'))).toBe(join(folder, 'a'));
    expect(await createFolder(join(folder, 'a', 'b', 'c'))).toBe(join(folder, 'a', 'b', 'c'));
    expect(await createFolder(join(folder, 'a', 'b'))).toBeUndefined();
    await expect(createFolder(join(folder, 'new', 'folder', 'x'.repeat(300)))).rejects.toMatchObject({
      code: 'ENAMETOOLONG',
    });
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('creates folders with the given mode', async () => {
    const path = join(temporaryFolder(), 'a', 'b');
    await createFolder(path, 0o700);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('creates one folder for concurrent calls', async () => {
    const path = join(temporaryFolder(), 'a', 'b', 'c', 'd');
    await Promise.all(Array.from({ length: 8 }, () => createFolder(path)));
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('fails if a file is in the way', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(createFolder(file)).rejects.toThrow(`'${file}' cannot be created: a file has this name`);
    for (const below of ['a', 'a/b'])
      await expect(createFolder(join(file, below))).rejects.toThrow(
        `'${join(file, 'a')}' cannot be created: '${file}' is not a folder`,
      );
  });

  // Node's own recursive mkdir never returns here: /proc reports ENOENT although the parent exists.
  it.skipIf(!existsSync('/proc/self'))('fails on a file system that allows no new folders', async () => {
    for (const path of ['/proc/receiverd', '/proc/receiverd/movie/'])
      await expect(createFolder(path)).rejects.toThrow(
        "'/proc/receiverd' cannot be created: '/proc' takes no new folders",
      );
  });
});

describe('replaceFile', () => {
  it('replaces the content and leaves no temporary file', async () => {
    const folder = join(temporaryFolder(), 'new');
    await replaceFile(join(folder, 'list'), Buffer.from('one'));
    await replaceFile(join(folder, 'list'), Buffer.from('two'));
    expect(readFileSync(join(folder, 'list'), 'utf8')).toBe('two');
    expect(readdirSync(folder)).toEqual(['list']);
  });

  it('replaces files of every name that the file system allows, and links instead of their targets', async () => {
    const folder = temporaryFolder();
    const name = 'x'.repeat(255);
    writeFileSync(join(folder, 'victim'), 'old');
    symlinkSync('victim', join(folder, name));
    await replaceFile(join(folder, name), Buffer.from('one'));
    expect(readFileSync(join(folder, name), 'utf8')).toBe('one');
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('old');
  });

  it('leaves no temporary file when the rename fails', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'list', 'full'), { recursive: true });
    await expect(replaceFile(join(folder, 'list'), Buffer.from('one'))).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readdirSync(folder)).toEqual(['list']);
  });
});

describe('temporary files', () => {
  it('have names that cannot be guessed, and are recognised by them', async () => {
    const folder = temporaryFolder();
    const paths: string[] = [];
    for (let n = 0; n < 100; n++) {
      const { path, file } = await createTemporary(folder, 0o600);
      expect(((await file.stat()).mode & 0o777).toString(8)).toBe('600');
      await file.close();
      paths.push(path);
    }
    expect(new Set(paths).size).toBe(100);
    expect(readdirSync(folder).every(isTemporary)).toBe(true);
    expect(['list', 'list.writing', '.list.writing', '.0123456789abcdef'].filter(isTemporary)).toEqual([]);
  });

  it('of a killed process are removed; where other programs write, only old ones', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.other.writing'), '');
    const left = await createTemporary(folder);
    await left.file.close();
    // Times of files may come from another clock than that of the program.
    utimesSync(left.path, new Date(), new Date());
    await removeTemporaries(folder, 3_600_000);
    expect(existsSync(left.path)).toBe(true);
    utimesSync(left.path, 1, 1);
    await removeTemporaries(folder, 3_600_000);
    expect(existsSync(left.path)).toBe(false);
    const other = await createTemporary(folder);
    await other.file.close();
    await removeTemporaries(folder);
    expect(readdirSync(folder)).toEqual(['.other.writing']);
    await removeTemporaries(join(folder, 'none'));
  });
});
