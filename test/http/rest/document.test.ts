/** The OpenAPI documents in both versions: schemas, parameters, responses, logins. */
import { Validator } from '@seriousme/openapi-schema-validator';
import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import type { DescribedRoute, Schema } from '../../../src/http/endpoint/described-route.ts';
import { type DocumentHead, openapi2, openapi31 } from '../../../src/http/openapi/document.ts';
import { field, recordSchema } from '../../../src/http/write/record.ts';

const head: DocumentHead = {
  title: 'T',
  version: '1',
  description: 'D',
  schemes: ['http'],
  tags: { t: 'tag' },
  license: { name: 'MIT', url: 'https://licence.example' },
  loginSchemes: [
    { name: 'basic', by: 'basic', description: 'B' },
    { name: 'token', by: 'bearer', description: 'T' },
    { name: 'session', by: { cookie: 's' }, description: 'S' },
  ],
  accessDenied: { description: 'access denied', body: { types: ['application/json'], schema: Type.Object({}) } },
  isPublic: (path) => path === '/open',
};

function routeWith(schema: Schema, more: Partial<DescribedRoute> = {}): DescribedRoute {
  return {
    permission: 'view',
    method: 'GET',
    path: '/x',
    operationId: 'x',
    tag: 't',
    summary: 'S',
    parameters: [],
    responses: { 200: { description: 'ok', body: { types: ['application/json'], schema } } },
    ...more,
  };
}

type Get = {
  readonly get: { readonly responses: Readonly<Record<string, object>>; readonly parameters: readonly object[] };
};

function both(route: DescribedRoute) {
  const [second, third] = [openapi2(head, [route]), openapi31(head, [route])];
  const get = (document: typeof second) => (document.paths as unknown as Readonly<Record<string, Get>>)['/x']?.get;
  return { second, third, get2: get(second), get3: get(third) };
}

async function valid(document: object) {
  return (await new Validator().validate(structuredClone(document) as never)).valid;
}

/** A schema as each version describes it. */
async function written(schema: Schema) {
  const { second, third, get2, get3 } = both(routeWith(schema));
  expect([await valid(second), await valid(third)]).toEqual([true, true]);
  return { second: get2?.responses['200'], third: get3?.responses['200'], documents: { second, third } };
}

describe('schemas', () => {
  test.each<[string, Schema, object, object]>([
    [
      'a union with null',
      Type.Union([Type.String(), Type.Null()]),
      { type: 'string', 'x-nullable': true },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    [
      'samples, which are no part of it',
      recordSchema({ of: field('x', 'y'), all: [1] }),
      {
        type: 'object',
        required: ['of', 'all'],
        properties: { of: { type: 'string', description: 'y' }, all: { type: 'array', items: { type: 'integer' } } },
      },
      {
        type: 'object',
        required: ['of', 'all'],
        properties: { of: { type: 'string', description: 'y' }, all: { type: 'array', items: { type: 'integer' } } },
      },
    ],
    [
      'the mark of null',
      { type: 'integer', 'x-nullable': true },
      { type: 'integer', 'x-nullable': true },
      { type: ['integer', 'null'] },
    ],
    [
      'types with null',
      { type: ['string', 'null'] },
      { type: 'string', 'x-nullable': true },
      { type: ['string', 'null'] },
    ],
    [
      'a union of literals',
      Type.Union([Type.Literal('a'), Type.Literal('b')]),
      { type: 'string', enum: ['a', 'b'] },
      {
        anyOf: [
          { type: 'string', const: 'a' },
          { type: 'string', const: 'b' },
        ],
      },
    ],
    ['one literal', Type.Literal(1), { type: 'number', enum: [1] }, { type: 'number', const: 1 }],
    [
      'any other union',
      Type.Union([Type.String(), Type.Integer()]),
      {},
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    ['an array without items', { type: 'array' }, { type: 'array', items: {} }, { type: 'array' }],
    [
      'examples',
      { type: 'string', examples: ['e'] },
      { type: 'string', example: 'e' },
      { type: 'string', examples: ['e'] },
    ],
    [
      'a map',
      Type.Record(Type.String(), Type.Union([Type.Integer(), Type.Null()])),
      expect.objectContaining({ type: 'object' }),
      expect.objectContaining({ type: 'object' }),
    ],
  ])('%s', async (_, schema, second, third) => {
    const result = await written(schema);
    expect(result.second).toEqual({ description: 'ok', schema: second });
    expect(result.third).toEqual({ description: 'ok', content: { 'application/json': { schema: third } } });
  });

  test('a schema with $id is described once and then referenced', async () => {
    const item = Type.Object({ a: Type.Union([Type.String(), Type.Null()]) }, { $id: 'Item' });
    const { second, documents } = await written(Type.Object({ items: Type.Array(item), one: item }));
    expect(second).toMatchObject({
      schema: { properties: { items: { items: { $ref: '#/definitions/Item' } }, one: { $ref: '#/definitions/Item' } } },
    });
    expect(documents.second.definitions).toEqual({
      Item: { type: 'object', required: ['a'], properties: { a: { type: 'string', 'x-nullable': true } } },
    });
    expect(documents.third.components).toHaveProperty('schemas.Item');
  });
});

describe('parameters', () => {
  const common = {
    description: 'D',
    required: false,
    repeated: false,
    schema: { type: 'string', default: 'd', enum: ['d'], examples: ['d'] },
  };

  test('have type, default and enum; repeatable ones are lists', async () => {
    const { second, third, get2, get3 } = both(
      routeWith(Type.String(), {
        parameters: [
          { ...common, name: 'a', in: 'query' },
          { ...common, name: 'b', in: 'query', repeated: true, schema: { type: 'integer' } },
        ],
      }),
    );
    expect([await valid(second), await valid(third)]).toEqual([true, true]);
    expect(get2?.parameters).toEqual([
      {
        name: 'a',
        in: 'query',
        description: 'D',
        required: false,
        type: 'string',
        default: 'd',
        enum: ['d'],
        'x-example': 'd',
      },
      {
        name: 'b',
        in: 'query',
        description: 'D',
        required: false,
        type: 'array',
        items: { type: 'integer' },
        collectionFormat: 'multi',
      },
    ]);
    expect(get3?.parameters[1]).toMatchObject({ schema: { type: 'array', items: { type: 'integer' } }, explode: true });
  });

  test('of a form make up the body', async () => {
    const route = routeWith(Type.String(), { parameters: [{ ...common, name: 'a', in: 'form', required: true }] });
    const { second, third, get2, get3 } = both(route);
    expect([await valid(second), await valid(third)]).toEqual([true, true]);
    expect(get2).toMatchObject({
      consumes: ['application/x-www-form-urlencoded'],
      parameters: [{ name: 'a', in: 'formData' }],
    });
    expect(get3).toMatchObject({
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: { required: ['a'] } } },
      },
    });
  });
});

describe('responses', () => {
  const body = {
    types: ['text/x-a', 'text/x-b'],
    schema: Type.String(),
    example: 'e',
    others: [{ types: ['application/json'], schema: Type.Object({ no: Type.Boolean() }) }],
  };

  test('have an example and list their alternatives', async () => {
    const route = routeWith(Type.String(), { responses: { 200: { description: 'ok', body } } });
    const { second, third, get2, get3 } = both(route);
    expect([await valid(second), await valid(third)]).toEqual([true, true]);
    expect(get2?.responses['200']).toEqual({
      description: 'ok',
      schema: { type: 'string' },
      examples: { 'text/x-a': 'e' },
    });
    expect(get2).toMatchObject({ produces: ['text/x-a', 'text/x-b', 'application/json'] });
    expect(get3?.responses['200']).toMatchObject({
      content: {
        'text/x-a': { schema: { type: 'string' }, example: 'e' },
        'text/x-b': { schema: { type: 'string' } },
        'application/json': { schema: { properties: { no: { type: 'boolean' } } } },
      },
    });
  });

  test('to HEAD are described briefly, with the path parameters', async () => {
    const parameter = { description: 'D', required: true, repeated: false, schema: { type: 'string' } } as const;
    const parameters = [
      { ...parameter, name: 'a', in: 'path' },
      { ...parameter, name: 'b', in: 'query' },
    ] as const;
    for (const document of [openapi2, openapi31]) {
      const made = document(head, [routeWith(Type.String(), { path: '/x/{a}', parameters })]);
      expect(await valid(made)).toBe(true);
      expect(made).toMatchObject({
        paths: { '/x/{a}': { head: { operationId: 'x_head', parameters: [{ name: 'a' }] } } },
      });
    }
  });

  test('of routes on another port are only in 3.1', async () => {
    const { second, third, get3 } = both(routeWith(Type.String(), { server: { port: '8001', description: 'D' } }));
    expect([await valid(second), await valid(third)]).toEqual([true, true]);
    expect(second.paths).toEqual({});
    expect(get3).toMatchObject({ servers: [{ variables: { port: { default: '8001' } } }] });
  });
});

describe('logging in', () => {
  test('is possible by each scheme, and optional', async () => {
    const { second, third } = both(routeWith(Type.String()));
    expect([await valid(second), await valid(third)]).toEqual([true, true]);
    expect(second).toMatchObject({
      security: [{}, { basic: [] }, { token: [] }],
      securityDefinitions: { basic: { type: 'basic' }, token: { type: 'apiKey', in: 'header' } },
    });
    expect(third).toMatchObject({
      security: [{}, { basic: [] }, { token: [] }, { session: [] }],
      components: { securitySchemes: { token: { scheme: 'bearer' }, session: { in: 'cookie', name: 's' } } },
    });
  });

  test('is not required for a public path', async () => {
    for (const document of [openapi2, openapi31]) {
      const { paths } = document(head, [routeWith({}), routeWith({}, { path: '/open', operationId: 'open' })]);
      const refused = { $ref: expect.stringContaining('NotLetIn') };
      expect(paths).toMatchObject({
        '/x': { get: { responses: { 401: refused } }, head: { responses: { 401: refused } } },
        '/open': { get: { security: [], responses: { 403: refused } } },
      });
    }
  });
});

test('deprecated operations and parameters are marked', async () => {
  const parameters = [
    {
      name: 'a',
      in: 'query',
      description: 'D',
      required: false,
      repeated: false,
      deprecated: true,
      schema: { type: 'string' },
    },
  ] as const;
  const { second, third, get2, get3 } = both(routeWith(Type.String(), { deprecated: true, parameters }));
  expect([await valid(second), await valid(third)]).toEqual([true, true]);
  expect(get2).toMatchObject({ deprecated: true, parameters: [{ 'x-deprecated': true }] });
  expect(get3).toMatchObject({ deprecated: true, parameters: [{ deprecated: true }] });
});
