/** Runs other programs for a test. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** Whether there is such a program here. */
export function isInstalled(program: string, ...version: readonly string[]): boolean {
  return spawnSync(program, version, { stdio: 'ignore' }).error === undefined;
}

/** What it writes; rejects with what it complains about. Ends it after a minute. */
export async function output(program: string, flags: readonly string[]): Promise<Buffer> {
  const { stdout } = await promisify(execFile)(program, flags, {
    encoding: 'buffer',
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
