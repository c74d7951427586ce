// Prepares a checkout: Node packages, the native addon, the compiled TypeScript. It only redoes what has changed. npm
// runs it before `start`, `receiverd`, `bench` and (with --tests) `test`. It needs only Node and npm; to install
// missing system packages it also needs a Debian-like machine, see system-packages.mjs.
//
// Whether a product is current is decided by content: a stamp beside it has the hash of all of its inputs. So neither a
// `git checkout` nor a copied folder causes a rebuild, and a second start spends only milliseconds here.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forBuilding, forTesting, provide } from './system-packages.mjs';

const forTests = process.argv.includes('--tests');
const log = join('build', 'setup.log');
const addon = join('build', 'Release', 'receiverd.node');
const addonStamp = join('build', 'addon.stamp');
const distStamp = join('dist', '.stamp');
const installStamp = join('node_modules', '.receiverd.stamp');

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
checkNode();
mkdirSync('build', { recursive: true });
const unlock = lock(join('build', 'setup.lock'));
try {
  const native = hash(['native', 'CMakeLists.txt', 'cmake', 'package-lock.json'], process.arch, process.platform);
  const buildAddon = !existsSync(addon) || stamp(addonStamp) !== native;
  const why = provide(
    [...(buildAddon ? forBuilding : []), ...(forTests ? [...forBuilding, ...forTesting] : [])].filter(first),
    log,
    say,
  );
  if (why) stop(why);
  install();
  if (buildAddon) {
    forgetMovedTree('build');
    step('building the native part', process.execPath, ['node_modules/cmake-js/bin/cmake-js', 'build'], {
      CMAKE_BUILD_PARALLEL_LEVEL: process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(jobs()),
    });
    writeFileSync(addonStamp, native);
  }
  compile();
} finally {
  unlock();
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  stop(`Node ${process.versions.node} is too old: receiverd needs 20.19 or newer.`);
}

/** Runs npm ci unless the current lockfile is installed. */
function install() {
  const wanted = hash(['package-lock.json', 'package.json'], process.arch, process.platform);
  if (stamp(installStamp) === wanted) return;
  const installed = join('node_modules', '.package-lock.json');
  // npm ci would replace a link to somebody else's packages.
  if (lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink()) return;
  // After an installation by hand, npm's own record is newer than the lockfile.
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync('package-lock.json').mtimeMs) {
    const npm = process.env.npm_execpath?.endsWith('npm-cli.js')
      ? [process.execPath, process.env.npm_execpath]
      : ['npm'];
    // The compiler is a development package, so NODE_ENV=production must not leave those out.
    const args = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'];
    step('installing npm packages', npm[0], [...npm.slice(1), ...args]);
  }
  writeFileSync(installStamp, wanted);
}

/** Compiles into a new folder and swaps it in, so that dist/ never has files of deleted sources or half a build. */
function compile() {
  // dist/ contains V8's compiled form for one version of Node.
  const made = ['src', 'scripts/bundle.mjs', 'scripts/compile.mjs', 'tsconfig.json', 'package-lock.json'];
  const wanted = hash(made, process.version, process.arch);
  if (stamp(distStamp) === wanted) return;
  const fresh = join('build', 'dist');
  rmSync(fresh, { recursive: true, force: true });
  step('compiling TypeScript', process.execPath, [join('scripts', 'bundle.mjs'), fresh]);
  writeFileSync(join(fresh, '.stamp'), wanted);
  rmSync('dist', { recursive: true, force: true });
  renameSync(fresh, 'dist');
}

/** Runs a command with its output in the log, and shows the log if it fails. */
function step(what, command, args, environment = {}) {
  const begin = performance.now();
  say(`${what} ...`);
  const output = openSync(log, 'w');
  const { status, signal, error } = spawnSync(command, args, {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...environment },
  });
  closeSync(output);
  if (status === 0) {
    say(`${what}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    return;
  }
  process.stderr.write(readFileSync(log, 'utf8'));
  stop(
    `${what} failed (${error?.message ?? signal ?? `exit code ${status}`}); the command was:\n  ${[command, ...args].join(' ')}`,
  );
}

/** Removes CMake's cache if the checkout was moved or copied: a build tree contains its absolute path. */
function forgetMovedTree(tree) {
  const cache = join(tree, 'CMakeCache.txt');
  if (!existsSync(cache) || readFileSync(cache, 'utf8').includes(`CMAKE_HOME_DIRECTORY:INTERNAL=${process.cwd()}\n`))
    return;
  rmSync(cache);
  rmSync(join(tree, 'CMakeFiles'), { recursive: true, force: true });
}

/** One job per core, as far as memory allows: an optimising compiler takes up to half a gigabyte. */
function jobs() {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / 2 ** 29)));
}

function hash(paths, ...more) {
  const sum = createHash('sha256').update(more.join(' '));
  const add = (path) => {
    // Generated from the rest, and only types.
    if (path === join('src', 'client', 'types.ts')) return;
    const status = statSync(path, { throwIfNoEntry: false });
    if (status?.isDirectory()) {
      for (const name of readdirSync(path).sort()) add(join(path, name));
    } else if (status) {
      sum.update(`\0${path}\0${status.size}\0`).update(readFileSync(path));
    }
  };
  for (const path of paths) add(path);
  return sum.digest('hex');
}

function stamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Waits for any other set-up, since two at once would build into the same folders. Returns a function that unlocks. */
function lock(file) {
  let told = false;
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const holder = Number(existsSync(file) ? readFileSync(file, 'utf8') : Number.NaN);
      if (holder > 0 && !alive(holder)) {
        rmSync(file, { force: true });
        continue;
      }
      if (!told) say(`waiting for another set-up (process ${holder}) to finish`);
      told = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  const unlock = () => rmSync(file, { force: true });
  process.once('exit', unlock);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  return unlock;
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function first(value, index, all) {
  return all.indexOf(value) === index;
}

function say(text) {
  process.stderr.write(`setup: ${text}\n`);
}

function stop(text) {
  process.stderr.write(`\n${text}\n`);
  process.exit(1);
}
