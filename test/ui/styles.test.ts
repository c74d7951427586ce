/** The styles of the page. They are all loaded together, so rules of one page must not affect another. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../src/ui');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const files = [...read('style.css').matchAll(/"(.*)"/g)].map(([, path = '']) => {
  const text = read(path).replace(/\/\*.*?\*\//gs, '');
  const selectors = [...text.matchAll(/([^{};]+)\{/g)]
    .map(([, list = '']) => list)
    .filter((list) => !/^\s*(@|from|to|\d)/.test(list))
    .flatMap((list) => list.split(/,(?![^(]*\))/))
    .map((selector) => selector.trim());
  return { path, text, selectors };
});
const classesIn = (selector: string) => [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name);
const isOfPage = (path: string) => path.startsWith('./pages');
/** The pages, and the shared files, that use a class. */
const homes = new Map<string, Set<string>>();
for (const { path, selectors } of files)
  for (const name of selectors.flatMap(classesIn))
    homes.set(name, (homes.get(name) ?? new Set()).add(isOfPage(path) ? dirname(path) : path));

describe('styles', () => {
  it.each(files.filter(({ path }) => isOfPage(path)))('keep to their page: $path', ({ selectors }) => {
    expect(selectors.length).toBeGreaterThan(0);
    expect(selectors.filter((one) => classesIn(one).every((name) => (homes.get(name)?.size ?? 0) > 1))).toEqual([]);
  });

  it('exist for every class that a component uses', () => {
    const components = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx'));
    const named = components.flatMap((path) =>
      [...read(path).matchAll(/ class=(?:"([^"]*)"|\{`([^`]*)`\})/g)].flatMap(([, plain, template]) =>
        (plain ?? template ?? '').replace(/\S*\$\{[^}]*\}\S*/g, '').split(/\s+/),
      ),
    );
    expect(named.length).toBeGreaterThan(100);
    expect([...new Set(named)].filter((name) => name !== '' && !homes.has(name))).toEqual([]);
  });

  it('use only variables that are defined', () => {
    const all = files.map(({ text }) => text).join('\n');
    const names = (pattern: RegExp) => [...all.matchAll(pattern)].map(([, name = '']) => name);
    // Set by components.
    const set = new Set([
      ...names(/(--[\w-]+):/g),
      '--at',
      '--row',
      '--head',
      '--channels',
      '--controls',
      '--foot',
      '--hour',
      '--number',
      '--ratio',
    ]);
    expect(names(/var\((--[\w-]+)/g).filter((name) => !set.has(name))).toEqual([]);
  });
});
