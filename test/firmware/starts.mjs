// Starts an installed receiver with the demo, asks who it is, waits until the demo's guide can be searched, and makes the
// addon throw.
//
//   node test/firmware/starts.mjs FOLDER NODE    FOLDER contains dist/cli.js; NODE runs it, perhaps under an emulator
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [folder, node] = process.argv.slice(2).map((path) => resolve(path));
/** Milliseconds before giving up. */
const timeoutMs = 600_000;
const data = mkdtempSync(join(tmpdir(), 'receiverd-starts-'));
const local = ['--bind', '127.0.0.1', '--http-port', '0', '--stream-port', '0'];
const child = spawn(
  node,
  [join(folder, 'dist', 'cli.js'), 'start', '--tuner', 'demo', '--data-dir', join(data, 'data'), ...local],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const giveUp = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
const ended = new Promise((done) => child.on('exit', (code, signal) => done(code ?? signal)));
try {
  const url = await Promise.race([ready(), ended]);
  if (!String(url).startsWith('http')) throw new Error(`it ended: ${url}`);
  const { info } = await answer('/api/about');
  console.log(`about: ${info.model}, ${info.webifver}`);
  let found = [];
  while (found.length === 0) {
    found = (await answer('/api/epgsearch?search=news')).events;
    await new Promise((next) => setTimeout(next, 200));
  }
  console.log(`search: ${found.length} events, such as ${found[0].title} on ${found[0].sname}`);
  child.kill('SIGTERM');
  const end = await ended;
  if (end !== 0) throw new Error(`it ended with ${end}`);

  async function answer(path) {
    const reply = await fetch(new URL(path, url));
    if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
    return reply.json();
  }
} finally {
  clearTimeout(giveUp);
  child.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
}

// A C++ exception that ends in JavaScript.
const throwing = `
  const [, addon] = process.argv;
  try { new (require(addon).Tuner)({ kind: 'crystal ball' }, undefined); } catch (error) { console.log('thrown: ' + error.message); }`;
const { stdout } = spawnSync(node, ['-e', throwing, addon()], { encoding: 'utf8' });
console.log(stdout.trim());
if (!stdout.includes('no such kind of tuner')) throw new Error('the exception did not arrive');

function ready() {
  return new Promise((done) => {
    let text = '';
    child.stdout.on('data', (piece) => {
      text += piece;
      const url = /receiverd ready http=(\S+)/.exec(text)?.[1];
      if (url !== undefined) done(url);
    });
  });
}

function addon() {
  const [file] = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.node'));
  return join(folder, file);
}
