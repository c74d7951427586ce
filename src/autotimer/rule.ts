/** A rule of the AutoTimer: which events of the guide get a timer, and how they are recorded. */
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import type { UnixSeconds } from '../base/clock.ts';
import { excerpt, fail } from '../base/errors.ts';
import type { TimeSlice } from '../base/time-slice.ts';
import { expectation, type SettingSchema } from '../config/configuration-check.ts';
import { ServiceReference } from '../services/reference.ts';
import type { Zone } from '../timers/repeat.ts';
import { afterEvents } from '../timers/timer.ts';
import { checkFilters, filterListSchema, normaliseFilters } from './filter.ts';

/**
 * How the search text must match: `partial` the title contains it, `exact` the title equals it, `start` the title begins
 * with it, `description` the title, the short text or the long text contains it.
 */
export const searchTypes = ['partial', 'exact', 'start', 'description'] as const;

/** What an event is compared with to find repeats. The index is the plug-in's number. */
export const duplicateScopes = ['none', 'service', 'any', 'recording'] as const;

/** The texts that must be equal for a repeat. The index is the plug-in's number. */
export const comparedTexts = ['title', 'short', 'all'] as const;

/** The period for which a rule counts its timers. The local time at which an event begins decides its period. */
export const counterPeriods = ['always', 'month', 'week', 'week-from-sunday'] as const;
export type CounterPeriod = (typeof counterPeriods)[number];

export const maxRules = 1000;
/** Only timers that have not ended count. */
export const maxTimersPerRule = 200;
export const maxTimersOfAllRules = 2000;
export const maxMarginMinutes = 120;
export const maxCounter = 1000;
const maxEventMinutes = 24 * 60;
const maxNameLength = 250;

const enumSchema = <const Word extends string>(words: readonly Word[], description: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: [...words], description });
const nullableSchema = <Known>(schema: object, description: string) =>
  Type.Unsafe<Known | null>({ ...schema, 'x-nullable': true, description });
const referenceList = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: 500, description });
const clockTimeSchema = {
  type: 'string',
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  expected: 'a time from 00:00 to 23:59, such as 20:15, or empty',
};
const timeSchema = { type: 'integer', minimum: 0, maximum: 0xffff_ffff };
const marginSchema = { type: 'integer', minimum: 0, maximum: maxMarginMinutes };

/** The fields of a rule, in its file and in requests. */
export const RuleFields = {
  name: Type.String({ minLength: 1, maxLength: maxNameLength }),
  match: Type.String({ minLength: 1, maxLength: 250, description: 'text to search for' }),
  enabled: Type.Boolean(),
  searchType: enumSchema(
    searchTypes,
    'partial: title contains it; exact: title equals it; start: title begins with it; description: title or texts contain it',
  ),
  caseSensitive: Type.Boolean({ description: 'false: ignores case and accents' }),
  include: filterListSchema('only events that match all of these'),
  exclude: filterListSchema('only events that match none of these'),
  services: referenceList(
    'only events of these services, and of those in `bouquets`; if both are empty, of all services',
  ),
  bouquets: referenceList('only events of the services in these bouquets, and of `services`'),
  from: nullableSchema<string>(clockTimeSchema, 'HH:MM, local time: only events that begin then or later'),
  to: nullableSchema<string>(
    clockTimeSchema,
    'HH:MM, local time: only events that begin then or earlier; a time before `from` is on the next day',
  ),
  weekdays: Type.Integer({
    minimum: 0,
    maximum: 127,
    description: 'bit 0 Monday to bit 6 Sunday; 0 = every day; hours after midnight belong to the day of `from`',
  }),
  after: nullableSchema<UnixSeconds>(timeSchema, 'Unix seconds: only events that begin then or later'),
  before: nullableSchema<UnixSeconds>(timeSchema, 'Unix seconds: only events that begin earlier'),
  minimumDuration: Type.Integer({ minimum: 0, maximum: maxEventMinutes, description: 'minutes, 0 = any' }),
  maximumDuration: Type.Integer({ minimum: 0, maximum: maxEventMinutes, description: 'minutes, 0 = any' }),
  marginBefore: nullableSchema<number>(marginSchema, 'minutes; null = as configured'),
  marginAfter: nullableSchema<number>(marginSchema, 'minutes; null = as configured'),
  tags: Type.Array(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: '^\\S+$',
      expected: 'a text of 1 to 1000 characters without blanks',
    }),
    { maxItems: 50 },
  ),
  dirname: nullableSchema<string>({ type: 'string', minLength: 1, maxLength: 4096 }, 'folder; null = the timer folder'),
  justplay: Type.Boolean({ description: 'shows the service without recording it' }),
  zapbeforerecord: Type.Boolean({ description: 'shows the service while recording it' }),
  vps: Type.Boolean({ description: 'follows the running status: may begin earlier and end later, with the event' }),
  vpsOverwrite: Type.Boolean({ description: 'with `vps`: ends with the event, without the margin after it' }),
  afterevent: enumSchema(afterEvents, 'what the receiver does after a timer has ended'),
  avoidDuplicates: enumSchema(
    duplicateScopes,
    'which repeats to skip. none: records repeats; service: repeats of timers on the same service; any: repeats of timers on any ' +
      'service; recording: also repeats of recordings',
  ),
  compare: enumSchema(
    comparedTexts,
    'which texts must be equal for a repeat. title: the title; short: title and short text; all: title and all texts',
  ),
  counter: Type.Integer({
    minimum: 0,
    maximum: maxCounter,
    description: 'maximum number of timers in each period; 0 = unlimited',
  }),
  counterPeriod: enumSchema(counterPeriods, 'period of `counter`. always: one period without end; week: from Monday'),
} as const;

/** A complete, valid rule without its id. */
export type RuleSpec = Type.Static<Type.TObject<typeof RuleFields>>;

/** Translates `x-nullable`, a keyword of the OpenAPI documents that typebox ignores, into a union with null. */
const RuleSpecSchema = Type.Unsafe<RuleSpec>({
  type: 'object',
  required: Object.keys(RuleFields),
  properties: Object.fromEntries(
    Object.entries(RuleFields).map(([name, schema]) => [
      name,
      'x-nullable' in schema ? { anyOf: [schema, { type: 'null' }] } : schema,
    ]),
  ),
});

/** Some fields of a rule, not validated. */
export type RuleInput = Readonly<Partial<Record<keyof RuleSpec, unknown>>>;

export interface Rule extends RuleSpec {
  /** From 1. Never changes, and is not reused after the rule is deleted. */
  readonly id: number;
}

const defaultFields: Omit<RuleSpec, 'name' | 'match'> = {
  enabled: true,
  searchType: 'partial',
  caseSensitive: false,
  include: [],
  exclude: [],
  services: [],
  bouquets: [],
  from: null,
  to: null,
  weekdays: 0,
  after: null,
  before: null,
  minimumDuration: 0,
  maximumDuration: 0,
  marginBefore: null,
  marginAfter: null,
  tags: [],
  dirname: null,
  justplay: false,
  zapbeforerecord: false,
  vps: false,
  vpsOverwrite: false,
  afterevent: 'auto',
  avoidDuplicates: 'none',
  compare: 'all',
  counter: 0,
  counterPeriod: 'always',
};

/** References to lists that a rule takes, each with an example and where to find others. */
const referenceKinds = {
  services: {
    what: 'a service reference such as 1:0:19:2B66:3F3:1:C00000:0:0:0: (/api/getallservices has those of all services)',
    other: "is a list of services; give it in 'bouquets'",
  },
  bouquets: {
    what: 'the reference of a bouquet such as 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet (/api/bouquets has those of all bouquets)',
    other: "is a service; give it in 'services'",
  },
} as const;

/**
 * Normalises a reference of `services` or `bouquets`. With `isStrict`, one that belongs into the other list is rejected.
 * @throws ReceiverError `parameter-invalid`
 */
export function ruleReference(text: string, name: keyof typeof referenceKinds, { isStrict = false } = {}): string {
  const { what, other } = referenceKinds[name];
  const known = ServiceReference.tryParse(text);
  if (known === undefined) throw fail('parameter-invalid', name, `contains ${shown(text)}; each entry must be ${what}`);
  if (isStrict && known.isDirectory !== (name === 'bouquets'))
    throw fail('parameter-invalid', name, `contains ${shown(text)}, which ${other}`);
  return known.format();
}

function shown(value: unknown): string {
  return excerpt(typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? 'nothing'));
}

/** What is wrong with the value of a field, and what is allowed, as the end of a sentence. */
function problemOf(schema: SettingSchema, value: unknown): string {
  const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (items === undefined || !Array.isArray(value)) return `is ${shown(value)}; it must be ${expectation(schema)}`;
  if (value.length > maxItems) return `has ${value.length} entries; at most ${maxItems} are allowed`;
  const wrong: unknown = value.find((entry) => !Value.Check(items, entry));
  return `contains ${shown(wrong)}; each entry must be ${expectation(items)}`;
}

/**
 * Completes the given fields with defaults and validates the result, including the syntax of its filters. The name
 * defaults to the search text.
 * @throws ReceiverError `parameter-invalid` for the field
 */
export async function validateRuleSpec(given: RuleInput, slice: TimeSlice): Promise<RuleSpec> {
  const spec = buildRuleSpec(given);
  for (const name of ['include', 'exclude'] as const) await checkFilters(spec[name], name, slice);
  return spec;
}

/**
 * Like `validateRuleSpec`, but does not check the syntax of the filters.
 * @throws ReceiverError `parameter-invalid` for the field
 */
export function buildRuleSpec(given: RuleInput): RuleSpec {
  const givenFields = Object.fromEntries(
    Object.keys(RuleFields).flatMap((name) => {
      const value = given[name as keyof RuleSpec];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const singleLine = (text: unknown) => (typeof text === 'string' ? text.trim().replace(/\s+/g, ' ') : text);
  const match = singleLine(given.match);
  if (match === undefined) throw fail('parameter-missing', 'match');
  if (match === '') throw fail('parameter-empty', 'match');
  const name = singleLine(given.name) || (typeof match === 'string' ? match.slice(0, maxNameLength) : '');
  const spec: Record<string, unknown> = Object.assign({ name, match }, defaultFields, givenFields, { name, match });
  if (Value.Check(RuleSpecSchema, spec))
    return { ...spec, include: normaliseFilters(spec.include), exclude: normaliseFilters(spec.exclude) };
  const [first] = Value.Errors(RuleSpecSchema, spec);
  const field = (first?.instancePath.split('/')[1] || 'match') as keyof typeof RuleFields;
  throw fail('parameter-invalid', field, problemOf(RuleFields[field] as SettingSchema, spec[field]));
}

const secondsPerDay = 86_400;

/** Whether an event that begins at `start` is within the hours and weekdays of a rule. */
export function isInTimeWindow({ from, to, weekdays }: RuleSpec, start: UnixSeconds, zone: Zone): boolean {
  if (from === null && to === null && weekdays === 0) return true;
  const localStart = start + zone.offset(start);
  const second = ((localStart % secondsPerDay) + secondsPerDay) % secondsPerDay;
  const minute = Math.floor(second / 60);
  const [first, last] = [minutesOf(from ?? '00:00'), minutesOf(to ?? '23:59')];
  const crossesMidnight = first > last;
  if (crossesMidnight ? minute < first && minute > last : minute < first || minute > last) return false;
  // Hours after midnight belong to the day before.
  const dayTime = crossesMidnight && minute <= last ? localStart - secondsPerDay : localStart;
  const weekday = (new Date(dayTime * 1000).getUTCDay() + 6) % 7;
  return weekdays === 0 || (weekdays & (1 << weekday)) !== 0;
}

/** The number of the counter period that `start` belongs to. Numbers of successive periods are successive. */
export function periodAt({ counterPeriod }: Pick<RuleSpec, 'counterPeriod'>, start: UnixSeconds, zone: Zone): number {
  if (counterPeriod === 'always') return 0;
  const localStart = start + zone.offset(start);
  if (counterPeriod === 'month') {
    const date = new Date(localStart * 1000);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  }
  // 1 January 1970 was a Thursday.
  return Math.floor((Math.floor(localStart / secondsPerDay) + (counterPeriod === 'week' ? 3 : 4)) / 7);
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * 60 + minutes;
}
