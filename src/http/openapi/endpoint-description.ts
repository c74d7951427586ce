/** Describes the endpoints for the OpenAPI document. */
import * as Type from 'typebox';
import type {
  DescribedBody,
  DescribedParameter,
  DescribedResponse,
  DescribedRoute,
  JsonValue,
} from '../endpoint/described-route.ts';
import { type Endpoint, permissionOf } from '../endpoint/endpoint.ts';
import { namesOf, type Operation, SimpleResult, simpleResult, textOf } from '../endpoint/operation.ts';
import { errorBody, placeOf, type ResponseDefinition, type Route } from '../endpoint/route.ts';
import { maxFormBytes } from '../middleware/bodies.ts';
import { contentTypes } from '../middleware/failures.ts';
import type { Parameters } from '../middleware/parameters.ts';
import { refusedTo } from '../middleware/sites.ts';
import { exampleOf } from '../write/record.ts';
import { xmlDocument } from '../write/xml.ts';

/** The part that does not depend on the kind of endpoint. */
function describe(endpoint: Endpoint) {
  const { tag, summary, description } = endpoint;
  return { tag, summary, ...(description !== undefined && { description }), permission: permissionOf(endpoint) };
}

/** Describes parameters for the OpenAPI document. Each alias is a parameter of its own. */
export function describeParameters(
  place: DescribedParameter['in'] | ((name: string) => DescribedParameter['in']),
  parameters: Parameters,
): DescribedParameter[] {
  return Object.entries(parameters).flatMap(([name, parameter]) => {
    const { description, mandatory, aliases, deprecated } = parameter;
    const { items } = parameter.schema as { readonly items?: Type.TSchema };
    const common = {
      in: typeof place === 'string' ? place : place(name),
      repeated: items !== undefined,
      schema: items ?? parameter.schema,
      ...(deprecated !== undefined && { deprecated: true }),
    };
    const note = deprecated === undefined ? '' : ` Deprecated: ${deprecated}.`;
    return [
      { ...common, name, description: `${description}${note}`, required: mandatory },
      ...aliases.map((alias) => ({ ...common, name: alias, description: `alias of \`${name}\``, required: false })),
    ];
  });
}

const failed = { result: false, message: 'no service 1:0:1:1:1:1:0:0:0:0:', error: 'service-not-found' } as const;

const Simple: Type.TSchema = {
  ...SimpleResult,
  $id: 'SimpleResult',
  description: 'success, and a human-readable text',
  examples: [{ result: true, message: 'Volume set to 55' }, failed],
};

const failedXml = textOf(xmlDocument(simpleResult, failed));

const SimpleXml = Type.String({
  $id: 'SimpleXml',
  description: 'e2simplexmlresult with e2state False and e2statetext',
  examples: [failedXml],
});

/** The body of a failure in each format. */
const simpleFailure = {
  web: { types: [contentTypes.xml], schema: SimpleXml, example: failedXml },
  api: { types: [contentTypes.json], schema: Simple, example: failed },
} as const satisfies Record<string, DescribedBody>;

export const simpleFailures: DescribedBody = { ...simpleFailure.api, others: [simpleFailure.web] };

/** The named version of each result schema. If operations share a schema, the first one gives it its name. */
const namedResults = new WeakMap<Type.TSchema, Type.TSchema>([[SimpleResult, Simple]]);

function namedResult({ result, name }: Operation): Type.TSchema {
  if (result === undefined || '$id' in result) return result ?? Simple;
  const known = namedResults.get(result);
  if (known !== undefined) return known;
  const named = { ...result, $id: `${name.replace(/^./, (letter) => letter.toUpperCase()).replace(/\W/g, '')}Result` };
  namedResults.set(result, named);
  return named;
}

const xmlText = (description: string) => Type.String({ description });

interface Place {
  readonly family: 'web' | 'api';
  readonly path: string;
  /** The name or alias of the operation. */
  readonly name: string;
}

/**
 * Each operation has two formats, XML at `/web/NAME` and JSON at `/api/NAME`, or is XML at a path of its own; each with GET
 * and POST.
 */
export function describeOperation(operation: Operation): DescribedRoute[] {
  const { name, path } = operation;
  const named = (alias: string) =>
    (['web', 'api'] as const).map((family) => ({ family, path: `/${family}/${alias}`, name: alias }));
  const places: readonly Place[] =
    path === undefined ? namesOf(operation).flatMap(named) : [{ family: 'web', path, name }];
  return places.flatMap((place) =>
    (['GET', 'POST'] as const).map((method) => describeFormat(operation, place, method)),
  );
}

function describeFormat(operation: Operation, { family, path, name }: Place, method: 'GET' | 'POST'): DescribedRoute {
  const { description, deprecated, since, parameters, permission } = operation;
  const notes = [
    description,
    name === operation.name ? undefined : `Alias of ${operation.name}.`,
    deprecated && `Deprecated: ${deprecated}.`,
    `Since ${since}.`,
  ];
  const prefix = operation.path === undefined ? family : 'plugin';
  return {
    ...describe(operation),
    method,
    path,
    operationId: `${prefix}_${name.replace(/[./]/g, '_')}${method === 'POST' ? '_post' : ''}`,
    description: notes.filter(Boolean).join(' '),
    ...(deprecated && { deprecated: true }),
    ...(Array.isArray(operation.changesState) && {
      permissionWith: Object.fromEntries(operation.changesState.map((one: string) => [one, permission])),
    }),
    changesState: operation.changesState !== false,
    // A request without a mandatory parameter is answered too: with a result of False and status 200.
    parameters: describeParameters(method === 'POST' ? 'form' : 'query', parameters),
    responses: responses(operation, family),
  };
}

function responses(operation: Operation, family: 'web' | 'api'): Record<string, DescribedResponse> {
  const simple: DescribedBody = simpleFailure[family];
  const { mediaTypes, errorsWithStatus, changesState, permission, webType, example } = operation;
  const text = example === '' ? {} : { example: operation.webExample() };
  const document = mediaTypes && { types: mediaTypes, schema: Type.String(), ...text };
  const record =
    family === 'web'
      ? { types: [webType ?? contentTypes.xml], schema: xmlText('the record in the form used here'), ...text }
      : { types: [contentTypes.json], schema: namedResult(operation), example: example as JsonValue };
  const failureNote =
    errorsWithStatus === 'all'
      ? 'an invalid parameter is also reported here, as a simple result of False'
      : 'a failure is also reported here, as a simple result of False';
  const body: DescribedBody = document ?? record;
  // A body with the media type of the simple result cannot have it as an alternative.
  const other = body.types.some((type) => simple.types.includes(type)) ? {} : { others: [simple] };
  return {
    200: { description: `the response; ${failureNote}`, body: { ...body, ...other } },
    ...(changesState !== false && { 403: { description: refusedTo(permission), body: simple } }),
    ...(operation.path === undefined && {
      default: { description: 'the reason as a simple result of False', body: simple },
    }),
  };
}

/** All failures with the plain error body: those of the route, of its parameters, and of access control. */
function failuresOf(route: Route): Readonly<Record<number, string>> {
  const { bodyLimit = maxFormBytes, responses, failures = {}, permission, changesState } = route;
  const places = new Set(Object.keys(route.parameters).map((name) => placeOf(route, name)));
  const hasFields = places.has('form');
  const canBeInvalid = (hasFields || places.has('query')) && responses[400] === undefined;
  const { 403: accessDenied } = failures;
  return {
    ...(canBeInvalid && { 400: 'an invalid parameter' }),
    ...(hasFields && { 413: `the body is larger than ${bodyLimit} bytes` }),
    ...failures,
    ...(changesState && {
      403: accessDenied === undefined ? refusedTo(permission) : `${accessDenied}; ${refusedTo(permission)}`,
    }),
  };
}

/** The route's entry in the OpenAPI document. */
export function describeRoute(route: Route): DescribedRoute {
  const { method, path, name, caching, requestBody } = route;
  const responses: Record<number, DescribedResponse> = {};
  for (const [status, response] of Object.entries(route.responses)) {
    const headers = { ...response.headers, ...(caching === 'no-cache' && status === '200' && etagHeader) };
    responses[Number(status)] = {
      description: response.description,
      body: bodyOf(response),
      ...(Object.keys(headers).length > 0 && { headers }),
    };
  }
  if (caching === 'no-cache') responses[304] = { description: 'not modified since that ETag', body: undefined };
  for (const [status, when] of Object.entries(failuresOf(route))) {
    responses[Number(status)] = { description: when, body: errorBody };
  }
  return {
    ...describe(route),
    method,
    path: path.replace('*}', '}'),
    operationId: name,
    // A GET with a private response only needs the same permission as a change.
    changesState: method !== 'GET' && route.changesState !== false,
    parameters: describeParameters((name) => placeOf(route, name), route.parameters),
    ...(requestBody && { requestBody }),
    responses,
  };
}

function bodyOf({ types, schema, example, others }: ResponseDefinition): DescribedBody | undefined {
  if (schema === undefined) return undefined;
  const shown = example ?? (types === undefined ? (exampleOf<Type.TSchema>(schema) as JsonValue) : undefined);
  return {
    types: types ?? [contentTypes.json],
    schema,
    ...(shown !== undefined && { example: shown }),
    ...(others && { others }),
  };
}

const etagHeader = { ETag: { description: 'for If-None-Match', schema: Type.String() } };
