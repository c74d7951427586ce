/**
 * `autotimer.xml`, the rules of a box's AutoTimer plug-in: read once, and written for users who go back to a box. Each
 * `timer` is a rule; its attributes and elements are the words of the plug-in.
 *
 * Parts of a rule that cannot be imported are reported by line. If such a part would have narrowed the rule, the rule
 * is disabled, so that it does not record more than intended.
 */
import { appendTo } from '../base/append-to.ts';
import { errors, ReceiverError } from '../base/errors.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { attributeText, elementsOf, escaped, parseXml, textOf, type XmlElement, type XmlError } from '../base/xml.ts';
import type { AfterEvent } from '../timers/timer.ts';
import { checkFilters, type Filter, filterPlaces, maximumFilters } from './filter.ts';
import { attributesOf, listedWeekdays, readableChangesOf } from './plugin-words.ts';
import { maximumRules, type RuleOrder, ruleOrder } from './rule.ts';

/** A part of a file that could not be imported, in words for people. */
export interface LeftOut {
  /** From 1: the line where the rule begins. */
  readonly line: number;
  /** Its name, '' if it has none. */
  readonly rule: string;
  readonly text: string;
}

export interface ForeignRule {
  readonly line: number;
  readonly order: RuleOrder;
  /** It was enabled, and a part that would have narrowed it is missing. */
  readonly isSwitchedOff: boolean;
}

export interface ForeignRules {
  readonly rules: readonly ForeignRule[];
  readonly leftOut: readonly LeftOut[];
}

/** The file is not a rule list, or not well-formed. */
export class RulesMalformed extends ReceiverError {
  /** From 1. */
  readonly line: number;

  constructor(line: number, what: string) {
    super('rules-malformed', errors['rules-malformed'].text(line, what));
    this.line = line;
  }
}

/** Maximum bytes of a file. */
export const longestForeignFile = 4 * 1024 * 1024;
/** Maximum reports per file. */
const maximumLeftOut = 500;
/** Maximum elements of the list, and of one of its entries. */
const maximumEntries = 2 * maximumRules;
const maximumParts = 1000;
const maximumAttributes = 100;
/** Maximum characters of an element's text, such as a service reference. */
const longestText = 4096;
/** Maximum characters of a report's texts. */
const longestWord = 200;
/** Below this version, or without one, the numbers of `searchForDuplicateDescription` had other meanings. */
const versionOfPresentNumbers = 5;

/** Parses a file, in turns. @throws RulesMalformed */
export async function parseForeignRules(text: string): Promise<ForeignRules> {
  const list = await parseXml(text, 'autotimer').catch(({ line, message }: XmlError) => {
    throw new RulesMalformed(line, message);
  });
  const version = Number.parseInt(list.attributes.version ?? '', 10) || 0;
  const slice = new TimeSlice();
  const rules: ForeignRule[] = [];
  const leftOut: LeftOut[] = [];
  for (const entry of boundedElements(list, maximumEntries, 'it')) {
    if (slice.isOver) await slice.next();
    const { line, name, attributes } = entry;
    const tell = (text: string) => {
      const rule = name === 'timer' ? attributes.name || attributes.match || '' : '';
      if (leftOut.length < maximumLeftOut) leftOut.push({ line, rule: shortened(rule), text: shortened(text) });
      else if (leftOut.length === maximumLeftOut) leftOut.push({ line, rule: '', text: 'and more from here on' });
    };
    const rule = await ruleOf(entry, version, slice, tell);
    if (rule === undefined) continue;
    if (rules.length < maximumRules) rules.push(rule);
    else tell(`the limit is ${maximumRules} rules`);
  }
  return { rules, leftOut };
}

const shortened = (text: string) => (text.length <= longestWord ? text : `${text.slice(0, longestWord)}...`);

/** The elements in another one, and their attributes, within the bounds. @throws RulesMalformed */
function boundedElements(outer: XmlElement, maximum: number, what: string): readonly XmlElement[] {
  const elements = elementsOf(outer);
  const [first] = elements.slice(maximum);
  if (first) throw new RulesMalformed(first.line, `${what} has more than ${maximum} elements`);
  for (const { line, attributes } of elements)
    if (Object.keys(attributes).length > maximumAttributes)
      throw new RulesMalformed(line, `an element has more than ${maximumAttributes} attributes`);
  return elements;
}

/** Maps attribute names to the plug-in's parameters, which differ for some. */
const names: Readonly<Record<string, string>> = {
  ...{ from: 'timespanFrom', to: 'timespanTo', destination: 'location' },
  ...Object.fromEntries(
    [
      ...['name', 'match', 'searchType', 'searchCase', 'after', 'before', 'minduration', 'maxduration', 'offset'],
      ...['location', 'justplay', 'avoidDuplicateDescription', 'searchForDuplicateDescription', 'counter'],
      ...['counterFormat', 'always_zap', 'vps_enabled', 'vps_overwrite'],
    ].map((name) => [name, name]),
  ),
};
/** Attributes that are redundant, or specific to the other receiver. */
const idle: ReadonlySet<string> = new Set([
  ...['enabled', 'id', 'encoding', 'lastBegin', 'lastActivation', 'left', 'overrideAlternatives', 'setEndtime'],
]);
const isOff = /^(|0|no|false)$/i;
/** Errors in these fields do not make a rule find more. */
const others: ReadonlySet<keyof RuleOrder> = new Set([
  'name',
  'marginBefore',
  'marginAfter',
  'tags',
  'dirname',
  'afterevent',
  'zapbeforerecord',
  'vps',
  'vpsOverwrite',
]);

type Leave = (what: string, how?: { readonly narrows?: boolean }) => void;

/** Undefined if the entry is not a rule. `version`: of the file. `tell` reports a part that is not imported. */
async function ruleOf(
  entry: XmlElement,
  version: number,
  slice: TimeSlice,
  tell: (what: string) => void,
): Promise<ForeignRule | undefined> {
  const { name, line, attributes } = entry;
  if (name === 'defaults') return void tell('its defaults for new rules are not imported');
  if (name !== 'timer') return void tell(`<${name}> is not supported`);
  let isNarrower = false;
  const leave: Leave = (what, { narrows = false } = {}) => {
    tell(what);
    isNarrower ||= narrows;
  };
  const words = wordsOf(entry, leave);
  takeCounted(attributes, words, leave);
  const before = Number(attributes.searchForDuplicateDescription ?? 3) - 1;
  if (version < versionOfPresentNumbers)
    words.set('searchForDuplicateDescription', [[0, 1].includes(before) ? `${before}` : '2']);
  const order = readableChangesOf(words, undefined, (field, error) =>
    leave((error as Error).message, { narrows: !others.has(field) }),
  );
  const filters = (field: 'include' | 'exclude') => takenFilters(order[field] ?? [], field, leave, slice);
  try {
    const rule = ruleOrder({ ...order, include: await filters('include'), exclude: await filters('exclude') });
    const isOn = (attributes.enabled ?? 'yes') === 'yes';
    if (isOn && isNarrower) tell('it is disabled: otherwise it would record more than intended');
    return { line, order: { ...rule, enabled: isOn && !isNarrower }, isSwitchedOff: isOn && isNarrower };
  } catch (error) {
    return void tell(`it is not a valid rule: ${(error as Error).message}`);
  }
}

/** A rule with a counter may have created some of its timers already. */
function takeCounted(
  { counter = '0', counterFormat = '', left = counter }: Readonly<Record<string, string>>,
  words: Map<string, string[]>,
  leave: Leave,
): void {
  if (left === counter || Number(counter) === 0) return;
  if (counterFormat !== '') leave(`left="${left}" of counter="${counter}" is not imported: counting starts again`);
  else if (Number(left) === 0) leave('it has already created all its timers', { narrows: true });
  else words.set('counter', [left]);
}

function wordsOf(entry: XmlElement, leave: Leave): Map<string, string[]> {
  const words = new Map<string, string[]>();
  const put = (name: string, text: string) => appendTo(words, name, text);
  for (const [name, text] of Object.entries(entry.attributes)) {
    const word = Object.hasOwn(names, name) ? names[name] : undefined;
    if (word !== undefined) put(word, text);
    else if (!idle.has(name) && !isOff.test(text)) leave(`${name}="${text}" is not supported`);
  }
  for (const part of boundedElements(entry, maximumParts, 'a rule')) takePart(part, put, leave);
  // Joins each of these into one list.
  for (const name of ['services', 'bouquets']) {
    const all = words.get(name);
    if (all) words.set(name, [all.join(',')]);
  }
  return words;
}

async function takenFilters(
  filters: readonly Filter[],
  field: string,
  leave: Leave,
  slice: TimeSlice,
): Promise<Filter[]> {
  if (filters.length > maximumFilters)
    leave(`it has more than ${maximumFilters} <${field}> elements`, { narrows: true });
  const taken: Filter[] = [];
  for (const filter of filters.slice(0, maximumFilters)) {
    try {
      await checkFilters([filter], field, slice);
      taken.push(filter);
    } catch (error) {
      leave((error as Error).message, { narrows: true });
    }
  }
  return taken;
}

function takePart(part: XmlElement, put: (name: string, text: string) => void, leave: Leave): void {
  const { name, line, attributes } = part;
  const text = textOf(part);
  if (text.length > longestText) throw new RulesMalformed(line, `a text has more than ${longestText} characters`);
  if (name === 'serviceref') put('services', text.trim());
  else if (name === 'bouquet') put('bouquets', text.trim());
  else if (name === 'tag') put('tag', text);
  else if (name === 'afterevent') {
    if (attributes.from !== undefined || attributes.to !== undefined)
      leave(`<afterevent> with hours is not supported: '${text.trim()}' is ignored`);
    else put('afterevent', text);
  } else if (name === 'include' || name === 'exclude') {
    const where = attributes.where ?? '';
    const isKnown = where === 'dayofweek' || (filterPlaces as readonly string[]).includes(where);
    if (!isKnown) leave(`<${name} where="${where}"> is not supported`, { narrows: true });
    else if (text !== '') put(name === 'include' ? where : `!${where}`, text);
  } else leave(`<${name}> is not supported`, { narrows: true });
}

/** The file's words for the action after a timer. */
const afterwards: Readonly<Record<AfterEvent, string | undefined>> = {
  nothing: 'none',
  standby: 'standby',
  deepstandby: 'shutdown',
  auto: undefined,
};

/** Formats a file in the plug-in's style, one piece per rule. */
export function* formatForeignRules(rules: readonly RuleOrder[]): Generator<string, void, undefined> {
  yield '<?xml version="1.0" ?>\n<autotimer version="8">\n\n';
  for (const rule of rules) yield ruleText(rule);
  yield '</autotimer>\n';
}

function ruleText(rule: RuleOrder): string {
  const { encoding: _, ...attributes } = attributesOf(rule);
  const afterevent = afterwards[rule.afterevent];
  const filters = (name: 'include' | 'exclude') =>
    rule[name].map(({ where, text }: Filter) => element(name, text, where));
  const elements = [
    ...rule.services.map((reference) => element('serviceref', reference)),
    ...rule.bouquets.map((reference) => element('bouquet', reference)),
    ...(afterevent === undefined ? [] : [element('afterevent', afterevent)]),
    ...filters('exclude'),
    ...filters('include'),
    ...listedWeekdays(rule).map((number) => element('include', `${number}`, 'dayofweek')),
    ...rule.tags.map((tag) => element('tag', tag)),
  ];
  return ` <timer${attributeText(Object.entries(attributes))}>\n${elements.join('')} </timer>\n\n`;
}

function element(name: string, text: string, where?: string): string {
  return `  <${name}${where === undefined ? '' : attributeText([['where', where]])}>${escaped(text)}</${name}>\n`;
}
