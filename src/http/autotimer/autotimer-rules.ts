/** The XML of the rule list at `/autotimer`, in the format of the AutoTimer plug-in. */
import type { Filter } from '../../autotimer/filter.ts';
import { attributesOf, listedWeekdays } from '../../autotimer/plugin-words.ts';
import type { Rule } from '../../autotimer/rule.ts';
import { ServiceReference } from '../../services/reference.ts';
import type { Services } from '../../services/services.ts';
import { type ListedService, listedLeaves } from '../operations/lists.ts';
import { each, element, elementWith, leaf, type View } from '../write/xml.ts';

/** The rules to list, and the services to look up names of references. */
export interface RuleListParts {
  readonly rules: readonly Rule[];
  readonly services: Pick<Services, 'nameOf'>;
}

interface ListedRule {
  readonly rule: Rule;
  /** Adds the name to a reference of a service or bouquet. */
  readonly listed: (reference: string) => ListedService;
}

const filterView = (name: string) => leaf<Filter>(name, ({ text }) => text, { where: ({ where }) => where });

const children: readonly View<ListedRule>[] = [
  each(
    ({ rule }) => (rule.tags.length > 0 ? [rule.tags.join(' ')] : []),
    leaf('e2tags', (tags: string) => tags),
  ),
  each(({ rule, listed }) => rule.services.map(listed), element('e2service', listedLeaves)),
  each(({ rule, listed }) => rule.bouquets.map(listed), element('e2bouquet', listedLeaves)),
  each(({ rule }) => rule.exclude, filterView('exclude')),
  each(({ rule }) => rule.include, filterView('include')),
  each(
    ({ rule }) => listedWeekdays(rule),
    leaf('include', (day: number) => day, { where: () => 'dayofweek' }),
  ),
];

function listedAttributes(rule: Rule): Readonly<Record<string, string>> {
  const { afterevent } = rule;
  return { id: String(rule.id), ...attributesOf(rule), ...(afterevent !== 'auto' && { afterevent }) };
}

const ruleView: View<ListedRule> = {
  write: (listed, indent) => elementWith('timer', listedAttributes(listed.rule), ...children).write(listed, indent),
};

/** The rule list at `/autotimer`. */
export const rulesView = elementWith<RuleListParts>(
  'autotimer',
  { version: '8' },
  each(({ rules, services }) => {
    const listed = (servicereference: string) => {
      const reference = ServiceReference.tryParse(servicereference);
      return { servicereference, servicename: reference ? services.nameOf(reference) : '' };
    };
    return rules.map((rule) => ({ rule, listed }));
  }, ruleView),
);
