/** Opens a receiver for each test of a file that calls `useReceiver`, and sends JSON requests to it. */
import { afterEach, beforeEach } from 'vitest';
import { openReceiver, type TestReceiver } from '../receiver.ts';

export let receiver: TestReceiver;
export function useReceiver(): void {
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(() => receiver.close());
}

type Item = Readonly<Record<string, unknown>>;

export async function ask(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload?: object,
  headers: Record<string, string> = {},
) {
  const reply = await receiver.app.inject({
    method,
    url,
    headers: { ...(payload && { 'content-type': 'application/json' }), ...headers },
    ...(payload && { payload: JSON.stringify(payload) }),
  });
  const body = reply.body === '' ? undefined : (JSON.parse(reply.body) as Record<string, unknown>);
  return { status: reply.statusCode, headers: reply.headers, body, items: (body?.items ?? []) as Item[] };
}
