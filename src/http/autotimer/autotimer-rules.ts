/** XML of the rule list at `/autotimer`, in the vocabulary of the AutoTimer plug-in. */
import type { Filter } from '../../autotimer/filter.ts';
import { attributesOf, listedWeekdays } from '../../autotimer/plugin-words.ts';
import type { Rule } from '../../autotimer/rule.ts';
import { ServiceReference } from '../../services/reference.ts';
import type { Services } from '../../services/services.ts';
import { each, element, elementWith, leaf, type View } from '../write/xml.ts';

/** A list of rules, with the services that give their references names. */
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

const filterView = (name: string) => leaf<Filter>(name, ({ text }) => text, { where: ({ where }) => where });

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
    const nameOf = (text: string) => {
      const reference = ServiceReference.tryParse(text);
      return reference ? services.nameOf(reference) : '';
    };
    return rules.map((rule) => ({ rule, nameOf }));
  }, ruleView),
);
