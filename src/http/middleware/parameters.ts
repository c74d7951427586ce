/**
 * The kinds of parameters. Each has its description, its JSON schema (for the OpenAPI document), and a function that
 * turns request text into a value of its type. What the schema says about values stands nowhere else.
 *
 * The REST family uses `whole`, `word` and `toggle`, which refuse what their schema does not allow; an empty text counts
 * as absent. The kinds of the operations, further below, are as lenient as the interface's reference demands: their handlers get another value in
 * place of one that the schema does not allow.
 */
import * as Type from 'typebox';
import { fail, type ReceiverError } from '../../base/errors.ts';
import type { Query } from './query.ts';

/** What is read of a repeated name or of a list in JSON: the first text, every text, or objects too, as JSON text. */
type Taken = 'text' | 'texts' | 'objects';

/** Turns the first text, or all of them, into a value; undefined = absent. @throws ReceiverError by name */
type Read<T> = (text: string | undefined, name: string, all: readonly string[] | undefined) => T;

interface Traits {
  readonly mandatory?: boolean;
  readonly aliases?: readonly string[];
  readonly deprecated?: string;
  readonly takes?: Taken;
}

export class Parameter<T> {
  readonly description: string;
  /** As a query parameter of OpenAPI 2.0: no `anyOf`, no `null`. */
  readonly schema: Type.TSchema;
  readonly mandatory: boolean;
  /** Aliases that clients use. */
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

  /** An absent value is the preset. */
  or(preset: Exclude<T, undefined>): Parameter<Exclude<T, undefined>> {
    const read: Read<Exclude<T, undefined>> = (text, name, all) => {
      const value = this.#read(text, name, all);
      return value === undefined ? preset : (value as Exclude<T, undefined>);
    };
    return new Parameter(this.description, { ...this.schema, default: preset }, read, this.#traits);
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

  /** Reads the value from the parameters of an operation. */
  of(query: Query, name: string): T {
    const given = query.has(name) ? name : this.aliases.find((one) => query.has(one));
    return this.from(given === undefined ? undefined : query.get(given), name);
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

/** The values that are given. */
export function defined<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as typeof values;
}

/** Any text, unchanged. */
export function text(description: string, ...examples: readonly string[]): Parameter<string | undefined> {
  return new Parameter(description, Type.String(examples.length > 0 ? { examples } : {}), (given) => given);
}

/** A service reference, unchanged; `Services.resolve` and `listNamed` of operations/lists.ts parse it. */
export function serviceReference(description: string): Parameter<string | undefined> {
  return text(description, '1:0:19:2B66:3F3:1:C00000:0:0:0:');
}

/** A reference to a bouquet, a provider, a satellite or another list, unchanged. */
export function bouquetReference(description: string): Parameter<string | undefined> {
  return text(description, '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet');
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

/** Maximum characters of a refused value in the error. */
const shownLength = 100;

/** The error for a value that the schema does not allow: names the parameter, what is allowed, and the value. */
export function refused(name: string, given: string, allowed: string): ReceiverError {
  return fail('parameter-invalid', name, `must be ${allowed}, not '${given.slice(0, shownLength)}'`);
}

const number = /^\s*[+-]?\d+(\.\d*)?\s*$/;

/** A whole number of any size; a fraction is cut off. Undefined for anything but a number. */
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

/** A whole number. A fraction is cut off. Out of range, the nearest one in range. Anything but a number is absent. */
export function integer(description: string, range: Range): Parameter<number | undefined> {
  return new Parameter(description, Type.Integer({ ...range }), (given) => nearest(parseInteger(given), range));
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
