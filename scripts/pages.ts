/**
 * `tsx scripts/pages.ts [FILE...]` writes the generated pages of docs/ (a test fails while one is stale) and the types of
 * the client, which are not in the repository. `npm run typecheck` and `npm pack` write the types too.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openReceiver } from '../test/http/receiver.ts';
import { clientTypes, type OpenApi } from './client-types.ts';
import { configurationPage } from './configuration-page.ts';
import { eventsPage } from './events-page.ts';
import { operationsPage } from './operations-page.ts';

/** The content of each page. */
export const pages = {
  'docs/configuration.md': configurationPage,
  'docs/events.md': eventsPage,
  'docs/operations.md': async () => operationsPage(await openApiDocument()),
} as const;

const generated: Readonly<Record<string, () => string | Promise<string>>> = {
  ...pages,
  'src/client/types.ts': async () => clientTypes(await openApiDocument()),
};

/** The document as a receiver serves it. */
async function openApiDocument(): Promise<OpenApi> {
  const receiver = await openReceiver();
  try {
    return (await receiver.app.inject('/api/openapi.json')).json();
  } finally {
    await receiver.close();
  }
}

export function pagePath(page: string): string {
  return fileURLToPath(new URL(`../${page}`, import.meta.url));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2);
  for (const [file, content] of Object.entries(generated)) {
    if (named.length > 0 && !named.includes(file)) continue;
    // At once, for those who read it meanwhile.
    const written = pagePath(`${file}.${process.pid}`);
    writeFileSync(written, await content());
    renameSync(written, pagePath(file));
  }
}
