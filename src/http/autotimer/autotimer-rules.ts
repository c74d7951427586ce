/** XML of the rule list at `/autotimer`, in the vocabulary of the AutoTimer plug-in. */
import type { Filter } from '../../autotimer/filter.ts';
import { attributesOf, listedWeekdays } from '../../autotimer/plugin-words.ts';
import type { Rule } from '../../autotimer/rule.ts';
import { ServiceReference } from '../../services/reference.ts';
import type { Services } from '../../services/services.ts';
import { type ListedService, listedLeaves } from '../operations/lists.ts';
import { each, element, elementWith, leaf, type View } from '../write/xml.ts';

/** A list of rules, with the services that give their references names. */
export interface ShownRules {
  readonly rules: readonly Rule[];
  readonly services: Pick<Services, 'nameOf'>;
}

interface ShownRule {
  readonly rule: Rule;
  /** A service or a bouquet with its name. */
  readonly listed: (reference: string) => ListedService;
}

const filterView = (name: string) => leaf<Filter>(name, ({ text }) => text, { where: ({ where }) => where });

const children: readonly View<ShownRule>[] = [
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

const ruleView: View<ShownRule> = {
  write: (shown, indent) => elementWith('timer', listedAttributes(shown.rule), ...children).write(shown, indent),
};

/** The rule list at `/autotimer`. */
export const rulesView = elementWith<ShownRules>(
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
