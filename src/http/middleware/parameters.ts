/**
 * The kinds of parameters. Each has a description, a JSON schema (for the OpenAPI document), and a function that converts
 * the text of a request to a typed value. No other code checks what the schema says about values.
 *
 * The REST family uses `whole`, `word` and `toggle`, which refuse values that the schema does not allow; an empty text counts
 * as absent. The kinds for operations, further below, are as lenient as the reference of the interface requires: they replace
 * a value that the schema does not allow by another one.
 */
import * as Type from 'typebox';
import { fail, type ReceiverError } from '../../base/errors.ts';
import type { Query } from './query.ts';

/** What is read from a repeated name or a JSON list: the first text, all texts, or also objects, as JSON text. */
type Taken = 'text' | 'texts' | 'objects';

/** Converts the first text, or all texts, to a value. An absent parameter is undefined. @throws ReceiverError with `name` */
type Read<T> = (text: string | undefined, name: string, all: readonly string[] | undefined) => T;

interface Traits {
  readonly mandatory?: boolean;
  readonly aliases?: readonly string[];
  readonly deprecated?: string;
  readonly takes?: Taken;
}

export class Parameter<T> {
  readonly description: string;
  /** Restricted to what OpenAPI 2.0 allows for a query parameter: no `anyOf`, no `null`. */
  readonly schema: Type.TSchema;
  readonly mandatory: boolean;
  /** Other names under which clients send the parameter. */
  readonly aliases: readonly string[];
  /** The reason for the deprecation, and the replacement. */
  readonly deprecated: string | undefined;
  readonly takes: Taken;
  readonly #read: Read<T>;
  readonly #traits: Traits;

  constructor(description: string, schema: Type.TSchema, read: Read<T>, traits: Traits = {}) {
    this.description = description;
    this.schema = schema;
    this.mandatory = traits.mandatory ?? false;
    this.aliases = traits.aliases ?? [];
    this.deprecated = traits.deprecated;
    this.takes = traits.takes ?? 'text';
    this.#read = read;
    this.#traits = traits;
  }

  /** Requires a text that is not empty; otherwise `parameter-missing` or `parameter-empty`. */
  required(): Parameter<Exclude<T, undefined>> {
    const read: Read<Exclude<T, undefined>> = (text, name, all) => {
      if (text === undefined) throw fail('parameter-missing', name);
      if (text === '') throw fail('parameter-empty', name);
      return this.#read(text, name, all) as Exclude<T, undefined>;
    };
    return new Parameter(this.description, this.schema, read, { ...this.#traits, mandatory: true });
  }

  /** Sets the default, which an absent parameter has and the OpenAPI document shows. */
  or(defaultValue: Exclude<T, undefined>): Parameter<Exclude<T, undefined>> {
    const read: Read<Exclude<T, undefined>> = (text, name, all) => {
      const value = this.#read(text, name, all);
      return value === undefined ? defaultValue : (value as Exclude<T, undefined>);
    };
    return new Parameter(this.description, { ...this.schema, default: defaultValue }, read, this.#traits);
  }

  /** Adds aliases. The first name that is present counts. */
  alias(...names: readonly string[]): Parameter<T> {
    return new Parameter(this.description, this.schema, this.#read, { ...this.#traits, aliases: names });
  }

  /** Marks the parameter as deprecated. It still works, but a response to a request with it has the header `Deprecation`. */
  outdated(instead: string): Parameter<T> {
    return new Parameter(this.description, this.schema, this.#read, { ...this.#traits, deprecated: instead });
  }

  /** True if the request has the parameter, under any of its names. */
  isIn(query: Query, name: string): boolean {
    return query.has(name) || this.aliases.some((one) => query.has(one));
  }

  /** Reads the value from the parameters of an operation. */
  of(query: Query, name: string): T {
    const present = query.has(name) ? name : this.aliases.find((one) => query.has(one));
    return this.from(present === undefined ? undefined : query.get(present), name);
  }

  /** Reads the value from a text, or from all texts given under the name. */
  from(
    text: string | undefined,
    name: string,
    all = text === undefined ? undefined : ([text] as readonly string[]),
  ): T {
    return this.#read(text, name, all);
  }
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** No parameters. */
export type None = Readonly<Record<never, never>>;

/** The argument of a handler: a typed value for each parameter. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

export function readParameters<P extends Parameters>(parameters: P, query: Query): ParameterValues<P> {
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters)) values[name] = parameter.of(query, name);
  return values as ParameterValues<P>;
}

/** Removes the properties whose value is undefined. */
export function defined<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as typeof values;
}

/** Any text, unchanged. */
export function text(description: string, ...examples: readonly string[]): Parameter<string | undefined> {
  return new Parameter(description, Type.String(examples.length > 0 ? { examples } : {}), (given) => given);
}

/** A service reference, unchanged; `Services.resolve` and `findList` of operations/lists.ts parse it. */
export function serviceReference(description: string): Parameter<string | undefined> {
  return text(description, '1:0:19:2B66:3F3:1:C00000:0:0:0:');
}

/** A reference to a bouquet, a provider, a satellite or another list, unchanged. */
export function bouquetReference(description: string): Parameter<string | undefined> {
  return text(description, '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet');
}

/** The bounds of a number, both inclusive. */
export interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** Unix seconds, up to the year 2106. */
export const unixTimes: Range = { minimum: 0, maximum: 0xffff_ffff };
/** Event ids and other numbers of 16 bits. */
export const eventIds: Range = { minimum: 0, maximum: 0xffff };

/** Maximum characters of a refused value that the error message shows. */
const maxShownLength = 100;

/** The error for a value that the schema does not allow. Its message has the parameter, what is allowed, and the value. */
export function refused(name: string, given: string, allowed: string): ReceiverError {
  return fail('parameter-invalid', name, `must be ${allowed}, not '${given.slice(0, maxShownLength)}'`);
}

const number = /^\s*[+-]?\d+(\.\d*)?\s*$/;

/** Reads a whole number of any size; a fraction is cut off. Undefined for anything but a number. */
export function asWhole(given = ''): number | undefined {
  return number.test(given) ? Math.trunc(Number(given)) : undefined;
}

/** A whole number within bounds; a fraction is cut off. Anything but a number is refused, or counts as absent. */
export function whole(
  description: string,
  { minimum, maximum }: Range,
  otherwise: 'refused' | 'absent' = 'refused',
): Parameter<number | undefined> {
  return new Parameter(description, Type.Integer({ minimum, maximum }), (given = '', name) => {
    const value = asWhole(given);
    if (given === '' || (value === undefined && otherwise === 'absent')) return undefined;
    if (value === undefined || value < minimum || value > maximum)
      throw refused(name, given, `a number from ${minimum} to ${maximum}`);
    return value;
  });
}

/** One of several words. */
export function word<const Word extends string>(
  description: string,
  words: readonly Word[],
): Parameter<Word | undefined> {
  return new Parameter(description, Type.Unsafe<Word>({ type: 'string', enum: words }), (given = '', name) => {
    const known = words.find((one) => one === given);
    if (known === undefined && given !== '') throw refused(name, given, `one of ${words.join(', ')}`);
    return known;
  });
}

/** `1`, `true`, `yes` and `on`, in any case. */
export function isYes(given = ''): boolean {
  return /^\s*(1|true|yes|on)\s*$/i.test(given);
}

/** `1`, `true`, `yes` or `on`; `0`, `false`, `no` or `off`; in any case. */
export function toggle(description: string): Parameter<boolean | undefined> {
  return new Parameter(description, Type.Boolean(), (given = '', name) => {
    if (given === '') return undefined;
    if (!isYes(given) && !/^\s*(0|false|no|off)\s*$/i.test(given)) throw refused(name, given, 'true or false');
    return isYes(given);
  });
}

/** Any texts; the name may be given several times. */
export function texts(description: string, example: string): Parameter<readonly string[]> {
  const schema = Type.Array(Type.String({ examples: [example] }));
  return new Parameter(description, schema, (_, _name, all = []) => all, { takes: 'texts' });
}

/**
 * A whole number. A fraction is cut off. A number out of range counts as the nearest one in range, anything but a number as
 * absent.
 */
export function integer(description: string, range: Range): Parameter<number | undefined> {
  return new Parameter(description, Type.Integer({ ...range }), (given) => nearest(parseInteger(given), range));
}

/** A whole number. Anything but a number in range, including an empty text, counts as `fallback`. */
export function integerElse(description: string, fallback: number, range: Range): Parameter<number | undefined> {
  return new Parameter(description, Type.Integer({ ...range }), (given) => {
    if (given === undefined) return undefined;
    const value = parseInteger(given) ?? fallback;
    return value < range.minimum || value > range.maximum ? fallback : value;
  });
}

/**
 * A whole number. Anything but a number is an error: `The parameter 'X' must be a number`. `outside`: whether a number out
 * of range is an error too, or counts as the nearest one in range.
 */
export function strictInteger(
  description: string,
  range: Range,
  outside: 'refused' | 'nearest' = 'refused',
): Parameter<number | undefined> {
  return new Parameter(description, Type.Integer({ ...range }), (given, name) => {
    if (given === undefined) return undefined;
    return outside === 'refused' ? wholeNumber(given, name, range) : nearest(strictNumber(given, name), range);
  });
}

/** @throws ReceiverError `parameter-invalid` if it is not a number in range */
export function wholeNumber(given: string, name: string, { minimum, maximum }: Range): number {
  const value = strictNumber(given, name);
  if (value < minimum || value > maximum)
    throw fail('parameter-invalid', name, `must be a number from ${minimum} to ${maximum}`);
  return value;
}

function strictNumber(given: string, name: string): number {
  const value = parseInteger(given);
  if (value === undefined) throw fail('parameter-invalid', name, 'must be a number');
  return value;
}

function nearest(value: number | undefined, { minimum, maximum }: Range): number | undefined {
  return value === undefined ? undefined : Math.min(maximum, Math.max(minimum, value));
}

/** True if present, whatever the value, including `false` and an empty text. */
export function presence(description: string): Parameter<boolean> {
  return new Parameter(description, Type.String(), (given) => given !== undefined);
}

/** `1` and `true`, in any case, are yes. Everything else is no. Absent or empty means the default. */
export function yesNo(description: string, defaultValue = false): Parameter<boolean> {
  return new Parameter(description, Type.Boolean({ default: defaultValue }), (given) =>
    given === undefined || given === '' ? defaultValue : /^(1|true)$/i.test(given),
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
