/** docs/dependencies.md lists the packages of package.json, with their versions and licences. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../src/base/package.ts';

const textOf = (file: string) => readFileSync(join(packageRoot, file), 'utf8');

it('docs/dependencies.md lists every package with its version and licence', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<
    'dependencies' | 'devDependencies',
    Readonly<Record<string, string>>
  >;
  const listed = [...textOf('docs/dependencies.md').matchAll(/^\| (\S+) \| (\^?\d+\.\d+\.\d+) \| ([^|]+) \|/gm)];
  const wanted = Object.entries({ ...dependencies, ...devDependencies }).map(([name, version]) => {
    const { license } = JSON.parse(textOf(`node_modules/${name}/package.json`)) as { readonly license: string };
    return [name, version, license];
  });
  expect(listed.map(([, ...row]) => row).sort()).toEqual(wanted.sort());
});
