/** A rule of the AutoTimer: which events of the guide are to be recorded, and how. */
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import type { UnixSeconds } from '../clock.ts';
import { fail } from '../errors.ts';
import type { Zone } from '../timers/repeat.ts';
import { afterEvents } from '../timers/timer.ts';
import type { Turn } from '../turn.ts';
import { checkFilters, filterList, orderedFilters } from './filter.ts';

/**
 * How a text has to agree: `partial` the title contains it, `exact` the title is equal, `start` the title begins with it,
 * `description` title or texts contain it.
 */
export const searchTypes = ['partial', 'exact', 'start', 'description'] as const;

/** By its index, which is the number of the plug-in: beside what an event is a repeat. */
export const duplicateScopes = ['none', 'service', 'any', 'recording'] as const;

/** By its index, which is the number of the plug-in: the texts that make two events the same programme. */
export const comparedTexts = ['title', 'short', 'all'] as const;

/** In which time a rule counts its timers, by the begin of their events, in local time. */
export const counterPeriods = ['always', 'month', 'week', 'week-from-sunday'] as const;
export type CounterPeriod = (typeof counterPeriods)[number];

/** Rules that there may be. */
export const maximumRules = 1000;
/** Timers of one rule, and of all rules, that have not ended. */
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

/** What can be said of a rule: in its file, and by whoever makes one. */
export const RuleFields = {
  name: Type.String({ minLength: 1, maxLength: longestName }),
  match: Type.String({ minLength: 1, maxLength: 250, description: 'the text that is looked for' }),
  enabled: Type.Boolean(),
  searchType: word(
    searchTypes,
    'partial: in the title; exact: is the title; start: begins the title; description: in title or texts',
  ),
  caseSensitive: Type.Boolean({ description: 'false: case and accents do not count' }),
  include: filterList('only events in which all of these are found'),
  exclude: filterList('only events in which none of these is found'),
  services: references('only these services'),
  bouquets: references('and those of these bouquets; without either all services of the list'),
  from: orNull<string>(clockTime, 'HH:MM, local: only events that begin then or later'),
  to: orNull<string>(clockTime, 'HH:MM, local: and then or earlier; before `from`: after midnight'),
  weekdays: Type.Integer({
    minimum: 0,
    maximum: 127,
    description: 'bit 0 Monday to bit 6 Sunday, 0 = every day; after midnight it is still the day on which `from` was',
  }),
  after: orNull<UnixSeconds>(time, 'Unix seconds: only events that begin then or later'),
  before: orNull<UnixSeconds>(time, 'Unix seconds: only events that begin earlier'),
  minimumDuration: Type.Integer({ minimum: 0, maximum: longestEvent, description: 'minutes, 0 = any' }),
  maximumDuration: Type.Integer({ minimum: 0, maximum: longestEvent, description: 'minutes, 0 = any' }),
  marginBefore: orNull<number>(margin, 'minutes; null = as configured'),
  marginAfter: orNull<number>(margin, 'minutes; null = as configured'),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 1000, pattern: '^\\S+$' }), { maxItems: 50 }),
  dirname: orNull<string>({ type: 'string', minLength: 1, maxLength: 4096 }, 'folder; null = the one for timers'),
  justplay: Type.Boolean({ description: 'shows the service and records nothing' }),
  zapbeforerecord: Type.Boolean({ description: 'shows the service that it records' }),
  vps: Type.Boolean({ description: 'begins earlier and ends later with the event, by its running status' }),
  vpsOverwrite: Type.Boolean({ description: 'with `vps`: ends with the event, without margin' }),
  afterevent: word(afterEvents, 'what the receiver does when a timer has ended'),
  avoidDuplicates: word(
    duplicateScopes,
    'repeats are left out: none; beside timers of the service; of any service; and beside recordings too',
  ),
  compare: word(comparedTexts, 'texts that make a repeat: title; title and short text; title and all texts'),
  counter: Type.Integer({
    minimum: 0,
    maximum: maximumCounter,
    description: 'timers that it makes in each period, 0 = as many as there are events',
  }),
  counterPeriod: word(counterPeriods, 'always: from the first timer on, for good; week: from Monday'),
} as const;

/** What somebody wants. */
export type RuleOrder = Static<Type.TObject<typeof RuleFields>>;

/** With null for the fields that may be it: `x-nullable` is a word of the documents. */
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

/** What is said of a rule, as far as anything is; nobody has looked at it yet. */
export type RuleWords = Readonly<Partial<Record<keyof RuleOrder, unknown>>>;

export interface Rule extends RuleOrder {
  /** From 1; stays the same as long as there is the rule. */
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
 * An order of what is given, its filters looked at in turns; its name is what it looks for, if it has none.
 * @throws ReceiverError `parameter-invalid` by name
 */
export async function checkedOrder(given: RuleWords, turn: Turn): Promise<RuleOrder> {
  const order = ruleOrder(given);
  for (const name of ['include', 'exclude'] as const) await checkFilters(order[name], name, turn);
  return order;
}

/** The same, of filters that nobody has looked at whether they are regular expressions. @throws ReceiverError `parameter-invalid` by name */
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
  throw fail('parameter-invalid', wrong, first?.message ?? 'cannot be understood');
}

const day = 86_400;

/** Whether an event that begins at this time lies in the hours and on the weekdays of a rule. */
export function isInTime({ from, to, weekdays }: RuleOrder, start: UnixSeconds, zone: Zone): boolean {
  if (from === null && to === null && weekdays === 0) return true;
  const shown = start + zone.offset(start);
  const second = ((shown % day) + day) % day;
  const minute = Math.floor(second / 60);
  const [first, last] = [minutesOf(from ?? '00:00'), minutesOf(to ?? '23:59')];
  const overMidnight = first > last;
  if (overMidnight ? minute < first && minute > last : minute < first || minute > last) return false;
  // What comes after midnight belongs to the evening before.
  const evening = overMidnight && minute <= last ? shown - day : shown;
  const weekday = (new Date(evening * 1000).getUTCDay() + 6) % 7;
  return weekdays === 0 || (weekdays & (1 << weekday)) !== 0;
}

/** The number of the period in which an event that begins at this time is counted: two with the same one are counted together. */
export function periodAt({ counterPeriod }: Pick<RuleOrder, 'counterPeriod'>, start: UnixSeconds, zone: Zone): number {
  if (counterPeriod === 'always') return 0;
  const shown = start + zone.offset(start);
  if (counterPeriod === 'month') {
    const date = new Date(shown * 1000);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  }
  // The first day of 1970 was a Thursday.
  return Math.floor((Math.floor(shown / day) + (counterPeriod === 'week' ? 3 : 4)) / 7);
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * 60 + minutes;
}
