/** The npm packages in a build, with their licences: what the licences ask of those who pass the build on. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the addon: a compiler takes its headers in. */
const ofAddon = ['node_modules/node-addon-api'];

/**
 * @param {readonly import('esbuild').Metafile[]} metafiles
 * @returns {string}
 * @throws {Error} if a package does not say its licence
 */
export function notices(metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.keys(output.inputs)),
  );
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const packages = [...new Set([...folders, ...ofAddon])].sort().map((folder) => notice(folder));
  const heads = new Map();
  for (const { head, terms } of packages) {
    const same = [...heads.keys()].find((known) => plain(known) === plain(terms)) ?? terms;
    heads.set(same, [...(heads.get(same) ?? []), head]);
  }
  const groups = [...heads].map(([terms, same]) => `${[...same, terms].join('\n\n')}\n`);
  return ['receiverd contains these packages.\n', ...groups].join(`\n${'-'.repeat(80)}\n\n`);
}

const plain = (text) => text.replace(/\s+/g, ' ');

/** Who made it, and the terms, which are the same text for many packages. */
function notice(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${folder}/package.json names no licence`);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const holder = typeof author === 'string' ? author : author?.name;
  const text =
    file === undefined ? `${license} licence; by ${holder}` : readFileSync(join(folder, file), 'utf8').trim();
  const begin = Math.max(0, text.search(/^(Permission|Redistribution)/m));
  const holders = text.slice(0, begin).trim();
  return { head: `${name} ${version} (${license})${holders && `\n\n${holders}`}`, terms: text.slice(begin) };
}
