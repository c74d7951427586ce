/** The typed client with the real program: requests, errors, logins, files and events. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsPath, newToken, noAccounts, writeAccounts } from '../../src/access/accounts-file.ts';
import { ReceiverClient, type ReceiverEvent, Refused, Unreachable } from '../../src/client/client.ts';
import { cheapHashOf } from '../fixtures/cheap-hash.ts';
import { eventually } from '../fixtures/waits.ts';
import { askEveryone, type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';

describe('a client', () => {
  const folder = temporaryFolder();
  let program: Program;
  let receiver: ReceiverClient;
  let sRef: string;

  beforeAll(async () => {
    program = await startProgram(folder, '--tuner', 'demo');
    receiver = new ReceiverClient(program.http);
    sRef = await eventually(async () => {
      const { events } = await receiver.get('/api/eventsearch', { what: 'e', max_rows: 1 });
      return events[0]?.service_reference ?? undefined;
    }, 'an event');
  });
  afterAll(async () => {
    await program.stop();
    removeFolder(folder);
  });

  it('sends parameters in the URL, including lists and booleans', async () => {
    const answer = await receiver.get('/api/eventsearch', {
      what: ['one', 'two & 3'],
      case_sensitive: true,
      max_rows: 1,
    });
    expect(answer.mangled_parameters).toMatchObject({
      what: 'one',
      whats: ['one', 'two & 3'],
      case_sensitive: true,
      max_rows: 1,
    });
    expect((await receiver.get('/api/eventsearch', { what: 'one' })).mangled_parameters.what).toBe('one');
  });

  it('sends the parameters of a POST in a form', async () => {
    const { current, message } = await receiver.post('/api/vol', { set: 'set35' });
    expect([current, message]).toEqual([35, 'Volume set to 35']);
  });

  it('encodes path parameters', async () => {
    const { items } = await receiver.get('/timers/{service_reference}', { service_reference: sRef });
    expect(items).toEqual([]);
    expect(receiver.address('/recordings/{path*}', { path: 'a b/ü?.ts', x: undefined, y: [1, 2] })).toBe(
      `${program.http}/recordings/a%20b/%C3%BC%3F.ts?y=1&y=2`,
    );
  });

  it('sends a file', async () => {
    const body =
      '<tv><programme channel="x" start="20300101200000" stop="20300101210000"><title>T</title></programme></tv>';
    for (const file of [body, new Blob([body]), new TextEncoder().encode(body)]) {
      const { format, programmes } = await receiver.post('/api/epgimport', {}, { body: file });
      expect([format, programmes]).toEqual(['xmltv', 1]);
    }
  });

  it('throws `Refused` with message, status and code, even if the status is 200', async () => {
    const refused = async (call: Promise<unknown>) => {
      const error = await call.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Refused);
      const { message, status, code } = error as Refused;
      return [message, status, code];
    };
    expect(await refused(receiver.post('/api/zap', { sRef: 'nonsense' }))).toEqual([
      "'nonsense' is not a service reference, such as 1:0:19:2B66:3F3:1:C00000:0:0:0:",
      200,
      'invalid-reference',
    ]);
    expect(await refused(receiver.get('/api/eventsearch', {}))).toEqual([
      'Nothing to search for?!',
      400,
      'parameter-missing',
    ]);
    expect(
      await refused(receiver.delete('/timers/{service_reference}/{item}', { service_reference: sRef, item: '9' })),
    ).toEqual([expect.any(String), 404, 'not-found']);
  });

  it('throws `Unreachable` if there is no response, or not in time', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const late = new ReceiverClient(`http://127.0.0.1:${port}`, { timeoutMs: 200 });
    await expect(late.get('/api/about')).rejects.toBeInstanceOf(Unreachable);
    silent.close();
    await expect(new ReceiverClient('http://127.0.0.1:1').get('/api/about')).rejects.toBeInstanceOf(Unreachable);
  });

  it('aborts requests and events on a signal', async () => {
    const stop = AbortSignal.abort(new Error('enough'));
    await expect(receiver.get('/api/about', {}, { signal: stop })).rejects.toThrow('enough');
    const later = new AbortController();
    const events = receiver.events({ signal: later.signal }, { onOpen: () => later.abort(new Error('enough')) });
    await expect(events.next()).rejects.toThrow('enough');
  });

  /** The next event. */
  async function next(events: AsyncGenerator<ReceiverEvent>): Promise<ReceiverEvent> {
    const { value } = await events.next();
    return value;
  }

  it('yields events, discriminated by their type', async () => {
    const change = () => void receiver.post('/api/vol', { set: 'set20' });
    const events = receiver.events({ types: ['volume', 'standby'] }, { onOpen: change });
    const event = await next(events);
    if (event.type !== 'volume') throw new Error(event.type);
    expect(event.data).toEqual({ level: 20, muted: false });
    await events.return(undefined as never);

    // Events between two connections are not missed.
    await receiver.post('/api/vol', { set: 'set21' });
    const again = receiver.events({ types: ['volume'], lastEventId: event.id });
    expect(await next(again)).toMatchObject({ type: 'volume', data: { level: 21 } });
    await again.return(undefined as never);

    const signals = receiver.events({ types: ['volume'], signalIntervalSeconds: 0.5, tuner: 0 });
    expect(await next(signals)).toMatchObject({ type: 'signal', data: { tuner: 0 } });
    await signals.return(undefined as never);
  });

  it('yields `reset` if missed events are no longer available', async () => {
    const events = receiver.events({ lastEventId: 'other-1' });
    expect(await next(events)).toMatchObject({ type: 'reset', data: {} });
    await events.return(undefined as never);
  });

  it('throws `Unreachable` without heartbeats', async () => {
    const events = receiver.events({ types: ['standby'], heartbeat: 1 }, { onOpen: () => program.signal('SIGSTOP') });
    await expect(events.next()).rejects.toBeInstanceOf(Unreachable);
    program.signal('SIGCONT');
    expect((await receiver.get('/api/vol')).result).toBe(true);
  });

  it('throws `Refused` for the signal of an unknown tuner', async () => {
    const events = receiver.events({ tuner: 99, signalIntervalSeconds: 1 });
    await expect(events.next()).rejects.toMatchObject({ status: 404, code: 'not-found' });
  });
});

describe('a client of a receiver with accounts', () => {
  const folder = temporaryFolder();
  const { token, hash } = newToken();
  let program: Program;

  beforeAll(async () => {
    await writeAccounts(accountsPath(folder), {
      ...noAccounts(),
      users: [{ name: 'anna', rights: ['admin'], password: cheapHashOf('Pässword 1') }],
      tokens: [{ name: 'app', rights: ['view'], hash, created: 0 }],
    });
    askEveryone(folder);
    program = await startProgram(folder, '--tuner', 'demo');
  });
  afterAll(async () => {
    await program.stop();
    removeFolder(folder);
  });

  it('logs in with a user and password, or with a token', async () => {
    const anna = new ReceiverClient(program.http, { user: 'anna', password: 'Pässword 1' });
    expect(await anna.get('/login')).toMatchObject({ user: 'anna', rights: ['admin'] });
    const app = new ReceiverClient(`${program.http}/`, { token });
    expect((await app.get('/api/vol')).result).toBe(true);
    await expect(app.post('/api/vol', { set: 'set1' })).rejects.toMatchObject({ status: 403, code: 'right-missing' });
  });

  it('throws `Refused` without a login', async () => {
    const nobody = new ReceiverClient(program.http);
    await expect(nobody.get('/api/vol')).rejects.toMatchObject({ status: 401, code: 'login-needed' });
    await expect(nobody.events().next()).rejects.toMatchObject({ status: 401, code: 'login-needed' });
  });
});
