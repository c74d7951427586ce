// Executes firmware/openembedded/receiverd_*.bb as far as that goes without OpenEmbedded: reads it, and does what its
// classes cmake, systemd and useradd and its own do_install:append would, with a toolchain file from cmake/toolchains/.
//
//   node test/firmware/openembedded.mjs ARCHIVE TARGET FOLDER [EXTRA_OECMAKE...]    the image is then FOLDER/image
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const [archive, target, path, ...extra] = process.argv.slice(2);
const folder = resolve(path);
const recipes = join(root, 'firmware', 'openembedded');
const [recipe] = readdirSync(recipes).filter((file) => file.endsWith('.bb'));
const [, name, version] = /^([a-z]+)_([\d.]+)\.bb$/.exec(recipe);

const variables = {
  PN: name,
  PV: version,
  WORKDIR: folder,
  D: join(folder, 'image'),
  B: join(folder, 'build'),
  prefix: '/usr',
  libdir: '/usr/lib',
  sysconfdir: '/etc',
  localstatedir: '/var',
  systemd_system_unitdir: '/usr/lib/systemd/system',
};
const appended = read(readFileSync(join(recipes, recipe), 'utf8'));

// do_fetch, do_unpack
const source = value('SRC_URI').replace('file://', '');
if (basename(archive) !== source) throw new Error(`the recipe wants ${source}, the archive is ${archive}`);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
run('tar', '-xf', archive, '-C', folder);
const [, licence, sum] = /^file:\/\/(.+);md5=(.+)$/.exec(value('LIC_FILES_CHKSUM'));
run('sh', '-c', `echo '${sum}  ${licence}' | (cd ${value('S')} && md5sum -c)`);

// do_configure, do_compile and do_install of cmake.bbclass
if (value('inherit') !== 'cmake systemd useradd')
  throw new Error(`classes that this does not know: ${value('inherit')}`);
const chosen = Object.entries(variables)
  .filter(([key]) => key.startsWith('PACKAGECONFIG['))
  .map(([key, choice]) => choice.split(',')[value('PACKAGECONFIG').split(' ').includes(key.slice(14, -1)) ? 0 : 1]);
run(
  ...['cmake', '-S', value('S'), '-B', value('B'), ...chosen, ...extra],
  ...['-DCMAKE_INSTALL_PREFIX=/usr', '-DCMAKE_INSTALL_LIBDIR=lib', '-DCMAKE_INSTALL_BINDIR=bin'],
  `-DCMAKE_TOOLCHAIN_FILE=${join(root, 'cmake', 'toolchains', `${target}.cmake`)}`,
);
run('cmake', '--build', value('B'));
run('env', `DESTDIR=${value('D')}`, 'cmake', '--install', value('B'));
run('sh', '-euc', expand(appended.do_install));

for (const file of [value(`SYSTEMD_SERVICE:${name}`), value(`CONFFILES:${name}`)]) {
  const installed = join(value('D'), file.startsWith('/') ? file : join(value('systemd_system_unitdir'), file));
  if (!existsSync(installed)) throw new Error(`${file} was not installed`);
}

/** Reads assignments and functions. What this does not know is an error. Returns the bodies that are appended. */
function read(text) {
  const bodies = {};
  const rest = text
    .replace(/^#.*\n/gm, '')
    .replace(/^(\w+):append\(\) \{\n([\s\S]*?)^\}\n/gm, (_, task, body) => {
      bodies[task] = body;
      return '';
    })
    .replace(/^inherit (.+)\n/gm, (_, classes) => {
      variables.inherit = classes;
      return '';
    })
    .replace(/^([\w:${}[\]]+) (\+|\?\?)?= "(.*)"\n/gm, (_, key, __, assigned) => {
      variables[expand(key)] = assigned;
      return '';
    });
  if (rest.trim() !== '') throw new Error(`cannot read:\n${rest}`);
  return bodies;
}

function value(key) {
  if (variables[key] === undefined) throw new Error(`${key} is not set`);
  return expand(variables[key]);
}

function expand(text) {
  return text.replace(/\$\{(\w+)\}/g, (_, key) => value(key));
}

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`);
}
