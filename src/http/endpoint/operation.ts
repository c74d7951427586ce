/**
 * An operation is defined once. Its definition yields the XML route /web/NAME, the JSON twin /api/NAME, the parsing of
 * its parameters, its error replies, its entry in the OpenAPI document and its line in docs/operations.md. There is no
 * other list. docs/http.md ("Defining an operation") has an example and the rules.
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
  /** `http://HOST[:PORT][PREFIX]` at which the client reached the web port; the prefix is that of a proxy, `/tv`. */
  readonly origin: string;
  /** The request method. `HEAD` and `POST` are answered like `GET`, except for what only a POST may do. */
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** The account that has logged in, else the client at its address: whose wrong codes of the parental lock count. */
  client(): string;
  /** For the addresses in a playlist, where their players would have to log in. */
  readonly ticket?: string | undefined;
  /** Whether the client may change what the operation changes, for changes that the settings ask for. */
  readonly mayChange: boolean;
  /** For values of a parameter that need more than the operation. @throws ReceiverError `login-needed`, `right-missing` */
  need(permission: Permission): void;
  /**
   * Runs an action once the response is sent or the client has disconnected; for actions that would cut the response
   * off.
   */
  afterReply(action: () => void): void;
}

/** A response that is not a record but a document: a playlist, a picture, a line of text. The same on both faces. */
export interface Document {
  readonly contentType: string;
  /** Anything but a Buffer and a string is sent while it is produced, as fast as the client reads it. */
  readonly body: Buffer | string | Readable | Iterable<Piece>;
  /** Display name of the file, for `Content-Disposition: inline`. */
  readonly fileName?: string | undefined;
}

/** A record for both faces, or a document. */
export type Answer = RecordAnswer | { readonly kind: 'document'; readonly document: Document };

export interface RecordAnswer {
  readonly kind: 'record';
  readonly json: unknown;
  /** The same for the /web face, in the operation's media type there. */
  readonly web: () => Iterable<Piece>;
}

/**
 * Which failures are reported with the status of the error. `False`: none, all have status 200 and False. `status`: all
 * except wrong parameters. A list: those with these codes. Anything but a ReceiverError is always a 500.
 */
export type Failures = 'False' | 'status' | readonly ErrorCode[];

/**
 * The common part of every operation, from which the faces, the OpenAPI document and the table of operations are built.
 */
export interface Operation {
  readonly name: string;
  /** Aliases. */
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
  /** The example in the format of the /web face. */
  readonly webExample: () => string;
  /** Possible media types of a document; undefined for a record. */
  readonly mediaTypes: readonly string[] | undefined;
  /**
   * Changes the receiver, always or when one of these parameters is given. Pages of another site may not call it then.
   */
  readonly changesState: boolean | readonly string[];
  /** The permission that such a change needs. Default: that of its tag. */
  readonly permission: Permission;
  /** The reason for the deprecation. */
  readonly deprecated?: string | undefined;
  readonly failures: Failures;
  /** Media type of a record on the /web face; undefined for a document. */
  readonly webType: string | undefined;
  /** @throws ReceiverError if a parameter is wrong or the action fails. */
  answer(parts: ReceiverParts, query: Query, caller: Caller): Promise<Answer>;
  /**
   * While this state is unchanged, so is the response to the same request. Undefined if each response is computed
   * separately.
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

/** What every definition says. */
interface Definition<P extends Parameters>
  extends Pick<Operation, 'name' | 'summary'>,
    Partial<
      Pick<Operation, 'aliases' | 'since' | 'description' | 'tag' | 'changesState' | 'permission' | 'deprecated'>
    > {
  readonly parameters?: P;
  /**
   * What the response depends on besides the request. While it is unchanged, the response is sent from memory. For long
   * lists that hardly ever change, and for what many clients request at the same time. Such a response is built as a
   * whole, so its size must be bounded.
   */
  sameWhile?(parts: ReceiverParts, values: ParameterValues<P>): string | undefined | Promise<string | undefined>;
}

interface RecordBase<P extends Parameters, S extends TSchema> extends Definition<P> {
  readonly result: S;
  /** Default: the samples of the result. */
  readonly example?: Static<S>;
  readonly failures?: Failures;
  /** A failure in the format of the response; its code is added. If absent or undefined, it is a simple result. */
  failed?(error: ReceiverError, parts: ReceiverParts): Static<S> | undefined;
  /** The result. Its lists may write themselves (write/written-list.ts). */
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
  /** A sample of the message. */
  readonly says: string;
}

interface TextDefinition<P extends Parameters, S extends TSchema> extends RecordBase<P, S> {
  /** Media type of the text. */
  readonly webType: string;
  text(result: Static<S>): string;
}

/** A document, of the first type of its operation if it names none. */
type MadeDocument = Omit<Document, 'contentType'> & Partial<Pick<Document, 'contentType'>>;

interface DocumentDefinition<P extends Parameters> extends Definition<P> {
  /** One type, or several of which a response names one. */
  readonly contentType: string | readonly [string, ...string[]];
  /** The beginning of a sample response; empty if it is not text. */
  readonly example: string;
  /** The default is `status`. */
  readonly failures?: Failures;
  run(parts: ReceiverParts, values: ParameterValues<P>, caller: Caller): MadeDocument | Promise<MadeDocument>;
}

/** An operation that may have no tag and permission yet. */
type Defined = Omit<Operation, 'tag' | 'permission'> & {
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

/** The operations of a file. Those without a tag or permission of their own get the one given here. */
export function area(tag: OperationTag, defined: readonly Defined[], permission?: Permission): readonly Operation[] {
  return defined.map((one) => {
    const own = one.tag ?? tag;
    return { ...one, tag: own, permission: one.permission ?? permission ?? permissionOfTag[own] };
  });
}

/** Defines an operation that returns a record. */
export function operation<const P extends Parameters = None, S extends TSchema = TSchema>(
  definition: RecordDefinition<P, S>,
): Defined {
  return recordOperation(definition, xmlType, (json) => xmlDocument(definition.xml, json));
}

/** Defines an operation that changes the receiver and returns a simple result, which may have more fields as JSON. */
export function action<const P extends Parameters = None, S extends ExtendedResult = typeof SimpleResult>({
  says,
  result = SimpleResult as TSchema as S,
  xml = simpleResult,
  ...definition
}: ActionDefinition<P, S>): Defined {
  const example = { ...exampleOf(result), message: says };
  return operation({ changesState: true, ...definition, result, xml: xml as View<object>, example });
}

/** Defines an operation that returns a record as JSON, and text on the /web face. */
export function textOperation<const P extends Parameters = None, S extends TSchema = TSchema>(
  definition: TextDefinition<P, S>,
): Defined {
  return recordOperation(definition, definition.webType, (json) => [definition.text(json)]);
}

function recordOperation<P extends Parameters, S extends TSchema>(
  definition: RecordBase<P, S>,
  webType: string,
  write: (json: Static<S>) => Iterable<Piece>,
): Defined {
  // A view accepts both an array and a list that writes itself.
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
export function documentOperation<const P extends Parameters = None>(definition: DocumentDefinition<P>): Defined {
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

/** The text of a short document without lists that write themselves, such as an example. */
export function textOf(document: Iterable<Piece>): string {
  return ([...document] as readonly string[]).join('');
}

/** The part that all kinds have. */
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
