/**
 * Rules as the AutoTimer plug-in writes and reads them: the parameters of `/autotimer/edit` and the list of `/autotimer`, in the words
 * that its clients know.
 */
import {
  comparedTexts,
  duplicateScopes,
  longestMargin,
  type Rule,
  type RuleOrder,
  searchTypes,
} from '../autotimer/rule.ts';
import { fail } from '../errors.ts';
import { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { AfterEvent } from '../timers/timer.ts';
import { unixTimes, wholeNumber } from './parameters.ts';
import type { QueryLists } from './query.ts';
import { each, element, elementWith, leaf, type View } from './xml.ts';

/** What narrows a rule on other boxes and is not had here: a rule that would record more than was asked for is refused. */
const unknownFilters = ['title', 'shortdescription', 'description'].flatMap((name) => [name, `!${name}`]);

/** Words of the plug-in for what comes after a timer. */
const afterwards: Readonly<Record<string, AfterEvent>> = {
  '': 'auto',
  default: 'auto',
  auto: 'auto',
  none: 'nothing',
  nothing: 'nothing',
  standby: 'standby',
  shutdown: 'deepstandby',
  deepstandby: 'deepstandby',
};

const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** What a request says of a rule; what it says nothing about is left out. @throws ReceiverError `parameter-invalid` by name */
export function changesOf(given: QueryLists): Partial<RuleOrder> {
  const first = (name: string) => given.get(name)?.[0]?.trim();
  const read = <Value>(name: string, reader: (text: string) => Value): Value | undefined => {
    const text = first(name);
    return text === undefined ? undefined : reader(text);
  };
  const time = (name: string) =>
    read(name, (text) => {
      if (text === '') return null;
      const [, hour = '', minute = ''] = clock.exec(text) ?? wrong(name, 'must be a time, HH:MM');
      return `${hour.padStart(2, '0')}:${minute}`;
    });
  const number = (name: string, maximum: number) =>
    read(name, (text) => (text === '' ? 0 : wholeNumber(text, name, { minimum: 0, maximum })));
  const list = (name: string) =>
    read(name, (text) => {
      // A name in a reference may have a comma too.
      const references = text.split(/,(?=\s*\d+:\d+:[\da-f]+:[\da-f]+:|\s*$)/i).map((one) => one.trim());
      return references.filter((one) => one !== '').map((one) => referenceOf(one, name));
    });
  for (const name of [...unknownFilters, '!dayofweek']) {
    if (given.get(name)?.some((text) => text !== '')) wrong(name, 'is not supported');
  }
  const margins = read('offset', marginsOf);
  const dates = { after: number('after', unixTimes.maximum), before: number('before', unixTimes.maximum) };
  const minutes = 24 * 60;
  const all: { [Name in keyof RuleOrder]?: RuleOrder[Name] | undefined } = {
    name: read('name', line),
    match: read('match', line),
    enabled: read('enabled', isOn),
    searchType: read('searchType', (text) => known('searchType', searchTypes, text || 'partial')),
    caseSensitive: read('searchCase', (text) => text === 'sensitive'),
    services: list('services'),
    bouquets: list('bouquets'),
    from: time('timespanFrom'),
    to: time('timespanTo'),
    weekdays: given.has('dayofweek') ? weekdaysOf(given.get('dayofweek') ?? []) : undefined,
    after: dates.after === 0 ? null : dates.after,
    before: dates.before === 0 ? null : dates.before,
    minimumDuration: number('minduration', minutes),
    maximumDuration: number('maxduration', minutes),
    marginBefore: margins?.[0],
    marginAfter: margins?.[1],
    tags: given.get('tag')?.flatMap((text) => (text.trim() === '' ? [] : [text.trim().replace(/\s/g, '_')])),
    dirname: read('location', (text) => (text === '' || text === 'None' ? null : text)),
    justplay: read('justplay', isOn),
    afterevent: read('afterevent', (text) => afterwards[text.toLowerCase()] ?? wrong('afterevent', 'is unknown')),
    avoidDuplicates: read('avoidDuplicateDescription', (text) =>
      numbered('avoidDuplicateDescription', duplicateScopes, text, 0),
    ),
    compare: read('searchForDuplicateDescription', (text) =>
      numbered('searchForDuplicateDescription', comparedTexts, text, 2),
    ),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function wrong(name: string, why: string): never {
  throw fail('parameter-invalid', name, why);
}

const line = (text: string) => text.replace(/\s+/g, ' ');
const isOn = (text: string) => /^(1|yes|true|on)$/i.test(text);

function known<Word extends string>(name: string, words: readonly Word[], text: string): Word {
  return words.find((word) => word === text) ?? wrong(name, `is none of ${words.join(', ')}`);
}

function numbered<Word>(name: string, words: readonly Word[], text: string, preset: number): Word {
  const index = text === '' ? preset : wholeNumber(text, name, { minimum: 0, maximum: words.length - 1 });
  return words[index] as Word;
}

function referenceOf(text: string, name: string): string {
  return (ServiceReference.tryParse(text) ?? wrong(name, `has '${text}', which is no service reference`)).format();
}

/** `5` or `5,10`: minutes before and after; what is empty is as configured. */
function marginsOf(text: string): readonly [before: number | null, after: number | null] {
  if (text === '') return [null, null];
  const [before = '', after = before, more] = text.split(',');
  if (more !== undefined) wrong('offset', 'is one number or two');
  const range = { minimum: 0, maximum: longestMargin };
  const minutes = (one: string) => (one.trim() === '' ? null : wholeNumber(one, 'offset', range));
  return [minutes(before), minutes(after)];
}

/** `0` Monday to `6` Sunday, `weekday`, `weekend`, of any of them; none is every day. */
function weekdaysOf(texts: readonly string[]): number {
  let mask = 0;
  for (const text of texts.flatMap((one) => one.split(',')).map((one) => one.trim())) {
    if (text === '') continue;
    if (text === 'weekday') mask |= 0b0011111;
    else if (text === 'weekend') mask |= 0b1100000;
    else mask |= 1 << wholeNumber(text, 'dayofweek', { minimum: 0, maximum: 6 });
  }
  return mask === 127 ? 0 : mask;
}

/** A list of rules. */
export interface ShownRules {
  readonly rules: readonly Rule[];
  readonly services: Pick<Services, 'nameOf'>;
}

interface ShownRule {
  readonly rule: Rule;
  readonly nameOf: (reference: string) => string;
}

const referenceView = (name: string): View<{ readonly reference: string; readonly name: string }> =>
  element(
    name,
    leaf('e2servicereference', ({ reference }) => reference),
    leaf('e2servicename', (one) => one.name),
  );

const children: readonly View<ShownRule>[] = [
  each(
    ({ rule }) => (rule.tags.length > 0 ? [rule.tags.join(' ')] : []),
    leaf('e2tags', (tags: string) => tags),
  ),
  each(
    ({ rule, nameOf }) => rule.services.map((reference) => ({ reference, name: nameOf(reference) })),
    referenceView('e2service'),
  ),
  each(
    ({ rule, nameOf }) => rule.bouquets.map((reference) => ({ reference, name: nameOf(reference) })),
    referenceView('e2bouquet'),
  ),
  each(
    ({ rule }) => shownWeekdays(rule),
    leaf('include', (day: number) => day, { where: () => 'dayofweek' }),
  ),
];

/** Every one is listed where there are hours: Kodi looks at those only beside weekdays. */
function shownWeekdays({ weekdays, from, to }: Rule): number[] {
  const mask = weekdays === 0 && (from !== null || to !== null) ? 127 : weekdays;
  return [0, 1, 2, 3, 4, 5, 6].filter((day) => (mask & (1 << day)) !== 0);
}

/** What is as it is anyway is left out, as the plug-in does. */
function attributesOf(rule: Rule): Readonly<Record<string, string>> {
  const { from, to, marginBefore, marginAfter, searchType, avoidDuplicates, compare, afterevent } = rule;
  const attributes: Record<string, string | number | false | null> = {
    id: rule.id,
    name: rule.name,
    match: rule.match,
    enabled: rule.enabled ? 'yes' : 'no',
    from: from ?? (to !== null && '00:00'),
    to: to ?? (from !== null && '23:59'),
    after: rule.after,
    before: rule.before,
    offset: offsetOf(marginBefore, marginAfter),
    encoding: 'UTF-8',
    searchType: searchType !== 'partial' && searchType,
    searchCase: rule.caseSensitive && 'sensitive',
    minduration: rule.minimumDuration || false,
    maxduration: rule.maximumDuration || false,
    location: rule.dirname,
    justplay: rule.justplay && '1',
    afterevent: afterevent !== 'auto' && afterevent,
    avoidDuplicateDescription: duplicateScopes.indexOf(avoidDuplicates) || false,
    searchForDuplicateDescription: compare !== 'all' && comparedTexts.indexOf(compare),
  };
  const there = Object.entries(attributes).filter(([, value]) => value !== false && value !== null);
  return Object.fromEntries(there.map(([name, value]) => [name, String(value)]));
}

/** The plug-in knows no rule with one margin of its own and the other as configured: that is said by an empty one. */
function offsetOf(before: number | null, after: number | null): string | false {
  if (before === null && after === null) return false;
  return before === after ? `${before}` : `${before ?? ''},${after ?? ''}`;
}

const ruleView: View<ShownRule> = {
  write: (shown, indent) => elementWith('timer', attributesOf(shown.rule), ...children).write(shown, indent),
};

/** The list of `/autotimer`. */
export const rulesView = elementWith<ShownRules>(
  'autotimer',
  { version: '8' },
  each(({ rules, services }) => {
    const nameOf = (text: string) => {
      const reference = ServiceReference.tryParse(text);
      return reference ? services.nameOf(reference) : '';
    };
    return rules.map((rule) => ({ rule, nameOf }));
  }, ruleView),
);
