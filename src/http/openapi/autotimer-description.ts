/** The AutoTimer plug-in's paths in the OpenAPI document. */
import * as Type from 'typebox';
import { filterFields } from '../../autotimer/filter.ts';
import { maxCounter, searchTypes } from '../../autotimer/rule.ts';
import { simpleResult, textOf } from '../endpoint/operation.ts';
import { contentTypes } from '../middleware/failures.ts';
import { choice, integer, Parameter, type Parameters, text, unixTimes } from '../middleware/parameters.ts';
import { refusedTo } from '../middleware/sites.ts';
import { describeParameters } from '../rest/parameters.ts';
import { xmlDocument } from '../write/xml.ts';
import type { DescribedRoute } from './document.ts';

export interface AutotimerDescription {
  readonly summary: string;
  readonly changesState?: boolean;
  readonly parameters?: Parameters;
  readonly example: string;
}

const several = (description: string) =>
  new Parameter(description, Type.Array(Type.String()), (_, _name, all) => all, { takes: 'texts' });
const yesNo = (description: string) => text(`${description}: \`1\`, \`yes\`, \`true\` or \`on\``);
const number = (description: string, maximum: number) => integer(description, { minimum: 0, maximum });

export const ruleIds = { minimum: 1, maximum: 1e9, examples: [1] };
const id = integer('ID of the rule', ruleIds).required();
const shown = integer('ID of the rule; if absent, every enabled rule', ruleIds);
const enabled = yesNo('whether the rule creates timers');

/** In minutes. */
const day = 24 * 60;

const filters = filterFields.flatMap((where) => [
  [where, several(`regular expressions, all of which the ${where} must match`)] as const,
  [`!${where}`, several(`regular expressions, none of which the ${where} may match`)] as const,
]);

const ruleWords = {
  id: integer('ID of the rule to change; if absent, a rule is added', ruleIds),
  match: text('the text to look for; required for a new rule', 'Weather'),
  name: text('name of the rule; default is `match`'),
  enabled,
  searchType: choice('how the text must match', searchTypes),
  searchCase: text('`sensitive` makes the match case-sensitive'),
  ...Object.fromEntries(filters),
  services: text('comma-separated service references; empty for every service'),
  bouquets: text('comma-separated bouquet references'),
  timespanFrom: text('earliest local start time, HH:MM'),
  timespanTo: text('latest local start time, HH:MM'),
  dayofweek: several('0 Monday to 6 Sunday, `weekday` or `weekend`'),
  '!dayofweek': several('days to leave out, in the same form'),
  after: integer('Unix seconds: ignore earlier events', unixTimes),
  before: integer('Unix seconds: midnight at the start of the last day', unixTimes),
  minduration: number('shortest event, in minutes', day),
  maxduration: number('longest event, in minutes', day),
  offset: text('margins in minutes: `5`, or `5,10` for before and after'),
  tag: several('tag for the timers'),
  location: text('folder for the recordings'),
  justplay: text('`1` or `zap` for timers that only zap'),
  afterevent: text('`auto`, `nothing`, `standby` or `deepstandby`'),
  avoidDuplicateDescription: number(
    '0 records repeats; 1 skips those on the service, 2 on any service, 3 also those of recordings',
    3,
  ),
  searchForDuplicateDescription: number(
    'a repeat has the same 0 title, 1 title and short text, 2 title and all texts',
    2,
  ),
  always_zap: yesNo('the timer zaps and records'),
  vps_enabled: yesNo('start and end follow the running status'),
  vps_overwrite: yesNo('the running status alone decides'),
  counter: number('maximum number of timers in a period; 0 for no limit', maxCounter),
  counterFormat: text('the period: `%m` month, `%W` week from Monday, `%U` week from Sunday; empty for all time'),
};

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const simple = (message: string, result = true) => textOf(xmlDocument(simpleResult, { result, message }));
const simulation = `${declaration}<e2autotimersimulate></e2autotimersimulate>\n`;

export const autotimerDescriptions = {
  '/autotimer': {
    summary: 'The AutoTimer rules.',
    example: `${declaration}<autotimer version="8"></autotimer>\n`,
  },
  '/autotimer/get': {
    summary: 'The settings for all rules.',
    example: `${declaration}<e2settings>\n\t<e2setting>\n\t\t<e2settingname>config.plugins.autotimer.add_name_to_tags</e2settingname>\n\t\t<e2settingvalue>True</e2settingvalue>\n\t</e2setting>\n</e2settings>\n`,
  },
  '/autotimer/set': {
    summary: 'Changes the settings for all rules.',
    changesState: true,
    parameters: {
      add_autotimer_to_tags: yesNo('timers get the tag AutoTimer'),
      add_name_to_tags: yesNo('timers get the rule’s name as a tag'),
    },
    example: simple('config changed.'),
  },
  '/autotimer/edit': {
    summary: 'Adds or changes a rule and creates its timers.',
    changesState: true,
    parameters: ruleWords,
    example: simple('AutoTimer was added successfully'),
  },
  '/autotimer/change': {
    summary: 'Renames, enables or disables a rule.',
    changesState: true,
    parameters: { id, enabled, name: text('new name') },
    example: simple('AutoTimer was changed successfully'),
  },
  '/autotimer/remove': {
    summary: 'Removes a rule and keeps its timers.',
    changesState: true,
    parameters: { id },
    example: simple('AutoTimer was removed'),
  },
  '/autotimer/parse': {
    summary: 'Runs every rule now.',
    changesState: true,
    example: simple('Found a total of 1 matching Events. 1 Timer were added, 0 refused.'),
  },
  '/autotimer/simulate': {
    summary: 'The events that the rules match.',
    parameters: { id: shown },
    example: simulation,
  },
  '/autotimer/test': {
    summary: 'The same as /autotimer/simulate.',
    parameters: { id: shown },
    example: simulation,
  },
} as const satisfies Readonly<Record<`/${string}`, AutotimerDescription>>;

export type AutotimerPath = keyof typeof autotimerDescriptions;

const xml = (description: string) => ({ types: [contentTypes.xml], schema: Type.String({ description }) });

function describe(path: string, description: AutotimerDescription, method: 'GET' | 'POST'): DescribedRoute {
  const { summary, changesState, parameters = {}, example } = description;
  const name = path.slice(1).replace('/', '_');
  return {
    method,
    path,
    operationId: `plugin_${name}${method === 'POST' ? '_post' : ''}`,
    tag: 'timers',
    summary,
    permission: changesState ? 'record' : 'view',
    description: 'As in the AutoTimer plug-in. Errors have status 200 and a simple result of False.',
    parameters: describeParameters(method === 'POST' ? 'form' : 'query', parameters),
    responses: {
      200: {
        description: 'the result',
        body: { ...xml('the result, or e2simplexmlresult with e2state False'), example },
      },
      ...(changesState && {
        403: {
          description: refusedTo('record'),
          body: {
            ...xml('e2simplexmlresult with e2state False and e2statetext'),
            example: simple('...', false),
          },
        },
      }),
    },
  };
}

export const describedAutotimer: readonly DescribedRoute[] = Object.entries(autotimerDescriptions).flatMap(
  ([path, description]) => (['GET', 'POST'] as const).map((method) => describe(path, description, method)),
);
