/**
 * The paths of the AutoTimer plug-in, which Kodi and the web pages of boxes use. They belong neither to the operations nor
 * to the REST family, and always answer with XML and status 200. Other clients use the same rules at `/autotimers`.
 */
import { missingWarning } from '../../autotimer/missing.ts';
import type { Match } from '../../autotimer/plan.ts';
import { changesOf } from '../../autotimer/plugin-words.ts';
import type { Rule } from '../../autotimer/rule.ts';
import type { RuleSettings } from '../../autotimer/rules-file.ts';
import { fail } from '../../base/errors.ts';
import { group } from '../endpoint/endpoint.ts';
import { done, operation, type RequestContext, type SimpleResult, textOf } from '../endpoint/operation.ts';
import { text, wholeNumber } from '../middleware/parameters.ts';
import type { QueryLists } from '../middleware/query.ts';
import { settingsView } from '../operations/receiver/system.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { element, rows, xmlDocument, xmlType } from '../write/xml.ts';
import { enabled, id, previewedId, ruleIds, ruleParameters, yesNo } from './autotimer-parameters.ts';
import { rulesView } from './autotimer-rules.ts';

/** The settings by their parameter in `/autotimer/set`. `/autotimer/get` returns them as `config.plugins.autotimer.NAME`. */
const settings: Readonly<Record<string, keyof RuleSettings>> = {
  add_autotimer_to_tags: 'addAutoTimerToTags',
  add_name_to_tags: 'addNameToTags',
};

/** @throws ReceiverError `parameter-missing`, `parameter-invalid` */
function idOf(given: QueryLists): number {
  const text = given.get('id')?.[0];
  if (!text) throw fail('parameter-missing', 'id');
  return wholeNumber(text, 'id', ruleIds);
}

const unknownRule = (id: number): SimpleResult => ({
  result: false,
  message: `There is no AutoTimer with the id ${id}`,
});

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** What these paths have in common besides their tag. Each has the name of its path. */
const plugin = { description: 'As in the AutoTimer plug-in. Errors have status 200 and a simple result of False.' };

/** A list as XML. */
const list = { ...plugin, contentType: xmlType, errorsWithStatus: [] } as const;

const rules = operation({
  ...list,
  name: 'autotimer',
  path: '/autotimer',
  summary: 'The AutoTimer rules.',
  example: `${declaration}<autotimer version="8"></autotimer>\n`,
  run: ({ autoTimer, services }) => ({ body: xmlDocument(rulesView, { rules: autoTimer.rules.all, services }) }),
});

const getSettings = operation({
  ...list,
  name: 'autotimer/get',
  path: '/autotimer/get',
  summary: 'The settings for all rules.',
  example: textOf(xmlDocument(settingsView, { settings: [['config.plugins.autotimer.add_name_to_tags', 'True']] })),
  run({ autoTimer }) {
    const values = Object.entries(settings).map(
      ([name, key]) => [`config.plugins.autotimer.${name}`, autoTimer.rules.settings[key] ? 'True' : 'False'] as const,
    );
    return { body: xmlDocument(settingsView, { settings: values }) };
  },
});

const setSettings = operation({
  ...plugin,
  name: 'autotimer/set',
  path: '/autotimer/set',
  summary: 'Changes the settings for all rules.',
  parameters: {
    add_autotimer_to_tags: yesNo('whether timers get the tag AutoTimer'),
    add_name_to_tags: yesNo('whether timers get the name of their rule as a tag'),
  },
  exampleMessage: 'config changed.',
  async run({ autoTimer }, _values, { given }) {
    const changes = Object.entries(settings).flatMap(([name, key]) => {
      const text = given.get(name)?.[0];
      return text === undefined ? [] : [[key, /^(1|true|yes|on)$/i.test(text)] as const];
    });
    await autoTimer.rules.changeSettings(Object.fromEntries(changes));
    return done('config changed.');
  },
});

const edit = operation({
  ...plugin,
  name: 'autotimer/edit',
  path: '/autotimer/edit',
  summary: 'Adds or changes a rule, and creates its timers.',
  parameters: ruleParameters,
  exampleMessage: 'AutoTimer was added successfully',
  async run({ autoTimer, services }, _values, { given }) {
    let rule: Rule | undefined;
    if (!given.has('id')) {
      const changes = changesOf(given);
      if (!changes.match) throw fail('parameter-missing', 'match');
      rule = await autoTimer.rules.add(changes);
    } else {
      const id = idOf(given);
      rule = await autoTimer.rules.change(id, (before) => changesOf(given, before));
      if (!rule) return unknownRule(id);
    }
    await autoTimer.runChangedRules();
    const message = `AutoTimer was ${given.has('id') ? 'changed' : 'added'} successfully`;
    // The plug-in accepts services that do not exist, and its clients count on that.
    const warning = await missingWarning(services, rule);
    return done(warning === undefined ? message : `${message}, but ${warning}`);
  },
});

const change = operation({
  ...plugin,
  name: 'autotimer/change',
  path: '/autotimer/change',
  summary: 'Renames, enables or disables a rule.',
  parameters: { id, enabled, name: text('new name', { example: 'Ships' }) },
  exampleMessage: 'AutoTimer was changed successfully',
  async run({ autoTimer }, _values, { given }) {
    const id = idOf(given);
    const { name, ...rest } = changesOf(new Map([...given].filter(([key]) => key === 'name' || key === 'enabled')));
    const changes = { ...rest, ...(name && { name }) };
    if (!(await autoTimer.rules.change(id, changes))) return unknownRule(id);
    await autoTimer.runChangedRules();
    return done('AutoTimer was changed successfully');
  },
});

const remove = operation({
  ...plugin,
  name: 'autotimer/remove',
  path: '/autotimer/remove',
  summary: 'Removes a rule; its timers stay.',
  parameters: { id },
  exampleMessage: 'AutoTimer was removed',
  async run({ autoTimer }, _values, { given }) {
    const id = idOf(given);
    return (await autoTimer.rules.remove(id)) ? done('AutoTimer was removed') : unknownRule(id);
  },
});

const parse = operation({
  ...plugin,
  name: 'autotimer/parse',
  path: '/autotimer/parse',
  summary: 'Runs all enabled rules now.',
  exampleMessage: 'Found a total of 1 matching Events. 1 Timer were added, 0 refused.',
  async run({ autoTimer }) {
    const { found, created, refused } = await autoTimer.run();
    return done(`Found a total of ${found} matching Events. ${created} Timer were added, ${refused} refused.`);
  },
});

type MatchRecord = ReturnType<typeof matchRecord>;

const matchRecord = ({ services }: ReceiverParts, rule: Rule | undefined, { event, reference, verdict }: Match) => ({
  reference: reference.format(),
  service: services.nameOf(reference),
  title: event.title,
  begin: event.start,
  end: event.start + event.duration,
  rule: rule?.name ?? '',
  verdict,
});

const simulation = element<readonly MatchRecord[]>(
  'e2autotimersimulate',
  rows((all) => all, 'e2simulatedtimer', {
    e2servicereference: 'reference',
    e2servicename: 'service',
    e2name: 'title',
    e2timebegin: 'begin',
    e2timeend: 'end',
    e2autotimername: 'rule',
    e2state: 'verdict',
  }),
);

/** Shows what a run would do: of the rule with the given id, or of all enabled rules. */
const preview = {
  ...list,
  parameters: { id: previewedId },
  example: `${declaration}<e2autotimersimulate></e2autotimersimulate>\n`,
  async run(parts: ReceiverParts, _values: object, { given }: RequestContext) {
    const { autoTimer } = parts;
    const all = autoTimer.rules.all;
    const rules = given.has('id') ? all.filter(({ id }) => id === idOf(given)) : all.filter(({ enabled }) => enabled);
    const matches = await autoTimer.preview(rules);
    const records = matches.flatMap((found, index) => found.map((match) => matchRecord(parts, rules[index], match)));
    return { body: xmlDocument(simulation, records) };
  },
};

const simulate = operation({
  ...preview,
  name: 'autotimer/simulate',
  path: '/autotimer/simulate',
  summary: 'Previews a run: the events that the rules match, and what the rules would do with each.',
});
const test = operation({
  ...preview,
  name: 'autotimer/test',
  path: '/autotimer/test',
  summary: 'Alias of /autotimer/simulate.',
});

export const autotimerOperations = group('timers', [
  ...[rules, getSettings, setSettings, edit, change, remove, parse, simulate, test],
]);
