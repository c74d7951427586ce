/** Runs other programs for a test. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { programTimeoutMs } from '../fixtures/waits.ts';

/** True if the program is installed. */
export function isInstalled(program: string, ...version: readonly string[]): boolean {
  return spawnSync(program, version, { stdio: 'ignore' }).error === undefined;
}

/** Runs a program and returns its two outputs; rejects if it fails. */
export function run(program: string, flags: readonly string[]): Promise<{ stdout: Buffer; stderr: Buffer }> {
  return promisify(execFile)(program, flags, {
    encoding: 'buffer',
    timeout: programTimeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Runs a program and returns its standard output. */
export async function output(program: string, flags: readonly string[]): Promise<Buffer> {
  return (await run(program, flags)).stdout;
}
