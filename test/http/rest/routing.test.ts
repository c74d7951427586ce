/** Methods, trailing slashes, OPTIONS and origins on every path of the REST family; validity of the OpenAPI documents. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoOne, type TestReceiver, testReceiver } from './receiver.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await testReceiver();
});
afterAll(() => receiver.close());

const paths = [
  '/api',
  '/api/index',
  '/api/openapi.json',
  '/api/eventlookup',
  '/api/eventsearch',
  '/services',
  '/services/tv',
  '/current_event',
  `/current_event/${demoOne}`,
];

describe('every path of the REST family', () => {
  test.each(paths)('%s answers HEAD like GET without a body, with and without a trailing slash', async (url) => {
    const get = await receiver.app.inject(url);
    const head = await receiver.app.inject({ method: 'HEAD', url });
    const slash = await receiver.app.inject(`${url}/`);
    expect(head.statusCode).toBe(get.statusCode);
    expect(head.body).toBe('');
    expect(head.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(slash.statusCode).toBe(get.statusCode);
    expect(slash.body.replace(`"path":"${url}/"`, `"path":"${url}"`)).toBe(get.body);
  });

  test.each(paths)('%s rejects other methods and lists its own', async (url) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'MKCOL'] as const) {
      const headers = { 'content-type': 'application/x-unheard-of' };
      const response = await receiver.app.inject({ method, url, headers, payload: 'x' });
      expect(response.statusCode).toBe(405);
      expect(response.headers.allow).toBe('GET, HEAD, OPTIONS');
      expect(response.headers['access-control-allow-origin']).toBe('*');
      expect(response.json()).toEqual({
        result: false,
        message: `${method} is not allowed here`,
        error: 'method-not-allowed',
        _request: { path: url, method },
      });
    }
  });

  test.each([...paths, '/services/no/such', '/nowhere'])(
    '%s answers OPTIONS with exactly the promised headers',
    async (url) => {
      const { statusCode, headers, body } = await receiver.app.inject({ method: 'OPTIONS', url });
      expect([statusCode, body]).toEqual([200, '']);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-credentials': 'true',
        'access-control-max-age': '86400',
        'access-control-allow-methods': 'GET,PUT,POST,DELETE,OPTIONS',
        'access-control-allow-headers': 'Content-Type',
      });
    },
  );

  test.each([...paths, '/services/foo', '/services//tv'])(
    '%s allows every origin and compresses on request',
    async (url) => {
      const { headers } = await receiver.app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['content-encoding']).toBe('gzip');
      expect(headers.vary).toBe('Accept-Encoding');
      const plain = await receiver.app.inject({ url, headers: { 'accept-encoding': 'gzip;q=0' } });
      expect(plain.headers['content-encoding']).toBeUndefined();
    },
  );

  test.each(['/services//tv', '/current_event//', '/services/tv//'])(
    '%s: an empty segment is a bad path',
    async (url) => {
      const response = await receiver.app.inject(url);
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ result: false, error: 'bad-path' });
    },
  );
});

interface Documented {
  readonly operationId: string;
  readonly 'x-changes-state'?: boolean;
  readonly parameters: readonly {
    name: string;
    in: string;
    type?: string;
    schema?: { type?: string };
    required: boolean;
  }[];
  readonly responses: Readonly<Record<string, object>>;
}

type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>> } & Readonly<
  Record<string, unknown>
>;

async function document(url: string): Promise<Document> {
  return (await receiver.app.inject(url)).json();
}

describe.each(['/api', '/api/openapi.json'])('the OpenAPI document at %s', (url) => {
  test('is valid and does not contain its own URL', async () => {
    const text = await document(url);
    expect(await new Validator().validate(structuredClone(text) as never)).toMatchObject({ valid: true });
    expect(text).not.toHaveProperty('host');
    expect(text).not.toHaveProperty('basePath');
    expect(text.servers ?? [{ url: '/' }]).toEqual([{ url: '/' }]);
  });

  test('marks what may change the receiver: neither open pages nor private responses', async () => {
    const { paths } = await document(url);
    const isMarked = (path: string, method = 'get') => paths[path]?.[method]?.['x-changes-state'] === true;
    expect([isMarked('/api/zap'), isMarked('/api/vol'), isMarked('/accounts/{kind}/{name}', 'put')]).not.toContain(
      false,
    );
    expect([isMarked('/api/about'), isMarked('/health'), isMarked('/accounts')]).not.toContain(true);
  });

  test('has every route once, all path parameters, and the type of each parameter', async () => {
    const { paths: documented } = await document(url);
    expect(Object.keys(documented)).toEqual(
      expect.arrayContaining(['/api', '/api/index', '/api/openapi.json', '/api/eventlookup', '/api/eventsearch']),
    );
    expect(Object.keys(documented)).toEqual(
      expect.arrayContaining(['/services', '/services/{type}', '/current_event/{service_reference}/{item}']),
    );
    const ids = Object.values(documented).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const [path, methods] of Object.entries(documented)) {
      for (const { parameters, responses, operationId } of Object.values(methods)) {
        const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
        expect(named).toEqual(path.match(/\{\w+\}/g) ?? []);
        for (const { type, schema } of parameters) expect([type ?? schema?.type].flat()[0]).toBeTypeOf('string');
        // Routes that always reject, and routes that only create something.
        const other: Readonly<Record<string, string>> = {
          timersDelete: '400',
          deleteAllRecordings: '400',
          deleteRecordingRoot: '400',
          autotimerPost: '201',
          bouquetPost: '201',
        };
        expect(Object.keys(responses)).toContain(other[operationId] ?? '200');
      }
    }
  });
});

test('the document of OpenAPI 2.0 is the same at /api, /api/ and /api/index', async () => {
  const first = await document('/api');
  expect(first).toMatchObject({
    swagger: '2.0',
    info: { title: expect.any(String), version: '0.1.0' },
    schemes: ['http'],
  });
  expect(await document('/api/')).toEqual(first);
  expect(await document('/api/index')).toEqual(first);
});
