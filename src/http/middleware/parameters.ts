/**
 * The kinds of parameters. Each has a description, a JSON schema (for the OpenAPI document), and a function that converts
 * the text of a request to a typed value. No other code checks what the schema says about values.
 *
 * A value that the schema does not allow is refused, and an empty text counts as absent, unless the property `wrong` of the
 * parameter says otherwise: operations are as lenient as the reference of the interface requires.
 */
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { excerpt, fail, type ReceiverError } from '../../base/errors.ts';
import { FormBody } from './bodies.ts';
import { parseQueryLists, type QueryLists, queryText } from './query.ts';

/** What is read from a repeated name or a JSON list: the first text, all texts, or also objects, as JSON text. */
type Taken = 'text' | 'texts' | 'objects';

/** Converts the first text, or all texts, to a value. An absent parameter is undefined. @throws ReceiverError with `name` */
type Read<T> = (text: string | undefined, name: string, all: readonly string[] | undefined) => T;

interface Traits {
  readonly mandatory?: boolean;
  readonly aliases?: readonly string[];
  readonly deprecated?: string;
  readonly takes?: Taken;
  readonly default?: unknown;
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
  or(value: Exclude<T, undefined>): Parameter<Exclude<T, undefined>> {
    const schema = { ...this.schema, default: value };
    return new Parameter(this.description, schema, this.#read, { ...this.#traits, default: value }) as Parameter<
      Exclude<T, undefined>
    >;
  }

  /** Adds aliases. The first name that is present counts. */
  alias(...names: readonly string[]): Parameter<T> {
    return new Parameter(this.description, this.schema, this.#read, { ...this.#traits, aliases: names });
  }

  /** Marks the parameter as deprecated. It still works, but a response to a request with it has the header `Deprecation`. */
  outdated(instead: string): Parameter<T> {
    return new Parameter(this.description, this.schema, this.#read, { ...this.#traits, deprecated: instead });
  }

  /** Reads the value from a text, or from all texts given under the name. */
  from(
    text: string | undefined,
    name: string,
    all = text === undefined ? undefined : ([text] as readonly string[]),
  ): T {
    const value = this.#read(text, name, all);
    return value === undefined ? (this.#traits.default as T) : value;
  }
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** No parameters. */
export type None = Readonly<Record<never, never>>;

/** The argument of a handler: a typed value for each parameter. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

/** What a request supplies: segments of the path (percent-decoded), the query, and the content of a body. */
export interface Given {
  readonly segments?: Readonly<Record<string, string>>;
  readonly query: QueryLists;
  readonly body?: FormBody | undefined;
}

/** The parameters in the query and the body of a request. */
export const givenIn = ({ url, body }: Pick<FastifyRequest, 'url' | 'body'>): Given => ({
  query: parseQueryLists(queryText(url)),
  body: body instanceof FormBody ? body : undefined,
});

/**
 * Reads the parameters of an endpoint: from the path if it has a segment of that name, else from the query, else from the
 * body. Of a repeated parameter, the first value counts, unless the parameter takes all.
 * @throws ReceiverError the error of a parameter, or `parameter-invalid` for an object in a list that takes only texts
 */
export function readParameters<P extends Parameters>(
  parameters: P,
  { segments = {}, query, body }: Given,
): ParameterValues<P> {
  const values = Object.entries(parameters).map(([name, parameter]) => {
    if (Object.hasOwn(segments, name)) return [name, parameter.from(segments[name], name)];
    const isGiven = (alias: string) => query.has(alias) || body?.parameters.has(alias);
    const present = [name, ...parameter.aliases].find(isGiven) ?? name;
    const all = query.get(present);
    const isInBody = all === undefined && body !== undefined;
    return [name, isInBody ? fromBody(parameter, name, present, body) : parameter.from(all?.[0], name, all)];
  });
  return Object.fromEntries(values) as ParameterValues<P>;
}

/** True if the request has a parameter with one of these names. */
export const hasAny = ({ query, body }: Given, names: readonly string[]): boolean =>
  names.some((one) => query.has(one) || body?.parameters.has(one));

function fromBody<T>(
  parameter: Parameter<T>,
  name: string,
  present: string,
  { parameters, lists, objects }: FormBody,
): T {
  const withObjects = objects.get(present);
  if (withObjects && parameter.takes === 'texts')
    throw fail('parameter-invalid', name, 'contains an object but takes only texts');
  return parameter.from(parameters.get(present), name, withObjects ?? lists.get(present));
}

/** Removes the properties whose value is undefined. */
export function defined<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as typeof values;
}

/** Examples for the OpenAPI document; the first is the one that its reader tries. Not needed with a default. */
interface Example<T> {
  readonly example?: T | readonly T[];
}

const keywords = <T>({ example = [] }: Example<T>) => {
  const examples = [example].flat();
  return examples.length > 0 ? { examples } : {};
};

/** Any text, unchanged. */
export function text(description: string, options: Example<string> = {}): Parameter<string | undefined> {
  return new Parameter(description, Type.String(keywords(options)), (given) => given);
}

/** Any texts; the name may be given several times. */
export function texts(description: string, options: Example<string> = {}): Parameter<readonly string[]> {
  const schema = Type.Array(Type.String(keywords(options)));
  return new Parameter(description, schema, (_, _name, all = []) => all, { takes: 'texts' });
}

export const serviceExample = '1:0:19:2B66:3F3:1:C00000:0:0:0:';
export const bouquetExample = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet';

/** A service reference, unchanged; `Services.resolve` and `findList` of operations/lists.ts parse it. */
export function serviceReference(description: string): Parameter<string | undefined> {
  return text(description, { example: serviceExample });
}

/** A reference to a bouquet, a provider, a satellite or another list, unchanged. */
export function bouquetReference(description: string): Parameter<string | undefined> {
  return text(description, { example: bouquetExample });
}

/** The bounds of a number, both inclusive. */
export interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** Unix seconds, up to the year 2106. */
export const unixTimes = { minimum: 0, maximum: 0xffff_ffff, example: 1_767_290_400 };
/** Unix seconds of an end: the example is an hour after that of `unixTimes`. */
export const endTimes = { ...unixTimes, example: 1_767_294_000 };
/** Event ids and other numbers of 16 bits. */
export const eventIds = { minimum: 0, maximum: 0xffff, example: 4711 };

/** The error for a value that the schema does not allow. Its message has the parameter, what is allowed, and the value. */
export function refused(name: string, given: string, allowed: string): ReceiverError {
  return fail('parameter-invalid', name, `must be ${allowed}, not '${excerpt(given)}'`);
}

/**
 * What a wrong value becomes.
 * - `refused`: an error that shows the value; an empty text counts as absent.
 * - `fails`: an error in the words that clients of operations know; for an empty text too.
 * - `nearest`: a number out of range becomes the nearest one in range, any other text counts as absent.
 * - a number: that number; for an empty text too.
 * - `text` and `number` apart: for anything but a number, and for a number out of range.
 */
type WrongInteger =
  | 'refused'
  | 'fails'
  | 'nearest'
  | number
  | { readonly text: 'absent' | 'fails'; readonly number: 'refused' | 'nearest' };

export interface IntegerOptions extends Range, Example<number> {
  /** Default: `refused`. */
  readonly wrong?: WrongInteger;
}

/** A whole number within bounds; a fraction is cut off. */
export function integer(
  description: string,
  { minimum, maximum, wrong = 'refused', ...options }: IntegerOptions,
): Parameter<number | undefined> {
  const nearest = { text: 'absent', number: 'nearest' } as const;
  const { text: other, number: outside } =
    typeof wrong === 'object' ? wrong : wrong === 'nearest' ? nearest : { text: wrong, number: wrong };
  const schema = Type.Integer({ minimum, maximum, ...keywords(options) });
  return new Parameter(description, schema, (given, name) => {
    if (given === undefined || (given === '' && other === 'refused')) return undefined;
    const value = asInteger(given, outside === 'refused' ? Number.POSITIVE_INFINITY : maxDigits);
    const range = `a number from ${minimum} to ${maximum}`;
    if (value !== undefined && value >= minimum && value <= maximum) return value;
    switch (value === undefined ? other : outside) {
      case 'refused':
        throw refused(name, given, range);
      case 'fails':
        throw fail('parameter-invalid', name, `must be ${value === undefined ? 'a number' : range}`);
      case 'nearest':
        return value === undefined ? value : Math.min(maximum, Math.max(minimum, value));
      case 'absent':
        return undefined;
      default:
        return wrong as number;
    }
  });
}

/** Reads an integer that only the handler knows to be needed. @throws ReceiverError `parameter-invalid` */
export const wholeNumber = (given: string, name: string, range: Range): number =>
  integer('', { ...range, wrong: 'fails' }).from(given, name) as number;

/** A text with more digits is not a number, unless numbers out of range are refused anyway. */
const maxDigits = 15;

/** Reads a whole number; a fraction is cut off. Undefined for anything but a number. */
export function asInteger(given = '', digits = Number.POSITIVE_INFINITY): number | undefined {
  const whole = /^\s*[+-]?(\d+)(\.\d*)?\s*$/.exec(given)?.[1];
  return whole === undefined || whole.length > digits ? undefined : Math.trunc(Number(given));
}

interface BooleanOptions extends Example<string | number> {
  /**
   * What anything but a yes or a no becomes. `false`: only `1` and `true` are yes, and the default is no.
   * Default: `refused`.
   */
  readonly wrong?: 'refused' | false;
  /**
   * - `bit`: `1` is yes, anything else is no.
   * - `presence`: yes if present, whatever the value, including `false` and an empty text.
   */
  readonly form?: 'bit' | 'presence';
}

/** `1`, `true`, `yes` or `on`; `0`, `false`, `no` or `off`; in any case. */
export function boolean(description: string, options: { readonly form: 'presence' }): Parameter<boolean>;
export function boolean(description: string, options: { readonly wrong: false }): Parameter<boolean>;
export function boolean(
  description: string,
  options?: { readonly form?: 'bit' } & Example<number>,
): Parameter<boolean | undefined>;
export function boolean(description: string, { wrong = 'refused', form, example }: BooleanOptions = {}) {
  if (form === 'presence') {
    const schema = Type.String(keywords({ example: example ?? '1' }));
    return new Parameter(description, schema, (given) => given !== undefined);
  }
  if (form === 'bit') {
    const schema = Type.Integer({ minimum: 0, maximum: 1, ...keywords({ example: example ?? 1 }) });
    return new Parameter(description, schema, (given) => (given === undefined ? given : given.trim() === '1'));
  }
  const parameter = new Parameter(description, Type.Boolean(), (given = '', name) => {
    if (given === '') return undefined;
    if (wrong === false) return /^(1|true)$/i.test(given);
    if (!isYes(given) && !/^\s*(0|false|no|off)\s*$/i.test(given)) throw refused(name, given, 'true or false');
    return isYes(given);
  });
  return wrong === false ? parameter.or(false) : parameter;
}

/** `1`, `true`, `yes` and `on`, in any case. */
export function isYes(given = ''): boolean {
  return /^\s*(1|true|yes|on)\s*$/i.test(given);
}

/** One of several words. `first`: any other word counts as the first, which is the default. */
export function choice<const Word extends string>(
  description: string,
  words: readonly Word[],
  options: { readonly wrong: 'first' },
): Parameter<Word>;
export function choice<const Word extends string>(
  description: string,
  words: readonly Word[],
): Parameter<Word | undefined>;
export function choice<const Word extends string>(
  description: string,
  words: readonly Word[],
  { wrong = 'refused' }: { readonly wrong?: 'refused' | 'first' } = {},
) {
  const schema = Type.Unsafe<Word>({ type: 'string', enum: words });
  const parameter = new Parameter<Word | undefined>(description, schema, (given = '', name) => {
    const known = words.find((word) => word === given);
    if (known === undefined && given !== '' && wrong === 'refused')
      throw refused(name, given, `one of ${words.join(', ')}`);
    return known;
  });
  return wrong === 'first' && words[0] !== undefined ? parameter.or(words[0]) : parameter;
}
