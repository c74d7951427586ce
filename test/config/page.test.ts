/** The generated page of settings is up to date. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configurationPage, pagePath } from '../../scripts/configuration-page.ts';

it('docs/configuration.md matches the schema (tsx scripts/configuration-page.ts writes it)', () => {
  expect(readFileSync(pagePath, 'utf8')).toBe(configurationPage());
});
