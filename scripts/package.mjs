// Adds to a built checkout what only a package has; npm runs it before `npm pack`.
//
//   dist/types/                       the types of the package's entries, and of what they mention
//   prebuilds/linux-ARCH/*.node       the addon of this machine; `npm run cross` adds those of others
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const entries = ['receiver', 'epg', 'dvb', 'm3u'];
const emitted = join('build', 'types');

const tsc = [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', join('scripts', 'tsconfig.types.json')];
rmSync(emitted, { recursive: true, force: true });
if (spawnSync(process.execPath, tsc, { stdio: ['ignore', 2, 'inherit'] }).status !== 0) process.exit(1);
copy(join('native', 'addon.d.ts'), join(emitted, 'native', 'addon.d.ts'));
for (const path of mentioned(entries.map((name) => resolve(emitted, 'src', 'library', `${name}.d.ts`)))) {
  copy(path, path.replace(resolve(emitted), resolve('dist', 'types')));
}

const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
const arm = process.config.variables.arm_version === undefined ? '' : `armv${process.config.variables.arm_version}.`;
copy(
  join('build', 'Release', 'receiverd.node'),
  join('prebuilds', `${process.platform}-${process.arch}`, `receiverd.${arm}${libc}.node`),
);

/** Returns the declaration files that these import, themselves included. */
function mentioned(paths, known = new Set()) {
  for (const path of paths) {
    if (known.has(path)) continue;
    known.add(path);
    const imports = [...readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)\.ts'/g)];
    const files = imports.map(([, name]) => resolve(dirname(path), `${name.replace(/\.d$/, '')}.d.ts`));
    mentioned(files, known);
  }
  return known;
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
