/**
 * Parameters of the REST routes: in the path, in the query, and lists (query parameters that may be given several
 * times).
 *
 * They are the same kind as the operations' parameters (../parameters.ts), with schema and parser in one object. The
 * first value of a repeated name counts, except in a list. An unreadable number counts as absent: clients of this
 * family rely on that. The guide routes show in `mangled_parameters` how the parameters were understood.
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

/** All parameters of a route. */
export interface RouteParameters {
  readonly path: Parameters;
  readonly query: Parameters;
  readonly lists: ListParameters;
  /** Fields of a body (a form, a multipart form, a JSON object) or of the query, which takes precedence. */
  readonly fields: Parameters;
}

/** The argument of a route's handler: one typed value for each parameter, lists as arrays of texts. */
export type RouteValues<
  P extends Parameters,
  Q extends Parameters,
  L extends ListParameters,
  F extends Parameters,
> = ParameterValues<P> & ParameterValues<Q> & ParameterValues<F> & { readonly [Name in keyof L]: readonly string[] };

/**
 * Reads the parameters of a request: those of the path (percent-decoded), then those of the query and the body.
 * @throws ReceiverError the parameter's own error, or `parameter-invalid` for an object in a list that takes only texts
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

/**
 * A whole number with a range or an enumeration in its schema, which the caller checks. Undefined if absent or
 * unreadable.
 */
export function integerWith(
  description: string,
  schema: (Range & { readonly default?: number }) | { readonly enum: number[] },
): Parameter<number | undefined> {
  return new Parameter(description, Type.Unsafe<number>({ type: 'integer', ...schema }), (given) => {
    const match = wholeNumber.exec(given ?? '');
    return match === null ? undefined : Number(match[1]);
  });
}

/** A text with further schema keywords; undefined if absent. */
export function textWith(
  description: string,
  schema: { readonly default?: string; readonly enum?: readonly string[]; readonly pattern?: string },
): Parameter<string | undefined> {
  return new Parameter(description, Type.Unsafe<string>({ type: 'string', ...schema }), (given) => given);
}

/** One of several words. Absent or empty means the preset. Any other word is an error that names the parameter. */
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

/** True for `1`, `true`, `yes` and `on` in any case, false for everything else. */
export function toggle(description: string): Parameter<boolean> {
  return new Parameter(description, Type.Boolean({ default: false }), (given = '') =>
    /^\s*(1|true|yes|on)\s*$/i.test(given),
  );
}

/** A segment of the path. An empty one (`/services//tv`) is refused with `bad-path`. */
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

/** A segment, unchanged. */
export const segmentText = (description: string, example: string): Parameter<string> =>
  segment(description, { type: 'string', examples: [example] }, (text) => text);

/** The rest of the path, including slashes, for a route that ends in `{name*}`. */
export const segmentRest = segmentText;

/**
 * A service reference: fully percent-encoded, or its ten numbers separated by `:`, `_` or `-`. Otherwise
 * `invalid-reference`.
 */
export const segmentReference = (): Parameter<ServiceReference> =>
  segment(
    'service reference, percent-encoded or as ten numbers separated by ":", "_" or "-"',
    { type: 'string', examples: [exampleService.service_reference] },
    ServiceReference.parsePathSegment,
  );

/** A whole number. Anything else is refused with `bad-path`. */
export function segmentInteger(description: string, example = 1): Parameter<number> {
  const schema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [example] };
  return segment(description, schema, (text) => {
    if (!/^-?\d{1,15}$/.test(text)) throw fail('bad-path', `with '${text}' in place of a number`);
    return Number(text);
  });
}
