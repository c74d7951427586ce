// Writes V8's compiled form of the program beside it, for this version of Node (src/program/load-program.ts reads it). To that end
// it runs the program with the demo's guide and a few services and sends the requests that clients send first: the
// functions used by then are the ones compiled. Without the demo it does so without a guide.
//
//   node scripts/compile.mjs FOLDER [-]    -: to standard output
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import load from 'node-gyp-build';

/** Milliseconds before giving up. */
const timeoutMs = 60_000;
const requests = [
  '/',
  '/web/about',
  '/web/getservices',
  '/api/epgservice?sRef=1:0:19:1:2:3:EEEE0000:0:0:0:',
  '/api/eventsearch?what=news&max_rows=100',
  '/api/eventsearch?what=nothing%20like%20this&querytype=all',
];

// Settings from the environment override those of the file, and this must be a receiver of its own.
for (const name of Object.keys(process.env)) {
  if (name.startsWith('RECEIVERD_') && name !== 'RECEIVERD_PREBUILD') delete process.env[name];
}
const [, , folderGiven = 'dist', output] = process.argv;
const outdir = resolve(folderGiven);
const filename = join(outdir, 'program.cjs');
// The compiled form is valid only under the flags with which src/program/launcher.ts starts the program.
setFlagsFromString('--semi-space-growth-factor=1');
const script = new Script(readFileSync(filename, 'latin1'), { filename });
const folder = mkdtempSync(join(tmpdir(), 'receiverd-compile-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
setTimeout(() => process.exit(1), timeoutMs).unref();

const ready = new Promise((resolveReady) => {
  const { log } = console;
  console.log = (line) => {
    const url = /^receiverd ready http=(\S+)/.exec(line)?.[1];
    if (url === undefined) return;
    console.log = log;
    resolveReady(url);
  };
});
process.argv = [process.execPath, join(outdir, 'cli.js'), 'start', '--config', configuration()];
const program = { exports: {} };
script.runInThisContext()(program, createRequire(filename), pathToFileURL(filename).href);
void program.exports.commandLine.parseAsync();
const url = await ready;
for (const path of requests) {
  const answer = await fetch(new URL(path, url), { headers: { 'accept-encoding': 'gzip' } });
  await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
}
if (output === '-') writeFileSync(process.stdout.fd, script.createCachedData());
else replace(`${filename}.${process.version}-${process.arch}`, script.createCachedData());
process.kill(process.pid, 'SIGTERM');

function replace(path, content) {
  writeFileSync(`${path}.writing`, content);
  renameSync(`${path}.writing`, path);
}

/** Writes lists long enough to take the same path as long ones, and a settings file. Returns the settings file. */
function configuration() {
  const lists = join(folder, 'enigma2');
  mkdirSync(lists);
  const ids = Array.from({ length: 50 }, (_, n) => n + 1);
  const service = (id) => `${id.toString(16).padStart(4, '0')}:eeee0000:0002:0003:25:0\nService ${id}\np:Provider\n`;
  writeFileSync(
    join(lists, 'lamedb'),
    `eDVB services /4/\ntransponders\nend\nservices\n${ids.map(service).join('')}end\n`,
  );
  writeFileSync(
    join(lists, 'bouquets.tv'),
    '#NAME Bouquets (TV)\n#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet\n',
  );
  writeFileSync(
    join(lists, 'userbouquet.favourites.tv'),
    `#NAME Favourites\n${ids.map((id) => `#SERVICE 1:0:19:${id.toString(16).toUpperCase()}:2:3:EEEE0000:0:0:0:\n`).join('')}`,
  );
  const addon = load(fileURLToPath(new URL('..', import.meta.url)));
  const tuner = addon.tunerKinds.includes('demo') ? 'demo' : 'file:/dev/null';
  const file = join(folder, 'receiverd.yaml');
  writeFileSync(
    file,
    `tuners: [${tuner}]\ndataDir: ${folder}\nbind: 127.0.0.1\nhttpPort: 0\nstreamPort: 0\nscan: never\nlogLevel: error\n`,
  );
  return file;
}
