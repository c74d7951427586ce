/**
 * Defines REST routes: method, path, parameters, responses with their schemas, and handler. The Fastify route, the checks
 * of parameters, the error responses and the entry in the OpenAPI document are derived from the definition.
 */
import type { FileHandle } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import type { ErrorCode } from '../../base/errors.ts';
import { contentTypes } from '../middleware/failures.ts';
import { givenIn, type None, type Parameters, type ParameterValues, readParameters } from '../middleware/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import type { Document } from '../write/replies.ts';
import type {
  DescribedBody,
  DescribedParameter,
  DescribedResponse,
  DescribedRoute,
  JsonObject,
  JsonValue,
  Method,
} from './described-route.ts';
import type { Draft, Endpoint } from './endpoint.ts';

/**
 * The response of a route: a JSON body, a document, or a file with support for byte ranges. The JSON is compact; its
 * properties may be lists that write themselves (write/written-list.ts).
 */
export type RestResponse = ResponseHead &
  ({ readonly body: object } | LazyBody | { readonly document: Document } | FileBody | { readonly empty: true });

/** A JSON body that is built only if the client does not have it and it is not cached. */
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

interface ResponseHead {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Opaque tag of the response: a request with this `If-None-Match` is answered with 304. */
  readonly etag?: string;
}

export interface ResponseDefinition {
  readonly description: string;
  /** Media types of a document. Default: JSON. */
  readonly types?: readonly string[];
  /** Absent for a response without a body. */
  readonly schema?: Type.TSchema;
  /** An example of the response; absent for bytes. Default for JSON: the samples of the schema. */
  readonly example?: JsonValue;
  /** Other bodies that the response may have, depending on the parameters. */
  readonly others?: readonly DescribedBody[];
  readonly headers?: NonNullable<DescribedResponse['headers']>;
}

type Caching = 'no-store' | 'no-cache' | 'private, max-age=86400';

interface RouteHead extends Pick<Endpoint, 'name' | 'summary' | 'description'> {
  /** Default: GET. */
  readonly method?: Method;
  /** With `{name}` for path parameters, and `{name*}` for the rest of the path. Requests may add a trailing slash. */
  readonly path: `/${string}`;
  /** A GET needs the permission as well. */
  readonly isPrivate?: boolean;
  /** Changes nothing although it is no GET. */
  readonly isHarmless?: boolean;
  /** Default: `no-store`. `no-cache`: clients may cache the response, but have to revalidate it by its ETag. */
  readonly caching?: Caching;
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

/** Whether the body of a request is a form or a JSON object with parameters. */
const takesForm = ({ method = 'GET', requestBody }: RouteHead) => /^(POST|PUT)$/.test(method) && !requestBody;

/** Where a parameter is: it is a segment of the path, a field of a form (or of the query, which takes precedence), or in the query. */
export function placeOf(head: RouteHead, name: string): DescribedParameter['in'] {
  if (head.path.includes(`{${name}}`) || head.path.includes(`{${name}*}`)) return 'path';
  return takesForm(head) ? 'form' : 'query';
}

export interface RouteDefinition<P extends Parameters>
  extends RouteHead,
    Partial<Pick<Endpoint, 'tag' | 'permission'>> {
  readonly parameters?: P;
  run(parts: ReceiverParts, values: ParameterValues<P>, request: FastifyRequest): RestResponse | Promise<RestResponse>;
}

/** A defined route, without the types of its parameters. */
export interface Route extends RouteHead, Endpoint {
  readonly method: Method;
  readonly caching: Caching;
  /** @throws ReceiverError */
  answer(parts: ReceiverParts, request: FastifyRequest): Promise<RestResponse>;
}

export type RouteDraft = Draft<Route>;

/** Defines a route. The types of the parameters give the types of the handler's values. */
export function route<P extends Parameters = None>(definition: RouteDefinition<P>): RouteDraft {
  const { parameters = {} as P, run, ...head } = definition;
  const rest = /\{(\w+)\*\}$/.exec(head.path)?.[1];
  return {
    method: 'GET',
    caching: 'no-store',
    ...head,
    // A private response needs the same as a change.
    changesState: head.isHarmless !== true && ((head.method ?? 'GET') !== 'GET' || head.isPrivate === true),
    parameters,
    async answer(parts, request) {
      const { '*': left, ...named } = request.params as Readonly<Record<string, string>>;
      const segments = rest === undefined ? named : { ...named, [rest]: left ?? '' };
      const { query, body } = givenIn(request);
      const given = { segments, query, body: takesForm(head) ? body : undefined };
      return run(parts, readParameters(parameters, given), request);
    },
  };
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
