/** The generated pages of docs/ and the types of the client are up to date. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pagePath, pages } from '../scripts/pages.ts';

it.each(Object.keys(pages) as (keyof typeof pages)[])('%s is as scripts/pages.ts writes it', async (page) => {
  expect(readFileSync(pagePath(page), 'utf8')).toBe(await pages[page]());
});
