/**
 * Converts rules from and to the parameters of the AutoTimer plug-in, and to the attributes in its file.
 */
import { fail } from '../base/errors.ts';
import type { AfterEvent } from '../timers/timer.ts';
import { type Filter, filterFields } from './filter.ts';
import {
  type CounterPeriod,
  comparedTexts,
  counterPeriods,
  duplicateScopes,
  maxCounter,
  maxMarginMinutes,
  type RuleSpec,
  ruleReference,
  searchTypes,
} from './rule.ts';

/** The plug-in's parameters in a request or a file, with all their values. */
export type PluginParameters = ReadonlyMap<string, readonly string[]>;

type Reader<Field extends keyof RuleSpec> = (
  given: PluginParameters,
  before: RuleSpec | undefined,
) => RuleSpec[Field] | undefined;

/** The action after a timer, by the plug-in's word or number. */
const afterEvents: Readonly<Record<string, AfterEvent>> = {
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

/** The plug-in's names of the periods: the strftime code of the date part that changes with each period. */
const counterFormats: Readonly<Record<CounterPeriod, string>> = {
  always: '',
  month: '%m',
  week: '%W',
  'week-from-sunday': '%U',
};

const allWeekdays = 0b1111111;
const minutesPerDay = 24 * 60;
const secondsPerDay = 86_400;
const maxUnixTime = 0xffff_ffff;

/** Read the fields of a rule from parameters. They return undefined for an absent parameter, and throw `parameter-invalid`. */
const readers: { readonly [Field in keyof RuleSpec]: Reader<Field> } = {
  name: (given) => read(given, 'name', collapseWhitespace),
  match: (given) => read(given, 'match', collapseWhitespace),
  enabled: (given) => read(given, 'enabled', isOn),
  searchType: (given) => read(given, 'searchType', (text) => known('searchType', searchTypes, text || 'partial')),
  caseSensitive: (given) => read(given, 'searchCase', (text) => text === 'sensitive'),
  include: (given, before) => readFilters(given, '', before?.include),
  exclude: (given, before) => readFilters(given, '!', before?.exclude),
  services: (given) => readReferences(given, 'services'),
  bouquets: (given) => readReferences(given, 'bouquets'),
  from: (given) => readClockTime(given, 'timespanFrom'),
  to: (given) => readClockTime(given, 'timespanTo'),
  weekdays: readWeekdays,
  after: (given) => readDate(given, 'after', 0),
  // The plug-in sends the midnight at which the last day begins.
  before: (given) => readDate(given, 'before', secondsPerDay),
  minimumDuration: (given) => readMinutes(given, 'minduration', minutesPerDay),
  maximumDuration: (given) => readMinutes(given, 'maxduration', minutesPerDay),
  marginBefore: (given) => read(given, 'offset', marginsOf)?.[0],
  marginAfter: (given) => read(given, 'offset', marginsOf)?.[1],
  tags: (given) => given.get('tag')?.flatMap((text) => (text.trim() === '' ? [] : [text.trim().replace(/\s/g, '_')])),
  dirname: (given) => read(given, 'location', (text) => (text === '' || text === 'None' ? null : text)),
  justplay: (given) => read(given, 'justplay', (text) => isOn(text) || text === 'zap'),
  afterevent: (given) => {
    for (const name of ['aftereventFrom', 'aftereventTo'])
      if (given.get(name)?.[0]) reject(name, 'is not supported: afterevent applies at every hour');
    return read(given, 'afterevent', (text) => {
      return (
        afterEvents[text.toLowerCase()] ?? notAllowed('afterevent', text, 'one of default, none, standby, shutdown')
      );
    });
  },
  avoidDuplicates: (given) => readNumberedWord(given, 'avoidDuplicateDescription', duplicateScopes, 0),
  compare: (given) => readNumberedWord(given, 'searchForDuplicateDescription', comparedTexts, 2),
  zapbeforerecord: (given) => read(given, 'always_zap', isOn),
  vps: (given) => read(given, 'vps_enabled', isOn),
  vpsOverwrite: (given) => read(given, 'vps_overwrite', isOn),
  counter: (given) => read(given, 'counter', (text) => (text === '' ? 0 : wholeNumber(text, 'counter', maxCounter))),
  counterPeriod: (given) =>
    read(given, 'counterFormat', (text) => {
      const oneOf = counterPeriods.find((period) => counterFormats[period] === text);
      return oneOf ?? notAllowed('counterFormat', text, 'one of %m, %W, %U, or empty');
    }),
};

/**
 * The changes to a rule that the parameters request. `before`: the current rule, for parameters that set only a part of a
 * field.
 * @throws ReceiverError `parameter-invalid` for the parameter
 */
export function changesOf(given: PluginParameters, before?: RuleSpec): Partial<RuleSpec> {
  return validChangesOf(given, before, (_field, error) => {
    throw error;
  });
}

/** Like `changesOf`, but leaves out fields with invalid parameters and passes their errors to `onError`. */
export function validChangesOf(
  given: PluginParameters,
  before: RuleSpec | undefined,
  onError: (field: keyof RuleSpec, error: unknown) => void,
): Partial<RuleSpec> {
  const changes = Object.entries(readers).flatMap(([field, reader]) => {
    try {
      const value = reader(given, before);
      return value === undefined ? [] : [[field, value]];
    } catch (error) {
      onError(field as keyof RuleSpec, error);
      return [];
    }
  });
  return Object.fromEntries(changes);
}

function reject(name: string, reason: string): never {
  throw fail('parameter-invalid', name, reason);
}

function notAllowed(name: string, given: string, allowed: string): never {
  reject(name, `must be ${allowed}, not '${given}'`);
}

function read<Value>(given: PluginParameters, name: string, reader: (text: string) => Value): Value | undefined {
  const text = given.get(name)?.[0]?.trim();
  return text === undefined ? undefined : reader(text);
}

const collapseWhitespace = (text: string) => text.replace(/\s+/g, ' ');
const isOn = (text: string) => /^(1|yes|true|on)$/i.test(text);

function wholeNumber(text: string, name: string, maximum: number): number {
  const allowed = `a number from 0 to ${maximum}`;
  const match = /^\s*([+-]?\d{1,15})(?:\.\d*)?\s*$/.exec(text) ?? notAllowed(name, text, allowed);
  const value = Number(match[1]) || 0;
  return value < 0 || value > maximum ? notAllowed(name, text, allowed) : value;
}

const readMinutes = (given: PluginParameters, name: string, maximum: number) =>
  read(given, name, (text) => (text === '' ? 0 : wholeNumber(text, name, maximum)));

/** Unix seconds plus `offsetSeconds`; null for an empty text or 0. */
const readDate = (given: PluginParameters, name: string, offsetSeconds: number) =>
  read(given, name, (text) => {
    const time = text === '' ? 0 : wholeNumber(text, name, maxUnixTime);
    return time === 0 ? null : Math.min(maxUnixTime, time + offsetSeconds);
  });

function readClockTime(given: PluginParameters, name: string): string | null | undefined {
  return read(given, name, (text) => {
    if (text === '') return null;
    const [, hour = '', minute = ''] =
      /^([01]?\d|2[0-3]):([0-5]?\d)$/.exec(text) ?? notAllowed(name, text, 'a time from 00:00 to 23:59');
    return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  });
}

function known<Word extends string>(name: string, words: readonly Word[], text: string): Word {
  return words.find((word) => word === text) ?? notAllowed(name, text, `one of ${words.join(', ')}`);
}

function readNumberedWord<Word>(
  given: PluginParameters,
  name: string,
  words: readonly Word[],
  defaultIndex: number,
): Word | undefined {
  return read(
    given,
    name,
    (text) => words[text === '' ? defaultIndex : wholeNumber(text, name, words.length - 1)] as Word,
  );
}

function readReferences(given: PluginParameters, name: 'services' | 'bouquets'): string[] | undefined {
  return read(given, name, (text) => {
    // The name in a reference may contain commas, so only a comma before the next reference separates.
    const items = text.split(/,(?=\s*\d+:\d+:[\da-f]+:[\da-f]+:|\s*$)/i).map((item) => item.trim());
    return items.filter((item) => item !== '').map((item) => ruleReference(item, name));
  });
}

/** Parses `5` or `5,10`, the minutes before and after an event; null for an empty value, which means as configured. */
function marginsOf(text: string): readonly [before: number | null, after: number | null] {
  if (text === '') return [null, null];
  const [before = '', after = before, excess] = text.split(',');
  if (excess !== undefined) notAllowed('offset', text, 'one number of minutes or two, such as 5 or 5,10');
  const marginOf = (part: string) => (part.trim() === '' ? null : wholeNumber(part, 'offset', maxMarginMinutes));
  return [marginOf(before), marginOf(after)];
}

/**
 * Reads filters. `prefix`: '!' for excludes. The filters given for a text of the event replace those that the rule had
 * for it.
 */
function readFilters(given: PluginParameters, prefix: '' | '!', before: readonly Filter[] = []): Filter[] | undefined {
  const givenFields = filterFields.filter((where) => given.has(`${prefix}${where}`));
  if (givenFields.length === 0) return undefined;
  const givenFilters = givenFields.flatMap((where) =>
    (given.get(`${prefix}${where}`) ?? []).flatMap((text) => (text === '' ? [] : [{ where, text }])),
  );
  return [...before.filter(({ where }) => !givenFields.includes(where)), ...givenFilters];
}

/** Subtracts the excluded days from the included ones. A rule stores only the result. */
function readWeekdays(given: PluginParameters, before: RuleSpec | undefined): number | undefined {
  const [included, excluded] = [given.get('dayofweek'), given.get('!dayofweek')];
  if (!included && !excluded) return undefined;
  const includedMask = (included ? daysOf(included, 'dayofweek') : before?.weekdays) || allWeekdays;
  const mask = includedMask & ~daysOf(excluded ?? [], '!dayofweek');
  if (mask === 0) reject('!dayofweek', 'excludes every day of the rule; at least one must be left');
  return mask === allWeekdays ? 0 : mask;
}

/** Parses weekdays, `0` Monday to `6` Sunday, `weekday` and `weekend`, into a bit mask with bit 0 for Monday. */
function daysOf(texts: readonly string[], name: string): number {
  let mask = 0;
  for (const text of texts.flatMap((list) => list.split(',')).map((item) => item.trim())) {
    if (text === '') continue;
    if (text === 'weekday') mask |= 0b0011111;
    else if (text === 'weekend') mask |= 0b1100000;
    else mask |= 1 << wholeNumber(text, name, 6);
  }
  return mask;
}

/**
 * The weekdays of a rule, 0 Monday to 6 Sunday. Lists all seven for a rule that has hours but no weekdays, because Kodi
 * only reads hours together with weekdays.
 */
export function listedWeekdays({ weekdays: mask, from, to }: RuleSpec): number[] {
  const listed = mask === 0 && (from !== null || to !== null) ? allWeekdays : mask;
  return [0, 1, 2, 3, 4, 5, 6].filter((number) => (listed & (1 << number)) !== 0);
}

/** The attributes of a rule in the plug-in's file, without `afterevent`. Defaults are left out, as the plug-in does. */
export function attributesOf(rule: RuleSpec): Readonly<Record<string, string>> {
  const { from, to, before, marginBefore, marginAfter, searchType, avoidDuplicates, compare } = rule;
  const attributes: Record<string, string | number | false | null> = {
    name: rule.name,
    match: rule.match,
    enabled: rule.enabled ? 'yes' : 'no',
    from: from ?? (to !== null && '00:00'),
    to: to ?? (from !== null && '23:59'),
    after: rule.after,
    before: before === null ? null : Math.max(1, before - secondsPerDay),
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
  const present = Object.entries(attributes).filter(([, value]) => value !== false && value !== null);
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}

/**
 * Formats `offset`, as `marginsOf` parses it. The plug-in cannot express a rule with only one margin of its own: an empty
 * value stands for the configured margin.
 */
function offsetOf(before: number | null, after: number | null): string | false {
  if (before === null && after === null) return false;
  return before === after ? `${before}` : `${before ?? ''},${after ?? ''}`;
}
