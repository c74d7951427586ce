#!/usr/bin/env node
/**
 * What `dist/cli.js` is: it begins the program, which scripts/bundle.mjs makes one script of. V8's compiled form of the script lies
 * beside it, so that there is nothing to compile: else that takes a quarter of a start. The form is for the version of Node that made it;
 * any other, and one that is run with flags of V8, compiles the script as ever.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const filename = fileURLToPath(new URL('program.cjs', import.meta.url));
// V8 looks at its version, its flags and the length of the script, but not at what kind of machine it is on.
const cachedData = readOptional(`${filename}.${process.version}-${process.arch}`);
// esbuild writes nothing but ASCII.
const script = new Script(readFileSync(filename, 'latin1'), { filename, ...(cachedData && { cachedData }) });
const begin = script.runInThisContext() as (require: NodeJS.Require, bundleUrl: string) => void;
begin(createRequire(import.meta.url), import.meta.url);

function readOptional(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
