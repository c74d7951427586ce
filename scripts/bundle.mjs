// Makes dist/ of src/: a few JavaScript files with everything in them that the program needs, npm packages included. Loading some
// hundred small files takes longer than all the rest of a start, on a receiver most of all. Types are checked by `npm run typecheck`.
//
//   node scripts/bundle.mjs [FOLDER]
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

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
  // It looks for the addon from its own folder.
  external: ['node-gyp-build'],
  // What CommonJS packages expect to be there.
  banner: {
    js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
  },
  logLevel: 'warning',
});
