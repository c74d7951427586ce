// Makes build/deb/receiverd_VERSION_ARCH.deb of a built checkout, for this machine's architecture. It needs build-essential
// and debhelper.
//
//   node scripts/deb.mjs [VERSION]     default: the version of package.json
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const { name, license, type, version } = JSON.parse(readFileSync('package.json', 'utf8'));
// Debian sorts 1.0.0~rc.1 before 1.0.0.
const packageVersion = (process.argv[2] ?? version).replace('-', '~');
const folder = join('build', 'deb', 'source');
const program = join(folder, 'lib', 'receiverd');
const debian = join(folder, 'debian');
const maintainer = `${process.env.DEBFULLNAME ?? 'The receiverd authors'} <${process.env.DEBEMAIL ?? 'receiverd@receiverd.invalid'}>`;

rmSync(folder, { recursive: true, force: true });
stageProgram();
stageCompiler();
run('node_modules/.bin/tsx', 'scripts/manual.ts', folder);
stageDebian();
run('dpkg-buildpackage', '-b', '-us', '-uc', { cwd: folder });

/** The program as the npm package has it, without the library and for one architecture. */
function stageProgram() {
  for (const file of ['cli.js', 'program.cjs', 'jpeg-thread.cjs', 'THIRD-PARTY-NOTICES']) {
    cpSync(join('dist', file), join(program, 'dist', file));
  }
  const cli = join(program, 'dist', 'cli.js');
  writeFileSync(cli, readFileSync(cli, 'utf8').replace(/^#!.*/, '#!/usr/bin/node'));
  chmodSync(cli, 0o755);
  cpSync('assets', join(program, 'assets'), { recursive: true });
  cpSync(join('dist', 'ui'), join(program, 'dist', 'ui'), { recursive: true });
  cpSync(join('build', 'Release', 'receiverd.node'), join(program, 'build', 'Release', 'receiverd.node'));
  const shown = JSON.stringify({ name, version: process.argv[2] ?? version, license, type }, undefined, 2);
  writeFileSync(join(program, 'package.json'), `${shown}\n`);
}

/** What postinst makes V8's compiled form with, for the Node that is installed. */
function stageCompiler() {
  buildSync({
    entryPoints: ['scripts/compile.mjs'],
    outfile: join(program, 'dist', 'compile.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    // node-gyp-build expects `require`.
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

function stageDebian() {
  cpSync(join('packaging', 'debian'), debian, { recursive: true });
  cpSync(join('packaging', 'receiverd.service'), join(debian, 'receiverd.service'));
  cpSync(join(debian, 'receiverd.yaml'), join(folder, 'receiverd.yaml'));
  cpSync('README.md', join(folder, 'README.md'));
  cpSync('docs', join(folder, 'docs'), { recursive: true });
  // debhelper would take one beside them for the package's own.
  cpSync('CHANGELOG.md', join(folder, 'docs', 'CHANGELOG.md'));
  const control = join(debian, 'control');
  writeFileSync(control, readFileSync(control, 'utf8').replace('@MAINTAINER@', maintainer));
  writeFileSync(
    join(debian, 'changelog'),
    `receiverd (${packageVersion}) unstable; urgency=medium\n\n  * Built from the sources; CHANGELOG.md says what is new.\n\n -- ${maintainer}  ${builtAt()}\n`,
  );
}

/** The time of the last commit, or of SOURCE_DATE_EPOCH, so that the same sources make the same package. */
function builtAt() {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? run('git', 'log', '-1', '--format=%ct', { stdio: 'pipe' });
  return new Date(Number(seconds) * 1000).toUTCString().replace('GMT', '+0000');
}

function run(command, ...rest) {
  const options = typeof rest.at(-1) === 'object' ? rest.pop() : {};
  return execFileSync(command, rest, { stdio: 'inherit', ...options });
}
