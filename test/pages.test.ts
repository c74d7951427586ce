/** The generated pages of docs/ are up to date. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pagePath, pages } from '../scripts/pages.ts';

it.each(['configuration', 'events', 'operations'] as const)('docs/%s.md is as scripts/pages.ts writes it', (page) => {
  expect(readFileSync(pagePath(page), 'utf8')).toBe(pages[page]());
});
