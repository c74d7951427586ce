/**
 * Loads the program, which scripts/bundle.mjs bundles into one script. V8's compiled form of the script is next to it
 * and saves a quarter of the start-up time. It is valid only for the version of Node that made it, without V8 flags;
 * otherwise V8 compiles the script as usual.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import type * as Program from './program.ts';

export function loadProgram(): typeof Program {
  const filename = fileURLToPath(new URL('program.cjs', import.meta.url));
  // V8 checks its version, its flags and the length of the script, but not the architecture.
  const cachedData = readOptional(`${filename}.${process.version}-${process.arch}`);
  // esbuild writes ASCII only.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, ...(cachedData && { cachedData }) });
  const module = { exports: {} };
  const begin = script.runInThisContext() as (module: object, require: NodeJS.Require, bundleUrl: string) => void;
  begin(module, createRequire(import.meta.url), import.meta.url);
  return module.exports as typeof Program;
}

function readOptional(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
