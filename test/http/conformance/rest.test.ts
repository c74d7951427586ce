/**
 * Checks every route that is not an operation against the OpenAPI document. Each documented response is requested over
 * HTTP, and its status, media type and body are compared strictly with the schema and the example. A route fails if it
 * has no example, no schema, or no request for one of its responses, and so does a response that the document does not
 * list.
 */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { errors } from '../../../src/base/errors.ts';
import { namesOf } from '../../../src/http/endpoint/operation.ts';
import { operations } from '../../../src/http/operations/index.ts';
import { until } from '../../fixtures/waits.ts';
import { alpha } from '../receiver.ts';
import { type Given, type RestRequest, restRequests, testedElsewhere, type Values } from './rest-requests.ts';
import { openRestWorld, type RestWorld } from './rest-world.ts';
import {
  type DocumentedContent,
  type DocumentedRoute,
  type DocumentedSchema,
  readDocument,
  schemaMismatches,
} from './schema.ts';
import { jsonDifferences } from './shape.ts';

interface Route extends DocumentedRoute {
  readonly path: string;
  readonly method: string;
}

const document = await readDocument();

const operationNames = new Set(operations.flatMap(namesOf));
const isOperation = (path: string) =>
  /^\/(web|api)\/([^/]+)$/.test(path) && operationNames.has(path.replace(/.*\//, ''));

const routes: readonly Route[] = Object.entries(document.paths)
  .filter(([path]) => !isOperation(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      // HEAD is tested along with GET. Routes on the other port are tested with the streams.
      .filter(([method, { servers }]) => method !== 'head' && servers === undefined)
      .map(([method, route]) => ({
        ...route,
        path,
        method: method.toUpperCase(),
        // Responses common to all routes are tested with the login.
        responses: Object.fromEntries(Object.entries(route.responses).filter(([, response]) => !('$ref' in response))),
      })),
  );

let world: RestWorld;
beforeAll(async () => {
  world = await openRestWorld();
});
afterAll(() => world.close());
beforeEach(() => reset());

/** The route for which the receiver was last prepared, and its usual request. */
let prepared: { readonly route: Route; readonly request: RestRequest } | undefined;

function reset(): Promise<void> {
  prepared = undefined;
  return world.reset();
}

function touch(): void {
  prepared = undefined;
  world.touch();
}

interface Reply {
  readonly asked: { readonly path: string; readonly method: string };
  readonly status: number;
  readonly headers: Headers;
  readonly type: string;
  readonly text: string;
  readonly json: unknown;
}

const endless = /^\/(api\/events|timeshift\.ts|live\.ts|live\/.+)$/;

/** Statuses of requests that were refused and changed nothing. */
const refusals = new Set([400, 404, 405, 413]);
/** Paths of the AutoTimer plug-in change rules by GET, too. */
const changesNothing = (path: string, method: string, status: number) =>
  refusals.has(status) || (/^(GET|HEAD|OPTIONS)$/.test(method) && !path.startsWith('/autotimer'));

async function fetched(path: string, init: RequestInit): Promise<Reply> {
  const abort = new AbortController();
  const response = await fetch(world.origin + path, { ...init, signal: abort.signal });
  const contentType = response.headers.get('content-type') ?? '';
  const isWhole = !endless.test(path.replace(/\/?(\?.*)?$/, '')) || response.status !== 200 || init.method === 'HEAD';
  const text = isWhole ? await response.text() : await firstPiece(response);
  abort.abort();
  const json: unknown = contentType.startsWith('application/json') && text !== '' ? JSON.parse(text) : undefined;
  const asked = { path: path.replace(/\?.*/, ''), method: init.method ?? 'GET' };
  if (!changesNothing(path, asked.method, response.status)) touch();
  return { asked, status: response.status, headers: response.headers, type: contentType, text, json };
}

async function firstPiece({ body }: Response): Promise<string> {
  for await (const piece of body ?? []) return Buffer.from(piece).toString('latin1');
  return '';
}

/** The documented example of a parameter. For a repeatable one, the example of a single value. */
const exampleOf = ({ examples, enum: words, items }: DocumentedSchema) =>
  (examples ?? items?.examples)?.[0] ?? words?.find((word) => word !== null) ?? undefined;

/** Completes a request with the documented examples of mandatory parameters. */
function completeRequest({ path, parameters, requestBody }: Route, given: RestRequest) {
  const needed = (place: string) =>
    parameters
      .filter((one) => one.in === place && one.required)
      .map(({ name, schema }) => [name, exampleOf(schema)] as const);
  const values = { ...Object.fromEntries(needed('path')), ...given.path };
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const { required = [], properties = {} } = content?.schema ?? {};
  const form = Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
  const isForm = type === 'application/x-www-form-urlencoded';
  const body = isForm ? search({ ...form, ...given.form }) : (given.body ?? (content?.example as string | undefined));
  return {
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name]))),
    query: search({ ...Object.fromEntries(needed('query')), ...given.query }),
    init: {
      headers: { ...(type && { 'Content-Type': type }), ...given.headers },
      ...(body !== undefined && { body, duplex: 'half' as const }),
    },
  };
}

function search(values: Values): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  );
  return new URLSearchParams(given).toString();
}

function prepareRequest(given: Given): RestRequest | Promise<RestRequest> {
  if (typeof given !== 'function') return given;
  touch();
  return given(world);
}

/** The usual request of a route. Resets the receiver and prepares it for the request, unless it still is. */
async function usualRequest(route: Route): Promise<RestRequest> {
  if (prepared?.route === route) return prepared.request;
  await reset();
  const request = await prepareRequest(usual(route));
  prepared = { route, request };
  return request;
}

/** Sends a request; `change` modifies its path. */
async function ask(route: Route, given: Given, change = (path: string) => path, method = route.method): Promise<Reply> {
  const { path, query, init } = completeRequest(route, await prepareRequest(given));
  if (method === 'GET') delete init.body;
  return fetched(`${change(path)}${query && `?${query}`}`, { method, ...init });
}

/** Checks what every response must have, whatever the request. */
function expectDocumented({ responses }: Route, { asked, status, type, headers, json }: Reply): void {
  const response = responses[status];
  expect(Object.keys(responses), `the answer ${status} ${JSON.stringify(json)} is documented`).toContain(
    String(status),
  );
  expect(headers.get('access-control-allow-origin')).toBe('*');
  for (const name of Object.keys(response?.headers ?? {})) expect(headers.get(name), name).not.toBeNull();
  const types = Object.keys(response?.content ?? {});
  if (types.length === 0) expect(type).toBe('');
  else
    expect(
      types.some((one) => isOfType(type, one)),
      `${type} is one of ${types}`,
    ).toBe(true);
  if (json === undefined) return;
  expect(schemaMismatches(document, contentOf(response, type).schema ?? {}, json)).toEqual([]);
  const { error, _request } = json as { error?: keyof typeof errors; _request?: object };
  if (status >= 400 && error !== undefined) expect([errors[error].http, _request]).toEqual([status, asked]);
}

const isOfType = (type: string, documented: string) =>
  type === documented || (documented.endsWith('/*') && type.startsWith(documented.slice(0, -1)));

function contentOf(response: Route['responses'][string] | undefined, type: string): DocumentedContent {
  const found = Object.entries(response?.content ?? {}).find(([documented]) => isOfType(type, documented));
  return found?.[1] ?? {};
}

const otherSite = { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://other.example' };
const large = { form: { large: 'x'.repeat(300_000) } };

/** The requests of the table for a status, and those common to all routes of its kind. */
function requestsFor({ operationId, method, requestBody }: Route, status: number): readonly Given[] {
  const own: readonly Given[] = [restRequests[operationId]?.[status] ?? []].flat();
  const isForm = requestBody?.content['application/x-www-form-urlencoded'] !== undefined;
  const common: readonly Given[] = [
    ...(status === 403 && method !== 'GET' ? [{ headers: otherSite }] : []),
    // Routes with their own limit for forms have their own requests.
    ...(status === 413 && isForm && own.length === 0 ? [large] : []),
  ];
  return [...own, ...common];
}

/** A successful request or, for a route that always fails, a failing one. */
const usual = (route: Route): Given => {
  const [status = ''] = Object.keys(route.responses).sort();
  return requestsFor(route, Number(status))[0] as Given;
};
const isBinary = (schema: object | undefined) => schema !== undefined && 'format' in schema;

const answers = routes.flatMap((route) =>
  Object.keys(route.responses)
    .map(Number)
    .map((status) => ({ route, status, name: `${route.method} ${route.path} ${status}` })),
);

describe('the document', () => {
  it.each(routes)(
    'has a schema and an example for every response of $method $path, and this suite has a request',
    (route) => {
      const { operationId, responses, parameters } = route;
      for (const { name, required, schema } of parameters) if (required) expect(exampleOf(schema), name).toBeDefined();
      for (const [status, { content = {} }] of Object.entries(responses)) {
        for (const { schema } of Object.values(content)) expect(schema).toBeDefined();
        const [first] = Object.values(content);
        const isError = JSON.stringify(first?.schema) === '{"$ref":"#/components/schemas/Error"}';
        const isText = first !== undefined && !isError && !isBinary(first.schema);
        if (isText && !/html/.test(Object.keys(content)[0] ?? '')) expect(first.example, status).toBeDefined();
        const elsewhere = testedElsewhere[`${operationId} ${status}`];
        if (elsewhere !== undefined) expect(existsSync(elsewhere)).toBe(true);
        else if (status !== '304')
          expect(requestsFor(route, Number(status)), `a request for ${status}`).not.toEqual([]);
      }
    },
  );

  it('has every path that clients use, with and without dots', () => {
    const operationNames = ['services.m3u', 'stream.m3u', 'streamcurrent.m3u', 'video.m3u', 'ts.m3u', 'services.xspf'];
    const lists = ['movielist.m3u', 'movielist.rss', 'movielist.html'];
    const known = [...operationNames, ...lists].flatMap((name) => [name, name.replace('.', '')]);
    const autotimer = ['', '/get', '/set', '/edit', '/change', '/remove', '/parse', '/simulate', '/test'];
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        ...known.flatMap((name) => [`/web/${name}`, `/api/${name}`]),
        ...['', '/tv', '/radio', '/{type}'].map((rest) => `/services${rest}`),
        ...autotimer.map((rest) => `/autotimer${rest}`),
      ]),
    );
  });

  it('has the same paths in both versions, except for the other port', async () => {
    const second = (await (await fetch(`${world.origin}/api/`)).json()) as { paths: object };
    expect(Object.keys(second.paths)).toEqual(
      Object.keys(document.paths).filter((path) => path !== '/{service_reference}'),
    );
  });

  it('has an example of the family’s error body', () => {
    const { Error: error } = document.components.schemas;
    expect(error?.examples).toHaveLength(1);
    for (const example of error?.examples ?? []) expect(schemaMismatches(document, error ?? {}, example)).toEqual([]);
  });

  it('lists the responses of the table and those tested elsewhere', () => {
    const documented = new Set(answers.map(({ route, status }) => `${route.operationId} ${status}`));
    const given = Object.entries(restRequests).flatMap(([id, all]) =>
      Object.keys(all).map((status) => `${id} ${status}`),
    );
    expect([...given, ...Object.keys(testedElsewhere)].filter((one) => !documented.has(one))).toEqual([]);
  });
});

/** True for documents whose inner keys are not defined: only their top-level keys are compared. */
const hasOpenObjects = (schema: object) => JSON.stringify(schema).includes('"additionalProperties":true');

describe('the response', () => {
  it.each(answers.filter(({ status }) => status !== 304))('$name matches the document', async ({ route, status }) => {
    for (const [index, given] of requestsFor(route, status).entries()) {
      await reset();
      // The rate limit counts per second. To reach it, time stands still; other requests wait for the next second.
      const second = status === 429 ? vi.spyOn(performance, 'now').mockReturnValue(performance.now()) : undefined;
      const reply = await until(async () => {
        const one = await ask(route, given);
        if ((one.status === 429) !== (status === 429)) throw new Error(`${one.status} instead of ${status}`);
        return one;
      }).finally(() => second?.mockRestore());
      expect(reply.status, reply.text.slice(0, 500)).toBe(status);
      expectDocumented(route, reply);
      if (status >= 400) expect(reply.headers.get('cache-control')).toBe('no-store');
      else expect(reply.headers.get('cache-control')).toMatch(/^(no-store|no-cache|(public|private), max-age=\d+)$/);
      const { schema = {}, example } = contentOf(route.responses[status], reply.type);
      if (example === undefined || reply.json === undefined) continue;
      expect(schemaMismatches(document, schema, example)).toEqual([]);
      if (index === 0 && !hasOpenObjects(schema)) expect(jsonDifferences(reply.json, example)).toEqual([]);
    }
  });

  it.each(answers.filter(({ status }) => status === 304))('$name follows from an equal ETag', async ({ route }) => {
    const request = await prepareRequest(usual(route));
    const { headers } = await ask(route, request);
    const tag = headers.get('etag') ?? '';
    // Otherwise fetch adds `no-cache` itself.
    const conditional = { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' };
    const reply = await ask(route, { ...request, headers: conditional });
    expect([reply.status, reply.text, reply.headers.get('etag')]).toEqual([304, '', tag]);
    expectDocumented(route, reply);
  });
});

const gets = routes.filter(({ method }) => method === 'GET');

describe('a variation of the request', () => {
  const comparable = ({ status, type }: Reply) => ({ status, type });

  it.each(routes.filter(({ path }) => path !== '/'))(
    '$method $path with a trailing slash gives the same response',
    async (route) => {
      const plain = await ask(route, usual(route));
      await reset();
      const slash = await ask(route, usual(route), (path) => `${path}/`);
      expect(comparable(slash)).toEqual(comparable(plain));
      expect(jsonDifferences(slash.json, plain.json)).toEqual([]);
    },
  );

  it.each(gets)('HEAD $path has the headers of GET and no body', async (route) => {
    const get = await ask(route, usual(route));
    const head = await ask(route, usual(route), undefined, 'HEAD');
    expect(comparable(head)).toEqual(comparable(get));
    expect(head.text).toBe('');
  });

  const withReference = routes.filter(({ path }) => path.includes('{service_reference}'));
  const parts = alpha.split(':').slice(0, 10);
  const references = [
    encodeURIComponent(alpha),
    alpha,
    ...[':', '_', '-'].flatMap((by) => [parts.join(by), parts.join(by) + by]),
  ];

  it.each(withReference)('$method $path accepts a reference in every form', async (route) => {
    const plain = await ask(route, usual(route));
    for (const reference of references) {
      await reset();
      const reply = await ask(route, usual(route), (path) => path.replace(encodeURIComponent(alpha), reference));
      expect([reference, reply.status]).toEqual([reference, plain.status]);
      expect(jsonDifferences(reply.json, plain.json)).toEqual([]);
    }
    for (const reference of ['nonsense', parts.slice(1).join(':'), `${parts.join('_')}-`]) {
      const reply = await ask(route, usual(route), (path) => path.replace(encodeURIComponent(alpha), reference));
      expect([reference, reply.status]).toEqual([reference, 400]);
    }
  });
});

describe('every path', () => {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const byPath = paths.map((path) => ({ path, all: routes.filter((route) => route.path === path) }));

  it.each(byPath)('$path refuses other methods and lists its own', async ({ all }) => {
    const allowed = [...all.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((one) => !allowed.includes(one))) {
      const reply = await ask(all[0] as Route, {}, undefined, method);
      expect([method, reply.status, reply.headers.get('allow')]).toEqual([method, 405, allowed.join(', ')]);
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(reply.json).toMatchObject({ result: false, error: 'method-not-allowed', _request: { method } });
    }
  });

  it.each(byPath)('$path answers OPTIONS', async ({ all }) => {
    const { status, text, headers } = await ask(all[0] as Route, {}, undefined, 'OPTIONS');
    expect([status, text]).toEqual([200, '']);
    expect(Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'Content-Type',
      'access-control-allow-methods': 'GET,PUT,POST,DELETE,OPTIONS',
      'access-control-max-age': '86400',
    });
  });
});

/** Different texts that are valid items of a list of filters, tags or references. */
const several = (count: number, { pattern = '', maxLength = 0 }: DocumentedSchema = {}) =>
  Array.from({ length: count }, (_, n) => {
    if (pattern.includes('title')) return `title:${n}`;
    return pattern === '' && maxLength > 0 ? `1:0:1:${n}:1:1:1:0:0:0:` : `t${n}`;
  });

const long = (length: number) => 'x'.repeat(length);

/** Values just outside a schema. An empty text is not among them, because it counts as absent. */
function outside(schema: DocumentedSchema): readonly (string | readonly string[])[] {
  const { type, enum: words, minimum, maximum, pattern, maxLength, maxItems, items } = schema;
  const mismatch = ['?', '24:00', 'x y'].find((text) => pattern !== undefined && !new RegExp(pattern).test(text));
  return [
    ...(words !== undefined ? ['7', 'nonsense'].filter((one) => type !== 'integer' || one === '7') : []),
    ...(minimum === undefined ? [] : [String(minimum - 1)]),
    ...(maximum === undefined ? [] : [String(maximum + 1), '99999999999999999999']),
    ...([type].flat().includes('boolean') ? ['nonsense'] : []),
    ...(mismatch === undefined ? [] : [mismatch]),
    ...(maxLength === undefined ? [] : [long(maxLength + 1)]),
    ...(maxItems === undefined ? [] : [several(maxItems + 1, items)]),
    ...(items === undefined ? [] : outside(items)),
  ];
}

/** The values on the bounds of a schema. */
function onBounds(schema: DocumentedSchema): readonly (string | readonly string[])[] {
  const { type, enum: words = [], minimum, maximum, maxLength, maxItems, items } = schema;
  return [
    ...words.filter((word) => word !== null).map(String),
    ...[minimum ?? [], maximum ?? []].flat().map(String),
    ...([type].flat().includes('boolean') ? ['true', 'false', '1', 'off'] : []),
    ...(maxLength === undefined ? [] : [long(maxLength)]),
    ...(maxItems === undefined ? [] : [several(maxItems, items)]),
  ];
}

describe('every parameter', () => {
  const parameters = routes.flatMap((route) => {
    const form = route.requestBody?.content['application/x-www-form-urlencoded']?.schema?.properties ?? {};
    return [
      ...route.parameters.map(({ name, in: place, schema }) => ({ name, place, schema })),
      ...Object.entries(form).map(([name, schema]) => ({ name, place: 'form' as const, schema })),
    ].map((one) => ({ ...one, route, method: route.method, path: route.path }));
  });
  type Parameter = (typeof parameters)[number];

  /** The usual request with another value of one parameter. */
  async function askWith({ name, place, route }: Parameter, value: string | readonly string[]): Promise<Reply> {
    const request = await usualRequest(route);
    return ask(route, { ...request, [place]: { ...request[place], [name]: value } });
  }

  // Paths that Enigma2 and its plug-in have too are as lenient as on a box.
  const isRest = ({ route: { operationId } }: Parameter) => !/^(grab|plugin_)/.test(operationId);
  const bounded = parameters.filter(isRest).filter(({ schema }) => outside(schema).length > 0);
  const nameOf = ({ route: { operationId }, name }: Parameter) => `${operationId} ${name}`;

  it('with bounds is found in the document', () => {
    expect(bounded.map(nameOf)).toEqual(
      expect.arrayContaining([
        ...['eventsearch max_rows', 'eventsearch match', 'eventsearch flags', 'recordings recursive', 'timers state'],
        ...['autotimer id', 'timerPost repeat_mask', 'autotimerPut from', 'autotimerPost tags', 'events signal'],
      ]),
    );
  });

  // For these, the interface's reference defines the meaning of every other value.
  const others: Readonly<Record<string, object>> = {
    'eventlookup querytype': { result: true, events: [] },
    'eventsearch case_sensitive': { mangled_parameters: { case_sensitive: false } },
  };

  it.each(bounded)('$name of $method $path is refused by name with a value outside its schema', async (parameter) => {
    for (const value of outside(parameter.schema)) {
      const { status, json, text } = await askWith(parameter, value);
      const other = others[nameOf(parameter)];
      expect([value, status], text.slice(0, 500)).toEqual([value, other === undefined ? 400 : 200]);
      if (other !== undefined) expect(json).toMatchObject(other);
      else expect(json).toMatchObject({ result: false, message: expect.stringMatching(`\\b${parameter.name}\\b`) });
    }
  });

  it.each(bounded)('$name of $method $path is accepted with a value on its bounds', async (parameter) => {
    for (const value of onBounds(parameter.schema)) {
      const { status, text } = await askWith(parameter, value);
      expect([value, status], text.slice(0, 500)).not.toEqual([value, 400]);
    }
  });

  it.each(parameters)(
    '$name of $method $path answers nonsense with a documented response',
    async ({ name, place, route }) => {
      for (const value of ['', 'nonsense', '-1', '99999999999999999999', '\0', '<&">']) {
        if (place === 'path' && value === '') continue;
        const request = await usualRequest(route);
        const reply = await ask(route, { ...request, [place]: { ...request[place], [name]: value } });
        expectDocumented(route, reply);
      }
    },
  );
});
