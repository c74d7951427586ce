/** `GET /api/events` over a real connection, as an EventSource in a browser receives it. */
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountsPath, newToken, noAccounts, readAccounts, writeAccounts } from '../../../src/access/accounts-file.ts';
import { type Events, eventSchemas } from '../../../src/events/events.ts';
import { eventually, until } from '../../fixtures/waits.ts';
import { push } from '../push-options.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
let events: Events;
beforeEach(async () => {
  receiver = await openReceiver();
  events = receiver.parts.events;
  await receiver.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => receiver.close());

const port = () => (receiver.app.server.address() as AddressInfo).port;

interface Received {
  readonly id?: string;
  readonly event?: string;
  readonly data?: unknown;
}

interface Listener {
  readonly response: http.IncomingMessage;
  /** The raw text received so far. */
  text: string;
  /** The events received so far, in order. */
  readonly events: Received[];
  /** The last id received, with or without an event. */
  readonly lastId: string;
  ended: boolean;
  leave(): void;
}

/** Parses server-sent events (WHATWG HTML standard, §9.2.6), as far as the receiver uses the format. */
function parse(text: string): Received[] {
  return text.split('\n\n').flatMap((block) => {
    const fields = Object.fromEntries(
      block
        .split('\n')
        .filter((line) => !line.startsWith(':'))
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    return fields.data === undefined ? [] : [{ ...fields, data: JSON.parse(fields.data) } as Received];
  });
}

function listen(query = '', headers: Record<string, string> = {}): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port: port(), path: `/api/events${query}`, headers }, (response) => {
      const listener: Listener = {
        response,
        text: '',
        get events() {
          return parse(listener.text);
        },
        get lastId() {
          return [...listener.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
        },
        ended: false,
        leave: () => request.destroy(),
      };
      response.setEncoding('utf8').on('data', (piece: string) => {
        listener.text += piece;
      });
      response.on('error', () => undefined);
      response.once('close', () => {
        listener.ended = true;
      });
      resolve(listener);
    });
    request.on('error', reject);
  });
}

async function heard(listener: Listener, count: number): Promise<Received[]> {
  await until(() => expect(listener.events.length).toBeGreaterThanOrEqual(count));
  return listener.events;
}

const began = (listener: Listener) => until(() => expect(listener.lastId).not.toBe(''));

describe('/api/events', () => {
  it('sends events with an id, a type and JSON', async () => {
    const listener = await listen();
    expect(listener.response.statusCode).toBe(200);
    expect(listener.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    events.publish('volume', { level: 30, muted: false });
    events.publish('service', { reference: '1:0:1:', name: 'A\nB', audioTrack: 0 });
    const [first, second] = await heard(listener, 2);
    expect(first).toMatchObject({ event: 'volume', data: { level: 30, muted: false } });
    expect(second).toMatchObject({ event: 'service', data: { reference: '1:0:1:', name: 'A\nB', audioTrack: 0 } });
    expect(first?.id).toMatch(/^\w+-1$/);
    expect(second?.id).toBe(first?.id?.replace(/1$/, '2'));
    expect(listener.text).toMatch(/^retry: \d+$/m);
  });

  it('ends only for clients that have lost their access', async () => {
    const path = accountsPath(receiver.folder);
    const of = (name: string) => ({ name, rights: ['view' as const], ...newToken() });
    const [anna, bert] = [of('anna'), of('bert')];
    const kept = ({ name, rights, hash }: typeof anna) => ({ name, rights, hash, created: 0 });
    const guest = await listen();
    await writeAccounts(path, { ...noAccounts(), tokens: [anna, bert].map(kept) });
    const { accounts } = receiver.parts.accessControl;
    await eventually(async () => {
      await accounts.refresh();
      return accounts.hasAccounts || undefined;
    }, 'the accounts are known');
    const [hers, his] = await Promise.all(
      [anna, bert].map(({ token }) => listen('', { authorization: `Bearer ${token}` })),
    );
    if (!hers || !his) throw new Error('no streams');
    await writeAccounts(path, { ...(await readAccounts(path)), tokens: [kept(bert)] });
    await until(() => expect(hers.ended).toBe(true));
    events.publish('volume', { level: 30, muted: false });
    for (const other of [his, guest]) await heard(other, 1);
    expect([his.ended, guest.ended]).toEqual([false, false]);
  });

  it('is not compressed, and sends keep-alive comments', async () => {
    const listener = await listen('', { 'accept-encoding': 'gzip, br' });
    expect(listener.response.headers['content-encoding']).toBeUndefined();
    await until(() => expect(listener.text).toMatch(/^:$/m));
    expect(listener.events).toEqual([]);
  });

  it('sends only the requested types', async () => {
    const listener = await listen('?types=standby,%20volume');
    events.publish('guide', { generation: 1 });
    events.publish('standby', { standby: true });
    events.publish('volume', { level: 1, muted: true });
    expect((await heard(listener, 2)).map(({ event }) => event)).toEqual(['standby', 'volume']);
  });

  it.each([
    ['types=volume,colour', "The parameter 'types' contains 'colour'"],
    ['signal=0.4', "The parameter 'signal' must be"],
    ['signal=0', "The parameter 'signal' must be"],
    ['signal=abc', "The parameter 'signal' must be"],
    ['signal=3601', "The parameter 'signal' must be"],
  ])('rejects ?%s and names the parameter', async (query, message) => {
    const response = await receiver.app.inject(`/api/events?${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ result: false, error: 'parameter-invalid' });
    expect(response.json().message).toContain(message);
  });

  it('measures the signal on request', async () => {
    const [measured, plain] = [await listen('?signal=0.5'), await listen()];
    const [first, second] = await heard(measured, 2);
    expect(first).toEqual({
      event: 'signal',
      data: {
        tuner: 0,
        locked: true,
        quality: 80,
        strength: 70,
        snr: 12.5,
        power: null,
        bitErrors: 0,
        bitErrorRate: 0,
        badBlocks: 3,
      },
    });
    expect(second?.id).toBeUndefined();
    events.publish('standby', { standby: true });
    expect(await heard(plain, 1)).toMatchObject([{ event: 'standby' }]);
  });

  it('measures the requested tuner', async () => {
    receiver.tuners = receiver.tuners.flatMap((one) => [one, { ...one, name: 'Tuner B', signal: undefined }]);
    const measured = await listen('?signal=1&tuner=1');
    const [first] = await heard(measured, 1);
    expect(first).toMatchObject({ event: 'signal', data: { tuner: 1, locked: false, snr: null, power: null } });
  });

  it('rejects an unknown tuner', async () => {
    const response = await receiver.app.inject('/api/events?signal=1&tuner=7');
    expect([response.statusCode, response.json().message]).toEqual([404, 'tuner 7 not found']);
  });

  it('answers HEAD immediately', async () => {
    const response = await receiver.app.inject({ method: 'HEAD', url: '/api/events?signal=1' });
    expect([response.statusCode, response.body]).toEqual([200, '']);
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  });

  it.each(['POST', 'PUT', 'DELETE'] as const)('rejects %s', async (method) => {
    const response = await receiver.app.inject({ method, url: '/api/events' });
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('accepts only three quarters of the configured connections from one client', async () => {
    const all = await Promise.all(Array.from({ length: 0.75 * push.maximumClients }, () => listen()));
    const refused = await listen();
    expect(refused.response.statusCode).toBe(503);
    expect(refused.response.headers['retry-after']).toBe('30');
    all[0]?.leave();
    await until(async () => expect((await listen()).response.statusCode).toBe(200));
  });

  it('ends when the receiver stops', async () => {
    const listener = await listen();
    await began(listener);
    await receiver.app.close();
    await until(() => expect(listener.ended).toBe(true));
  });
});

describe('a client that reconnects', () => {
  it.each(['header', 'parameter'])('gets the missed events in order, with its last id in the %s', async (place) => {
    const first = await listen('?types=volume');
    events.publish('volume', { level: 1, muted: false });
    await heard(first, 1);
    first.leave();
    for (const level of [2, 3]) events.publish('volume', { level, muted: false });
    events.publish('guide', { generation: 5 });
    const { lastId } = first;
    const again = await (place === 'header'
      ? listen('?types=volume', { 'last-event-id': lastId })
      : listen(`?types=volume&lastEventId=${lastId}`));
    expect((await heard(again, 2)).map(({ data }) => data)).toEqual([
      { level: 2, muted: false },
      { level: 3, muted: false },
    ]);
    events.publish('volume', { level: 4, muted: false });
    expect((await heard(again, 3)).at(-1)).toMatchObject({ data: { level: 4 } });
    // Its last id also covers the events of types that it did not request.
    expect(again.lastId).toMatch(/-5$/);
  });

  it('gets no event twice', async () => {
    const first = await listen();
    events.publish('volume', { level: 1, muted: false });
    await heard(first, 1);
    const again = await listen('', { 'last-event-id': first.lastId });
    events.publish('volume', { level: 2, muted: false });
    expect(await heard(again, 1)).toMatchObject([{ event: 'volume', data: { level: 2 } }]);
  });

  it('gets `reset` if it has missed more events than are stored', async () => {
    const first = await listen();
    await began(first);
    for (let level = 0; level <= push.history; level++) events.publish('volume', { level, muted: false });
    const again = await listen('', { 'last-event-id': first.lastId });
    expect(await heard(again, 1)).toMatchObject([{ event: 'reset', data: {}, id: expect.stringMatching(/-9$/) }]);
    const later = await listen('', { 'last-event-id': again.lastId });
    events.publish('standby', { standby: true });
    expect(await heard(later, 1)).toMatchObject([{ event: 'standby' }]);
  });

  it.each(['other-1', 'nonsense', '7'])('gets `reset` if its last id is not from this run: %s', async (lastId) => {
    const again = await listen('', { 'last-event-id': lastId });
    expect(await heard(again, 1)).toMatchObject([{ event: 'reset' }]);
  });
});

it('a client that reads nothing is disconnected without affecting others', async () => {
  const listener = await listen();
  const idle = connect({ host: '127.0.0.1', port: port() });
  idle.on('error', () => undefined);
  idle.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await new Promise((resolve) => idle.once('data', resolve));
  idle.pause();
  const name = 'x'.repeat(4000);
  let told = 0;
  // The socket buffers hold some megabytes.
  await until(async () => {
    for (let burst = 0; burst < 100; burst++) {
      events.publish('service', { reference: '', name, audioTrack: told++ });
      if (burst % 2 === 0) await new Promise(setImmediate);
    }
    expect(await connections()).toBe(1);
  });
  expect((await heard(listener, told)).at(-1)).toMatchObject({ data: { audioTrack: told - 1 } });
  idle.destroy();
});

function connections(): Promise<number> {
  return new Promise((resolve, reject) =>
    receiver.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

it('the OpenAPI documents describe the route and the data of every event', async () => {
  for (const url of ['/api', '/api/openapi.json']) {
    const { paths, definitions, components } = (await receiver.app.inject(url)).json();
    const { get } = paths['/api/events'];
    expect(JSON.stringify(get)).toContain('text/event-stream');
    const schema =
      get.responses[200].schema ?? Object.values<{ schema: object }>(get.responses[200].content)[0]?.schema;
    expect(Object.keys(schema['x-events'])).toEqual([...Object.keys(eventSchemas), 'signal', 'reset']);
    expect(schema['x-events'].volume).toEqual({ $ref: expect.stringMatching(/\/VolumeEvent$/) });
    const schemas = definitions ?? components.schemas;
    expect(schemas.VolumeEvent.properties.level).toMatchObject({ type: 'integer', maximum: 100 });
  }
});
