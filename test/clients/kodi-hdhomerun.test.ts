/** Kodi and its HDHomeRun client, which finds the receiver by itself. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canIsolate, isolated } from '../fixtures/own-network.ts';
import { isWholeRun } from '../fixtures/whole-run.ts';
import { removeFolder, root, temporaryFolder } from '../receiver/program.ts';
import { kodiIsInstalled } from './kodi.ts';
import { output } from './run.ts';

const canRun = isWholeRun && canIsolate && kodiIsInstalled && existsSync('/usr/share/kodi/addons/pvr.hdhomerun');

describe.skipIf(!canRun)('Kodi with its HDHomeRun client', () => {
  it('finds the receiver, lists its channels, and plays one', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'data'));
    const household = ['--import', 'tsx', join(root, 'test/clients/kodi-hdhomerun-household.ts'), folder];
    const seen = JSON.parse((await output('unshare', isolated(process.execPath, ...household))).toString());
    expect(seen.channels).toContain('Aldermoor One');
    expect(seen.codec).toBe('h264');
    removeFolder(folder);
  });
});
