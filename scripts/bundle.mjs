// Makes dist/ of src/: a few JavaScript files with everything in them that the program needs, npm packages included. Loading some
// hundred small files takes longer than all the rest of a start, on a receiver most of all. Types are checked by `npm run typecheck`.
//
//   node scripts/bundle.mjs [FOLDER]
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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
// The names of parts follow their content: those of an earlier build would stay.
rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: ['src/cli.ts', 'src/receiver.ts'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
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
  // What CommonJS packages expect to be there.
  banner: {
    js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
  },
  logLevel: 'warning',
});
