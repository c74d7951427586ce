/**
 * The kinds of parameters of operations. Each has its JSON schema (for the OpenAPI document), its description, and a
 * function that turns request text into a value. How lenient a kind is follows the interface's reference.
 */
import Type, { type TSchema } from 'typebox';
import { fail } from '../errors.ts';
import { firstValues, type Query, type QueryLists } from './query.ts';

interface Traits {
  readonly mandatory?: boolean;
  readonly aliases?: readonly string[];
  readonly deprecated?: string;
  readonly everyValue?: boolean;
  readonly takesObjects?: boolean;
}

export class Parameter<T> {
  readonly description: string;
  /** As a query parameter of OpenAPI 2.0: no `anyOf`, no `null`. */
  readonly schema: TSchema;
  readonly mandatory: boolean;
  /** Aliases that clients use. */
  readonly aliases: readonly string[];
  /** The reason for the deprecation, and the replacement. */
  readonly deprecated: string | undefined;
  /** Reads every value of a repeated name, joined by line breaks. */
  readonly everyValue: boolean;
  /** Also reads objects of a JSON body, each as JSON text. */
  readonly takesObjects: boolean;
  readonly #read: (text: string | undefined, name: string) => T;
  readonly #traits: Traits;

  constructor(
    description: string,
    schema: TSchema,
    read: (text: string | undefined, name: string) => T,
    traits: Traits = {},
  ) {
    this.description = description;
    this.schema = schema;
    this.mandatory = traits.mandatory ?? false;
    this.aliases = traits.aliases ?? [];
    this.deprecated = traits.deprecated;
    this.everyValue = traits.everyValue ?? false;
    this.takesObjects = traits.takesObjects ?? false;
    this.#read = read;
    this.#traits = traits;
  }

  /** Requires a text that is not empty; otherwise `parameter-missing` or `parameter-empty`. */
  required(): Parameter<Exclude<T, undefined>> {
    const read = (text: string | undefined, name: string): Exclude<T, undefined> => {
      if (text === undefined) throw fail('parameter-missing', name);
      if (text === '') throw fail('parameter-empty', name);
      return this.#read(text, name) as Exclude<T, undefined>;
    };
    return new Parameter(this.description, this.schema, read, { ...this.#traits, mandatory: true });
  }

  /** Adds aliases. The first name that is present counts. */
  alias(...names: readonly string[]): Parameter<T> {
    return new Parameter(this.description, this.schema, this.#read, { ...this.#traits, aliases: names });
  }

  /** Marks the parameter as deprecated. It still works, but a response to a request with it is marked too. */
  outdated(instead: string): Parameter<T> {
    return new Parameter(this.description, this.schema, this.#read, { ...this.#traits, deprecated: instead });
  }

  /** True if the request has the parameter, under any of its names. */
  isIn(query: Query, name: string): boolean {
    return query.has(name) || this.aliases.some((one) => query.has(one));
  }

  /** Reads the value from the request. */
  of(query: Query, name: string): T {
    const given = query.has(name) ? name : this.aliases.find((one) => query.has(one));
    return this.#read(given === undefined ? undefined : query.get(given), name);
  }
}

/** The given values of these parameters, as `readParameters` expects them. */
export function givenValues(parameters: Parameters, lists: QueryLists): Query {
  const given = new Map(firstValues(lists));
  for (const [name, { everyValue }] of Object.entries(parameters)) {
    const values = lists.get(name);
    if (everyValue && values) given.set(name, values.join('\n'));
  }
  return given;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The argument of an operation's `run`: a typed value for each parameter. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

export function readParameters<P extends Parameters>(parameters: P, query: Query): ParameterValues<P> {
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters)) values[name] = parameter.of(query, name);
  return values as ParameterValues<P>;
}

/** Any text, unchanged. */
export function text(description: string): Parameter<string | undefined> {
  return new Parameter(description, Type.String(), (given) => given);
}

/** A service reference, unchanged; `Services.resolve` and `listNamed` of operations/lists.ts parse it. */
export function serviceReference(description: string): Parameter<string | undefined> {
  return new Parameter(description, Type.String({ examples: ['1:0:19:2B66:3F3:1:C00000:0:0:0:'] }), (given) => given);
}

/** A reference to a bouquet, a provider, a satellite or another list, unchanged. */
export function bouquetReference(description: string): Parameter<string | undefined> {
  const example = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet';
  return new Parameter(description, Type.String({ examples: [example] }), (given) => given);
}

/** The bounds of a number. */
export interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** Unix seconds, up to the year 2106. */
export const unixTimes: Range = { minimum: 0, maximum: 0xffff_ffff };
/** Event ids, and other numbers that have 16 bits in a stream. */
export const eventIds: Range = { minimum: 0, maximum: 0xffff };

/**
 * The treatment of a number out of range: replaced by the nearest one in range, refused with an error that names the
 * parameter, or kept.
 */
type Outside = 'nearest' | 'refused' | 'kept';

/** A whole number. A fraction is cut off. Anything but a number counts as absent. */
export function integer(
  description: string,
  range: Range & { readonly default?: number },
  outside: Outside = 'nearest',
): Parameter<number | undefined> {
  return new Parameter(description, Type.Integer({ ...range }), (given, name) => {
    const value = parseInteger(given);
    return value === undefined ? undefined : ranged(value, name, range, outside);
  });
}

/** A whole number. Anything but a number in range, including an empty text, counts as `nothing`. */
export function integerElse(description: string, nothing: number, range: Range): Parameter<number | undefined> {
  return new Parameter(description, Type.Integer({ ...range }), (given) => {
    if (given === undefined) return undefined;
    const value = parseInteger(given) ?? nothing;
    return value < range.minimum || value > range.maximum ? nothing : value;
  });
}

/** A whole number. Anything but a number is an error: `The parameter 'X' must be a number`. */
export function strictInteger(
  description: string,
  range: Range,
  outside: Outside = 'refused',
): Parameter<number | undefined> {
  return new Parameter(description, Type.Integer({ ...range }), (given, name) =>
    given === undefined ? undefined : ranged(number(given, name), name, range, outside),
  );
}

/** @throws ReceiverError `parameter-invalid` if it is not a number in range */
export function wholeNumber(given: string, name: string, range: Range): number {
  return ranged(number(given, name), name, range, 'refused');
}

function number(given: string, name: string): number {
  const value = parseInteger(given);
  if (value === undefined) throw fail('parameter-invalid', name, 'must be a number');
  return value;
}

function ranged(value: number, name: string, { minimum, maximum }: Range, outside: Outside): number {
  const nearest = Math.min(maximum, Math.max(minimum, value));
  if (nearest !== value && outside === 'refused')
    throw fail('parameter-invalid', name, `must be a number from ${minimum} to ${maximum}`);
  return outside === 'kept' ? value : nearest;
}

/** True if present, whatever the value, including `false` and an empty text. */
export function presence(description: string): Parameter<boolean> {
  return new Parameter(description, Type.String(), (given) => given !== undefined);
}

/** `1` and `true`, in any case, are yes. Everything else is no. Absent or empty means the preset. */
export function yesNo(description: string, preset = false): Parameter<boolean> {
  return new Parameter(description, Type.Boolean({ default: preset }), (given) =>
    given === undefined || given === '' ? preset : /^(1|true)$/i.test(given),
  );
}

/** `1` is yes, everything else is no. */
export function bit(description: string): Parameter<boolean | undefined> {
  return new Parameter(description, Type.Integer({ minimum: 0, maximum: 1 }), (given) =>
    given === undefined ? undefined : given.trim() === '1',
  );
}

/** One of several words. Anything else counts as the first. */
export function choice<const Word extends string>(description: string, words: readonly [Word, ...Word[]]) {
  const schema = Type.Unsafe<Word>({ type: 'string', enum: words, default: words[0] });
  return new Parameter<Word>(description, schema, (given) => words.find((word) => word === given) ?? words[0]);
}

function parseInteger(given: string | undefined): number | undefined {
  const match = /^\s*([+-]?\d{1,15})(\.\d*)?\s*$/.exec(given ?? '');
  return match === null ? undefined : Number(match[1]);
}
