import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { operationsPage, pagePath } from '../../scripts/operations-page.ts';

it('docs/operations.md says what the definitions say (tsx scripts/operations-page.ts writes it)', () => {
  expect(readFileSync(pagePath, 'utf8')).toBe(operationsPage());
});
