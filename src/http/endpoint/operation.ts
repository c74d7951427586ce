/**
 * An operation is defined once. Its definition yields the XML route /web/NAME, the JSON route /api/NAME, the parsing of its
 * parameters, its error responses, its entry in the OpenAPI document and its line in docs/operations.md. docs/http.md
 * ("Defining an operation") has an example and the rules.
 */
import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import type { Permission } from '../../access/permissions.ts';
import type { ErrorCode, ReceiverError } from '../../base/errors.ts';
import { type None, type Parameters, type ParameterValues, readParameters } from '../middleware/parameters.ts';
import type { Query } from '../middleware/query.ts';
import { done, failure, SimpleResult, simpleResult } from '../middleware/simple-result.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { exampleOf, nullable } from '../write/record.ts';
import type { Piece, Written } from '../write/written-list.ts';
import { type View, xmlDocument, xmlType } from '../write/xml.ts';

export type OperationTag = 'device' | 'services' | 'epg' | 'timers' | 'recordings' | 'streams' | 'system';

/** The client, as far as a response depends on it. */
export interface Caller {
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

/** A response that is not a record: a playlist, a picture, a line of text. It is the same at /web and /api. */
export interface Document {
  readonly contentType: string;
  /** A stream or an iterable is sent while it is produced, as fast as the client reads it. */
  readonly body: Buffer | string | Readable | Iterable<Piece>;
  /** Display name of the file, for `Content-Disposition: inline`. */
  readonly fileName?: string | undefined;
}

/** A record, which is written as XML or JSON, or a document. */
export type Answer = RecordAnswer | { readonly kind: 'document'; readonly document: Document };

export interface RecordAnswer {
  readonly kind: 'record';
  readonly json: unknown;
  /** Writes the record as /web does, in the media type that the operation has there. */
  readonly web: () => Iterable<Piece>;
}

/**
 * Which failures are reported with the status of their error; the others have status 200 and False.
 * - `False`: none.
 * - `status`: all except wrong parameters.
 * - a list: failures with these codes.
 *
 * Anything but a ReceiverError is always a 500.
 */
export type Failures = 'False' | 'status' | readonly ErrorCode[];

/** An operation, from which its routes, the OpenAPI document and the table of operations are built. */
export interface Operation {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The release that introduced it. Default: the first. */
  readonly since: string;
  readonly summary: string;
  /** Details beyond the summary, in whole sentences. */
  readonly description?: string | undefined;
  /** Default: that of its file. */
  readonly tag: OperationTag;
  readonly parameters: Parameters;
  /** Schema of the JSON response; undefined for a document. */
  readonly result: TSchema | undefined;
  /** A sample response: the record, or the text of a document. */
  readonly example: unknown;
  /** The example as /web writes it. */
  readonly webExample: () => string;
  /** Possible media types of a document; undefined for a record. */
  readonly mediaTypes: readonly string[] | undefined;
  /** Changes the receiver, always or when one of these parameters is given. Pages of other sites may not do that. */
  readonly changesState: boolean | readonly string[];
  /** The permission that such a change needs. Default: that of its tag. */
  readonly permission: Permission;
  /** The reason for the deprecation. */
  readonly deprecated?: string | undefined;
  readonly failures: Failures;
  /** Media type of a record at /web; undefined for a document. */
  readonly webType: string | undefined;
  /** @throws ReceiverError if a parameter is wrong or the action fails. */
  answer(parts: ReceiverParts, query: Query, caller: Caller): Promise<Answer>;
  /**
   * The state on which the response depends besides the request. The response is cached while it is unchanged. Undefined if
   * each response is computed separately.
   */
  sameWhile(parts: ReceiverParts, query: Query): string | Promise<string | undefined> | undefined;
  /** A failure in the operation's own format; undefined if it is reported as a simple result. */
  failed(parts: ReceiverParts, error: ReceiverError): RecordAnswer | undefined;
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
      Pick<Operation, 'aliases' | 'since' | 'description' | 'tag' | 'changesState' | 'permission' | 'deprecated'>
    > {
  readonly parameters?: P;
  /**
   * The state on which the response depends besides the request. While it is unchanged, the response is sent from the cache.
   * For long lists that hardly ever change, and for responses that many clients request at the same time. The response is
   * built as a whole, so its size must be bounded.
   */
  sameWhile?(parts: ReceiverParts, values: ParameterValues<P>): string | undefined | Promise<string | undefined>;
}

interface RecordBase<P extends Parameters, S extends TSchema> extends Definition<P> {
  readonly result: S;
  /** Default: the samples of the result. */
  readonly example?: Static<S>;
  readonly failures?: Failures;
  /** Writes a failure in the format of the response; the error code is added. If absent or undefined: a simple result. */
  failed?(error: ReceiverError, parts: ReceiverParts): Static<S> | undefined;
  /** Returns the result. Its lists may be a `WrittenList` (write/written-list.ts). */
  run(
    parts: ReceiverParts,
    values: ParameterValues<P>,
    caller: Caller,
  ): Written<Static<S>> | Promise<Written<Static<S>>>;
}

interface RecordDefinition<P extends Parameters, S extends TSchema> extends RecordBase<P, S> {
  readonly xml: View<Static<S>>;
}

/** Any schema with the fields of a simple result. */
type ExtendedResult = TSchema & Pick<typeof SimpleResult, 'properties'>;

interface ActionDefinition<P extends Parameters, S extends TSchema>
  extends Omit<RecordDefinition<P, S>, 'result' | 'xml' | 'example'> {
  /** Default: a simple result and nothing else. */
  readonly result?: S;
  readonly xml?: View<SimpleResult>;
  readonly exampleMessage: string;
}

interface TextDefinition<P extends Parameters, S extends TSchema> extends RecordBase<P, S> {
  /** Media type of the text. */
  readonly webType: string;
  text(result: Static<S>): string;
}

/** A document. Without a content type it has the first one of its operation. */
type PartialDocument = Omit<Document, 'contentType'> & Partial<Pick<Document, 'contentType'>>;

interface DocumentDefinition<P extends Parameters> extends Definition<P> {
  /** The content type. If there are several, each response names its own. */
  readonly contentType: string | readonly [string, ...string[]];
  /** The beginning of a sample response; empty if it is not text. */
  readonly example: string;
  /** The default is `status`. */
  readonly failures?: Failures;
  run(parts: ReceiverParts, values: ParameterValues<P>, caller: Caller): PartialDocument | Promise<PartialDocument>;
}

/** An operation whose tag and permission may still have to be set by `area`. */
type OperationDraft = Omit<Operation, 'tag' | 'permission'> & {
  readonly tag: OperationTag | undefined;
  readonly permission: Permission | undefined;
};

const permissionOfTag: Readonly<Record<OperationTag, Permission>> = {
  device: 'control',
  services: 'control',
  streams: 'control',
  timers: 'record',
  recordings: 'record',
  epg: 'admin',
  system: 'admin',
};

/** Completes the operations of a file: those without a tag or permission of their own get this one. */
export function area(
  tag: OperationTag,
  defined: readonly OperationDraft[],
  permission?: Permission,
): readonly Operation[] {
  return defined.map((one) => {
    const own = one.tag ?? tag;
    return { ...one, tag: own, permission: one.permission ?? permission ?? permissionOfTag[own] };
  });
}

/** Defines an operation that returns a record. */
export function operation<const P extends Parameters = None, S extends TSchema = TSchema>(
  definition: RecordDefinition<P, S>,
): OperationDraft {
  return recordOperation(definition, xmlType, (json) => xmlDocument(definition.xml, json));
}

/** Defines an operation that changes the receiver and returns a simple result. Its JSON may have more fields. */
export function action<const P extends Parameters = None, S extends ExtendedResult = typeof SimpleResult>({
  exampleMessage,
  result = SimpleResult as TSchema as S,
  xml = simpleResult,
  ...definition
}: ActionDefinition<P, S>): OperationDraft {
  const example = { ...exampleOf(result), message: exampleMessage };
  return operation({ changesState: true, ...definition, result, xml: xml as View<object>, example });
}

/** Defines an operation that returns a record as JSON at /api, and text at /web. */
export function textOperation<const P extends Parameters = None, S extends TSchema = TSchema>(
  definition: TextDefinition<P, S>,
): OperationDraft {
  return recordOperation(definition, definition.webType, (json) => [definition.text(json)]);
}

function recordOperation<P extends Parameters, S extends TSchema>(
  definition: RecordBase<P, S>,
  webType: string,
  write: (json: Static<S>) => Iterable<Piece>,
): OperationDraft {
  // A view accepts both an array and a `WrittenList`.
  const record = (json: unknown): RecordAnswer => ({ kind: 'record', json, web: () => write(json as Static<S>) });
  const { result, example = exampleOf(result), failures = 'False' } = definition;
  return {
    ...common(definition, async (...given) => record(await definition.run(...given))),
    result,
    example,
    mediaTypes: undefined,
    webType,
    failures,
    webExample: () => textOf(write(example)),
    failed(parts, error) {
      const json = definition.failed?.(error, parts);
      return json === undefined ? undefined : record({ ...json, error: error.code });
    },
  };
}

/** Defines an operation that returns a document. */
export function documentOperation<const P extends Parameters = None>(
  definition: DocumentDefinition<P>,
): OperationDraft {
  const { example, failures = 'status', contentType: given } = definition;
  const mediaTypes: readonly [string, ...string[]] = typeof given === 'string' ? [given] : given;
  const [contentType] = mediaTypes;
  return {
    ...common(definition, async (...given) => {
      return { kind: 'document', document: { contentType, ...(await definition.run(...given)) } };
    }),
    result: undefined,
    example,
    mediaTypes,
    webType: undefined,
    failures,
    webExample: () => example,
    failed: () => undefined,
  };
}

/** The text of a short document without `WrittenList`s, such as an example. */
export function textOf(document: Iterable<Piece>): string {
  return ([...document] as readonly string[]).join('');
}

/** The part that all kinds of operations have. */
function common<P extends Parameters>(
  definition: Definition<P>,
  answer: (parts: ReceiverParts, values: ParameterValues<P>, caller: Caller) => Promise<Answer>,
) {
  const { name, aliases = [], since = '0.1', summary, description, tag } = definition;
  const { parameters = {} as P, changesState = false, permission, deprecated } = definition;
  return {
    ...{ name, aliases, since, summary, description, tag, parameters, changesState, permission, deprecated },
    answer: async (parts: ReceiverParts, query: Query, caller: Caller) =>
      answer(parts, readParameters(parameters, query), caller),
    sameWhile: (parts: ReceiverParts, query: Query) => definition.sameWhile?.(parts, readParameters(parameters, query)),
  };
}

export { done, failure, nullable, SimpleResult, simpleResult };
