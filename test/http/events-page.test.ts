import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eventsPage, pagePath } from '../../scripts/events-page.ts';

it('docs/events.md says what the schemas say (tsx scripts/events-page.ts writes it)', () => {
  expect(readFileSync(pagePath, 'utf8')).toBe(eventsPage());
});
