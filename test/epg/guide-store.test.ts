/** The guide's file: when it is written. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Guide } from '../../src/epg/guide.ts';
import { GuideStore } from '../../src/epg/guide-store.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const log = pino({ level: 'silent' });

describe('a guide on disk', () => {
  it('is written by one save at a time, and no more after stop', async () => {
    const folder = temporaryFolder();
    const guide = new Guide();
    const store = new GuideStore({ guide, log }, { path: join(folder, 'guide.snapshot'), every: 0 });
    const first = store.save();
    const second = store.save();
    store.saveSoon();
    await store.stop();
    expect(readdirSync(folder)).toEqual(['guide.snapshot']);
    expect(await first).toEqual(await second);
  });

  it('can be written after an earlier failure', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'data', 'guide.snapshot');
    writeFileSync(join(folder, 'data'), 'a file where the folder should be');
    const store = new GuideStore({ guide: new Guide(), log }, { path, every: 0 });
    await expect(store.save()).rejects.toThrow(/guide\.snapshot/);
    rmSync(join(folder, 'data'));
    await store.save();
    await store.stop();
    expect(readdirSync(join(folder, 'data'))).toEqual(['guide.snapshot']);
  });
});
