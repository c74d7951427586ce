import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { examine } from '../../src/commands/doctor.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

afterEach(() => vi.restoreAllMocks());

/** What the doctor says of an output, and whether the receiver can start; `program` is the mpv that is there. */
async function findings(folder: string, output: string, program = ''): Promise<[boolean, string]> {
  const path = join(folder, 'player');
  if (program !== '') writeFileSync(path, `#!/bin/sh\n${program}\n`);
  if (program !== '') chmodSync(path, 0o700);
  const file = join(folder, 'receiverd.yaml');
  const settings = {
    dataDir: join(folder, 'data'),
    bind: '127.0.0.1',
    httpPort: 0,
    streamPort: 0,
    output,
    mpv: { path },
  };
  writeFileSync(file, JSON.stringify(settings));
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const healthy = await examine(file);
  return [healthy, lines.filter((line) => line.includes('output')).join('\n')];
}

describe('the doctor', () => {
  it.each([
    ['none', '', true, ''],
    ['mpv', '', false, 'ENOENT'],
    ['mpv', 'echo "mpv 0.35.1 Copyright"', true, 'ok    output'],
    ['mpv', 'echo "mpv git-2024-05-01 Copyright"', true, 'ok    output'],
    ['mpv', 'echo "mpv 0.29.1 Copyright"', false, 'older than 0.33'],
    ['mpv', 'echo "ffplay version 5"', false, 'is no mpv'],
    ['mpv', 'exit 3', false, 'Command failed'],
  ])('looks at the output %s with "%s"', async (output, program, healthy, said) => {
    const [works, text] = await findings(temporaryFolder(), output, program);
    expect(text).toContain(said);
    expect(works).toBe(healthy);
  });
});
