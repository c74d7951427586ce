/** docs/events.md, from the schemas. */
import { pushedSchemas } from '../src/http/rest/receiver/push.ts';

interface DataSchema {
  readonly description?: string;
  readonly properties: Readonly<Record<string, { readonly description?: string; readonly type?: string }>>;
}

export function eventsPage(): string {
  const rows = Object.entries(pushedSchemas as unknown as Readonly<Record<string, DataSchema>>).map(
    ([type, { description = '', properties }]) => `| \`${type}\` | ${description} | ${fields(properties)} |`,
  );
  return `# Events

\`GET /api/events\` reports changes of the receiver's state as server-sent events (HTML standard, §9.2), so that apps need
not poll. An event carries the new state; a request made after it returns the same.

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
source.addEventListener('reset', () => requestEverything());
\`\`\`

| event | sent when | data |
|---|---|---|
${rows.join('\n')}

* **Selecting events.** \`types=volume,service\` sends only these; an unknown type returns 400. \`signal=SECONDS\` (0.5 to
  3600) adds a \`signal\` event at once and then at this interval: of the tuner in use, or of \`tuner=N\`. It has no id, is
  never stored, and is no word of \`types\`.
* **Reconnecting.** A client that sends the last id it has seen in \`Last-Event-ID\` (an EventSource does so by itself) or as
  \`lastEventId=ID\` first gets the events it missed. The last \`push.history\` events are stored. If they do not reach back
  far enough, or the receiver has restarted, a \`reset\` event is sent instead, and the client should request the state again.
* **Heartbeat.** Every \`push.heartbeat\` seconds, or as often as the client says by \`heartbeat=SECONDS\` (1 to 300), a comment
  with the newest id is sent: a client that hears nothing for longer knows that the receiver is gone.
* **Limits.** At most \`push.maximumClients\` clients; further ones get 503 with \`Retry-After\`. Up to \`push.clientBound\`
  bytes are buffered for a client that does not read. Then its connection is closed, and it may reconnect with its last id.
* **Proxies and origins.** The stream is never compressed, and \`X-Accel-Buffering: no\` keeps a reverse proxy from
  buffering it. Every origin may read it, unless \`origins\` in the configuration says otherwise.

The limits are set in [configuration.md](configuration.md). In the code: \`src/events/events.ts\` (the events),
\`src/http/rest/receiver/push.ts\` (how they are sent).
`;
}

function fields(properties: DataSchema['properties']): string {
  const names = Object.entries(properties).map(([name, { description }]) =>
    description === undefined ? `\`${name}\`` : `\`${name}\`: ${description}`,
  );
  return names.join('; ') || 'none';
}
