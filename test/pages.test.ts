/** The pages of the documentation: generated ones are up to date, and what the others refer to exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagePath, pages } from '../scripts/pages.ts';
import { packageRoot } from '../src/base/package.ts';

it.each(Object.keys(pages) as (keyof typeof pages)[])('%s is as scripts/pages.ts writes it', async (page) => {
  expect(readFileSync(pagePath(page), 'utf8')).toBe(await pages[page]());
});

const names = ['', 'docs'].flatMap((folder) =>
  readdirSync(join(packageRoot, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
/** Without blocks of code. */
const textOf = (name: string) => readFileSync(join(packageRoot, name), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** As GitHub names a heading. */
const anchorOf = (heading: string) =>
  heading
    .replace(/[`*]|\]\([^)]*\)|\[/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

function hasAnchor(name: string, anchor: string): boolean {
  return [...textOf(name).matchAll(/^#+ (.*)$/gm)].some(([, heading = '']) => anchorOf(heading) === anchor);
}

describe.each(names)('%s', (name) => {
  it('has links that lead somewhere', () => {
    const links = [...textOf(name).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const lost = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = '', anchor = ''] = link.split('#');
      const target = path === '' ? name : join(dirname(name), path);
      if (!existsSync(join(packageRoot, target))) return true;
      return anchor !== '' && target.endsWith('.md') && !hasAnchor(target, anchor);
    });
    expect(lost).toEqual([]);
  });

  it('names files of the sources that exist', () => {
    const named = [...textOf(name).matchAll(/`((?:src|native|test|bench|scripts)\/[\w./-]+)`/g)];
    // NAME stands for one of many; results are those of a run.
    const files = named.map(([, file = '']) => file).filter((file) => !/NAME|^bench\/results/.test(file));
    expect(files.filter((file) => !existsSync(join(packageRoot, file)))).toEqual([]);
  });
});
