/**
 * Defines REST routes: method, path, parameters, responses with their schemas, and handler. The Fastify route, the checks
 * of parameters, the error responses and the entry in the OpenAPI document are derived from the definition.
 */
import type { FileHandle } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import type { ErrorCode, ReceiverError } from '../../base/errors.ts';
import type { Document } from '../endpoint/operation.ts';
import { FormBody, maxFormBytes } from '../middleware/bodies.ts';
import { contentTypes } from '../middleware/failures.ts';
import type { None, Parameters } from '../middleware/parameters.ts';
import { parseQueryLists, queryText } from '../middleware/query.ts';
import { type RequiredPermission, refusedTo } from '../middleware/sites.ts';
import type {
  DescribedBody,
  DescribedResponse,
  DescribedRoute,
  JsonObject,
  JsonValue,
  Method,
} from '../openapi/document.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { exampleOf } from '../write/record.ts';
import { describeParameters, type RouteParameters, type RouteValues, readRouteParameters } from './parameters.ts';

/**
 * The response of a route: a JSON body, a document, or a file, of which a client may request a byte range. The JSON is
 * compact; its properties may be lists that write themselves (write/written-list.ts).
 */
export type RestAnswer = AnswerHead &
  ({ readonly body: object } | LazyBody | { readonly document: Document } | FileBody);

/** A JSON body that is built only if the client does not have it and it is not among the prepared answers. */
interface LazyBody {
  readonly make: () => object | Promise<object>;
}

interface FileBody {
  /** Absolute path. The route has checked that the client may read it. */
  readonly file: string;
  /** The file, open since that check. The end of the response closes it. */
  readonly handle?: FileHandle;
  /** File name that browsers save it under. */
  readonly saveAs?: string;
}

interface AnswerHead {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Opaque tag of the response: a request with this `If-None-Match` is answered with 304. */
  readonly etag?: string;
}

interface ResponseDefinition {
  readonly description: string;
  /** Media types of a document. Default: JSON. */
  readonly types?: readonly string[];
  readonly schema: Type.TSchema;
  /** An example of the response; absent for bytes. Default for JSON: the samples of the schema. */
  readonly example?: JsonValue;
  /** Other bodies that the response may have, depending on the parameters. */
  readonly others?: readonly DescribedBody[];
  readonly headers?: NonNullable<DescribedResponse['headers']>;
}

interface RouteHead {
  /** Default: GET. */
  readonly method?: Method;
  /** With `{name}` for path parameters, and `{name*}` for the rest of the path. Requests may add a trailing slash. */
  readonly path: `/${string}`;
  /** The `operationId` in the OpenAPI document. Unique. */
  readonly name: string;
  /** Default: the tag of its group, otherwise `system`. */
  readonly tag?: string;
  /** What a method other than GET needs. Default: that of its file, otherwise `admin`. */
  readonly permission?: RequiredPermission;
  /** A GET needs the permission as well. */
  readonly isPrivate?: boolean;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** Default: `no-store`. `no-cache`: clients may cache the response, but have to revalidate it by its ETag. */
  readonly caching?: 'no-store' | 'no-cache';
  /** The body may have any type and length; `request.body` is a stream. If absent, a body is read and ignored. */
  readonly requestBody?: DescribedRoute['requestBody'];
  /** Maximum bytes of a form. Default: `maxFormBytes`. */
  readonly bodyLimit?: number;
  /** Successful responses by status, and failures with another body than the plain error body. */
  readonly responses: Readonly<Record<number, ResponseDefinition>>;
  /**
   * Failures with the plain error body: statuses and their reasons. `failuresOf` adds the failures that all routes have.
   */
  readonly failures?: Readonly<Record<number, string>>;
}

export interface RouteDefinition<P extends Parameters, Q extends Parameters, F extends Parameters> extends RouteHead {
  readonly segments?: P;
  readonly query?: Q;
  /** Fields of a form or a JSON object in the body. They may also be in the query. */
  readonly fields?: F;
  run(parts: ReceiverParts, values: RouteValues<P, Q, F>, request: FastifyRequest): RestAnswer | Promise<RestAnswer>;
}

/** A defined route, without the types of its parameters. */
export interface Route extends RouteHead {
  readonly method: Method;
  readonly caching: 'no-store' | 'no-cache';
  readonly parameters: RouteParameters;
  /** @throws ReceiverError or Refusal */
  answer(parts: ReceiverParts, request: FastifyRequest): Promise<RestAnswer>;
}

export type { None };

/** Defines a route. The types of the parameters give the types of the handler's values. */
export function route<P extends Parameters = None, Q extends Parameters = None, F extends Parameters = None>(
  definition: RouteDefinition<P, Q, F>,
): Route {
  const { segments: path = {} as P, query = {} as Q, fields = {} as F, run, ...head } = definition;
  const parameters = { path, query, fields };
  const rest = /\{(\w+)\*\}$/.exec(head.path)?.[1];
  return {
    method: 'GET',
    caching: 'no-store',
    ...head,
    parameters,
    async answer(parts, request) {
      const { '*': left, ...named } = request.params as Readonly<Record<string, string>>;
      const segments = rest === undefined ? named : { ...named, [rest]: left ?? '' };
      const form = request.body instanceof FormBody ? request.body : undefined;
      const values = readRouteParameters(parameters, segments, parseQueryLists(queryText(request.url)), form);
      return run(parts, values as RouteValues<P, Q, F>, request);
    },
  };
}

/** The routes of a file. Those without a tag or permission of their own get this one. */
export function routeGroup(
  tag: string,
  routes: readonly Route[],
  permission: RequiredPermission = 'admin',
): readonly Route[] {
  return routes.map((one) => ({ tag, permission, ...one }));
}

/** An error whose response has further keys and headers besides the plain error body. */
export class Refusal extends Error {
  readonly error: ReceiverError;
  readonly extra: object;
  readonly headers: Readonly<Record<string, string>>;

  constructor(error: ReceiverError, extra: object, headers: Readonly<Record<string, string>> = {}) {
    super(error.message, { cause: error });
    this.error = error;
    this.extra = extra;
    this.headers = headers;
  }
}

/** The keys of all error bodies of this family. */
export const errorKeys = {
  result: Type.Unsafe<false>({ type: 'boolean', enum: [false] }),
  message: Type.String({ description: 'what is wrong, human-readable' }),
  error: Type.String({ description: 'what is wrong: a stable code for programs' }),
  _request: Type.Object({ path: Type.String(), method: Type.String() }),
};

/** An example of an error body; `more` are its additional keys. */
export function exampleError(
  code: ErrorCode,
  message: string,
  request: ExampleRequest,
  more: JsonObject = {},
): JsonObject {
  return { result: false, message, error: code, ...more, _request: request };
}

type ExampleRequest = JsonObject & { readonly path: string; readonly method: Method };

const ErrorSchema = Type.Object(errorKeys, {
  $id: 'Error',
  description: 'The error body of the REST routes.',
  examples: [exampleError('not-found', 'timer 4711 not found', { path: '/timers', method: 'GET' })],
});

/** The error body, for the OpenAPI document. */
export const errorBody: DescribedBody = { types: [contentTypes.json], schema: ErrorSchema };

/** All failures with the plain error body: those of the route, of its parameters, and of access control. */
function failuresOf({
  method,
  parameters: { query, fields },
  bodyLimit = maxFormBytes,
  responses,
  failures = {},
  permission = 'admin',
  isPrivate = false,
}: Route): Readonly<Record<number, string>> {
  const hasFields = Object.keys(fields).length > 0;
  const canBeInvalid = (hasFields || Object.keys(query).length > 0) && responses[400] === undefined;
  const { 403: own } = failures;
  return {
    ...(canBeInvalid && { 400: 'an invalid parameter' }),
    ...(hasFields && { 413: `the body is larger than ${bodyLimit} bytes` }),
    ...failures,
    ...((method !== 'GET' || isPrivate) && {
      403: own === undefined ? refusedTo(permission) : `${own}; ${refusedTo(permission)}`,
    }),
  };
}

/** What a client needs; `none`: every client that is admitted. */
export const permissionOf = ({ method, permission = 'admin', isPrivate = false }: Route): RequiredPermission =>
  method !== 'GET' || isPrivate || permission === 'none' ? permission : 'view';

/** The route's entry in the OpenAPI document. */
export function describeRoute(route: Route): DescribedRoute {
  const { method, path, name, tag = 'system', summary, description, deprecated, caching, requestBody } = route;
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
    method,
    path: path.replace('*}', '}'),
    operationId: name,
    tag,
    summary,
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
    permission: permissionOf(route),
    parameters: [
      ...describeParameters('path', route.parameters.path),
      ...describeParameters('query', route.parameters.query),
      ...describeParameters('form', route.parameters.fields),
    ],
    ...(requestBody && { requestBody }),
    responses,
  };
}

function bodyOf({ types, schema, example, others }: ResponseDefinition): DescribedBody {
  const shown = example ?? (types === undefined ? (exampleOf<Type.TSchema>(schema) as JsonValue) : undefined);
  return {
    types: types ?? [contentTypes.json],
    schema,
    ...(shown !== undefined && { example: shown }),
    ...(others && { others }),
  };
}

const etagHeader = { ETag: { description: 'for If-None-Match', schema: Type.String() } };
