/**
 * Parses and formats `autotimer.xml`, the rule list of the AutoTimer plug-in on boxes. It is imported once, and written
 * for users who return to a box. Each `timer` element is a rule; its attributes and elements are the plug-in's.
 *
 * Parts of a rule that cannot be imported are reported with their line. If such a part would have restricted the rule,
 * the rule is disabled, so that it does not record more than intended.
 */
import { appendTo } from '../base/append-to.ts';
import { errors, excerpt, ReceiverError } from '../base/errors.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { attributeText, elementsOf, escaped, parseXml, textOf, type XmlElement, type XmlError } from '../base/xml.ts';
import type { AfterEvent } from '../timers/timer.ts';
import { checkFilters, type Filter, filterFields, maxFilters } from './filter.ts';
import { attributesOf, listedWeekdays, validChangesOf } from './plugin-words.ts';
import { buildRuleSpec, maxRules, type RuleSpec } from './rule.ts';

/** A part of a file that was not imported. */
export interface SkippedPart {
  /** Line on which the rule begins, from 1. */
  readonly line: number;
  /** Name of the rule; empty if it has none. */
  readonly rule: string;
  /** What was not imported and why, human-readable. */
  readonly text: string;
}

export interface ImportedRule {
  readonly line: number;
  readonly spec: RuleSpec;
  /** The rule was enabled in the file, but a part that would have restricted it was not imported. */
  readonly isDisabledByImport: boolean;
}

export interface ImportedRules {
  readonly rules: readonly ImportedRule[];
  readonly skipped: readonly SkippedPart[];
}

/** The file is not well-formed XML, or not a rule list. */
export class RulesMalformed extends ReceiverError {
  /** From 1. */
  readonly line: number;

  constructor(line: number, reason: string) {
    super('rules-malformed', errors['rules-malformed'].text(line, reason));
    this.line = line;
  }
}

export const maxPluginFileBytes = 4 * 1024 * 1024;
/** Parts reported per file. */
const maxSkippedParts = 500;
/** Elements directly in the rule list, rules or not. */
const maxEntries = 2 * maxRules;
const maxPartsPerRule = 1000;
const maxAttributes = 100;
/** Characters in the text of an element, for example a service reference. */
const maxTextLength = 4096;
/** Characters in each text of a report. */
const maxReportLength = 200;
/** In older files, and in files without a version, the numbers of `searchForDuplicateDescription` mean something else. */
const firstVersionWithCurrentNumbers = 5;

/** Parses a file. @throws RulesMalformed */
export async function parsePluginFile(text: string): Promise<ImportedRules> {
  const list = await parseXml(text, 'autotimer').catch(({ line, message }: XmlError) => {
    throw new RulesMalformed(line, message);
  });
  const version = Number.parseInt(list.attributes.version ?? '', 10) || 0;
  const slice = new TimeSlice();
  const rules: ImportedRule[] = [];
  const skipped: SkippedPart[] = [];
  for (const entry of boundedChildren(list, maxEntries, 'it')) {
    if (slice.isOver) await slice.next();
    const { line, name, attributes } = entry;
    const report = (text: string) => {
      const rule = name === 'timer' ? attributes.name || attributes.match || '' : '';
      if (skipped.length < maxSkippedParts)
        skipped.push({ line, rule: excerpt(rule, maxReportLength), text: excerpt(text, maxReportLength) });
      else if (skipped.length === maxSkippedParts) skipped.push({ line, rule: '', text: 'and more from here on' });
    };
    const rule = await importRule(entry, version, slice, report);
    if (rule === undefined) continue;
    if (rules.length < maxRules) rules.push(rule);
    else report(`the limit is ${maxRules} rules`);
  }
  return { rules, skipped };
}

/**
 * The child elements of `parent`, which the error calls `subject`.
 * @throws RulesMalformed for more than `maxElements`, or a child with too many attributes
 */
function boundedChildren(parent: XmlElement, maxElements: number, subject: string): readonly XmlElement[] {
  const elements = elementsOf(parent);
  const [firstExcess] = elements.slice(maxElements);
  if (firstExcess) throw new RulesMalformed(firstExcess.line, `${subject} has more than ${maxElements} elements`);
  for (const { line, attributes } of elements)
    if (Object.keys(attributes).length > maxAttributes)
      throw new RulesMalformed(line, `an element has more than ${maxAttributes} attributes`);
  return elements;
}

/** The plug-in's parameter for each attribute. Most have the same name. */
const parameterOfAttribute: Readonly<Record<string, string>> = {
  ...{ from: 'timespanFrom', to: 'timespanTo', destination: 'location' },
  ...Object.fromEntries(
    [
      ...['name', 'match', 'searchType', 'searchCase', 'after', 'before', 'minduration', 'maxduration', 'offset'],
      ...['location', 'justplay', 'avoidDuplicateDescription', 'searchForDuplicateDescription', 'counter'],
      ...['counterFormat', 'always_zap', 'vps_enabled', 'vps_overwrite'],
    ].map((name) => [name, name]),
  ),
};
/** Attributes that are handled elsewhere, redundant, or meaningful only on the box. */
const ignoredAttributes: ReadonlySet<string> = new Set([
  ...['enabled', 'id', 'encoding', 'lastBegin', 'lastActivation', 'left', 'overrideAlternatives', 'setEndtime'],
]);
const isOff = /^(|0|no|false)$/i;
/** Fields without influence on which events a rule finds: an error in one of them does not disable the rule. */
const nonFilteringFields: ReadonlySet<keyof RuleSpec> = new Set([
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

/** Reports a part that is not imported. `restricts`: without this part, the rule finds more events. */
type Skip = (reason: string, effect?: { readonly restricts?: boolean }) => void;

/** Imports a rule. Undefined if the entry is not a rule. `version`: of the file. */
async function importRule(
  entry: XmlElement,
  version: number,
  slice: TimeSlice,
  report: (reason: string) => void,
): Promise<ImportedRule | undefined> {
  const { name, line, attributes } = entry;
  if (name === 'defaults') return void report('its defaults for new rules are not imported');
  if (name !== 'timer') return void report(`<${name}> is not supported`);
  let lacksRestriction = false;
  const skip: Skip = (reason, { restricts = false } = {}) => {
    report(reason);
    lacksRestriction ||= restricts;
  };
  const parameters = parametersOf(entry, skip);
  importCounter(attributes, parameters, skip);
  const currentNumber = Number(attributes.searchForDuplicateDescription ?? 3) - 1;
  if (version < firstVersionWithCurrentNumbers)
    parameters.set('searchForDuplicateDescription', [[0, 1].includes(currentNumber) ? `${currentNumber}` : '2']);
  const changes = validChangesOf(parameters, undefined, (field, error) =>
    skip((error as Error).message, { restricts: !nonFilteringFields.has(field) }),
  );
  const filters = (field: 'include' | 'exclude') => validFilters(changes[field] ?? [], field, skip, slice);
  try {
    const spec = buildRuleSpec({ ...changes, include: await filters('include'), exclude: await filters('exclude') });
    const isOn = (attributes.enabled ?? 'yes') === 'yes';
    if (isOn && lacksRestriction) report('it is disabled: otherwise it would record more than intended');
    return {
      line,
      spec: { ...spec, enabled: isOn && !lacksRestriction },
      isDisabledByImport: isOn && lacksRestriction,
    };
  } catch (error) {
    return void report(`it is not a valid rule: ${(error as Error).message}`);
  }
}

/** Sets the counter of a rule that may have created some of its timers on the box already. */
function importCounter(
  { counter = '0', counterFormat = '', left = counter }: Readonly<Record<string, string>>,
  parameters: Map<string, string[]>,
  skip: Skip,
): void {
  if (left === counter || Number(counter) === 0) return;
  if (counterFormat !== '') skip(`left="${left}" of counter="${counter}" is not imported: counting starts again`);
  else if (Number(left) === 0) skip('it has already created all its timers', { restricts: true });
  else parameters.set('counter', [left]);
}

/** The attributes and elements of a rule, as parameters of the plug-in. */
function parametersOf(entry: XmlElement, skip: Skip): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  const add = (name: string, text: string) => appendTo(parameters, name, text);
  for (const [name, text] of Object.entries(entry.attributes)) {
    const parameter = Object.hasOwn(parameterOfAttribute, name) ? parameterOfAttribute[name] : undefined;
    if (parameter !== undefined) add(parameter, text);
    else if (!ignoredAttributes.has(name) && !isOff.test(text)) skip(`${name}="${text}" is not supported`);
  }
  for (const child of boundedChildren(entry, maxPartsPerRule, 'a rule')) importElement(child, add, skip);
  // The file has an element for each reference; the parameter is one comma-separated list.
  for (const name of ['services', 'bouquets']) {
    const references = parameters.get(name);
    if (references) parameters.set(name, [references.join(',')]);
  }
  return parameters;
}

async function validFilters(
  filters: readonly Filter[],
  field: string,
  skip: Skip,
  slice: TimeSlice,
): Promise<Filter[]> {
  if (filters.length > maxFilters) skip(`it has more than ${maxFilters} <${field}> elements`, { restricts: true });
  const valid: Filter[] = [];
  for (const filter of filters.slice(0, maxFilters)) {
    try {
      await checkFilters([filter], field, slice);
      valid.push(filter);
    } catch (error) {
      skip((error as Error).message, { restricts: true });
    }
  }
  return valid;
}

/** Adds a child element of a rule to the parameters. */
function importElement(element: XmlElement, add: (name: string, text: string) => void, skip: Skip): void {
  const { name, line, attributes } = element;
  const text = textOf(element);
  if (text.length > maxTextLength) throw new RulesMalformed(line, `a text has more than ${maxTextLength} characters`);
  if (name === 'serviceref') add('services', text.trim());
  else if (name === 'bouquet') add('bouquets', text.trim());
  else if (name === 'tag') add('tag', text);
  else if (name === 'afterevent') {
    if (attributes.from !== undefined || attributes.to !== undefined)
      skip(`<afterevent> with hours is not supported: '${text.trim()}' is ignored`);
    else add('afterevent', text);
  } else if (name === 'include' || name === 'exclude') {
    const where = attributes.where ?? '';
    const isKnown = where === 'dayofweek' || (filterFields as readonly string[]).includes(where);
    if (!isKnown) skip(`<${name} where="${where}"> is not supported`, { restricts: true });
    else if (text !== '') add(name === 'include' ? where : `!${where}`, text);
  } else skip(`<${name}> is not supported`, { restricts: true });
}

/** What the file calls the actions after a timer; undefined: the element is left out. */
const afterEventTexts: Readonly<Record<AfterEvent, string | undefined>> = {
  nothing: 'none',
  standby: 'standby',
  deepstandby: 'shutdown',
  auto: undefined,
};

/** Formats a file as the plug-in does. Yields a piece per rule. */
export function* formatPluginFile(rules: readonly RuleSpec[]): Generator<string, void, undefined> {
  yield '<?xml version="1.0" ?>\n<autotimer version="8">\n\n';
  for (const rule of rules) yield formatRule(rule);
  yield '</autotimer>\n';
}

function formatRule(rule: RuleSpec): string {
  const { encoding: _, ...attributes } = attributesOf(rule);
  const afterevent = afterEventTexts[rule.afterevent];
  const filters = (name: 'include' | 'exclude') =>
    rule[name].map(({ where, text }: Filter) => formatElement(name, text, where));
  const elements = [
    ...rule.services.map((reference) => formatElement('serviceref', reference)),
    ...rule.bouquets.map((reference) => formatElement('bouquet', reference)),
    ...(afterevent === undefined ? [] : [formatElement('afterevent', afterevent)]),
    ...filters('exclude'),
    ...filters('include'),
    ...listedWeekdays(rule).map((number) => formatElement('include', `${number}`, 'dayofweek')),
    ...rule.tags.map((tag) => formatElement('tag', tag)),
  ];
  return ` <timer${attributeText(Object.entries(attributes))}>\n${elements.join('')} </timer>\n\n`;
}

function formatElement(name: string, text: string, where?: string): string {
  return `  <${name}${where === undefined ? '' : attributeText([['where', where]])}>${escaped(text)}</${name}>\n`;
}
