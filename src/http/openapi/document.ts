/**
 * Builds the OpenAPI documents from the descriptions of the routes: version 2.0, which `/api/` has always served, and 3.1.
 *
 * Schemas are defined once, in the JSON Schema that typebox produces (the dialect of OpenAPI 3.1). A schema with `$id`
 * becomes a named definition and is referenced wherever it occurs. For 2.0, schemas are reduced to what that version
 * can express:
 *
 *   union of literals, `const`      -> `enum`
 *   `T | null`, `type: [T, 'null']` -> T with `x-nullable: true`, because 2.0 has no null. A schema may also have this
 *                                      keyword itself; in 3.1 it becomes `type: [T, 'null']`
 *   names by pattern                -> `additionalProperties`
 *   any other union                 -> no type at all, which is how 2.0 says "anything"
 *
 * Why not @fastify/swagger: it offers only one version per server, from schemas that Fastify compiles, and adds 416 KB.
 *
 * There is no `host` or `basePath`, and the one server is `/`: a client resolves paths against the URL of the document.
 */
import type {
  DescribedBody,
  DescribedParameter,
  DescribedResponse,
  DescribedRoute,
  JsonObject,
  JsonValue,
  Schema,
} from '../endpoint/described-route.ts';

export interface DocumentHead {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly schemes: readonly ('http' | 'https')[];
  readonly tags: Readonly<Record<string, string>>;
  readonly license: { readonly name: string; readonly url: string };
  /** The ways to log in to a receiver that has accounts. */
  readonly loginSchemes: readonly LoginScheme[];
  /** The response of every route to a client that access control rejects. */
  readonly accessDenied: DescribedResponse;
  /** Whether a path needs no login. */
  readonly isPublic: (path: string) => boolean;
}

/** A way to log in: HTTP Basic, Bearer, or a cookie. OpenAPI 2.0 cannot express the cookie. */
export interface LoginScheme {
  readonly name: string;
  readonly description: string;
  readonly by: 'basic' | 'bearer' | { readonly cookie: string };
}

const formType = 'application/x-www-form-urlencoded';

/** The document as OpenAPI 2.0. */
export function openapi2(head: DocumentHead, routes: readonly DescribedRoute[]): JsonObject {
  const definitions: Record<string, JsonObject> = {};
  const schema = (of: Schema) => schema2(of as JsonObject, definitions);
  const onThisPort = routes.filter(({ server }) => server === undefined);
  const logins = head.loginSchemes.filter(({ by }) => typeof by === 'string');
  const response = ({ description, body, headers }: DescribedResponse) => ({
    description,
    ...(body && { schema: schema(body.schema), ...examples2(body) }),
    headers: headers && mapValues(headers, (one) => ({ description: one.description, ...schema(one.schema) })),
  });
  const paths = pathTable(head, onThisPort, '#/responses/', (route) => ({
    ...operationHead(route),
    produces: [
      ...new Set(Object.values(route.responses).flatMap(({ body }) => bodiesOf(body).flatMap(({ types }) => types))),
    ],
    consumes: route.parameters.some((parameter) => parameter.in === 'form') ? [formType] : route.requestBody?.types,
    parameters: [
      ...route.parameters.map((parameter) => parameter2(parameter, schema)),
      ...(route.requestBody ? [fileParameter(route.requestBody.description)] : []),
    ],
    responses: mapValues(route.responses, response),
  }));
  return {
    swagger: '2.0',
    info: documentHead(head),
    schemes: head.schemes,
    security: securityOf(logins),
    securityDefinitions: Object.fromEntries(logins.map((login) => [login.name, scheme2(login)])),
    tags: tagList(head),
    paths,
    responses: { [notLetIn]: response(head.accessDenied) },
    definitions: sorted(definitions),
  };
}

/** The document as OpenAPI 3.1. */
export function openapi31(head: DocumentHead, routes: readonly DescribedRoute[]): JsonObject {
  const schemas: Record<string, JsonObject> = {};
  const schema = (of: Schema) => schema31(of as JsonObject, schemas);
  const response = ({ description, body, headers }: DescribedResponse) => ({
    description,
    headers: headers && mapValues(headers, (one) => ({ description: one.description, schema: schema(one.schema) })),
    content: body && contentOf(body, schema),
  });
  const paths = pathTable(head, routes, '#/components/responses/', (route) => {
    const fields = route.parameters.filter((parameter) => parameter.in === 'form');
    return {
      ...operationHead(route),
      parameters: route.parameters
        .filter((parameter) => parameter.in !== 'form')
        .map((parameter) => ({
          name: parameter.name,
          in: parameter.in,
          description: parameter.description,
          required: parameter.required,
          ...(parameter.deprecated && { deprecated: true }),
          schema: valueOrList(parameter, schema(parameter.schema)),
          ...(parameter.repeated && { style: 'form', explode: true }),
        })),
      ...(fields.length > 0 && { requestBody: formBody(fields, schema) }),
      ...(route.requestBody && { requestBody: fileBody(route.requestBody) }),
      responses: mapValues(route.responses, response),
    };
  });
  const responses = { [notLetIn]: response(head.accessDenied) };
  return {
    openapi: '3.1.0',
    info: documentHead(head),
    servers: [{ url: '/' }],
    security: securityOf(head.loginSchemes),
    tags: tagList(head),
    paths,
    components: {
      schemas: sorted(schemas),
      responses,
      securitySchemes: Object.fromEntries(head.loginSchemes.map((login) => [login.name, scheme31(login)])),
    },
  };
}

function documentHead(head: DocumentHead): JsonObject {
  const { title, version, description, license } = head;
  return { title, version, description, license };
}

const notLetIn = 'NotLetIn';

/** Any one of the schemes, or none: a receiver without accounts needs no login. */
function securityOf(logins: readonly LoginScheme[]): JsonValue {
  return [{}, ...logins.map(({ name }) => ({ [name]: [] }))];
}

function scheme31({ description, by }: LoginScheme): JsonObject {
  if (typeof by === 'string') return { type: 'http', scheme: by, description };
  return { type: 'apiKey', in: 'cookie', name: by.cookie, description };
}

function scheme2({ description, by }: LoginScheme): JsonObject {
  if (by === 'basic') return { type: 'basic', description };
  return { type: 'apiKey', in: 'header', name: 'Authorization', description };
}

function tagList(head: DocumentHead): JsonValue {
  return Object.entries(head.tags).map(([name, description]) => ({ name, description }));
}

function operationHead(route: DescribedRoute): JsonObject {
  return {
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    operationId: route.operationId,
    ...(route.deprecated && { deprecated: true }),
    'x-permission': route.permission,
    ...(route.permissionWith && { 'x-permission-with': route.permissionWith }),
    ...(route.changesState && { 'x-changes-state': true }),
    ...serverOf(route),
  };
}

function serverOf({ server }: DescribedRoute): JsonObject {
  if (server === undefined) return {};
  const { port, description } = server;
  const variables = { host: { default: 'localhost' }, port: { default: port } };
  return { servers: [{ url: 'http://{host}:{port}', description, variables }] };
}

/**
 * The paths with their methods. Every GET route also accepts HEAD. HEAD is described only briefly: a full description
 * would double the size of the document.
 */
function pathTable(
  { isPublic }: DocumentHead,
  routes: readonly DescribedRoute[],
  responseFolder: string,
  describe: (route: DescribedRoute) => JsonObject,
): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  const withAccessDenied = (route: DescribedRoute, described: JsonObject): JsonObject => {
    const status = isPublic(route.path) ? 403 : 401;
    const responses = { [status]: { $ref: `${responseFolder}${notLetIn}` }, ...(described.responses as JsonObject) };
    return { ...described, ...(isPublic(route.path) && { security: [] }), responses };
  };
  for (const route of routes) {
    const methods = paths[route.path] ?? {};
    paths[route.path] = methods;
    const described = describe(route);
    methods[route.method.toLowerCase()] = withAccessDenied(route, described);
    if (route.method === 'GET') methods.head = withAccessDenied(route, headOf(route, described));
  }
  return paths;
}

function headOf(route: DescribedRoute, { parameters }: JsonObject): JsonObject {
  return {
    tags: [route.tag],
    summary: 'The headers of the GET response, with the same parameters.',
    operationId: `${route.operationId}_head`,
    'x-permission': route.permission,
    ...(route.deprecated && { deprecated: true }),
    ...serverOf(route),
    parameters: list(parameters).filter((parameter) => parameter.in === 'path'),
    responses: { 200: { description: 'the headers' } },
  };
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function sorted(record: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** In 2.0, a parameter has no `schema`: the keywords of the schema are its own, and `$ref` is not allowed. */
function parameter2(parameter: DescribedParameter, schema: (of: Schema) => JsonObject): JsonObject {
  const { description: _, 'x-nullable': _nullable, example, ...value } = schema(parameter.schema);
  return {
    name: parameter.name,
    in: parameter.in === 'form' ? 'formData' : parameter.in,
    description: parameter.description,
    required: parameter.required,
    ...(parameter.deprecated && { 'x-deprecated': true }),
    ...(parameter.repeated ? { type: 'array', items: value, collectionFormat: 'multi' } : value),
    ...(example !== undefined && { 'x-example': example }),
  };
}

/** In 2.0, `type: file` is allowed only in forms, so a binary body is a string. */
function fileParameter(description: string): JsonObject {
  return { name: 'body', in: 'body', description, required: true, schema: { type: 'string', format: 'binary' } };
}

function fileBody({ description, types, example }: NonNullable<DescribedRoute['requestBody']>): JsonObject {
  const content = Object.fromEntries(types.map((type, index) => [type, index === 0 ? { example } : {}]));
  return { description, required: true, content };
}

function contentOf(body: DescribedBody, of: (schema: Schema) => JsonObject): JsonObject {
  return Object.fromEntries(
    bodiesOf(body).flatMap(({ types, schema, example }) =>
      types.map((type, index) => [type, { schema: of(schema), ...(index === 0 && { example }) }]),
    ),
  );
}

function bodiesOf(body: DescribedBody | undefined): readonly DescribedBody[] {
  return body === undefined ? [] : [body, ...(body.others ?? [])];
}

/** In 2.0, the examples of a response are next to its schema, by media type. */
function examples2({ types: [type], example }: DescribedBody): JsonObject {
  return example === undefined || type === undefined ? {} : { examples: { [type]: example } };
}

function valueOrList(parameter: DescribedParameter, schema: JsonObject): JsonObject {
  if (!parameter.repeated) return schema;
  // A single text need not be in a list.
  return { type: schema.type === 'string' ? ['string', 'array'] : 'array', items: schema };
}

function formBody(fields: readonly DescribedParameter[], schema: (of: Schema) => JsonObject): JsonObject {
  const required = fields.filter((field) => field.required).map((field) => field.name);
  const properties = Object.fromEntries(
    fields.map((field) => [
      field.name,
      {
        ...valueOrList(field, schema(field.schema)),
        description: field.description,
        ...(field.deprecated && { deprecated: true }),
      },
    ]),
  );
  return {
    required: required.length > 0,
    content: {
      [formType]: {
        schema: { type: 'object', properties, ...(required.length > 0 && { required }) },
      },
    },
  };
}

const list = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonObject[]) : [];

/**
 * The reference for a schema with `$id`; undefined for other schemas. Adds the definition of the schema to `names` if it
 * is not there.
 */
function namedReference(
  schema: JsonObject,
  folder: string,
  names: Record<string, JsonObject>,
  convert: (schema: JsonObject) => JsonObject,
): JsonObject | undefined {
  const { $id, ...rest } = schema;
  if (typeof schema.$ref === 'string') return { $ref: `${folder}${schema.$ref}` };
  if (typeof $id !== 'string') return undefined;
  if (names[$id] === undefined) {
    names[$id] = {}; // set before the conversion, because a schema may refer to itself
    names[$id] = convert(rest);
  }
  return { $ref: `${folder}${$id}` };
}

/** Converts the sub-schemas of a schema. */
function convertParts(schema: JsonObject, convert: (schema: JsonObject) => JsonObject): JsonObject {
  const { properties, patternProperties, items, additionalProperties, contentSchema, 'x-events': events } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties as Record<string, JsonObject>, convert) }),
    ...(patternProperties && {
      patternProperties: mapValues(patternProperties as Record<string, JsonObject>, convert),
    }),
    ...(items && { items: convert(items as JsonObject) }),
    ...(contentSchema && { contentSchema: convert(contentSchema as JsonObject) }),
    ...(events && { 'x-events': mapValues(events as Record<string, JsonObject>, convert) }),
    ...(additionalProperties &&
      typeof additionalProperties === 'object' && {
        additionalProperties: convert(additionalProperties as JsonObject),
      }),
  };
}

function schema31(schema: JsonObject, names: Record<string, JsonObject>): JsonObject {
  const convert = (part: JsonObject) => schema31(part, names);
  const reference = namedReference(schema, '#/components/schemas/', names, convert);
  if (reference) return reference;
  const { 'x-nullable': nullable, sample: _, expected: __, ...rest } = convertParts(schema, convert);
  const { anyOf, type } = rest;
  if (nullable && !anyOf && typeof type !== 'string') return { anyOf: [rest, { type: 'null' }] };
  return {
    ...rest,
    ...(anyOf && { anyOf: list(anyOf).map(convert) }),
    ...(nullable && typeof type === 'string' && { type: [type, 'null'] }),
    ...(nullable && Array.isArray(rest.enum) && { enum: [...rest.enum, null] }),
  };
}

function schema2(schema: JsonObject, names: Record<string, JsonObject>): JsonObject {
  const convert = (part: JsonObject) => schema2(part, names);
  const reference = namedReference(schema, '#/definitions/', names, convert);
  if (reference) return reference;
  const { sample: _sample, expected: _expected, prefixItems: _items, ...described } = schema;
  const { contentMediaType: _type, contentSchema: _content, ...known } = described;
  const { anyOf, const: constant, type, items, examples, patternProperties, ...others } = known;
  const [values] = Object.values((patternProperties ?? {}) as Record<string, JsonObject>);
  const rest = {
    ...others,
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(values && { additionalProperties: values }),
  };
  if (anyOf) {
    const kinds = list(anyOf).filter((kind) => kind.type !== 'null');
    const nullable = kinds.length < list(anyOf).length;
    return { ...rest, ...union2(kinds, convert), ...(nullable && { 'x-nullable': true }) };
  }
  if (Array.isArray(type)) {
    const kinds = type.filter((kind) => kind !== 'null');
    const [kind] = kinds;
    return convertParts(
      {
        ...rest,
        ...(kind !== undefined && kinds.length === 1 && { type: kind }),
        ...(items && { items }),
        ...(kinds.length < type.length && { 'x-nullable': true }),
      },
      convert,
    );
  }
  // 2.0 has one schema for all items of an array.
  const oneItem = type === 'array' ? { items: Array.isArray(items) || items === undefined ? {} : items } : {};
  return convertParts(
    { ...rest, ...(type !== undefined && { type }), ...(constant !== undefined && { enum: [constant] }), ...oneItem },
    convert,
  );
}

function union2(kinds: readonly JsonObject[], convert: (schema: JsonObject) => JsonObject): JsonObject {
  const [first] = kinds;
  if (first && kinds.length === 1) return convert(first);
  const literals = kinds.map((kind) => kind.const);
  const types = new Set(literals.map((literal) => typeof literal));
  if (literals.includes(undefined) || types.size !== 1) return {};
  return { type: types.has('number') ? 'integer' : [...types][0], enum: literals };
}
