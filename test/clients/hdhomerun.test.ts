/** Debian's hdhomerun_config as a client of the program, on the ports that it expects. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canIsolate, isolated } from '../fixtures/own-network.ts';
import { removeFolder, root, temporaryFolder } from '../receiver/program.ts';
import { isInstalled, output } from './run.ts';

describe.skipIf(!canIsolate || !isInstalled('hdhomerun_config'))('hdhomerun_config', () => {
  it('finds the receiver, tunes, and saves a program', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'data'));
    const household = ['--import', 'tsx', join(root, 'test/clients/hdhomerun-household.ts'), folder];
    const seen = JSON.parse((await output('unshare', isolated(process.execPath, ...household))).toString());
    expect(seen).toEqual({
      found: expect.stringMatching(/^hdhomerun device 1[0-9A-F]{7} found at 10\.77\.0\.1$/),
      status: expect.stringMatching(/^ch=auto:474000000 lock=t8dvbt ss=\d+ snq=\d+ seq=100 bps=\d+ pps=0$/),
      saved: expect.arrayContaining(['h264', 'aac']),
      programs: 1,
      errors: '0 network errors, 0 transport errors, 0 sequence errors',
      after: 'none',
    });
    removeFolder(folder);
  });
});
