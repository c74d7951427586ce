// Adds to a built checkout what only a package has; npm runs it before `npm pack`.
//
//   dist/types/                       the types of the package's entries, and of what they mention
//   prebuilds/linux-ARCH/*.node       the addon of this machine; `npm run cross` adds those of others
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const entries = ['library/receiver', 'library/epg', 'library/dvb', 'library/m3u', 'client/client'];
const emitted = join('build', 'types');

const tsc = [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', join('scripts', 'tsconfig.types.json')];
rmSync(emitted, { recursive: true, force: true });
output(['--import', 'tsx', join('scripts', 'pages.ts'), 'src/client/types.ts']);
output(tsc);
writeFileSync(
  join(emitted, 'src', 'library', 'settings.d.ts'),
  output(['--import', 'tsx', join('scripts', 'settings-types.ts')]),
);
copy(join('native', 'addon.d.ts'), join(emitted, 'native', 'addon.d.ts'));
for (const path of mentioned(entries.map((name) => resolve(emitted, 'src', `${name}.d.ts`)))) {
  const packed = path.replace(resolve(emitted), resolve('dist', 'types'));
  mkdirSync(dirname(packed), { recursive: true });
  // 36 KB of 281 are spaces at the beginning of lines.
  writeFileSync(
    packed,
    readFileSync(path, 'utf8').replace(/^( {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4)),
  );
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

/** What a program of Node prints. */
function output(words) {
  const { status, stdout } = spawnSync(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (status === 0) return stdout;
  process.stderr.write(stdout);
  process.exit(1);
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
