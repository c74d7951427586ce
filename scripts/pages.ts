/** Writes the generated pages of docs/ and the types of the client: `tsx scripts/pages.ts`. A test fails while one is stale. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openReceiver } from '../test/http/receiver.ts';
import { clientTypes, type OpenApi } from './client-types.ts';
import { configurationPage } from './configuration-page.ts';
import { eventsPage } from './events-page.ts';
import { operationsPage } from './operations-page.ts';

/** What belongs into each file. */
export const pages = {
  'docs/configuration.md': configurationPage,
  'docs/events.md': eventsPage,
  'docs/operations.md': operationsPage,
  'src/client/types.ts': async () => clientTypes(await openApiDocument()),
} as const;

/** The document as a receiver serves it. */
async function openApiDocument(): Promise<OpenApi> {
  const receiver = await openReceiver();
  try {
    return (await receiver.app.inject('/api/openapi.json')).json();
  } finally {
    await receiver.close();
  }
}

export function pagePath(page: keyof typeof pages): string {
  return fileURLToPath(new URL(`../${page}`, import.meta.url));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [page, content] of Object.entries(pages))
    writeFileSync(pagePath(page as keyof typeof pages), await content());
}
