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
 * throw away the body of any other status. `failures: 'status'` is for the few operations where the status counts.
 */
import type { Readable } from 'node:stream';
import Type, { type Static, type TSchema } from 'typebox';
import { type Parameters, type ParameterValues, readParameters } from './parameters.ts';
import type { ReceiverParts } from './parts.ts';
import type { Query } from './query.ts';
import type { Piece, Written } from './written-list.ts';
import { element, leaf, type View, xmlDocument } from './xml.ts';

export type OperationTag = 'device' | 'services' | 'epg' | 'timers' | 'recordings' | 'streams' | 'system';

/** Who asks, as far as an answer depends on it. */
export interface Caller {
  /** Name or address in the request's Host header, without port; an IPv6 literal keeps its brackets. */
  readonly host: string;
  /** `http://HOST[:PORT]` as the client reached the web port. */
  readonly origin: string;
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
export type Answer =
  | { readonly kind: 'record'; readonly json: unknown; readonly xml: () => Iterable<Piece> }
  | { readonly kind: 'document'; readonly document: Document };

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
  /** An answer as it may look; undefined for a document. */
  readonly example: unknown;
  /** Media types that a document can have; undefined for a record. */
  readonly mediaTypes: readonly string[] | undefined;
  /** Changes the receiver (always, or when one of these parameters is there): not for pages of another site. */
  readonly changesState: boolean | readonly string[];
  /** Why not to use it any more. */
  readonly deprecated?: string | undefined;
  /** `False` answers with status 200; `status` with the status of the error. */
  readonly failures: 'False' | 'status';
  /** @throws ReceiverError when a parameter is wrong or the action failed. */
  answer(parts: ReceiverParts, query: Query, caller: Caller): Promise<Answer>;
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
}

interface RecordDefinition<P extends Parameters, S extends TSchema> extends Definition<P> {
  readonly result: S;
  readonly xml: View<Static<S>>;
  readonly example: Static<S>;
  readonly failures?: 'False' | 'status';
  /** The result; lists in it may be such that write themselves (written-list.ts). */
  run(
    parts: ReceiverParts,
    values: ParameterValues<P>,
    caller: Caller,
  ): Written<Static<S>> | Promise<Written<Static<S>>>;
}

interface DocumentDefinition<P extends Parameters> extends Definition<P> {
  /** Or several, of which an answer has one. */
  readonly contentType: string | readonly string[];
  run(parts: ReceiverParts, values: ParameterValues<P>, caller: Caller): Document | Promise<Document>;
}

/** Defines an operation that answers with a record. */
export function operation<const P extends Parameters, S extends TSchema>(
  definition: RecordDefinition<P, S>,
): Operation {
  return {
    ...common(definition),
    result: definition.result,
    example: definition.example,
    mediaTypes: undefined,
    failures: definition.failures ?? 'False',
    async answer(parts, query, caller) {
      const json = await definition.run(parts, readParameters(definition.parameters, query), caller);
      // `each` takes an array and a list that writes itself alike.
      return { kind: 'record', json, xml: () => xmlDocument(definition.xml, json as Static<S>) };
    },
  };
}

/** Defines an operation that answers with a document; what fails answers with the status of the error. */
export function documentOperation<const P extends Parameters>(definition: DocumentDefinition<P>): Operation {
  return {
    ...common(definition),
    result: undefined,
    example: undefined,
    mediaTypes: [definition.contentType].flat(),
    failures: 'status',
    async answer(parts, query, caller) {
      const document = await definition.run(parts, readParameters(definition.parameters, query), caller);
      return { kind: 'document', document };
    },
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
  return { name, aliases, since, summary, description, tag, parameters, changesState, deprecated };
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
