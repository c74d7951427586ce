/** Runs other programs for a test. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** Whether there is such a program here. */
export function isInstalled(program: string, ...version: readonly string[]): boolean {
  return spawnSync(program, version, { stdio: 'ignore' }).error === undefined;
}

/** What it writes to its two outputs; rejects when it fails. Ends it after a minute. */
export function run(program: string, flags: readonly string[]): Promise<{ stdout: Buffer; stderr: Buffer }> {
  return promisify(execFile)(program, flags, { encoding: 'buffer', timeout: 60_000, maxBuffer: 64 * 1024 * 1024 });
}

/** What it writes. */
export async function output(program: string, flags: readonly string[]): Promise<Buffer> {
  return (await run(program, flags)).stdout;
}
