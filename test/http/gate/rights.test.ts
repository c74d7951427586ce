/**
 * Whoever may only view changes nothing: not by what is defined as a change, nor by any other request that the OpenAPI
 * document knows, whatever its parameters.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsPath, newToken, noAccounts, writeAccounts } from '../../../src/access/accounts-file.ts';
import { zapForStreams } from '../../../src/device/setting-keys.ts';
import { operations } from '../../../src/http/operations/index.ts';
import { autotimerDescriptions } from '../../../src/http/rest/autotimer-description.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { openDoor } from '../../fixtures/doorkeeper.ts';
import { requestsFor } from '../conformance/requests.ts';
import { type DocumentedRoute, readDocument } from '../conformance/schema.ts';
import { openWorld, type World } from '../conformance/world.ts';
import { beta } from '../receiver.ts';

interface Step extends DocumentedRoute {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
}

/** Answers without an end, the stream port, and the login, which is for everybody. */
const left = new Set(['/api/events', '/timeshift.ts', '/{service_reference}', '/login']);
const document = await readDocument();
const steps = Object.entries(document.paths)
  .filter(([path]) => !left.has(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({ ...route, path, method: method.toUpperCase() }) as Step),
  )
  .filter(({ method }) => ['GET', 'POST', 'PUT', 'DELETE'].includes(method));

const folder = mkdtempSync(join(tmpdir(), 'receiverd-rights-'));
const { token, hash } = newToken();
const headers = { host: 'box:8080', authorization: `Bearer ${token}` };

let world: World;
beforeAll(async () => {
  const viewer = { name: 'viewer', rights: ['view' as const], hash, created: 0 };
  await writeAccounts(accountsPath(folder), { ...noAccounts(), tokens: [viewer] });
  world = await openWorld({ doorkeeper: openDoor(folder) });
  await world.reset();
  // So that a zap to the usual service is seen, also one without a word of the request.
  await world.playback.zap(ServiceReference.parse(beta));
  await world.parts.settings.change(zapForStreams, 'true');
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

type Values = Readonly<Record<string, string>>;

async function ask(method: Step['method'] | 'HEAD', path: string, values: Values) {
  const text = new URLSearchParams(values).toString();
  const url = path.replace(/\{\w+\}/g, '1');
  if (method !== 'POST' && method !== 'PUT') return world.app.inject({ method, url: `${url}?${text}`, headers });
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return world.app.inject({ method, url, payload: text, headers: { ...headers, ...type } });
}

async function expectRefused(method: Step['method'] | 'HEAD', path: string, values: Values = {}): Promise<void> {
  const { statusCode, body } = await ask(method, path, values);
  expect(statusCode).toBe(403);
  if (method !== 'HEAD') expect(body).toMatch(/needs the right '(control|record|admin)'/);
}

/** The requests by which an operation is a change. */
const changes = operations.flatMap(({ name, changesState }) =>
  typeof changesState === 'boolean'
    ? changesState
      ? [[name, {}] as const]
      : []
    : changesState.map((parameter) => [name, { [parameter]: '' }] as const),
);

it.each(changes)('the operation %s %j is refused', async (name, values) => {
  for (const face of ['web', 'api'])
    for (const method of ['GET', 'HEAD', 'POST'] as const) await expectRefused(method, `/${face}/${name}`, values);
});

const plain = (name: string) => name.replaceAll('.', '');
const names = new Set(operations.flatMap(({ name, aliases }) => [name, ...aliases]).map(plain));
/** Read by POST, too: operations, the AutoTimer plug-in, screenshots, a list of impossible values, and whether a code is right. */
const isRead = (path: string) =>
  /^\/(web|autotimer)(\/|$)/.test(path) ||
  ['/grab', '/api/evil', '/parentallock/check'].includes(path) ||
  names.has(plain(path.slice(5)));
const routes = steps.filter(({ path, method }) => method !== 'GET' && !isRead(path));

it.each(routes)('the route $method $path is refused', async ({ method, path }) => {
  await expectRefused(method, path);
});

const rules = Object.entries(autotimerDescriptions).filter(([, one]) => 'changesState' in one && one.changesState);

it.each(rules)('the path %s is refused', async (path) => {
  for (const method of ['GET', 'HEAD', 'POST'] as const) await expectRefused(method, path);
});

/** What a viewer could have changed. */
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

describe('nothing changes by', () => {
  it.each(steps)('$method $path', async ({ path, method, parameters, requestBody }) => {
    const fields = Object.keys(requestBody?.content['application/x-www-form-urlencoded']?.schema?.properties ?? {});
    const known = [...parameters.filter((one) => one.in === 'query').map(({ name }) => name), ...fields];
    const requests = requestsFor(world.recording, world.other);
    // A picture of usual size takes 0.2 s of processor time.
    const usual = path === '/grab' ? { r: '160' } : (requests[path.replace(/^\/(web|api)\//, '')] ?? {});
    const before = await state(world);
    const asked: Values[] = [usual];
    for (const name of known) for (const value of values) asked.push({ ...usual, [name]: value });
    for (const given of asked) expect((await ask(method, path, given)).statusCode).not.toBe(401);
    expect(await state(world)).toEqual(before);
  });
});

it('the document tells which right a change needs', () => {
  const told = (path: string, method: string) => JSON.stringify(document.paths[path]?.[method]?.responses[403]);
  expect(told('/api/zap', 'get')).toContain("without the right 'control'");
  expect(told('/timers', 'post')).toContain("without the right 'record'");
  expect(told('/login', 'post')).not.toContain('right');
});
