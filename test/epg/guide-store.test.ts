/** When the file of the guide is written. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Guide } from '../../src/epg/guide.ts';
import { GuideStore } from '../../src/epg/guide-store.ts';
import { eitSections } from '../fixtures/eit.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const log = pino({ level: 'silent' });

describe('a guide on disk', () => {
  it('is written by one save at a time, and not after stop', async () => {
    const folder = temporaryFolder();
    const guide = new Guide();
    const store = new GuideStore({ guide, log }, { path: join(folder, 'guide.snapshot'), saveIntervalSeconds: 0 });
    const first = store.save();
    const second = store.save();
    store.saveSoon();
    await store.stop();
    expect(readdirSync(folder)).toEqual(['guide.snapshot']);
    expect(await first).toEqual(await second);
  });

  it('moves into its file after an import, with the same events', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'guide.snapshot');
    const guide = new Guide();
    const service = { originalNetworkId: 1, transportStreamId: 2, serviceId: 3 };
    const now = Math.floor(Date.now() / 1000);
    const events = [{ id: 1, start: now, duration: 3600, title: 'Les rivières' }];
    for (const section of eitSections(service, now, events)) guide.ingestSection(section);
    await guide.flush();
    const before = await guide.window([service], now - 60);
    expect(before).toHaveLength(1);
    let changes = 0;
    guide.onChange(() => changes++);

    const store = new GuideStore({ guide, log }, { path, saveIntervalSeconds: 0 });
    const saved = await store.save();
    expect(await guide.moveInto(path, saved)).toBe(true);
    expect(guide.generation).toBe(saved.generation);
    expect(changes).toBe(0);
    expect(await guide.window([service], now - 60)).toEqual(before);
    expect((await guide.search({ text: ['riviere'] })).total).toBe(1);

    await guide.clear();
    expect(await guide.moveInto(path, saved)).toBe(false);
    expect(await guide.window([service], now - 60)).toEqual([]);
    await store.stop();
  });

  it('is saved again after a failure', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'data', 'guide.snapshot');
    writeFileSync(join(folder, 'data'), 'a file where the folder should be');
    const store = new GuideStore({ guide: new Guide(), log }, { path, saveIntervalSeconds: 0 });
    await expect(store.save()).rejects.toThrow(/guide\.snapshot/);
    rmSync(join(folder, 'data'));
    await store.save();
    await store.stop();
    expect(readdirSync(join(folder, 'data'))).toEqual(['guide.snapshot']);
  });
});
