// Makes a release out of a clean checkout: sets the version, runs every check, and puts into build/release/ what is
// published, with checksums, the list of parts (SBOM) and the text of the tag. Commits, tags and pushes nothing: it prints
// the commands.
//
//   npm run release -- 0.2.0 [--unchecked]     --unchecked leaves `.ci/run full` out, which takes most of the time
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What we read of CycloneDX. */
interface Parts {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly Readonly<Record<'name' | 'version' | 'bom-ref', string>>[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

const folder = join('build', 'release');
/** Processors of the addons in the npm package, besides x86-64. */
const others = ['aarch64', 'armv7'];
/** Bytes of the npm package, installed. */
const largest = 8_000_000;
const semantic = /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/;

/**
 * Moves what is under "Unreleased" below a heading of its own.
 * @throws {Error} if there is nothing, or the version has been released
 */
export function released(changelog: string, version: string, date: string): { notes: string; changelog: string } {
  if (changelog.includes(`\n## [${version}]`)) throw new Error(`CHANGELOG.md has ${version} already`);
  const [, before, notes, older = ''] =
    /^([\s\S]*?\n## \[Unreleased\]\n)([\s\S]*?)(\n## \[[\s\S]*)?$/.exec(changelog) ?? [];
  const text = notes?.replace(/^The first release will be .*\n/m, '').trim();
  if (!text) throw new Error('CHANGELOG.md has nothing under [Unreleased]');
  return { notes: text, changelog: `${before}\n## [${version}] - ${date}\n\n${text}\n${older}` };
}

/** What npm lists as parts, reduced to those that the build contains: `name version` each. */
export function contained(sbom: Parts, packages: ReadonlySet<string>): Parts {
  const components = sbom.components.filter(({ name, version }) => packages.has(`${name} ${version}`));
  const references = new Set([
    sbom.metadata.component['bom-ref'],
    ...components.map((component) => component['bom-ref']),
  ]);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) }));
  return { ...sbom, components: components.map((one) => ({ ...one, properties: undefined })), dependencies };
}

function release(version = '', unchecked = false): void {
  const date = new Date().toISOString().slice(0, 10);
  if (!semantic.test(version)) throw new Error('name the version: npm run release -- 0.2.0');
  if (output('git', 'status', '--porcelain') !== '') throw new Error('the checkout has changes; commit them first');
  const { notes, changelog } = released(readFileSync('CHANGELOG.md', 'utf8'), version, date);
  writeFileSync('CHANGELOG.md', changelog);
  setVersion(version, date);
  if (!unchecked) run(join('.ci', 'run'), 'full');

  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Prebuilds of earlier builds would be packed too.
  rmSync('prebuilds', { recursive: true, force: true });
  for (const target of others) run('npm', 'run', '--silent', 'cross', '--', target);
  run('npm', 'run', '--silent', 'deb');
  run('npm', 'run', '--silent', 'firmware');
  run('npm', 'pack', '--silent', '--pack-destination', folder);
  const [{ size, unpackedSize }] = JSON.parse(output('npm', 'pack', '--dry-run', '--ignore-scripts', '--json')) as [
    Record<'size' | 'unpackedSize', number>,
  ];
  if (unpackedSize > largest) throw new Error(`the npm package takes ${unpackedSize} bytes, more than ${largest}`);
  for (const file of readdirSync(join('build', 'deb'))) {
    if (file.endsWith('.deb') && file.includes(`_${version.replace('-', '~')}_`)) keep(join('build', 'deb', file));
  }
  keep(join('build', `receiverd-${version}-firmware.tar.gz`));
  // They turn the positions in a reported stack into those of the sources.
  const maps = readdirSync('dist').filter((file) => file.endsWith('.map'));
  run('tar', '-C', 'dist', '-czf', join(folder, `receiverd-${version}-maps.tar.gz`), ...maps);
  writeFileSync(join(folder, `receiverd-${version}.cdx.json`), `${JSON.stringify(partsOf(), null, 2)}\n`);
  const sums = readdirSync(folder).map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex')}  ${file}\n`,
  );
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(folder, 'tag-text'), `receiverd ${version}\n\n${notes}\n`);
  console.log(`${folder}: npm package ${size} bytes, installed ${unpackedSize}. Then:
  git commit -am 'Release ${version}' && git tag -s v${version} -F ${join(folder, 'tag-text')} --cleanup=verbatim
  git push --follow-tags && npm publish ${join(folder, `receiverd-${version}.tgz`)}`);
}

/** package.json has the version; what carries its date or its name follows. */
function setVersion(version: string, date: string): void {
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts');
  const identity = join('src', 'device', 'identity.ts');
  const text = readFileSync(identity, 'utf8');
  writeFileSync(identity, text.replace(/(const released = ')[^']+/, `$1${date}`));
  const recipes = join('firmware', 'openembedded');
  const [recipe = ''] = readdirSync(recipes);
  const renamed = `receiverd_${version}.bb`;
  if (recipe !== renamed) run('git', 'mv', join(recipes, recipe), join(recipes, renamed));
  const makefile = join('firmware', 'buildroot', 'package', 'receiverd', 'receiverd.mk');
  writeFileSync(makefile, readFileSync(makefile, 'utf8').replace(/(RECEIVERD_VERSION = ).*/, `$1${version}`));
}

function partsOf(): Parts {
  const heads = readFileSync(join('dist', 'THIRD-PARTY-NOTICES'), 'utf8').matchAll(/^(\S+ \d\S+) \(/gm);
  const sbom = JSON.parse(output('npm', 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')) as Parts;
  return contained(sbom, new Set([...heads].map(([, head = '']) => head)));
}

function keep(file: string): void {
  cpSync(file, join(folder, basename(file)));
}

function run(command: string, ...words: readonly string[]): void {
  execFileSync(command, words, { stdio: ['ignore', 'inherit', 'inherit'] });
}

function output(command: string, ...words: readonly string[]): string {
  return execFileSync(command, words, { encoding: 'utf8', maxBuffer: 2 ** 28 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  const words = process.argv.slice(2);
  try {
    release(
      words.find((word) => !word.startsWith('--')),
      words.includes('--unchecked'),
    );
  } catch (error) {
    console.error(`release: ${(error as Error).message}`);
    process.exit(1);
  }
}
