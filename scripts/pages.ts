/** Writes the generated pages of docs/: `tsx scripts/pages.ts`. A test fails while one of them is stale. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configurationPage } from './configuration-page.ts';
import { eventsPage } from './events-page.ts';
import { operationsPage } from './operations-page.ts';

/** What belongs into each page. */
export const pages = { configuration: configurationPage, events: eventsPage, operations: operationsPage };

export function pagePath(page: keyof typeof pages): string {
  return fileURLToPath(new URL(`../docs/${page}.md`, import.meta.url));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [page, content] of Object.entries(pages)) writeFileSync(pagePath(page as keyof typeof pages), content());
}
