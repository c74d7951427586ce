/**
 * Converts rules from and to the words of the AutoTimer plug-in: its parameters, which are also the names in its file.
 */
import { fail } from '../base/errors.ts';
import { ServiceReference } from '../services/reference.ts';
import type { AfterEvent } from '../timers/timer.ts';
import { type Filter, filterPlaces } from './filter.ts';
import {
  type CounterPeriod,
  comparedTexts,
  counterPeriods,
  duplicateScopes,
  longestMargin,
  maximumCounter,
  type RuleOrder,
  searchTypes,
} from './rule.ts';

/** All values of each given name. */
export type PluginWords = ReadonlyMap<string, readonly string[]>;

type Reader<Field extends keyof RuleOrder> = (
  given: PluginWords,
  before: RuleOrder | undefined,
) => RuleOrder[Field] | undefined;

/** Words for the action after a timer, and their numbers. */
const afterwards: Readonly<Record<string, AfterEvent>> = {
  '': 'auto',
  default: 'auto',
  auto: 'auto',
  none: 'nothing',
  nothing: 'nothing',
  standby: 'standby',
  shutdown: 'deepstandby',
  deepstandby: 'deepstandby',
  '0': 'nothing',
  '1': 'standby',
  '2': 'deepstandby',
  '3': 'auto',
};

/** The parts of a date that identify a period, in strftime notation. */
const counterFormats: Readonly<Record<CounterPeriod, string>> = {
  always: '',
  month: '%m',
  week: '%W',
  'week-from-sunday': '%U',
};

const everyDay = 0b1111111;
const minutesOfDay = 24 * 60;
/** Seconds. */
const day = 86_400;
const latest = 0xffff_ffff;

/** The value of each field; undefined if not given. They throw `parameter-invalid` by name. */
const readers: { readonly [Field in keyof RuleOrder]: Reader<Field> } = {
  name: (given) => read(given, 'name', line),
  match: (given) => read(given, 'match', line),
  enabled: (given) => read(given, 'enabled', isOn),
  searchType: (given) => read(given, 'searchType', (text) => known('searchType', searchTypes, text || 'partial')),
  caseSensitive: (given) => read(given, 'searchCase', (text) => text === 'sensitive'),
  include: (given, before) => filters(given, '', before?.include),
  exclude: (given, before) => filters(given, '!', before?.exclude),
  services: (given) => references(given, 'services'),
  bouquets: (given) => references(given, 'bouquets'),
  from: (given) => clockTime(given, 'timespanFrom'),
  to: (given) => clockTime(given, 'timespanTo'),
  weekdays,
  after: (given) => date(given, 'after', 0),
  // The plug-in gives the midnight at which the last day begins.
  before: (given) => date(given, 'before', day),
  minimumDuration: (given) => minutes(given, 'minduration', minutesOfDay),
  maximumDuration: (given) => minutes(given, 'maxduration', minutesOfDay),
  marginBefore: (given) => read(given, 'offset', marginsOf)?.[0],
  marginAfter: (given) => read(given, 'offset', marginsOf)?.[1],
  tags: (given) => given.get('tag')?.flatMap((text) => (text.trim() === '' ? [] : [text.trim().replace(/\s/g, '_')])),
  dirname: (given) => read(given, 'location', (text) => (text === '' || text === 'None' ? null : text)),
  justplay: (given) => read(given, 'justplay', (text) => isOn(text) || text === 'zap'),
  afterevent: (given) => {
    for (const name of ['aftereventFrom', 'aftereventTo']) if (given.get(name)?.[0]) wrong(name, 'is not supported');
    return read(given, 'afterevent', (text) => afterwards[text.toLowerCase()] ?? wrong('afterevent', 'is unknown'));
  },
  avoidDuplicates: (given) => numbered(given, 'avoidDuplicateDescription', duplicateScopes, 0),
  compare: (given) => numbered(given, 'searchForDuplicateDescription', comparedTexts, 2),
  zapbeforerecord: (given) => read(given, 'always_zap', isOn),
  vps: (given) => read(given, 'vps_enabled', isOn),
  vpsOverwrite: (given) => read(given, 'vps_overwrite', isOn),
  counter: (given) =>
    read(given, 'counter', (text) => (text === '' ? 0 : wholeNumber(text, 'counter', maximumCounter))),
  counterPeriod: (given) =>
    read(given, 'counterFormat', (text) => {
      const known = counterPeriods.find((period) => counterFormats[period] === text);
      return known ?? wrong('counterFormat', 'must be one of %m, %W, %U');
    }),
};

/**
 * The changes to a rule that the given words request. `before`: the current rule, for words that set only part of a
 * field.
 * @throws ReceiverError `parameter-invalid` by name
 */
export function changesOf(given: PluginWords, before?: RuleOrder): Partial<RuleOrder> {
  return readableChangesOf(given, before, (_field, error) => {
    throw error;
  });
}

/** The same for all valid words; `onError` receives the errors of the others. */
export function readableChangesOf(
  given: PluginWords,
  before: RuleOrder | undefined,
  onError: (field: keyof RuleOrder, error: unknown) => void,
): Partial<RuleOrder> {
  const changes = Object.entries(readers).flatMap(([field, reader]) => {
    try {
      const value = reader(given, before);
      return value === undefined ? [] : [[field, value]];
    } catch (error) {
      onError(field as keyof RuleOrder, error);
      return [];
    }
  });
  return Object.fromEntries(changes);
}

function wrong(name: string, why: string): never {
  throw fail('parameter-invalid', name, why);
}

function read<Value>(given: PluginWords, name: string, reader: (text: string) => Value): Value | undefined {
  const text = given.get(name)?.[0]?.trim();
  return text === undefined ? undefined : reader(text);
}

const line = (text: string) => text.replace(/\s+/g, ' ');
const isOn = (text: string) => /^(1|yes|true|on)$/i.test(text);

function wholeNumber(text: string, name: string, maximum: number): number {
  const match = /^\s*([+-]?\d{1,15})(?:\.\d*)?\s*$/.exec(text) ?? wrong(name, 'must be a number');
  const value = Number(match[1]) || 0;
  return value < 0 || value > maximum ? wrong(name, `must be a number from 0 to ${maximum}`) : value;
}

const minutes = (given: PluginWords, name: string, maximum: number) =>
  read(given, name, (text) => (text === '' ? 0 : wholeNumber(text, name, maximum)));

/** Unix seconds, moved by `later`. */
const date = (given: PluginWords, name: string, later: number) =>
  read(given, name, (text) => {
    const time = text === '' ? 0 : wholeNumber(text, name, latest);
    return time === 0 ? null : Math.min(latest, time + later);
  });

function clockTime(given: PluginWords, name: string): string | null | undefined {
  return read(given, name, (text) => {
    if (text === '') return null;
    const [, hour = '', minute = ''] =
      /^([01]?\d|2[0-3]):([0-5]?\d)$/.exec(text) ?? wrong(name, 'must be a time, HH:MM');
    return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  });
}

function known<Word extends string>(name: string, words: readonly Word[], text: string): Word {
  return words.find((word) => word === text) ?? wrong(name, `must be one of ${words.join(', ')}`);
}

function numbered<Word>(given: PluginWords, name: string, words: readonly Word[], preset: number): Word | undefined {
  return read(given, name, (text) => words[text === '' ? preset : wholeNumber(text, name, words.length - 1)] as Word);
}

function references(given: PluginWords, name: string): string[] | undefined {
  return read(given, name, (text) => {
    // A name in a reference may contain commas too.
    const all = text.split(/,(?=\s*\d+:\d+:[\da-f]+:[\da-f]+:|\s*$)/i).map((one) => one.trim());
    return all.filter((one) => one !== '').map((one) => referenceOf(one, name));
  });
}

function referenceOf(text: string, name: string): string {
  return (
    ServiceReference.tryParse(text) ?? wrong(name, `contains '${text}', which is not a service reference`)
  ).format();
}

/** `5` or `5,10`: minutes before and after; an empty value means as configured. */
function marginsOf(text: string): readonly [before: number | null, after: number | null] {
  if (text === '') return [null, null];
  const [before = '', after = before, more] = text.split(',');
  if (more !== undefined) wrong('offset', 'must be one number or two');
  const of = (one: string) => (one.trim() === '' ? null : wholeNumber(one, 'offset', longestMargin));
  return [of(before), of(after)];
}

/** Filters for a named place replace the existing ones of that place. */
function filters(given: PluginWords, mark: '' | '!', before: readonly Filter[] = []): Filter[] | undefined {
  const named = filterPlaces.filter((where) => given.has(`${mark}${where}`));
  if (named.length === 0) return undefined;
  const sent = named.flatMap((where) =>
    (given.get(`${mark}${where}`) ?? []).flatMap((text) => (text === '' ? [] : [{ where, text }])),
  );
  return [...before.filter(({ where }) => !named.includes(where)), ...sent];
}

/** The included days less the excluded ones; a rule stores the result. */
function weekdays(given: PluginWords, before: RuleOrder | undefined): number | undefined {
  const [included, excluded] = [given.get('dayofweek'), given.get('!dayofweek')];
  if (!included && !excluded) return undefined;
  const wanted = (included ? daysOf(included, 'dayofweek') : before?.weekdays) || everyDay;
  const left = wanted & ~daysOf(excluded ?? [], '!dayofweek');
  if (left === 0) wrong('!dayofweek', 'leaves no day');
  return left === everyDay ? 0 : left;
}

/** Any of `0` Monday to `6` Sunday, `weekday`, `weekend`. */
function daysOf(texts: readonly string[], name: string): number {
  let mask = 0;
  for (const text of texts.flatMap((one) => one.split(',')).map((one) => one.trim())) {
    if (text === '') continue;
    if (text === 'weekday') mask |= 0b0011111;
    else if (text === 'weekend') mask |= 0b1100000;
    else mask |= 1 << wholeNumber(text, name, 6);
  }
  return mask;
}

/** Lists every day if the rule has hours: Kodi only reads hours together with weekdays. */
export function listedWeekdays({ weekdays: mask, from, to }: RuleOrder): number[] {
  const listed = mask === 0 && (from !== null || to !== null) ? everyDay : mask;
  return [0, 1, 2, 3, 4, 5, 6].filter((number) => (listed & (1 << number)) !== 0);
}

/** The attributes of a rule, without the action after its timers. Default values are left out, as in the plug-in. */
export function attributesOf(rule: RuleOrder): Readonly<Record<string, string>> {
  const { from, to, before, marginBefore, marginAfter, searchType, avoidDuplicates, compare } = rule;
  const attributes: Record<string, string | number | false | null> = {
    name: rule.name,
    match: rule.match,
    enabled: rule.enabled ? 'yes' : 'no',
    from: from ?? (to !== null && '00:00'),
    to: to ?? (from !== null && '23:59'),
    after: rule.after,
    before: before === null ? null : Math.max(1, before - day),
    offset: offsetOf(marginBefore, marginAfter),
    encoding: 'UTF-8',
    searchType: searchType !== 'partial' && searchType,
    searchCase: rule.caseSensitive && 'sensitive',
    minduration: rule.minimumDuration || false,
    maxduration: rule.maximumDuration || false,
    location: rule.dirname,
    counter: rule.counter || false,
    counterFormat: counterFormats[rule.counterPeriod] || false,
    justplay: rule.justplay && '1',
    always_zap: rule.zapbeforerecord && '1',
    avoidDuplicateDescription: duplicateScopes.indexOf(avoidDuplicates) || false,
    searchForDuplicateDescription: compare !== 'all' && comparedTexts.indexOf(compare),
    vps_enabled: rule.vps && 'yes',
    vps_overwrite: rule.vpsOverwrite && 'yes',
  };
  const there = Object.entries(attributes).filter(([, value]) => value !== false && value !== null);
  return Object.fromEntries(there.map(([name, value]) => [name, String(value)]));
}

/**
 * The plug-in cannot express one margin of its own and the other as configured; an empty value stands for the latter.
 */
function offsetOf(before: number | null, after: number | null): string | false {
  if (before === null && after === null) return false;
  return before === after ? `${before}` : `${before ?? ''},${after ?? ''}`;
}
