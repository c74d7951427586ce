/** The data folder and its lock. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { DataFolder } from '../../src/host/data-folder.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

describe('the data folder', () => {
  test('belongs to one process at a time; others are refused and get the owner', async () => {
    const held = await DataFolder.lock(folder);
    expect(DataFolder.owner(folder)).toEqual({ pid: process.pid, http: undefined, ports: [] });
    await expect(DataFolder.lock(folder)).rejects.toThrow(
      expect.objectContaining({ code: 'folder-in-use', message: expect.stringContaining(String(process.pid)) }),
    );
    held.announce('http://localhost:8080/', [8080, 8001]);
    expect(DataFolder.owner(folder)).toEqual({ pid: process.pid, http: 'http://localhost:8080/', ports: [8080, 8001] });
    await expect(DataFolder.lock(folder)).rejects.toThrow(/in use.*http:\/\/localhost:8080\//);
    held.release();
    held.release();
    expect(DataFolder.owner(folder)).toBeUndefined();
    (await DataFolder.lock(folder)).release();
  });

  test('is created if it is missing, and a missing one has no owner', async () => {
    const deep = join(folder, 'a', 'b');
    expect(DataFolder.owner(deep)).toBeUndefined();
    const held = await DataFolder.lock(deep);
    expect(held.path).toBe(deep);
    held.release();
  });

  test('has an owner even if the content of its lock file is invalid', async () => {
    const held = await DataFolder.lock(folder);
    for (const rubbish of ['', '{"pid":-1,"http":7}', 'null', '\u0000\u0001']) {
      writeFileSync(join(folder, 'receiverd.lock'), rubbish);
      expect(DataFolder.owner(folder)).toEqual({ pid: undefined, http: undefined, ports: [] });
    }
    await expect(DataFolder.lock(folder)).rejects.toThrow(/another process/);
    held.release();
  });
});
