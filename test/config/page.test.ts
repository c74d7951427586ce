import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configurationPage, pagePath } from '../../scripts/configuration-page.ts';

it('docs/configuration.md says what the schema says (tsx scripts/configuration-page.ts writes it)', () => {
  expect(readFileSync(pagePath, 'utf8')).toBe(configurationPage());
});
