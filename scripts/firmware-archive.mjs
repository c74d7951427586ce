// Packs what a firmware build needs into build/receiverd-VERSION-firmware.tar.gz: the sources of the addon, the headers of
// Node-API, and the program in dist/. The build needs cmake and a C++ compiler, but no npm and no network. The same
// commit gives the same bytes.
//
//   npm run firmware
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const archive = join('build', `receiverd-${version}-firmware.tar.gz`);
const sources = [
  'CMakeLists.txt',
  'LICENSE',
  'package.json',
  'assets',
  'cmake',
  'firmware/node18.cjs',
  'native',
  'packaging/debian/receiverd.yaml',
  'packaging/receiverd.service',
];
const files = [
  ...output('git', ['ls-files', '-z', ...sources])
    .split('\0')
    .filter(Boolean),
  ...['cli.js', 'program.cjs', 'jpeg-thread.cjs', 'THIRD-PARTY-NOTICES'].map((file) => join('dist', file)),
  ...below('dist/ui'),
  ...below('node_modules/node-api-headers').filter((file) => /include\/|LICENSE/.test(file)),
  ...below('node_modules/node-addon-api').filter((file) => /\/napi[^/]*\.h$|LICENSE/.test(file)),
].sort();
const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go=rX', '--format=ustar'];
const time = `--mtime=@${output('git', ['log', '-1', '--format=%ct']).trim()}`;
const folder = `--transform=s,^,receiverd-${version}/,`;
const pack = ['--use-compress-program=gzip -9n', '--no-recursion', '-T', '-'];
output('tar', ['-cf', archive, ...owner, time, folder, ...pack], files.join('\n'));
console.log(archive);

function below(path) {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function output(command, args, input) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { input, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args[0]}: ${error?.message ?? stderr}`);
}
