/** Captures of RECEIVERD_TEST_DATA, and independent tools that check the output. Tests that lack either are skipped. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';

const folder = join(process.env.RECEIVERD_TEST_DATA ?? '/nonexistent', 'ts');

export const capture = (name: string): string => join(folder, name);
export const haveCaptures = existsSync(folder);
export const haveFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0;

/** Runs a tool with `input` on its standard input; returns its output. */
export async function run(
  command: string,
  args: readonly string[],
  input: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.errors += chunk.toString();
  });
  // A tool closes its input once it has read enough.
  child.stdin.on('error', () => {});
  Readable.from(input).pipe(child.stdin);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...texts };
}
