// Builds the addon for another processor with Debian's cross compilers, and puts it where node-gyp-build looks for it:
//   prebuilds/linux-ARCH/receiverd.glibc.node   (32-bit ARM: receiverd.armv7.glibc.node)
// Prints its size, the newest versions of the system's libraries that it needs, and these libraries.
//
//   npm run cross                              lists the targets: cmake/toolchains/TARGET.cmake
//   npm run cross -- TARGET [CMAKE OPTION...]  for example -DRECEIVERD_STATIC_RUNTIME=ON
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forBuilding, provide } from './system-packages.mjs';

/** The names that Node has for the processors (`process.arch`), and the tags of node-gyp-build. */
const names = {
  aarch64: { arch: 'arm64', tags: 'glibc' },
  armv7: { arch: 'arm', tags: 'armv7.glibc' },
  mipsel: { arch: 'mipsel', tags: 'glibc' },
  mips: { arch: 'mips', tags: 'glibc' },
};

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const toolchains = join('cmake', 'toolchains');
const [target, ...options] = process.argv.slice(2);
const name = names[target];
if (name === undefined) {
  if (target !== undefined) console.error(`cross: there is no target ${target}; the targets are:`);
  for (const one of Object.keys(names)) console.log(`${one.padEnd(8)} ${comment(one)}`);
  process.exit(target === undefined ? 0 : 1);
}

const triple = /set\(triple (.+)\)/.exec(toolchain(target))[1];
const compiler = `${triple}-g++`;
mkdirSync('build', { recursive: true });
const missing = provide(
  [
    ...forBuilding,
    {
      debian: `g++-${triple}`,
      what: compiler,
      why: `compiles for ${target}`,
      present: () => spawnSync(compiler, ['--version']).status === 0,
    },
  ].filter(({ present }) => !present()),
  join('build', 'cross.log'),
  console.error,
);
if (missing) stop(missing);

const tree = join('build', 'cross', target);
run('cmake', ['-S', '.', '-B', tree, `-DCMAKE_TOOLCHAIN_FILE=${join(toolchains, `${target}.cmake`)}`, ...options]);
run('cmake', ['--build', tree, '--parallel', process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(availableParallelism())]);
const folder = join('prebuilds', `linux-${name.arch}`);
const file = join(folder, `receiverd.${name.tags}.node`);
mkdirSync(folder, { recursive: true });
copyFileSync(join(tree, 'receiverd.node'), file);
const { versions, libraries } = needs(file);
console.log(`${file}: ${statSync(file).size} bytes, stripped`);
console.log(`needs ${versions.join(' ')}`);
console.log(`from ${libraries.join(' ')}`);

/** @returns the newest version of each library interface that a file needs, and the libraries */
function needs(path) {
  const { stdout } = spawnSync(`${triple}-objdump`, ['-p', path], { encoding: 'utf8' });
  const newest = new Map();
  for (const [, family, version] of stdout.matchAll(/ (GLIBC|GLIBCXX|CXXABI|GCC|LIBATOMIC)_([\d.]+)$/gm)) {
    if (newest.get(family) === undefined || newer(version, newest.get(family))) newest.set(family, version);
  }
  return {
    versions: [...newest].map(([family, version]) => `${family}_${version}`),
    libraries: [...stdout.matchAll(/NEEDED +(\S+)/g)].map(([, library]) => library),
  };
}

/** Compares versions part by part: 2.4 is older than 2.34. */
function newer(one, other) {
  return one.localeCompare(other, 'en', { numeric: true }) > 0;
}

function toolchain(one) {
  return readFileSync(join(toolchains, `${one}.cmake`), 'utf8');
}

function comment(one) {
  return /^# (.*)/.exec(toolchain(one))[1];
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) stop(`${command} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`);
}

function stop(text) {
  console.error(text);
  process.exit(1);
}
