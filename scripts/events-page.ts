/** Writes docs/events.md from the schemas: `tsx scripts/events-page.ts`. A test fails when the page is stale. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pushedSchemas } from '../src/http/push.ts';

export const pagePath = fileURLToPath(new URL('../docs/events.md', import.meta.url));

interface DataSchema {
  readonly description?: string;
  readonly properties: Readonly<Record<string, { readonly description?: string; readonly type?: string }>>;
}

/** The whole page. */
export function eventsPage(): string {
  const rows = Object.entries(pushedSchemas as unknown as Readonly<Record<string, DataSchema>>).map(
    ([type, { description = '', properties }]) => `| \`${type}\` | ${description} | ${fields(properties)} |`,
  );
  return `# Events

\`GET /api/events\` tells what happens to the receiver as it happens, as server-sent events (HTML standard, §9.2), so that an app need
not ask every few seconds. An event says what is now; who asks after it gets the new state.

\`\`\`
$ curl -N 'http://receiver:8080/api/events?types=volume,service'
retry: 3000
id: 5f0c2a91-41

id: 5f0c2a91-42
event: volume
data: {"level":55,"muted":false}
\`\`\`

\`\`\`js
const source = new EventSource('/api/events?types=volume');
source.addEventListener('volume', ({ data }) => show(JSON.parse(data).level));
source.addEventListener('reset', () => askForEverything());
\`\`\`

| event | when | data |
|---|---|---|
${rows.join('\n')}

* \`types=volume,service\` takes only these; another word is refused (400).
* \`signal=SECONDS\` (1 to 3600) adds a \`signal\` event at once and then every so many seconds. It has no id and is never kept.
* *Coming back.* A client that sends the last id it has seen in \`Last-Event-ID\` (an EventSource does so by itself) or as
  \`lastEventId=ID\` gets what it missed first. The last \`push.history\` events are kept. Where they do not reach back so far, or the
  receiver was started anew, a \`reset\` event comes instead: ask for the state.
* *Signs of life.* Every \`push.heartbeat\` seconds a comment comes, with the newest id.
* *Bounds.* At most \`push.maximumClients\` clients; the next one gets 503 with \`Retry-After\`. What a client does not take waits for it up to
  \`push.clientBound\` bytes; then its connection is closed, and it may come back with its last id.
* Never compressed; \`X-Accel-Buffering: no\` keeps a reverse proxy from collecting. Every origin may read, as everywhere.

The bounds are in [configuration.md](configuration.md). Where the events come from: \`src/events.ts\`; how they are sent: \`src/http/push.ts\`.
`;
}

function fields(properties: DataSchema['properties']): string {
  const names = Object.entries(properties).map(([name, { description }]) =>
    description === undefined ? `\`${name}\`` : `\`${name}\`: ${description}`,
  );
  return names.join('; ') || 'none';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(pagePath, eventsPage());
