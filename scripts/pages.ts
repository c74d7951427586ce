/** Writes the generated pages: `tsx scripts/pages.ts`. A test fails while one of them is stale. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configurationPage } from './configuration-page.ts';
import { eventsPage } from './events-page.ts';
import { operationsPage } from './operations-page.ts';
import { settingsTypes } from './settings-types.ts';

/** What belongs into each page. */
export const pages: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': configurationPage,
  'docs/events.md': eventsPage,
  'docs/operations.md': operationsPage,
  'src/library/settings.ts': settingsTypes,
};

export function pagePath(page: string): string {
  return fileURLToPath(new URL(`../${page}`, import.meta.url));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [page, content] of Object.entries(pages)) writeFileSync(pagePath(page), content());
}
