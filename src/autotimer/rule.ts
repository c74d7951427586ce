/** A rule of the AutoTimer: which events of the guide to record, and how. */
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import type { UnixSeconds } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import type { TimeSlice } from '../base/time-slice.ts';
import type { Zone } from '../timers/repeat.ts';
import { afterEvents } from '../timers/timer.ts';
import { checkFilters, filterList, orderedFilters } from './filter.ts';

/**
 * How a text has to match: `partial` the title contains it, `exact` the title is equal, `start` the title begins with
 * it, `description` the title or the texts contain it.
 */
export const searchTypes = ['partial', 'exact', 'start', 'description'] as const;

/** By index, which is the plug-in's number: what counts as the original of a repeat. */
export const duplicateScopes = ['none', 'service', 'any', 'recording'] as const;

/** By index, which is the plug-in's number: the texts that make two events the same programme. */
export const comparedTexts = ['title', 'short', 'all'] as const;

/** The period in which a rule counts its timers, by the begin of their events in local time. */
export const counterPeriods = ['always', 'month', 'week', 'week-from-sunday'] as const;
export type CounterPeriod = (typeof counterPeriods)[number];

/** Maximum number of rules. */
export const maximumRules = 1000;
/** Maximum timers that have not ended, of one rule and of all rules. */
export const maximumTimersOfRule = 200;
export const maximumTimersOfRules = 2000;
/** Minutes. */
export const longestMargin = 120;
export const maximumCounter = 1000;
const longestEvent = 24 * 60;
/** Characters. */
const longestName = 250;

const word = <const Word extends string>(words: readonly Word[], description: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: [...words], description });
const orNull = <Known>(schema: object, description: string) =>
  Type.Unsafe<Known | null>({ ...schema, 'x-nullable': true, description });
const references = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: 500, description });
const clockTime = { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' };
const time = { type: 'integer', minimum: 0, maximum: 0xffff_ffff };
const margin = { type: 'integer', minimum: 0, maximum: longestMargin };

/** The fields of a rule, in its file and in requests. */
export const RuleFields = {
  name: Type.String({ minLength: 1, maxLength: longestName }),
  match: Type.String({ minLength: 1, maxLength: 250, description: 'text to search for' }),
  enabled: Type.Boolean(),
  searchType: word(
    searchTypes,
    'partial: title contains it; exact: title equals it; start: title begins with it; description: title or texts contain it',
  ),
  caseSensitive: Type.Boolean({ description: 'false: ignores case and accents' }),
  include: filterList('only events that match all of these'),
  exclude: filterList('only events that match none of these'),
  services: references('only these services'),
  bouquets: references('and the services of these bouquets; without either, all services of the list'),
  from: orNull<string>(clockTime, 'HH:MM, local time: only events that begin then or later'),
  to: orNull<string>(
    clockTime,
    'HH:MM, local time: only events that begin then or earlier; if before `from`, on the next day',
  ),
  weekdays: Type.Integer({
    minimum: 0,
    maximum: 127,
    description: 'bit 0 Monday to bit 6 Sunday, 0 = every day; hours after midnight belong to the day of `from`',
  }),
  after: orNull<UnixSeconds>(time, 'Unix seconds: only events that begin then or later'),
  before: orNull<UnixSeconds>(time, 'Unix seconds: only events that begin earlier'),
  minimumDuration: Type.Integer({ minimum: 0, maximum: longestEvent, description: 'minutes, 0 = any' }),
  maximumDuration: Type.Integer({ minimum: 0, maximum: longestEvent, description: 'minutes, 0 = any' }),
  marginBefore: orNull<number>(margin, 'minutes; null = as configured'),
  marginAfter: orNull<number>(margin, 'minutes; null = as configured'),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 1000, pattern: '^\\S+$' }), { maxItems: 50 }),
  dirname: orNull<string>({ type: 'string', minLength: 1, maxLength: 4096 }, 'folder; null = the timer folder'),
  justplay: Type.Boolean({ description: 'shows the service without recording it' }),
  zapbeforerecord: Type.Boolean({ description: 'shows the service while recording it' }),
  vps: Type.Boolean({ description: 'may begin earlier and end later with the event, by its running status' }),
  vpsOverwrite: Type.Boolean({ description: 'with `vps`: ends with the event, without the margin' }),
  afterevent: word(afterEvents, 'what the receiver does after a timer has ended'),
  avoidDuplicates: word(
    duplicateScopes,
    'skips repeats: none; of timers on the same service; of timers on any service; of timers and recordings',
  ),
  compare: word(
    comparedTexts,
    'texts that must be equal for a repeat: title; title and short text; title and all texts',
  ),
  counter: Type.Integer({
    minimum: 0,
    maximum: maximumCounter,
    description: 'timers created in each period, 0 = unlimited',
  }),
  counterPeriod: word(counterPeriods, 'always: over all time; week: from Monday'),
} as const;

/** A complete rule without its id. */
export type RuleOrder = Type.Static<Type.TObject<typeof RuleFields>>;

/** Allows null for the fields marked `x-nullable`, which is a keyword of the documents only. */
const OrderSchema = Type.Unsafe<RuleOrder>({
  type: 'object',
  required: Object.keys(RuleFields),
  properties: Object.fromEntries(
    Object.entries(RuleFields).map(([name, schema]) => [
      name,
      'x-nullable' in schema ? { anyOf: [schema, { type: 'null' }] } : schema,
    ]),
  ),
});

/** Given fields of a rule, not validated yet. */
export type RuleWords = Readonly<Partial<Record<keyof RuleOrder, unknown>>>;

export interface Rule extends RuleOrder {
  /** From 1; stays the same for the life of the rule. */
  readonly id: number;
}

const presets: Omit<RuleOrder, 'name' | 'match'> = {
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

/**
 * Builds and validates an order, checking its filters in turns. The name defaults to the search text.
 * @throws ReceiverError `parameter-invalid` by name
 */
export async function checkedOrder(given: RuleWords, slice: TimeSlice): Promise<RuleOrder> {
  const order = ruleOrder(given);
  for (const name of ['include', 'exclude'] as const) await checkFilters(order[name], name, slice);
  return order;
}

/**
 * The same without checking that the filters are valid regular expressions.
 * @throws ReceiverError `parameter-invalid` by name
 */
export function ruleOrder(given: RuleWords): RuleOrder {
  const known = Object.fromEntries(
    Object.keys(RuleFields).flatMap((name) => {
      const value = given[name as keyof RuleOrder];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const line = (text: unknown) => (typeof text === 'string' ? text.trim().replace(/\s+/g, ' ') : text);
  const match = line(given.match);
  const name = line(given.name) || (typeof match === 'string' ? match.slice(0, longestName) : '');
  const order: Record<string, unknown> = Object.assign({ name, match }, presets, known, { name, match });
  if (Value.Check(OrderSchema, order))
    return { ...order, include: orderedFilters(order.include), exclude: orderedFilters(order.exclude) };
  const [first] = Value.Errors(OrderSchema, order);
  const wrong = first?.instancePath.split('/')[1] || 'match';
  throw fail('parameter-invalid', wrong, first?.message ?? 'is invalid');
}

const day = 86_400;

/** Whether an event that begins at this time falls into the hours and weekdays of a rule. */
export function isInTime({ from, to, weekdays }: RuleOrder, start: UnixSeconds, zone: Zone): boolean {
  if (from === null && to === null && weekdays === 0) return true;
  const shown = start + zone.offset(start);
  const second = ((shown % day) + day) % day;
  const minute = Math.floor(second / 60);
  const [first, last] = [minutesOf(from ?? '00:00'), minutesOf(to ?? '23:59')];
  const overMidnight = first > last;
  if (overMidnight ? minute < first && minute > last : minute < first || minute > last) return false;
  // Hours after midnight belong to the evening before.
  const evening = overMidnight && minute <= last ? shown - day : shown;
  const weekday = (new Date(evening * 1000).getUTCDay() + 6) % 7;
  return weekdays === 0 || (weekdays & (1 << weekday)) !== 0;
}

/** The number of the period in which an event that begins at this time is counted. */
export function periodAt({ counterPeriod }: Pick<RuleOrder, 'counterPeriod'>, start: UnixSeconds, zone: Zone): number {
  if (counterPeriod === 'always') return 0;
  const shown = start + zone.offset(start);
  if (counterPeriod === 'month') {
    const date = new Date(shown * 1000);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  }
  // 1 January 1970 was a Thursday.
  return Math.floor((Math.floor(shown / day) + (counterPeriod === 'week' ? 3 : 4)) / 7);
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * 60 + minutes;
}
