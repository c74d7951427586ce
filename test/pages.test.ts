/** The generated pages are up to date. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pagePath, pages } from '../scripts/pages.ts';

it.each(Object.entries(pages))('%s is as scripts/pages.ts writes it', (page, content) => {
  expect(readFileSync(pagePath(page), 'utf8')).toBe(content());
});
