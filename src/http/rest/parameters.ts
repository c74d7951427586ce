/**
 * Parameters of the REST routes: in the path, in the query, and lists (query parameters that may be given several times).
 *
 * They are the operations' kind of parameter (../parameters.ts): schema and reading in one object. The first value of a
 * repeated name wins, except in a list. A number that cannot be read counts as not given, which is what clients of this family
 * rely on; the guide routes show in `mangled_parameters` what was understood.
 */
import Type from 'typebox';
import { fail } from '../../errors.ts';
import { ServiceReference } from '../../services/reference.ts';
import type { FormBody } from '../bodies.ts';
import {
  givenValues,
  Parameter,
  type Parameters,
  type ParameterValues,
  type Range,
  readParameters,
} from '../parameters.ts';
import { firstValues, parseQueryLists } from '../query.ts';
import { exampleService } from './event-record.ts';

/** A query parameter that may be given several times. */
export interface ListParameter {
  readonly description: string;
  readonly required: boolean;
  readonly example: string;
}

export type ListParameters = Readonly<Record<string, ListParameter>>;

/** Everything that a route takes. */
export interface RouteParameters {
  readonly path: Parameters;
  readonly query: Parameters;
  readonly lists: ListParameters;
  /** Of a body (a form, a multipart form, a JSON object) or of the query, which counts first. */
  readonly fields: Parameters;
}

/** What a route's handler gets: one typed value for each parameter, lists as arrays of texts. */
export type RouteValues<
  P extends Parameters,
  Q extends Parameters,
  L extends ListParameters,
  F extends Parameters,
> = ParameterValues<P> & ParameterValues<Q> & ParameterValues<F> & { readonly [Name in keyof L]: readonly string[] };

/**
 * Reads them out of a request: the path's (percent-decoded), then the query's and the body's.
 * @throws ReceiverError with the parameter's own complaint; `parameter-invalid` for a list that has an object and takes none
 */
export function readRouteParameters(
  { path, query, lists, fields }: RouteParameters,
  segments: Readonly<Record<string, string>>,
  queryText: string,
  body?: FormBody,
): Readonly<Record<string, unknown>> {
  const given = parseQueryLists(queryText);
  const first = firstValues(given);
  const form = new Map([...(body?.parameters ?? []), ...first]);
  const objects = new Map([...(body?.objects ?? [])].filter(([name]) => !given.has(name)));
  for (const name of objects.keys()) {
    const { everyValue = false, takesObjects = false } = fields[name] ?? {};
    if (everyValue && !takesObjects) throw fail('parameter-invalid', name, 'contains an object but takes only texts');
  }
  const everyValue = givenValues(fields, new Map([...(body?.lists ?? []), ...objects, ...given]));
  for (const [name, parameter] of Object.entries(fields)) {
    const text = everyValue.get(name);
    if (parameter.everyValue && text !== undefined) form.set(name, text);
  }
  return {
    ...readParameters(path, new Map(Object.entries(segments))),
    ...readParameters(query, first),
    ...readParameters(fields, form),
    ...Object.fromEntries(Object.keys(lists).map((name) => [name, given.get(name) ?? []])),
  };
}

const wholeNumber = /^\s*([+-]?\d{1,15})(\.\d*)?\s*$/;

/** A whole number, of a range or one of some, as it is given: its reader looks whether it is. Undefined when it is not given or none. */
export function integerWith(
  description: string,
  schema: (Range & { readonly default?: number }) | { readonly enum: number[] },
): Parameter<number | undefined> {
  return new Parameter(description, Type.Unsafe<number>({ type: 'integer', ...schema }), (given) => {
    const match = wholeNumber.exec(given ?? '');
    return match === null ? undefined : Number(match[1]);
  });
}

/** A text with more to say of it; undefined when it is not given. */
export function textWith(
  description: string,
  schema: { readonly default?: string; readonly enum?: readonly string[]; readonly pattern?: string },
): Parameter<string | undefined> {
  return new Parameter(description, Type.Unsafe<string>({ type: 'string', ...schema }), (given) => given);
}

/** One of some words; absent or empty is the preset, another word is refused by name. */
export function word<const Word extends string>(
  description: string,
  words: readonly Word[],
  preset: Word,
): Parameter<Word> {
  const schema = Type.Unsafe<Word>({ type: 'string', enum: words, default: preset });
  return new Parameter<Word>(description, schema, (given, name) => {
    if (given === undefined || given === '') return preset;
    const known = words.find((one) => one === given);
    if (known === undefined) throw fail('parameter-invalid', name, `must be one of ${words.join(', ')}`);
    return known;
  });
}

/** On for `1`, `true`, `yes` and `on` in any case, off for everything else. */
export function toggle(description: string): Parameter<boolean> {
  return new Parameter(description, Type.Boolean({ default: false }), (given = '') =>
    /^\s*(1|true|yes|on)\s*$/i.test(given),
  );
}

/** A segment of the path; an empty one (`/services//tv`) is refused with `bad-path`. */
function segment<Value>(
  description: string,
  schema: { readonly type: string; readonly examples: readonly unknown[] },
  read: (text: string) => Value,
): Parameter<Value> {
  const readSegment = (given: string | undefined, name: string): Value => {
    if (given === undefined || given === '') throw fail('bad-path', `with an empty ${name}`);
    return read(given);
  };
  return new Parameter(description, Type.Unsafe<unknown>(schema), readSegment, { mandatory: true });
}

/** A segment as it stands. */
export const segmentText = (description: string, example: string): Parameter<string> =>
  segment(description, { type: 'string', examples: [example] }, (text) => text);

/** All that is left of the path, slashes and all: for a route that ends in `{name*}`. */
export const segmentRest = segmentText;

/** A service reference: percent-encoded in full, or its ten numbers with `:`, `_` or `-` between them; else `invalid-reference`. */
export const segmentReference = (): Parameter<ServiceReference> =>
  segment(
    'service reference, percent-encoded or as ten numbers separated by ":", "_" or "-"',
    { type: 'string', examples: [exampleService.service_reference] },
    ServiceReference.parsePathSegment,
  );

/** A whole number; what is none is refused with `bad-path`. */
export function segmentInteger(description: string, example = 1): Parameter<number> {
  const schema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [example] };
  return segment(description, schema, (text) => {
    if (!/^-?\d{1,15}$/.test(text)) throw fail('bad-path', `with '${text}' in place of a number`);
    return Number(text);
  });
}
