/** A file that is refused halfway: the rest is read and dropped, so that the client can finish its request. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { receiver, useReceiver } from './fixture.ts';

useReceiver();

it.each(['/api/epgimport', '/autotimers/import'])('%s', async (path) => {
  const origin = await receiver.app.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, url: string, body?: Buffer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(origin + url, { method, agent }, resolve)
        .once('error', reject)
        .end(body);
    });
  const refused = await ask('POST', path, Buffer.concat([Buffer.from('<no></yes>'), Buffer.alloc(8 << 20, 32)]));
  expect([400, 413]).toContain(refused.statusCode);
  expect(await text(refused)).toMatch(/^\{"result":false,/);
  const next = await ask('GET', '/api/transfers');
  expect([next.statusCode, await text(next)]).toEqual([200, '{"result":true,"transfers":[]}']);
  agent.destroy();
});
