// Builds dist/ from src/, npm packages included. Loading some hundred small files takes longer than the rest of a
// start, above all on a set-top box. `npm run typecheck` checks the types.
//
//   cli.js                 the command; starts program.cjs (src/program/launcher.ts)
//   program.cjs            the program as one script
//   program.cjs.vN-*       V8's compiled form of exactly that script, if the addon is there to run it (compile.mjs)
//   jpeg-thread.cjs        what a thread of the program loads (src/http/pictures/jpeg.ts)
//   receiver.js            the package's main entry: a receiver for other programs, out of program.cjs
//   epg.js, dvb.js, m3u.js its other entries, small enough to stand alone
//   client.js              its entry for programs that talk to a receiver, in Node and in browsers
//   ui/                    the web page (src/ui/); all but its pictures compressed, as browsers load it
//   THIRD-PARTY-NOTICES    the licences of the npm packages in them
//
//   node scripts/bundle.mjs [FOLDER]
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { notices } from './notices.mjs';

/**
 * What npm packages bring and the program never uses: files, and what replaces them. esbuild leaves out by itself
 * what a namespace has and nobody names: `import * as Type from 'typebox'`, and not its default, which brings 42 KB more.
 */
const unused = [
  // mime-db is consulted for types that src/http/middleware/compression.ts does not compress. It marks none of those that we
  // send (pictures, octet streams) as compressible.
  [/\/mime-db\/index\.js$/, 'module.exports = {};'],
  // Of rate-limiter-flexible, what counts in memory: 16 KB of 174.
  [/\/rate-limiter-flexible\/index\.js$/, "exports.RateLimiterMemory = require('./lib/RateLimiterMemory');"],
  // Of mqtt, plain TCP and TLS: 271 KB of 650. The rest is for web sockets, SOCKS proxies and timers in browsers.
  [/\/(mqtt\/build\/lib\/connect\/(ws|socks|ali|wx)|worker-timers\/build\/.*)\.js$/, 'module.exports = {};'],
  // Fastify compares its version with what its plugins want, which the lock file has settled: 29 KB.
  [/\/semver\/index\.js$/, 'exports.satisfies = () => true;'],
  // find-my-way checks its own three expressions, and those of routes, which ours do not have: 16 KB.
  [/\/safe-regex2\/index\.js$/, 'module.exports = () => true;'],
];

/** Leaves that out, and with it memory and a part of each start. */
const withoutUnused = {
  name: 'without what is not used',
  setup({ onLoad }) {
    for (const [filter, contents] of unused) onLoad({ filter }, () => ({ contents }));
    // Every body is tested for being one of these classes. None is, and the test alone makes Node load its HTTP client.
    onLoad({ filter: /\/@fastify\/compress\/lib\/utils\.js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\nclass Response {}\nclass ReadableStream {}\n`,
    }));
  },
};

/**
 * Puts everything that the frame of the page needs into one chunk, and what *Home* needs into another. esbuild makes a chunk
 * for each set of pages that share modules, which would be twenty small files before the first picture. So each page imports
 * the frame, which is there anyway, and *Home*, which is small.
 * @type {import('esbuild').Plugin}
 */
const withFrame = {
  name: 'with-frame',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/pages\/.*\.tsx$/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import'
        ? { path: relative('.', resolve(resolveDir, path)), namespace: 'with-frame' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'with-frame' }, ({ path }) => ({
      contents: `import './src/ui/page.tsx'; import './src/ui/pages/home/home.tsx'; export { default } from './${path}';`,
      resolveDir: resolve('.'),
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
  // The text of the program and V8's names take 2.4 MB less memory.
  minify: true,
  metafile: true,
  external: [
    // Fastify loads these for routes with schemas and for `inject`. There are none (src/http/server.ts).
    '@fastify/ajv-compiler',
    '@fastify/fast-json-stringify-compiler',
    'light-my-request',
  ],
  // The package is a copy of node:stream for browsers and old versions of Node.
  alias: { 'readable-stream': 'node:stream' },
  plugins: [withoutUnused],
  logLevel: 'warning',
};

// Chunk names depend on their content, so chunks of an earlier build would remain.
rmSync(outdir, { recursive: true, force: true });
const builds = await Promise.all([
  build({
    ...common,
    entryPoints: { cli: 'src/program/launcher.ts', receiver: 'src/program/embedded.ts' },
    format: 'esm',
    sourcemap: false,
  }),
  build({
    ...common,
    entryPoints: { program: 'src/program/program.ts' },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    // The script evaluates to a function (src/program/load-program.ts).
    banner: { js: '(function (module, require, bundleUrl) {' },
    footer: { js: '})' },
    define: { 'import.meta.url': 'bundleUrl' },
  }),
  build({
    ...common,
    entryPoints: { 'jpeg-thread': 'src/http/pictures/jpeg-thread.cjs' },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
  }),
  build({
    ...common,
    entryPoints: { epg: 'src/library/epg.ts', dvb: 'src/library/dvb.ts', m3u: 'src/library/m3u.ts' },
    format: 'esm',
    splitting: true,
    // CommonJS packages expect `require`.
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
  }),
  build({
    outdir,
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    minify: true,
    // Node prints the line of an error that nobody catches.
    lineLimit: 120,
    metafile: true,
    entryPoints: { client: 'src/client/client.ts' },
    logLevel: 'warning',
  }),
  build({
    outdir: `${outdir}/ui`,
    bundle: true,
    splitting: true,
    format: 'esm',
    // Browsers of 2023.
    target: ['chrome111', 'firefox114', 'safari16.4'],
    minify: true,
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [withFrame],
    entryPoints: [
      ...['src/ui/page.tsx', 'src/ui/theme.ts', 'src/ui/service-worker.ts'],
      ...['css', 'html', 'svg', 'png', 'webmanifest'].map((extension) => `src/ui/*.${extension}`),
    ],
    // Their names change with their contents, so that browsers may keep them (src/http/pages.ts).
    chunkNames: '[name]-[hash]',
    loader: { '.html': 'copy', '.svg': 'copy', '.png': 'copy', '.webmanifest': 'copy' },
    legalComments: 'none',
    logLevel: 'warning',
  }),
]);

// Browsers load the modules of the first page at once, the largest first, and not each after the one that imports it.
const { outputs = {} } = builds.at(-1)?.metafile ?? {};
const [home] = Object.keys(outputs).filter((path) => outputs[path]?.entryPoint?.endsWith('/pages/home/home.tsx'));
if (home === undefined) throw new Error('the page has no chunk of src/ui/pages/home/home.tsx');
const modules = [home, ...(outputs[home]?.imports ?? []).map(({ path }) => path)];
modules.sort((a, b) => (outputs[b]?.bytes ?? 0) - (outputs[a]?.bytes ?? 0));
const preloads = modules.map((path) => `  <link rel="modulepreload" href="ui/${basename(path)}">\n`).join('');
const index = `${outdir}/ui/index.html`;
await writeFile(index, (await readFile(index, 'utf8')).replace('</head>', `${preloads}</head>`));

for (const file of await readdir(`${outdir}/ui`)) {
  if (file.endsWith('.png')) continue;
  const path = `${outdir}/ui/${file}`;
  await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
  rmSync(path);
}

await writeFile(`${outdir}/THIRD-PARTY-NOTICES`, notices(builds.map(({ metafile }) => metafile)));

// src/program/load-program.ts reads it as Latin-1. esbuild escapes other characters in texts, but not in regular expressions.
const script = await readFile(`${outdir}/program.cjs`, 'utf8');
const foreign = script.split('\n').find((line) => /[^\0-\x7f]/.test(line) && !/^\s*(\*|\/\*|\/\/)/.test(line));
if (foreign !== undefined) throw new Error(`write this character as an escape: ${foreign.trim()}`);

const compile = fileURLToPath(new URL('compile.mjs', import.meta.url));
if (spawnSync(process.execPath, [compile, outdir], { stdio: 'inherit' }).status !== 0) {
  console.warn('The program could not be run to compile it. It will start, but more slowly.');
}
