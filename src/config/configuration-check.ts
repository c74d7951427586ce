/** Checks settings against their schema. Each problem states the value that was found and what is allowed. */
import { distance } from 'fastest-levenshtein';
import * as Value from 'typebox/value';
import { excerpt } from '../base/errors.ts';
import { settingsWithoutSecrets } from '../base/secrets.ts';
import type { SettingPath } from './configuration-file.ts';

export const settingKinds = ['integer', 'boolean', 'word', 'text', 'list'] as const;
export type SettingKind = (typeof settingKinds)[number];

/** The schema of a setting; `expected` describes a pattern in words. */
export interface SettingSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly expected?: string;
  /** Why the setting can be changed only in the file; undefined if it may also be changed over the network. */
  readonly fileOnly?: string;
  readonly items?: SettingSchema;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
}

export interface Problem {
  readonly path: SettingPath;
  /** Continues a sentence that begins with the name of the setting; for an unknown setting, a sentence of its own. */
  readonly text: string;
  readonly isUnknown?: boolean;
}

/** Returns every problem of the settings. */
export function problemsOf(schema: SettingSchema, value: unknown): Problem[] {
  return [...check(schema, value, [], settingNames(schema))];
}

function* check(
  schema: SettingSchema,
  value: unknown,
  path: SettingPath,
  names: readonly string[],
): Generator<Problem, void, undefined> {
  if (schema.properties && isMapping(value)) {
    for (const [name, setting] of Object.entries(value)) {
      const below = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      if (below) yield* check(below, setting, [...path, name], names);
      else yield unknown([...path, name], names);
    }
  } else if (Array.isArray(value) && value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) {
    yield { path, text: `has ${value.length} entries; at most ${schema.maxItems} are allowed` };
  } else if (
    typeof value === 'string' &&
    value.length > Math.max(maxShownLength, schema.maxLength ?? Number.POSITIVE_INFINITY)
  ) {
    yield { path, text: `has ${value.length} characters; at most ${schema.maxLength} are allowed` };
  } else if (schema.items && Array.isArray(value) && value.length >= (schema.minItems ?? 0)) {
    for (const [index, entry] of value.entries()) yield* check(schema.items, entry, [...path, index], names);
  } else if (!Value.Check(schema, value)) {
    const shown = settingsWithoutSecrets(value, String(path.at(-1) ?? ''));
    yield { path, text: `${found(shown)}; it must be ${expectation(schema)}` };
  }
}

/** Removed settings of earlier releases, and what to set instead. */
const localNetwork =
  'access.localNetwork has replaced it: [] asks everyone to log in, [view, control, record] all but the local network';
const replaced = new Map([
  ['access.webLogin', localNetwork],
  ['access.streamLogin', localNetwork],
]);

function unknown(path: SettingPath, names: readonly string[]): Problem {
  const name = path.join('.');
  const meant = nearest(name, names);
  const instead = replaced.get(name);
  if (instead) return { path, text: `unknown setting ${JSON.stringify(name)}; ${instead}`, isUnknown: true };
  const text = `unknown setting ${JSON.stringify(name)}; ${meant === undefined ? 'docs/configuration.md lists every setting' : `did you mean "${meant}"?`}`;
  return { path, text, isUnknown: true };
}

/** The names of all settings and groups: `httpPort`, `guide`, `guide.history`, and so on. */
export function settingNames({ properties = {} }: SettingSchema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, setting]) => [
    prefix + name,
    ...settingNames(setting, `${prefix}${name}.`),
  ]);
}

/** A setting as interfaces describe it to people, without its value. */
export function describedSetting(name: string, schema: SettingSchema) {
  return {
    name,
    meaning: schema.description ?? '',
    kind: kindOf(schema),
    allowed: expectation(schema),
    words: schema.enum ?? [],
    minimum: schema.minimum,
    maximum: schema.maximum,
    default: schema.default,
  };
}

export function kindOf({ type, enum: words }: SettingSchema): SettingKind {
  if (words) return 'word';
  if (type === 'integer' || type === 'boolean') return type;
  return type === 'array' ? 'list' : 'text';
}

/** Describes the allowed values: `a whole number from 0 to 65535`. */
export function expectation(schema: SettingSchema): string {
  if (schema.expected !== undefined) return schema.expected;
  if (schema.enum) return schema.enum.length === 1 ? `${schema.enum[0]}` : `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'integer':
      return `a whole number from ${schema.minimum} to ${schema.maximum}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list of ${schema.minItems ? `${schema.minItems} to` : 'at most'} ${schema.maxItems} entries; each entry must be ${expectation(schema.items ?? {})}`;
    case 'object':
      return `a group of settings: ${Object.keys(schema.properties ?? {}).join(', ')}`;
    default:
      return textExpectation(schema);
  }
}

const textExpectation = ({ minLength, maxLength }: SettingSchema) =>
  `a text of ${minLength ? `${minLength} to` : 'at most'} ${maxLength} characters`;

/** Characters of a wrong value that are quoted. */
const maxShownLength = 60;

function found(value: unknown): string {
  if (value === undefined || value === null) return 'has no value';
  if (value === '') return 'is empty';
  if (Array.isArray(value)) return value.length === 0 ? 'is an empty list' : 'is a list';
  if (isMapping(value)) return 'is a group of settings';
  return `is ${excerpt(JSON.stringify(value) ?? String(value), maxShownLength)}`;
}

export function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The name that was most likely meant; undefined if none is close. Case, hyphens, underscores and missing group names
 * are ignored: `http-port` is httpPort, `linger` is stream.linger.
 */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '');
  const last = (text: string) => text.slice(text.lastIndexOf('.') + 1);
  const given = plain(name);
  let best: { readonly name: string; readonly errors: number } | undefined;
  for (const candidate of names) {
    const errors = Math.min(
      distance(given, plain(candidate)),
      // A match of the last part alone counts less.
      distance(last(given), plain(last(candidate))) + 0.5,
    );
    if (best === undefined || errors < best.errors) best = { name: candidate, errors };
  }
  // One error in three characters still looks like a typing error; two swapped neighbours are two errors.
  return best !== undefined && best.errors <= Math.ceil(last(given).length / 3) ? best.name : undefined;
}
