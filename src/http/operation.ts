/**
 * An operation is defined once. From its definition come the XML route /web/NAME, the JSON twin /api/NAME, the reading of its
 * parameters, its error replies, its entry in the OpenAPI document and its line in docs/operations.md. There is no other list.
 *
 *   export const vol = operation({
 *     name: 'vol', since: '0.1', tag: 'device', summary: 'Shows or changes the volume.',
 *     parameters: { set: text('up, down, mute, setNN; absent = show') },
 *     result: volumeResult, xml: volumeView, example: { ... },
 *     run({ volume }, { set }) { ... },
 *   });
 *
 * `run` gives the result as the JSON face shows it; the XML view says how the other face writes the same value. What fails is
 * thrown as a ReceiverError: both faces then answer with status 200, False and the text, because the clients of this interface
 * throw away the body of any other status. `failures` is for the few operations where the status counts, `failed` for those that
 * tell a failure in their own form.
 *
 * `textOperation` is a record on the JSON face and plain text on the other; `documentOperation` a document on both.
 */
import type { Readable } from 'node:stream';
import Type, { type Static, type TSchema } from 'typebox';
import type { ErrorCode, ReceiverError } from '../errors.ts';
import { type Parameters, type ParameterValues, readParameters } from './parameters.ts';
import type { ReceiverParts } from './parts.ts';
import type { AnswerState } from './prepared-answers.ts';
import type { Query } from './query.ts';
import type { Piece, Written } from './written-list.ts';
import { element, leaf, type View, xmlDocument, xmlType } from './xml.ts';

export type OperationTag = 'device' | 'services' | 'epg' | 'timers' | 'recordings' | 'streams' | 'system';

/** Who asks, as far as an answer depends on it. */
export interface Caller {
  /** Name or address in the request's Host header, without port; an IPv6 literal keeps its brackets. */
  readonly host: string;
  /** `http://HOST[:PORT]` as the client reached the web port. */
  readonly origin: string;
  /** How it was asked: `HEAD` and `POST` are answered as `GET` is, but for what only a POST may do. */
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Does something when the answer is on its way, or the client has gone: what would cut the answer off. */
  afterReply(action: () => void): void;
}

/** An answer that is no record but a document: a playlist, a picture, a line of text. The same on both faces. */
export interface Document {
  readonly contentType: string;
  /** A stream is sent while it is made, as fast as the client reads it. */
  readonly body: Buffer | string | Readable;
  /** Shown name of the file, for `Content-Disposition: inline`. */
  readonly fileName?: string | undefined;
}

/** A record for both faces, or a document. */
export type Answer = RecordAnswer | { readonly kind: 'document'; readonly document: Document };

export interface RecordAnswer {
  readonly kind: 'record';
  readonly json: unknown;
  /** The same for the /web face, in the media type of the operation there. */
  readonly web: () => Iterable<Piece>;
}

/**
 * Which failures are told with the status of the error. `False`: none, all have status 200 and False; `status`: all but wrong
 * parameters; or those of these codes. What is no ReceiverError is always 500.
 */
export type Failures = 'False' | 'status' | readonly ErrorCode[];

/** What is the same for every operation, and what the faces, the OpenAPI document and the table of operations are made from. */
export interface Operation {
  readonly name: string;
  /** Further names that mean the same. */
  readonly aliases: readonly string[];
  /** The release that brought it. */
  readonly since: string;
  readonly summary: string;
  /** More than the summary, in whole sentences. */
  readonly description?: string | undefined;
  readonly tag: OperationTag;
  readonly parameters: Parameters;
  /** Schema of the JSON answer; undefined for a document. */
  readonly result: TSchema | undefined;
  /** An answer as it may look: the record, or the text of a document. */
  readonly example: unknown;
  /** The example as the /web face writes it. */
  readonly webExample: () => string;
  /** Media types that a document can have; undefined for a record. */
  readonly mediaTypes: readonly string[] | undefined;
  /** Changes the receiver (always, or when one of these parameters is there): not for pages of another site. */
  readonly changesState: boolean | readonly string[];
  /** Why not to use it any more. */
  readonly deprecated?: string | undefined;
  readonly failures: Failures;
  /** Media type of a record on the /web face, undefined for a document. */
  readonly webType: string | undefined;
  /** @throws ReceiverError when a parameter is wrong or the action failed. */
  answer(parts: ReceiverParts, query: Query, caller: Caller): Promise<Answer>;
  /** As long as this is the same, so is the answer to the same request; undefined where each is made for itself. */
  sameWhile(parts: ReceiverParts, query: Query): AnswerState | Promise<AnswerState | undefined> | undefined;
  /** A failure in the operation's own form; undefined where it is told as a simple result. */
  failed(parts: ReceiverParts, error: ReceiverError): RecordAnswer | undefined;
}

interface Definition<P extends Parameters> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly since: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: OperationTag;
  readonly parameters: P;
  readonly changesState?: boolean | readonly string[];
  readonly deprecated?: string;
  /**
   * What the answer depends on beside the request: as long as it is the same, the answer is sent from memory. For long lists that
   * hardly ever change, and for what many ask for at a time. It is made as a whole then, so it has to be of a bounded size.
   */
  sameWhile?(
    parts: ReceiverParts,
    values: ParameterValues<P>,
  ): AnswerState | undefined | Promise<AnswerState | undefined>;
}

interface RecordBase<P extends Parameters, S extends TSchema> extends Definition<P> {
  readonly result: S;
  readonly example: Static<S>;
  readonly failures?: Failures;
  /** What a failure looks like in the form of the answer; absent, or undefined for one: a simple result. */
  failed?(error: ReceiverError, parts: ReceiverParts): Static<S> | undefined;
  /** The result; lists in it may be such that write themselves (written-list.ts). */
  run(
    parts: ReceiverParts,
    values: ParameterValues<P>,
    caller: Caller,
  ): Written<Static<S>> | Promise<Written<Static<S>>>;
}

interface RecordDefinition<P extends Parameters, S extends TSchema> extends RecordBase<P, S> {
  readonly xml: View<Static<S>>;
}

interface TextDefinition<P extends Parameters, S extends TSchema> extends RecordBase<P, S> {
  /** Media type of the text. */
  readonly webType: string;
  text(result: Static<S>): string;
}

interface DocumentDefinition<P extends Parameters> extends Definition<P> {
  /** Or several, of which an answer has one. */
  readonly contentType: string | readonly string[];
  /** The beginning of an answer as it may look; empty for what is no text. */
  readonly example: string;
  /** Absent: `status`. */
  readonly failures?: Failures;
  run(parts: ReceiverParts, values: ParameterValues<P>, caller: Caller): Document | Promise<Document>;
}

/** Defines an operation that answers with a record. */
export function operation<const P extends Parameters, S extends TSchema>(
  definition: RecordDefinition<P, S>,
): Operation {
  return recordOperation(definition, xmlType, (json) => xmlDocument(definition.xml, json));
}

/** Defines an operation that answers with a record as JSON, and with text on the /web face. */
export function textOperation<const P extends Parameters, S extends TSchema>(
  definition: TextDefinition<P, S>,
): Operation {
  return recordOperation(definition, definition.webType, (json) => [definition.text(json)]);
}

function recordOperation<P extends Parameters, S extends TSchema>(
  definition: RecordBase<P, S>,
  webType: string,
  write: (json: Static<S>) => Iterable<Piece>,
): Operation {
  // A view takes an array and a list that writes itself alike.
  const record = (json: unknown): RecordAnswer => ({ kind: 'record', json, web: () => write(json as Static<S>) });
  return {
    ...common(definition),
    result: definition.result,
    example: definition.example,
    mediaTypes: undefined,
    webType,
    failures: definition.failures ?? 'False',
    // An example has no lists that write themselves.
    webExample: () => ([...write(definition.example)] as readonly string[]).join(''),
    async answer(parts, query, caller) {
      return record(await definition.run(parts, readParameters(definition.parameters, query), caller));
    },
    failed(parts, error) {
      const json = definition.failed?.(error, parts);
      return json === undefined ? undefined : record(json);
    },
  };
}

/** Defines an operation that answers with a document. */
export function documentOperation<const P extends Parameters>(definition: DocumentDefinition<P>): Operation {
  return {
    ...common(definition),
    result: undefined,
    example: definition.example,
    webExample: () => definition.example,
    mediaTypes: [definition.contentType].flat(),
    webType: undefined,
    failures: definition.failures ?? 'status',
    async answer(parts, query, caller) {
      const document = await definition.run(parts, readParameters(definition.parameters, query), caller);
      return { kind: 'document', document };
    },
    failed: () => undefined,
  };
}

function common<P extends Parameters>(definition: Definition<P>) {
  const {
    name,
    aliases = [],
    since,
    summary,
    description,
    tag,
    parameters,
    changesState = false,
    deprecated,
  } = definition;
  const sameWhile = (parts: ReceiverParts, query: Query) =>
    definition.sameWhile?.(parts, readParameters(parameters, query));
  return { name, aliases, since, summary, description, tag, parameters, changesState, deprecated, sameWhile };
}

/** Adds null to a schema in the one form that OpenAPI 2.0 leaves valid. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Unsafe<Static<S> | null>({ ...schema, 'x-nullable': true });
}

/** The reply of everything that only does something, and of every failure. */
export const SimpleResult = Type.Object({ result: Type.Boolean(), message: Type.String() });
export type SimpleResult = Static<typeof SimpleResult>;

/** Its text is never empty: a client takes a reply without text for a failure. */
export const simpleResult: View<SimpleResult> = element(
  'e2simplexmlresult',
  leaf('e2state', ({ result }) => result),
  leaf('e2statetext', ({ message }) => message || 'unknown'),
);

/** It worked. */
export function done(message: string): SimpleResult {
  return { result: true, message };
}
