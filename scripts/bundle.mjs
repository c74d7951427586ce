// Builds dist/ from src/, npm packages included. Loading some hundred small files takes longer than the rest of a
// start, above all on a set-top box. Only node-gyp-build and jpeg-js stay separate packages: node-gyp-build looks for
// the addon, and a thread loads jpeg-js (src/http/pictures/jpeg.ts). `npm run typecheck` checks the types.
//
//   cli.js            the entry point; starts program.cjs (src/launcher.ts)
//   program.cjs       the program as one script
//   program.cjs.vN-*  V8's compiled form of exactly that script, if the addon is there to run it (compile.mjs)
//   receiver.js       the receiver as a module, for other programs
//
//   node scripts/bundle.mjs [FOLDER]
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Removes the parts of @fastify/compress that cost a start more time than the rest of it. */
const lightCompression = {
  name: 'light compression',
  setup({ onLoad }) {
    // mime-db is consulted for types that src/http/gate/compression.ts does not compress. It marks none of those that we
    // send (pictures, octet streams) as compressible.
    onLoad({ filter: /\/mime-db\/index\.js$/ }, () => ({ contents: 'module.exports = {};' }));
    // Every body is tested for being one of these classes. None is, and the test alone makes Node load its HTTP client.
    onLoad({ filter: /\/@fastify\/compress\/lib\/utils\.js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\nclass Response {}\nclass ReadableStream {}\n`,
    }));
  },
};

/** Of rate-limiter-flexible, only what counts in memory: 16 KB of 174. */
const countingInMemory = {
  name: 'counting in memory',
  setup({ onLoad }) {
    onLoad({ filter: /\/rate-limiter-flexible\/index\.js$/ }, () => ({
      contents: "exports.RateLimiterMemory = require('./lib/RateLimiterMemory');",
    }));
  },
};

const outdir = process.argv[2] ?? 'dist';
/** @type {import('esbuild').BuildOptions} */
const common = {
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  sourcesContent: false,
  external: [
    // Looks for the addon relative to its own folder.
    'node-gyp-build',
    // Fastify loads these for routes with schemas and for `inject`. There are none (src/http/server.ts).
    '@fastify/ajv-compiler',
    '@fastify/fast-json-stringify-compiler',
    'light-my-request',
  ],
  // The package is a copy of node:stream for browsers and old versions of Node.
  alias: { 'readable-stream': 'node:stream' },
  plugins: [lightCompression, countingInMemory],
  logLevel: 'warning',
};

// Chunk names depend on their content, so chunks of an earlier build would remain.
rmSync(outdir, { recursive: true, force: true });
await Promise.all([
  build({ ...common, entryPoints: { cli: 'src/launcher.ts' }, format: 'esm', sourcemap: false }),
  build({
    ...common,
    entryPoints: { program: 'src/cli.ts' },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    // The script evaluates to a function (src/launcher.ts).
    banner: { js: '(function (require, bundleUrl) {' },
    footer: { js: '})' },
    define: { 'import.meta.url': 'bundleUrl' },
  }),
  build({
    ...common,
    entryPoints: { receiver: 'src/receiver.ts' },
    format: 'esm',
    splitting: true,
    // CommonJS packages expect `require`.
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
  }),
]);

// The launcher reads it as Latin-1. esbuild escapes other characters in texts, but not in regular expressions.
const script = await readFile(`${outdir}/program.cjs`, 'utf8');
const foreign = script.split('\n').find((line) => /[^\0-\x7f]/.test(line) && !/^\s*(\*|\/\*|\/\/)/.test(line));
if (foreign !== undefined) throw new Error(`write this character as an escape: ${foreign.trim()}`);

const compile = fileURLToPath(new URL('compile.mjs', import.meta.url));
if (spawnSync(process.execPath, [compile, outdir], { stdio: 'inherit' }).status !== 0) {
  console.warn('The program could not be run to compile it. It will start, but more slowly.');
}
