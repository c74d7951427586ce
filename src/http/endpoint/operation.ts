/**
 * An operation is defined once. Its definition yields the XML route /web/NAME, the JSON route /api/NAME, the parsing of its
 * parameters, its error responses, its entry in the OpenAPI document and its line in docs/operations.md. docs/http.md
 * ("Defining an operation") has an example and the rules.
 */
import type { Static, TSchema } from 'typebox';
import type { Permission } from '../../access/permissions.ts';
import type { ErrorCode, ReceiverError } from '../../base/errors.ts';
import {
  type Given,
  type None,
  type Parameters,
  type ParameterValues,
  readParameters,
} from '../middleware/parameters.ts';
import type { QueryLists } from '../middleware/query.ts';
import { done, failure, SimpleResult, simpleResult } from '../middleware/simple-result.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { exampleOf } from '../write/record.ts';
import type { Document } from '../write/replies.ts';
import type { Piece, Written } from '../write/written-list.ts';
import { type View, xmlDocument, xmlType } from '../write/xml.ts';
import type { Draft, Endpoint } from './endpoint.ts';

export type OperationTag = 'device' | 'services' | 'epg' | 'timers' | 'recordings' | 'streams' | 'system';

/** What a response depends on besides the parameters. */
export interface RequestContext {
  /** Name or address in the request's Host header, without port; an IPv6 literal keeps its brackets. */
  readonly host: string;
  /** URL at which the client reached the web port, `http://HOST[:PORT][PREFIX]`. The prefix is that of a proxy (`/tv`). */
  readonly origin: string;
  /** The request method. `HEAD` and `POST` are answered like `GET`, except where only a POST may change something. */
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** The account or, without a login, the client's address: the parental lock counts wrong PINs by it. */
  client(): string;
  /** Ticket for the URLs in a playlist, if players need one to be admitted. */
  readonly ticket?: string | undefined;
  /** All texts of all parameters, for a handler that reads them itself. */
  readonly given: QueryLists;
  /** Whether the client may make the operation's change, where a setting and not the request demands it. */
  readonly mayChange: boolean;
  /** For values of a parameter that need more than the operation. @throws ReceiverError `login-needed`, `right-missing` */
  need(permission: Permission): void;
  /**
   * Runs an action once the response is sent or the client has disconnected. For actions that would interrupt the response,
   * such as a restart.
   */
  afterReply(action: () => void): void;
}

/** A record, which is written as XML or JSON, or a document. */
export type OperationResponse = RecordResponse | { readonly kind: 'document'; readonly document: Document };

export interface RecordResponse {
  readonly kind: 'record';
  readonly json: unknown;
  /** Writes the record as /web does, in the media type that the operation has there. */
  readonly web: () => Iterable<Piece>;
}

/** An operation, from which its routes, the OpenAPI document and the table of operations are built. */
export interface Operation extends Endpoint {
  readonly tag: OperationTag;
  readonly permission: Permission;
  readonly aliases: readonly string[];
  /** The only path, if it is neither `/web/NAME` nor `/api/NAME`. Records are XML there. */
  readonly path?: `/${string}`;
  /** The release that introduced it. Default: the first. */
  readonly since: string;
  /** Schema of the JSON response; undefined for a document. */
  readonly result: TSchema | undefined;
  /** A sample response: the record, or the text of a document. */
  readonly example: unknown;
  /** The example as /web writes it. */
  readonly webExample: () => string;
  /** Possible media types of a document; undefined for a record. */
  readonly mediaTypes: readonly string[] | undefined;
  /** The reason for the deprecation. */
  readonly deprecated?: string | undefined;
  /**
   * Errors whose response has their status; all others have status 200 and False. `all`: every error but wrong parameters.
   * Anything but a ReceiverError is always a 500.
   */
  readonly errorsWithStatus: 'all' | readonly ErrorCode[];
  /** Media type of a record at /web; undefined for a document. */
  readonly webType: string | undefined;
  /** @throws ReceiverError if a parameter is wrong or the action fails. */
  answer(parts: ReceiverParts, given: Given, context: RequestContext): Promise<OperationResponse>;
  /**
   * The state on which the response depends besides the request. The response is cached while it is unchanged. Undefined if
   * each response is computed separately.
   */
  cacheState(parts: ReceiverParts, given: Given): string | Promise<string | undefined> | undefined;
  /** A failure in the operation's own format; undefined if it is reported as a simple result. */
  failed(parts: ReceiverParts, error: ReceiverError): RecordResponse | undefined;
}

/** Dots in operation names are ignored: `services.m3u` is `servicesm3u`. */
export function withoutDots(name: string): string {
  return name.replaceAll('.', '');
}

/** An operation's name and aliases, each with and without dots. */
export function namesOf({ name, aliases }: Pick<Operation, 'name' | 'aliases'>): readonly string[] {
  return [...new Set([name, ...aliases].flatMap((one) => [one, withoutDots(one)]))];
}

/** The common part of all definitions. */
interface Definition<P extends Parameters>
  extends Pick<Operation, 'name' | 'summary'>,
    Partial<
      Pick<
        Operation,
        | 'aliases'
        | 'path'
        | 'since'
        | 'description'
        | 'tag'
        | 'changesState'
        | 'permission'
        | 'deprecated'
        | 'errorsWithStatus'
      >
    > {
  readonly parameters?: P;
  /**
   * The state on which the response depends besides the request. While it is unchanged, the response is sent from the cache.
   * For long lists that hardly ever change, and for responses that many clients request at the same time. The response is
   * built as a whole, so its size must be bounded.
   */
  cacheState?(parts: ReceiverParts, values: ParameterValues<P>): string | undefined | Promise<string | undefined>;
}

/** A record: JSON at /api; XML or text at /web. */
interface RecordDefinition<P extends Parameters, S extends TSchema> extends Definition<P> {
  readonly contentType?: undefined;
  /** Default: a simple result, and the operation changes the receiver. */
  readonly result?: S;
  /** Default: the view of a simple result. */
  readonly xml?: View<Static<S>> | View<SimpleResult>;
  /** Text at /web, instead of XML. */
  readonly text?: { readonly type: string; write(result: Static<S>): string };
  /** Default: the samples of the result. */
  readonly example?: Static<S>;
  /** The message in the example of an operation that reports its success. */
  readonly exampleMessage?: string;
  /** Writes a failure in the format of the response; the error code is added. If absent or undefined: a simple result. */
  failed?(error: ReceiverError, parts: ReceiverParts): Static<S> | undefined;
  /** Returns the result. Its lists may be a `WrittenList` (write/written-list.ts). */
  run(
    parts: ReceiverParts,
    values: ParameterValues<P>,
    context: RequestContext,
  ): Written<Static<S>> | Promise<Written<Static<S>>>;
}

/** A document. Without a content type it has the first one of its operation. */
type PartialDocument = Omit<Document, 'contentType'> & Partial<Pick<Document, 'contentType'>>;

/** A document, the same at /web and /api. By default, errors have their status. */
interface DocumentDefinition<P extends Parameters> extends Definition<P> {
  /** The content type. If there are several, each response names its own. */
  readonly contentType: string | readonly [string, ...string[]];
  /** The beginning of a sample response; empty if it is not text. */
  readonly example: string;
  run(
    parts: ReceiverParts,
    values: ParameterValues<P>,
    context: RequestContext,
  ): PartialDocument | Promise<PartialDocument>;
}

/** Defines an operation. */
export function operation<const P extends Parameters = None, S extends TSchema = typeof SimpleResult>(
  definition: RecordDefinition<P, S> | DocumentDefinition<P>,
): Draft<Operation> {
  const { parameters = {} as P, cacheState } = definition;
  const read = (given: Given) => readParameters(parameters, given);
  const { run, ...kind } = definition.contentType === undefined ? recordOf(definition) : documentOf(definition);
  return {
    ...{ aliases: [], since: '0.1', changesState: false },
    ...definition,
    ...kind,
    parameters,
    answer: async (parts, given, context) => run(parts, read(given), context),
    cacheState: (parts, given) => cacheState?.(parts, read(given)),
  };
}

function recordOf<P extends Parameters, S extends TSchema>(definition: RecordDefinition<P, S>) {
  const { result = SimpleResult as TSchema as S, exampleMessage, errorsWithStatus = [], text } = definition;
  const { xml = simpleResult, example = exampleOf(result) } = definition;
  const write = (json: unknown): Iterable<Piece> =>
    text === undefined ? xmlDocument(xml as View<unknown>, json) : [text.write(json as Static<S>)];
  // A view accepts both an array and a `WrittenList`.
  const record = (json: unknown): RecordResponse => ({ kind: 'record', json, web: () => write(json) });
  const shown = exampleMessage === undefined ? example : { ...(example as object), message: exampleMessage };
  return {
    result,
    example: shown,
    mediaTypes: undefined,
    webType: text?.type ?? xmlType,
    errorsWithStatus,
    ...(exampleMessage !== undefined && { changesState: definition.changesState ?? true }),
    webExample: () => textOf(write(shown)),
    failed(parts: ReceiverParts, error: ReceiverError) {
      const json = definition.failed?.(error, parts);
      return json === undefined ? undefined : record({ ...json, error: error.code });
    },
    run: async (...given: HandlerArguments<P>): Promise<OperationResponse> => record(await definition.run(...given)),
  };
}

function documentOf<P extends Parameters>(definition: DocumentDefinition<P>) {
  const { example, errorsWithStatus = 'all' as const, contentType: types } = definition;
  const mediaTypes: readonly [string, ...string[]] = typeof types === 'string' ? [types] : types;
  const [contentType] = mediaTypes;
  return {
    result: undefined,
    example,
    mediaTypes,
    webType: undefined,
    errorsWithStatus,
    webExample: () => example,
    failed: () => undefined,
    run: async (...given: HandlerArguments<P>): Promise<OperationResponse> => ({
      kind: 'document',
      document: { contentType, ...(await definition.run(...given)) },
    }),
  };
}

/** The arguments of a handler. */
type HandlerArguments<P extends Parameters> = [
  parts: ReceiverParts,
  values: ParameterValues<P>,
  context: RequestContext,
];

/** The text of a short document without `WrittenList`s, such as an example. */
export function textOf(document: Iterable<Piece>): string {
  return ([...document] as readonly string[]).join('');
}

export { done, failure, SimpleResult, simpleResult };
