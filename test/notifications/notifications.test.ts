import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type Configuration, loadConfiguration } from '../../src/config/config.ts';
import { Events, type ReceiverEvent } from '../../src/events/events.ts';
import { targetsOf } from '../../src/notifications/forms.ts';
import { Notifications } from '../../src/notifications/notifications.ts';
import { networkStreams } from '../fixtures/network.ts';
import { until } from '../fixtures/waits.ts';
import { notice } from './notice.ts';

type Rules = Configuration['notifications'];

const rules = (given: Partial<Rules>): Rules => ({
  ...loadConfiguration({ environment: {} }).notifications,
  ...given,
});

interface Got {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

describe('Notifications', () => {
  let folder: string;
  let server: Server;
  let got: Got[];
  /** Status of the answers; 0: the connection is closed; below: nothing happens. */
  let status: number;
  let address: string;
  let lines: string[];
  const open: Notifications[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'notifications-'));
    [got, status, lines] = [[], 200, []];
    server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece) => pieces.push(piece));
      request.on('end', () => {
        const { url = '', headers } = request;
        got.push({ url, headers, body: Buffer.concat(pieces).toString() });
        if (status > 0) response.writeHead(status, { location: `${address}/elsewhere` }).end('x'.repeat(100_000));
        else if (status === 0) response.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.stop()));
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  async function start(given: Partial<Rules>, iptv = {}) {
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const events = new Events();
    const published: ReceiverEvent[] = [];
    events.listen((event) => published.push(event));
    const configuration = loadConfiguration({ environment: { RECEIVERD_DATA_DIR: folder } });
    const notifications = new Notifications(
      { clock: systemClock, log, events, network: networkStreams({}, iptv) },
      { ...configuration, timeZone: 'Europe/Berlin', notifications: rules(given) },
    );
    open.push(notifications);
    await notifications.start();
    return { notifications, published };
  }
  const stored = () => JSON.parse(readFileSync(join(folder, 'notifications.json'), 'utf8'));
  const failed = { title: 'Ships', service: 'Alpha HD', problem: 'no signal', timer: 7, begin: 1767290400 };

  it('sends what the settings name, and failed recordings always, as JSON', async () => {
    const { notifications, published } = await start({ webhooks: [`${address}/hook?key=1`], events: [] });
    notifications.publish('recordingStarted', { title: 'Ships' });
    notifications.publish('recordingFailed', failed);
    await until(() => expect(got).toHaveLength(1));
    const [{ url, headers, body }] = got as [Got];
    expect(url).toBe('/hook?key=1');
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toMatchObject({
      ...failed,
      event: 'recordingFailed',
      receiver: 'receiverd',
      message: 'Recording has failed: Ships (Alpha HD): no signal',
    });
    expect(published.map(({ data }) => data)).toMatchObject([{ event: 'recordingStarted' }, JSON.parse(body)]);
  });

  it('resumes after a restart with what was not delivered, and keeps failures until they are dismissed', async () => {
    status = 503;
    const secret = 'topic-which-is-a-password';
    const { notifications } = await start({ webhooks: [`${address}/${secret}`] });
    // A recording that recovers is not kept.
    const saved = { ...failed, timer: 0, path: '/movie/Saved.ts' };
    notifications.publish('recordingFailed', { ...saved, ongoing: true });
    notifications.publish('recordingEnded', saved);
    await until(() => expect(notifications.targets).toMatchObject([{ pending: 2 }]));
    expect(notifications.failures).toEqual([]);
    notifications.publish('recordingFailed', { ...failed, ongoing: true, problem: 'no tuner' });
    notifications.publish('recordingFailed', failed);
    await until(() =>
      expect(notifications.targets).toMatchObject([{ pending: 4, problem: expect.stringContaining('status 503') }]),
    );
    await notifications.stop();
    expect(JSON.stringify(stored())).not.toMatch(secret);
    expect(statSync(join(folder, 'notifications.json')).mode & 0o777).toBe(0o600);
    expect(lines.join('')).not.toMatch(secret);

    status = 204;
    const before = got.length;
    const { notifications: next } = await start({ webhooks: [`${address}/${secret}`] });
    await until(() => expect(got).toHaveLength(before + 4));
    expect(next.failures).toMatchObject([failed]);
    await until(() => expect(stored()).toMatchObject({ pending: [], failures: [failed] }));
    next.dismiss(next.failures[0]?.id ?? '');
    await until(() => expect(stored().failures).toEqual([]));
  });

  it('keeps no recording that was failing and works again, and says so to whom it reported it', async () => {
    const { notifications } = await start({ webhooks: [`${address}/hook`], events: [] });
    const failing = { ...failed, ongoing: true };
    for (const kind of ['recordingResumed', 'recordingStarted'] as const) {
      notifications.publish('recordingFailed', failing);
      notifications.publish(kind, { ...failed, begin: failed.begin - 86_400 });
      expect(notifications.failures).toHaveLength(1);
      notifications.publish(kind, { ...failed, ongoing: true });
      expect(notifications.failures).toEqual([]);
    }
    await until(() => expect(got).toHaveLength(4));
    expect(got.map(({ body }) => JSON.parse(body).message)).toContain('Recording continues: Ships (Alpha HD)');
    // What has failed for good stays.
    notifications.publish('recordingFailed', failed);
    notifications.publish('recordingStarted', failed);
    notifications.withdraw(() => true);
    expect(notifications.failures).toMatchObject([failed]);
  });

  it('is not still trying a recording without a timer after a restart', async () => {
    const { notifications } = await start({});
    for (const timer of [0, 7])
      notifications.publish('recordingFailed', { ...failed, timer, path: `/movie/${timer}.ts`, ongoing: true });
    await notifications.stop();
    const { notifications: next } = await start({});
    expect(next.failures).toMatchObject([
      { timer: 7, ongoing: true },
      { timer: 0, ongoing: false },
    ]);
  });

  it('follows no redirect, and says why a test has failed', async () => {
    const { notifications } = await start({ webhooks: [`${address}/hook`] });
    const host = address.slice('http://'.length);
    const name = `webhook ${host}`;
    expect(await notifications.test()).toEqual([{ name, problem: '' }]);
    status = 307;
    expect(await notifications.test()).toEqual([
      { name, problem: `${host}: the server redirects to another address (status 307)` },
    ]);
    status = 0;
    expect(await notifications.test()).toEqual([{ name, problem: `${host}: the server has closed the connection` }]);
    expect(got.map(({ url }) => url)).toEqual(['/hook', '/hook', '/hook']);
  });

  it('refuses addresses that the guard of streams refuses', async () => {
    const { notifications } = await start({ webhooks: [`${address}/hook`] }, { allow: [] });
    const [result] = await notifications.test();
    expect(result?.problem).toMatch('127.0.0.1 is refused unless iptv.allow contains it');
    expect(got).toEqual([]);
  });

  it('starts with a damaged file, and keeps a copy of it', async () => {
    writeFileSync(join(folder, 'notifications.json'), '{"failures": [{"id": 1}]');
    const { notifications } = await start({});
    expect(notifications.failures).toEqual([]);
    expect(lines.join('')).toMatch('notifications.json is not used');
    expect(existsSync(join(folder, 'notifications.json.damaged'))).toBe(true);
  });

  it('logs what it cannot save when it stops', async () => {
    status = 500;
    const { notifications } = await start({ webhooks: [address] });
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    notifications.publish('recordingFailed', failed);
    await notifications.stop();
    expect(lines.join('')).toMatch('the receiver stops, and cannot save it (Recording has failed: Ships');
  });

  it('stops at once while a server does not answer, and keeps the notice without a complaint', async () => {
    status = -1;
    const { notifications } = await start({ webhooks: [address] });
    notifications.publish('recordingFailed', failed);
    await until(() => expect(got).toHaveLength(1));
    await notifications.stop();
    expect(stored().pending).toMatchObject([{ notice: failed }]);
    expect(lines).toEqual([]);
  });

  it('sends to changed addresses without a restart', async () => {
    const { notifications } = await start({});
    notifications.setRules(rules({ webhooks: [`${address}/new`] }));
    notifications.publish('conflict', { title: 'Ships' });
    await until(() => expect(got.map(({ url }) => url)).toEqual(['/new']));
    notifications.setRules(rules({}));
    expect(notifications.targets).toEqual([]);
  });
});

describe('The forms of messaging services', () => {
  const request = (given: Partial<Rules>, event = 'recordingFailed') => {
    const [target] = targetsOf(rules(given));
    const made = target?.requestOf(notice({ event, message: 'Recording has failed: Ärger' }));
    return { ...made, body: made?.type === 'application/json' ? JSON.parse(made.body) : made?.body };
  };

  it('is that of ntfy', () => {
    expect(request({ service: 'ntfy', url: 'https://ntfy.sh/my%20topic?x=1', token: 'tk_1' })).toMatchObject({
      url: 'https://ntfy.sh/?x=1',
      headers: { authorization: 'Bearer tk_1' },
      body: { topic: 'my topic', title: 'Living room', message: 'Recording has failed: Ärger', priority: 4 },
    });
  });
  it('is that of Gotify', () => {
    for (const url of [
      'https://home.example/gotify',
      'https://home.example/gotify/',
      'https://home.example/gotify/message',
    ])
      expect(request({ service: 'gotify', url, token: 'A1' }, 'recordingEnded')).toMatchObject({
        url: 'https://home.example/gotify/message',
        headers: { 'x-gotify-key': 'A1' },
        body: { title: 'Living room', message: 'Recording has failed: Ärger', priority: 4 },
      });
  });
  it('is that of Pushover, whose address need not be given', () => {
    const { url, body } = request({ service: 'pushover', token: 'a&b', user: 'u' });
    expect(url).toBe('https://api.pushover.net/1/messages.json');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      ...{ token: 'a&b', user: 'u', title: 'Living room', message: 'Recording has failed: Ärger' },
      ...{ priority: '1', timestamp: '1767291000' },
    });
  });
  it('is that of Apprise', () => {
    expect(request({ service: 'apprise', url: 'http://apprise.lan:8000/notify/key' }, 'conflict')).toMatchObject({
      url: 'http://apprise.lan:8000/notify/key',
      body: { title: 'Living room', body: 'Recording has failed: Ärger', type: 'failure' },
    });
  });
  it('needs an address', () => expect(targetsOf(rules({ service: 'gotify', url: '' }))).toEqual([]));
});
