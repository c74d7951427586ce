// The system packages that the build and the tests need. Finds the missing ones, says why they are needed, and installs
// them with apt-get if the user has the rights to; otherwise it returns the one line to type. No dependencies.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, openSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @typedef {object} Requirement
 * @property {string} debian  package on Debian and its relatives
 * @property {string} what    name for systems with other package names
 * @property {string} why
 * @property {() => boolean} present
 */

/** @type {(...names: string[]) => () => boolean} */
const anyCommand =
  (...names) =>
  () =>
    names.some((name) =>
      (process.env.PATH ?? '').split(delimiter).some((folder) => {
        try {
          accessSync(join(folder, name), constants.X_OK);
          return true;
        } catch {
          return false;
        }
      }),
    );

/** @type {(file: string) => () => boolean} */
const header = (file) => () => {
  const extra = [process.env.CPATH, process.env.CPLUS_INCLUDE_PATH].flatMap((path) => path?.split(delimiter) ?? []);
  return [...extra, '/usr/include', '/usr/local/include'].some((folder) => folder && existsSync(join(folder, file)));
};

/** @type {Requirement[]} */
export const forBuilding = [
  {
    debian: 'g++',
    what: 'a C++20 compiler (g++ 11 or clang 14)',
    why: 'compiles the native part',
    present: anyCommand('g++', 'c++', 'clang++'),
  },
  { debian: 'cmake', what: 'cmake 3.22', why: 'builds the native part', present: anyCommand('cmake') },
  { debian: 'make', what: 'make or ninja', why: 'runs the build', present: anyCommand('make', 'ninja') },
];

/** @type {Requirement[]} */
export const forTesting = [
  {
    debian: 'doctest-dev',
    what: 'doctest (C++ header)',
    why: 'native unit tests',
    present: header('doctest/doctest.h'),
  },
  {
    debian: 'ffmpeg',
    what: 'ffmpeg and ffprobe',
    why: 'decodes the streams in the tests',
    present: () => anyCommand('ffmpeg')() && anyCommand('ffprobe')(),
  },
];

/** The line for the user to type. */
function line(packages) {
  const install = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() === 0) return install;
  return anyCommand('sudo')() ? install.replaceAll('apt-get', 'sudo apt-get') : `su -c '${install}'`;
}

/**
 * Installs the missing `requirements`. Returns undefined if all are present at the end, else a message for the user.
 * @param {Requirement[]} requirements
 * @param {string} log  file for apt-get's output
 * @param {(text: string) => void} say
 * @returns {string | undefined}
 */
export function provide(requirements, log, say) {
  const missing = requirements.filter((requirement) => !requirement.present());
  if (missing.length === 0) return undefined;
  const packages = missing.map((requirement) => requirement.debian);
  say('this machine lacks:');
  for (const { debian, why } of missing) say(`  ${debian.padEnd(12)} ${why}`);

  if (!anyCommand('apt-get')()) {
    const wanted = missing.map((requirement) => requirement.what).join(', ');
    return `Please install, with this system's package manager: ${wanted}. Then run the same command again.`;
  }
  const prefix = mayInstall();
  if (prefix === undefined) {
    return `Installing needs a password. Please type this, then run the same command again:\n\n  ${line(packages)}\n`;
  }
  say(`installing with ${[...prefix, 'apt-get'].join(' ')}: ${packages.join(' ')}`);
  const output = openSync(log, 'a');
  const apt = (...args) => {
    const [command = '', ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
    const all = [...rest, '-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'APT::Get::Assume-Yes=true', ...args];
    return spawnSync(command, all, { stdio: ['ignore', output, output] }).status === 0;
  };
  // A failed update does not matter if the package lists are current.
  retry(5, () => apt('update'));
  retry(3, () => apt('install', '--no-install-recommends', ...packages));
  const still = missing.filter((requirement) => !requirement.present()).map((requirement) => requirement.debian);
  if (still.length === 0) return undefined;
  return `apt-get could not install ${still.join(' ')}; its output is in ${log}. To install by hand:\n\n  ${line(still)}\n`;
}

/** The command prefix for becoming root without a password: empty, sudo, or undefined if there is none. */
function mayInstall() {
  if (process.getuid?.() === 0) return [];
  if (anyCommand('sudo')() && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0)
    return ['sudo', '-n'];
  return undefined;
}

/** Retries because another apt may hold the lock of the package lists, and apt-get cannot wait for that one. */
function retry(times, attempt) {
  for (let n = 1; !attempt() && n < times; n++) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
}
