// Makes dist/ of src/, with everything in it that the program needs, npm packages included: loading some hundred small files takes
// longer than all the rest of a start, on a receiver most of all. Types are checked by `npm run typecheck`.
//
//   cli.js            what is run; it begins the next (src/launcher.ts)
//   program.cjs       the program as one script
//   program.cjs.vN-*  V8's compiled form of it, when the addon is there to run it (compile.mjs); it goes with this very script
//   receiver.js       the receiver as a module, for other programs
//
//   node scripts/bundle.mjs [FOLDER]
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Takes out of @fastify/compress what costs a start more time than all the rest of it. */
const lightCompression = {
  name: 'light compression',
  setup({ onLoad }) {
    // It is asked about types that src/http/compression.ts says no to. Of those that we send (pictures, octet streams) it does not
    // say yes to any.
    onLoad({ filter: /\/mime-db\/index\.js$/ }, () => ({ contents: 'module.exports = {};' }));
    // Of every body it asks whether it is one of these. None is, and the question alone makes Node load its HTTP client.
    onLoad({ filter: /\/@fastify\/compress\/lib\/utils\.js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\nclass Response {}\nclass ReadableStream {}\n`,
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
    // It looks for the addon from its own folder.
    'node-gyp-build',
    // Fastify loads them for routes with schemas and for `inject`; here are none (src/http/server.ts).
    '@fastify/ajv-compiler',
    '@fastify/fast-json-stringify-compiler',
    'light-my-request',
  ],
  // A copy of it for browsers and old versions of Node.
  alias: { 'readable-stream': 'node:stream' },
  plugins: [lightCompression],
  logLevel: 'warning',
};

// The names of parts follow their content: those of an earlier build would stay.
rmSync(outdir, { recursive: true, force: true });
await Promise.all([
  build({ ...common, entryPoints: { cli: 'src/launcher.ts' }, format: 'esm', sourcemap: false }),
  build({
    ...common,
    entryPoints: { program: 'src/cli.ts' },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    // The script's value is a function (src/launcher.ts).
    banner: { js: '(function (require, bundleUrl) {' },
    footer: { js: '})' },
    define: { 'import.meta.url': 'bundleUrl' },
  }),
  build({
    ...common,
    entryPoints: { receiver: 'src/receiver.ts' },
    format: 'esm',
    splitting: true,
    // What CommonJS packages expect to be there.
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
  }),
]);

const compile = fileURLToPath(new URL('compile.mjs', import.meta.url));
if (spawnSync(process.execPath, [compile, outdir], { stdio: 'inherit' }).status !== 0) {
  console.warn('The program could not be run to compile it: it will start, but slower.');
}
