/** Builds the programs of bench/native, and provides folders for their files. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Builds a program in the addon's tree, so that the library is not compiled twice. Returns its path. */
export function buildNative(program: string): string {
  const tree = join(root, 'build');
  execFileSync('cmake', ['-S', root, '-B', tree, '-DRECEIVERD_BENCH=ON'], { stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync('cmake', ['--build', tree, '--parallel', '2', '--target', program], { stdio: 'ignore' });
  return join(tree, 'bench', 'native', program);
}

/** Creates a folder that is removed at the end of the run. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'receiverd-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
