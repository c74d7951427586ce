/** Which responses are closed when their client is no longer admitted. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import type { Accounts } from '../../src/access/accounts.ts';
import { OpenResponses } from '../../src/access/open-responses.ts';
import { Listeners } from '../../src/base/listeners.ts';

/** A server whose responses are written by the test, and what removes the account of all clients. */
async function serve() {
  const changes = new Listeners<[]>();
  let isAdmitted = true;
  const accounts = { onChange: changes.add, refresh: async () => undefined } as unknown as Accounts;
  const open = new OpenResponses(accounts, () => isAdmitted);
  const waiting: ((response: ServerResponse) => void)[] = [];
  const server = createServer((_, response) => {
    open.add(response, 'client');
    waiting.shift()?.(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    async request() {
      const response = new Promise<ServerResponse>((resolve) => waiting.push(resolve));
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      // Nothing is read before `received` is called.
      return { response: await response, received: () => text(socket).catch(String) };
    },
    removeAccount() {
      isAdmitted = false;
      changes.call();
    },
  };
}

it('closes a response that is being sent', async () => {
  const { request, removeAccount } = await serve();
  const { response, received } = await request();
  response.write('begun');
  removeAccount();
  expect(response.destroyed).toBe(true);
  expect(await received()).not.toContain('\r\n0\r\n');
});

it('lets a client receive the response to the request that removed its account', async () => {
  const { request, removeAccount } = await serve();
  const [processed, written] = [await request(), await request()];
  // More than the system's buffers take.
  const body = 'removed'.repeat(2 ** 21);
  written.response.end(body);
  removeAccount();
  processed.response.end('removed, too');
  expect((await written.received()).endsWith(body)).toBe(true);
  expect(await processed.received()).toMatch(/removed, too$/);
});
