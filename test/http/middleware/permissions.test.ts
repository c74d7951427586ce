/**
 * Every request in the OpenAPI document is refused to clients without its permission, and to no others. A client that may
 * only view cannot change anything, whatever the parameters.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsPath, newToken, noAccounts, writeAccounts } from '../../../src/access/accounts-file.ts';
import { type Permission, permissions, permits } from '../../../src/access/permissions.ts';
import { localPermissions } from '../../../src/config/config.ts';
import { zapForStreams } from '../../../src/config/enigma2-setting-keys.ts';
import { operations } from '../../../src/http/operations/index.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { openAccessControl } from '../../fixtures/access-control.ts';
import { requestsFor } from '../conformance/requests.ts';
import { type DocumentedRoute, readDocument } from '../conformance/schema.ts';
import { openWorld, type World } from '../conformance/world.ts';
import { beta } from '../receiver.ts';

interface Step extends DocumentedRoute {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
}

/** Paths that are not tested: endless responses, the stream port, and the logins, which are open to everybody. */
const left = new Set(['/api/events', '/timeshift.ts', '/{service_reference}', '/login', '/administrator']);
const document = await readDocument();
const steps = Object.entries(document.paths)
  .filter(([path]) => !left.has(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({ ...route, path, method: method.toUpperCase() }) as Step),
  )
  .filter(({ method }) => ['GET', 'POST', 'PUT', 'DELETE'].includes(method));

const folder = mkdtempSync(join(tmpdir(), 'receiverd-rights-'));
const tokens = Object.fromEntries(permissions.map((permission) => [permission, newToken()])) as Record<
  Permission,
  ReturnType<typeof newToken>
>;

let world: World;
beforeAll(async () => {
  const accounts = permissions.map((one) => ({ name: one, rights: [one], hash: tokens[one].hash, created: 0 }));
  await writeAccounts(accountsPath(folder), { ...noAccounts(), tokens: accounts });
  world = await openWorld({ accessControl: openAccessControl(folder) });
  await world.reset();
  // Another service than in the requests, so that a zap is noticed.
  await world.playback.zap(ServiceReference.parse(beta));
  await world.parts.settings.change(zapForStreams, 'true');
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

type Values = Readonly<Record<string, string>>;

const viewer: RequestContext = { name: 'view', may: ['view'], from: '203.0.113.9', token: tokens.view.token };

async function ask(method: Step['method'], path: string, values: Values, { from, token }: RequestContext = viewer) {
  const text = new URLSearchParams(values).toString();
  const url = path.replace(/\{\w+\}/g, '1');
  const headers = { host: 'localhost', ...(token && { authorization: `Bearer ${token}` }) };
  const asked = { method, headers, remoteAddress: from } as const;
  if (method !== 'POST' && method !== 'PUT') return world.app.inject({ ...asked, url: `${url}?${text}` });
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return world.app.inject({ ...asked, url, payload: text, headers: { ...headers, ...type } });
}

/** The clients: tokens with one permission each from outside the local network, and clients without a login. */
const addressOutside = '203.0.113.9';
const callers: readonly RequestContext[] = [
  ...permissions.map((permission) => ({
    name: permission,
    may: [permission],
    from: addressOutside,
    token: tokens[permission].token,
  })),
  { name: 'the local network', may: localPermissions, from: '192.168.1.20' },
  { name: 'this machine', may: localPermissions, from: '127.0.0.1' },
  { name: 'a client outside', may: [], from: addressOutside },
];

interface RequestContext {
  readonly name: string;
  readonly may: readonly Permission[];
  readonly from: string;
  readonly token?: string;
}

/** The permissions that a request needs, without parameters and with each parameter that makes it a change. */
const needs = ({ 'x-permission': plain, 'x-permission-with': more = {} }: Step) => [
  [plain, {}] as const,
  ...Object.entries(more).map(([parameter, permission]) => [permission, { [parameter]: '' }] as const),
];

describe('refused without its permission:', () => {
  it.each(steps)('$method $path', async (step) => {
    for (const [permission, values] of needs(step)) {
      if (permission === 'none') continue;
      for (const context of callers.filter(({ may }) => !permits(may, permission))) {
        const { statusCode, body } = await ask(step.method, step.path, values, context);
        expect([context.name, values, statusCode]).toEqual([context.name, values, context.token ? 403 : 401]);
        expect(body).toContain(context.may.length === 0 ? 'asks for a user' : `'${permission}'`);
      }
    }
  });
});

/** The names of operations, without dots. */
const plain = (name: string) => name.replaceAll('.', '');
const names = new Set(operations.flatMap(({ name, aliases }) => [name, ...aliases]).map(plain));

it('every change needs more than the permission to view', () => {
  const read = new Set(['/grab', '/api/evil', '/parentallock/check', '/lineup.post']);
  const isOperation = (path: string) => /^\/(web|autotimer)(\/|$)/.test(path) || names.has(plain(path.slice(5)));
  const changes = steps.filter(({ path, method }) => method !== 'GET' && !read.has(path) && !isOperation(path));
  for (const { method, path, 'x-permission': permission } of changes)
    expect([method, path, permission]).toEqual([method, path, expect.not.stringMatching(/^(none|view)$/)]);
  for (const { name, changesState, permission } of operations)
    if (changesState !== false) expect([name, permission]).not.toEqual([name, 'view']);
});

it('changes of bouquets and of the parental lock need the permission of the administrator', () => {
  const admin = steps.filter(
    ({ path, method }) => method !== 'GET' && /^\/(bouquets|parentallock)(?!.*\/(check|preview)$)/.test(path),
  );
  expect(admin.length).toBeGreaterThan(5);
  expect(admin.filter(({ 'x-permission': permission }) => permission !== 'admin')).toEqual([]);
});

/** Everything that a request could have changed. */
async function state({ parts, playback }: World): Promise<object> {
  const { device, guide, timers, autoTimer, log, settings, tags, locations } = parts;
  const { volume, power, messages, sleepTimer } = device;
  const files = readdirSync(world.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return {
    played: playback.current?.reference.format(),
    tracks: playback.current?.audioTracks,
    device: [volume.level, volume.muted, power.standby, messages.open, sleepTimer.enabled, sleepTimer.minutes],
    events: await guide.services(),
    timers: timers.all,
    rules: [autoTimer.rules.all, autoTimer.rules.settings],
    others: [log.level, [...settings.stored], tags.all, locations.all],
    files: files.map((file) => [file, readFileSync(file, 'base64')]),
  };
}

const values = ['1', 'true', 'set', beta, 'x'];

describe('a client that may only view changes nothing by', () => {
  it.each(steps)('$method $path', async ({ path, method, parameters, requestBody }) => {
    const fields = Object.keys(requestBody?.content['application/x-www-form-urlencoded']?.schema?.properties ?? {});
    const known = [...parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name), ...fields];
    const requests = requestsFor(world.recording, world.other);
    // A picture of normal size takes 0.2 s of processor time.
    const usual = path === '/grab' ? { r: '160' } : (requests[path.replace(/^\/(web|api)\//, '')] ?? {});
    const before = await state(world);
    const asked: Values[] = [usual];
    for (const name of known) for (const value of values) asked.push({ ...usual, [name]: value });
    for (const given of asked) expect((await ask(method, path, given)).statusCode).not.toBe(401);
    expect(await state(world)).toEqual(before);
  });
});

describe('allowed with its permission:', () => {
  it.each(steps.filter(({ path }) => path !== '/grab'))('$method $path', async (step) => {
    for (const [permission, values] of needs(step)) {
      const context = callers.find(({ may, token }) => token && (permission === 'none' || permits(may, permission)));
      const { statusCode, body } = await ask(step.method, step.path, values, context);
      expect([statusCode, body]).not.toEqual([401, expect.anything()]);
      expect(body).not.toContain('needs the permission');
    }
  });
});
