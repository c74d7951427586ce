/**
 * Sends hostile values to every request in the OpenAPI document. The receiver always responds with a documented status, never
 * with an internal error, and in the error format of the family. Long headers and texts do not delay other requests.
 */
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errors } from '../../src/base/errors.ts';
import { type DocumentedRoute, type DocumentedSchema, readDocument, schemaMismatches } from './conformance/schema.ts';
import { openWorld, type World } from './conformance/world.ts';
import { alpha, beta } from './receiver.ts';
import { names, parseXml } from './reply.ts';

interface Step extends DocumentedRoute {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
}

const document = await readDocument();

/** Paths that are not tested: endless responses and the stream port. */
const left = new Set(['/api/events', '/timeshift.ts', '/{service_reference}']);
const steps = Object.entries(document.paths)
  .filter(([path]) => !left.has(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({ ...route, path, method: method.toUpperCase() }) as Step),
  )
  .filter(({ method }) => ['GET', 'POST', 'PUT', 'DELETE'].includes(method));

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.reset();
});
afterAll(() => world.close());

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

const texts: readonly string[] = [
  ...['', ' ', '0', '-1', '1', '1e999', '0x10', '99999999999999999999', '9'.repeat(400), 'NaN', 'null', 'true', '[]'],
  ...['\0', 'a\0b', '\r\nX-Injected: y', '\ud800', '\u202e', '\ufffe', '<&">', ']]>', '%', '%00', '%zz', '%25%32%35'],
  ...['/', '..', '../../../../etc/passwd', '/etc/passwd', '/media/hdd/movie/../../../etc', 'file:///etc/passwd', '//'],
  ...["'", '"', '__proto__', 'constructor', 'toString', '{"__proto__":{"a":1}}', '*', '?', '.*', '(a+)+$'],
  ...['('.repeat(5000), lists(10_000), 'x'.repeat(20_000), 'Ω'.repeat(300), '\\'.repeat(99), 'a '.repeat(5000)],
  ...[alpha, beta, '1:0:1:', '1:0:1:FFFFFFFFFF:1:1:1:0:0:0:', '1:0:1:1:1:1:1:0:0:0:/etc/passwd', ':'.repeat(50)],
  ...['1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "../../x" ORDER BY bouquet', '1:7:1:0:0:0:0:0:0:0:(type == 1) && '],
  `1:7:1:0:0:0:0:0:0:0:${'('.repeat(3000)}type == 1`,
  ...['4097:0:1:0:0:0:0:0:0:0:http%3a//[::1:x', '1:134:1:0:0:0:0:0:0:0:FROM BOUQUET "alternatives.alpha.tv"'],
];

/** Replaces lone surrogates, which cannot be sent. */
const wellFormed = (text: string) => Buffer.from(text).toString();

const value = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);
/** A segment of a path. An empty one, dots, or one that is too long for the router would be another path. */
const segment = value.filter((text) => !/^\.{0,2}$/.test(text) && encodeURIComponent(wellFormed(text)).length < 8000);
const json = fc.oneof(
  value,
  fc.constantFrom<unknown>(null, true, -1, 1e308, [], {}, [[]], [null], [{ where: 'title', text: 1 }], {
    a: { b: [] },
  }),
);
/** Bodies that are not forms. */
const bodies = fc.constantFrom<readonly [type: string, body: string]>(
  ['application/json', lists(100_000)],
  ['application/json', `{"match":"x","include":${lists(100_000)},"title":${lists(3000)}}`],
  ['application/json', `${'{"include":['.repeat(10_000)}`],
  ['application/json', '{"__proto__":{"match":"x"},"constructor":1}'],
  ['application/json', '\ufeff{}'],
  ['application/json', ''],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="match"\r\n\r\n'],
  ['multipart/form-data', 'x'],
  ['application/xml', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><autotimer version="8">&b;</autotimer>'],
  ['text/xml', '<tv>'.repeat(20_000)],
  ['application/octet-stream', '\x1f\x8b\x08\0\0\0'],
  ['application/gzip', '\x32\x54\x76\x98ENIGMA_EPG_V8\xff\xff\xff\xff'],
  ['nonsense', '\0'],
);

/** Requests of a step: some of its parameters, each with a hostile value, and a body. */
function requestsOf({ path, method, parameters, requestBody }: Step) {
  const fields = Object.keys(requestBody?.content['application/x-www-form-urlencoded']?.schema?.properties ?? {});
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const given = (known: readonly string[]) =>
    fc.dictionary(known.length === 0 ? fc.constant('unknown') : fc.constantFrom(...known), value, {
      maxKeys: 5,
      noNullPrototype: true,
    });
  const form = given(fields).map((some) => [
    'application/x-www-form-urlencoded',
    Object.entries(some)
      .map(([name, text]) => `${name}=${encodeURIComponent(wellFormed(text))}`)
      .join('&'),
  ]);
  const object = fc
    .dictionary(fields.length === 0 ? fc.constant('unknown') : fc.constantFrom(...fields), json, { maxKeys: 5 })
    .map((some) => ['application/json', JSON.stringify(some)]);
  const body = method === 'GET' ? fc.constant(undefined) : fc.oneof(form, object, bodies);
  const segments = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return fc.record({
    segments: fc.tuple(...segments.map(() => segment)),
    query: given(query),
    body,
  });
}

const encoded = (text: string) => encodeURIComponent(wellFormed(text));

/** Checks that an error has the format of its family, and that other responses are well-formed. */
function expectForm(path: string, method: string, status: number, type: string, body: string): void {
  const isXml = type.startsWith('text/xml');
  const root = isXml && method !== 'HEAD' ? parseXml(body) : undefined;
  const value = type.startsWith('application/json') ? JSON.parse(body) : undefined;
  if (status < 400) return;
  if (path.startsWith('/web/')) {
    expect(names(root)).toEqual(['e2state', 'e2statetext']);
    return;
  }
  if (isXml) return;
  expect(value).toMatchObject({ result: false, message: expect.any(String) });
  if (value.error !== undefined && Object.hasOwn(errors, value.error))
    expect(errors[value.error as keyof typeof errors].http).toBe(status);
}

it.each(steps)('$method $path responds to hostile values', async (step) => {
  const { path, method, responses } = step;
  await fc.assert(
    fc.asyncProperty(requestsOf(step), async ({ segments, query, body }) => {
      const left = [...segments];
      // A picture of normal size takes 0.2 s of processor time.
      const small = path === '/grab' ? { r: '160' } : {};
      const search = Object.entries({ ...small, ...query }).map(([name, text]) => `${name}=${encoded(text)}`);
      const url = `${path.replace(/\{\w+\}/g, () => encoded(left.shift() ?? ''))}?${search.join('&')}`;
      const [type = '', payload] = body ?? [];
      const reply = await world.app.inject({
        method,
        url,
        ...(payload !== undefined && { payload, headers: { 'content-type': type } }),
      });
      const { statusCode: status } = reply;
      expect(status, reply.body.slice(0, 500)).not.toBe(500);
      const documented = responses[status] ?? responses.default;
      // These have no route: the body is too large for any, or the path is another one.
      if (![404, 413].includes(status)) expect(documented, `${status} ${reply.body.slice(0, 500)}`).toBeDefined();
      const contentType = String(reply.headers['content-type'] ?? '');
      const { schema } = documented?.content?.[contentType] ?? {};
      // Some routes report that nothing was found in the format of their normal response.
      const hasOwnForm = schema !== undefined && !JSON.stringify(schema).includes('/Error"');
      expectForm(path, method, hasOwnForm ? 200 : status, contentType, reply.body);
      if (status >= 400 && schema !== undefined && contentType.startsWith('application/json'))
        expect(schemaMismatches(document, schema, reply.json())).toEqual([]);
    }),
    { numRuns: 15 },
  );
});

/** Processor time of a request in microseconds, on all threads. */
async function costOf(request: InjectOptions): Promise<number> {
  const before = process.cpuUsage();
  await world.app.inject(request);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * Maximum processor time of a request in microseconds, about 100 ms: 400 times that of a trivial request. Of many trivial
 * requests the fastest counts, for which everything is compiled and nothing else runs.
 */
let maxCost: Promise<number> | undefined;
async function measureMaxCost(): Promise<number> {
  const costs: number[] = [];
  for (let count = 0; count < 300; count++) costs.push(await costOf({ url: '/api/vol' }));
  return 400 * Math.min(...costs);
}

/**
 * True if a text takes so much longer than one of half its length that it delays other requests. Routes that are slow for
 * every text do not count. The best of three attempts counts, because the machine may be busy.
 */
async function takesTooLong(requestOf: (length: number) => InjectOptions, length: number): Promise<boolean> {
  maxCost ??= measureMaxCost();
  const limit = await maxCost;
  if ((await costOf(requestOf(length))) <= limit) return false;
  for (let attempt = 0; attempt < 3; attempt++) {
    const half = await costOf(requestOf(length / 2));
    if ((await costOf(requestOf(length))) - half <= limit / 2) return false;
  }
  return true;
}

const pumps = [' ', ',', '*', ';'];

/** Headers that the program or its libraries parse, each with a valid beginning before the hostile rest. */
const headers: readonly (readonly [name: string, before: string])[] = [
  ['range', 'bytes='],
  ['range', 'bytes=1-'],
  ...['if-match', 'if-none-match', 'if-range'].map((name) => [name, '"a"'] as const),
  ...['if-modified-since', 'if-unmodified-since'].map((name) => [name, 'Thu, 01 Jan 2026 18:00:00'] as const),
  ['accept', 'text/html'],
  ['accept-encoding', 'gzip'],
  ['accept-language', 'de'],
  ['cookie', 'receiverd=a'],
  ['forwarded', 'for=192.0.2.1'],
  ['x-forwarded-for', '192.0.2.1'],
  ['content-type', 'multipart/form-data; boundary=a'],
];

const isOperation = ({ path }: Step) =>
  /^\/(web|api)\/[a-z.]+$/.test(path) && Object.hasOwn(document.paths, path.replace('/api', '/web'));
/** All but screenshots, which take 0.2 s of processor time. */
const measured = steps.filter(({ path }) => path !== '/grab');
/** The requests whose headers are tested. One operation stands for all, because they share the code that reads headers. */
const entrances = measured.filter((step) => !isOperation(step) || step.path === '/api/vol');
/** The requests whose texts are tested. One name stands for all names of an operation, because they share a handler. */
const handlers = measured.filter(
  (step) => !isOperation(step) || (step.method === 'POST' && /^\/api\/[a-z]+$/.test(step.path)),
);

/** The URL of a request. Routes that send a file get the recording. */
function urlOf({ path, method, parameters }: Step, query: string[] = []): string {
  const takesFile =
    method === 'GET' && parameters.some(({ name }) => name === 'file') && !query.some((one) => one.startsWith('file='));
  const left = takesFile ? [`file=${encodeURIComponent(world.recording)}`, ...query] : query;
  return `${path.replace(/\{(\w+)\}/g, (_, name) => (name === 'path' ? 'Other.ts' : encoded(alpha)))}?${left.join('&')}`;
}

it.each(entrances)('$method $path parses a header of 8 kB quickly', async (step) => {
  // GET has no body to read; for other methods only the header of the body differs from GET.
  const read = headers.filter(([name]) => (name === 'content-type') !== (step.method === 'GET'));
  for (const [name, before] of read) {
    for (const pump of pumps) {
      const requestOf = (length: number) => ({
        method: step.method,
        url: urlOf(step),
        headers: { [name]: `${before}${pump.repeat(length)}x` },
        ...(step.method !== 'GET' && { payload: 'a=b' }),
      });
      expect(await takesTooLong(requestOf, 8192), `${name}: ${before}${pump}…`).toBe(false);
    }
  }
});

/** Maximum bytes of a text in the head of a request, and in a form. */
const maxTextBytes = { query: 15_000, form: 100_000 };

const isText = ({ type, enum: words, items }: DocumentedSchema): boolean =>
  items === undefined ? [type].flat().includes('string') && words === undefined : isText(items);

it.each(handlers)('$method $path parses its longest texts quickly', async (step) => {
  const fields = Object.entries(
    step.requestBody?.content['application/x-www-form-urlencoded']?.schema?.properties ?? {},
  );
  const texts = [
    ...step.parameters
      .filter((one) => one.in === 'query')
      .map(({ name, schema }) => ({ name, schema, place: 'query' as const })),
    ...fields.map(([name, schema]) => ({ name, schema, place: 'form' as const })),
  ].filter(({ schema }) => isText(schema));
  for (const { name, schema, place } of texts) {
    const length = (schema.items ?? schema).maxLength ?? maxTextBytes[place];
    for (const pump of pumps) {
      const requestOf = (count: number) => {
        const given = `${name}=${(pump === ' ' ? '+' : pump).repeat(count)}x`;
        if (place === 'query') return { method: step.method, url: urlOf(step, [given]) };
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        return { method: step.method, url: urlOf(step), headers, payload: given.replaceAll(';', '%3b') };
      };
      expect(await takesTooLong(requestOf, length - 1), `${name}: ${pump}…`).toBe(false);
    }
  }
});
