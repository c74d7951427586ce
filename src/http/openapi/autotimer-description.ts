/** Describes the paths of the AutoTimer plug-in for the OpenAPI document. */
import * as Type from 'typebox';
import type { filterFields } from '../../autotimer/filter.ts';
import { maxCounter, searchTypes } from '../../autotimer/rule.ts';
import { simpleResult, textOf } from '../endpoint/operation.ts';
import { contentTypes } from '../middleware/failures.ts';
import {
  bouquetReference,
  choice,
  endTimes,
  integer,
  type Parameters,
  serviceReference,
  text,
  texts,
  unixTimes,
} from '../middleware/parameters.ts';
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

const yesNo = (description: string, example = '1') =>
  text(`${description}: \`1\`, \`yes\`, \`true\` or \`on\` for yes`, { example });
const number = (description: string, maximum: number, example: number) =>
  integer(description, { minimum: 0, maximum, example, wrong: 'nearest' });

export const ruleIds = { minimum: 1, maximum: 1e9, example: 1 };
const id = integer('ID of the rule', { ...ruleIds, wrong: 'nearest' }).required();
const previewedId = integer('ID of the rule to preview; if absent, all enabled rules', {
  ...ruleIds,
  wrong: 'nearest',
});
const enabled = yesNo('whether the rule creates timers', 'True');

const filterExamples: Readonly<Record<(typeof filterFields)[number], string>> = {
  title: 'Ships',
  shortdescription: 'Episode',
  description: 'Episode 3',
};

const minutesPerDay = 24 * 60;

const filters = Object.entries(filterExamples).flatMap(([where, example]) => [
  [where, texts(`regular expressions; the ${where} must match all of them`, { example })] as const,
  [`!${where}`, texts(`regular expressions; the ${where} must match none of them`, { example })] as const,
]);

const ruleParameters = {
  id: integer('ID of the rule to change; if absent, a rule is added', { ...ruleIds, wrong: 'nearest' }),
  match: text('the text to search for; required for a new rule', { example: 'Weather' }),
  name: text('name of the rule; default: `match`', { example: 'Ships' }),
  enabled,
  searchType: choice('how the text must match', searchTypes, { wrong: 'first' }),
  searchCase: text('`sensitive` makes the match case-sensitive', { example: 'sensitive' }),
  ...Object.fromEntries(filters),
  services: serviceReference('comma-separated service references; if this and `bouquets` are empty, all services'),
  bouquets: bouquetReference('comma-separated bouquet references'),
  timespanFrom: text('earliest local start time, HH:MM', { example: '20:00' }),
  timespanTo: text('latest local start time, HH:MM', { example: '23:00' }),
  dayofweek: texts('0 Monday to 6 Sunday, `weekday` or `weekend`', { example: 'weekday' }),
  '!dayofweek': texts('days to exclude, in the format of `dayofweek`', { example: 'weekday' }),
  after: integer('Unix seconds: only events that begin then or later', { ...unixTimes, wrong: 'nearest' }),
  before: integer('Unix seconds: midnight; only events that begin before the end of the day that begins then', {
    ...endTimes,
    wrong: 'nearest',
  }),
  minduration: number('minimum length of an event in minutes', minutesPerDay, 30),
  maxduration: number('maximum length of an event in minutes', minutesPerDay, 120),
  offset: text('margins in minutes: `5`, or `5,10` for before and after', { example: '5,10' }),
  tag: texts('tag for the timers', { example: 'News' }),
  location: text('folder for the recordings', { example: '/media/hdd/movie/' }),
  justplay: text('`1` or `zap` for timers that only zap', { example: '1' }),
  afterevent: text('`auto`, `nothing`, `standby` or `deepstandby`', { example: 'auto' }),
  avoidDuplicateDescription: number(
    'which repeats to skip: 0 none, 1 of timers on the same service, 2 of timers on any service, 3 also of recordings',
    3,
    1,
  ),
  searchForDuplicateDescription: number(
    'which texts are equal in a repeat: 0 the title, 1 title and short text, 2 title and all texts',
    2,
    1,
  ),
  always_zap: yesNo('whether the timers zap to the service and record it'),
  vps_enabled: yesNo('whether begin and end of a recording follow the running status'),
  vps_overwrite: yesNo('with `vps_enabled`, whether a recording ends with the event, without the margin after it'),
  counter: number('maximum number of timers in each period; 0 for no limit', maxCounter, 5),
  counterFormat: text('the period: `%m` month, `%W` week from Monday, `%U` week from Sunday; empty for all time', {
    example: '%W',
  }),
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
      add_autotimer_to_tags: yesNo('whether timers get the tag AutoTimer'),
      add_name_to_tags: yesNo('whether timers get the name of their rule as a tag'),
    },
    example: simple('config changed.'),
  },
  '/autotimer/edit': {
    summary: 'Adds or changes a rule, and creates its timers.',
    changesState: true,
    parameters: ruleParameters,
    example: simple('AutoTimer was added successfully'),
  },
  '/autotimer/change': {
    summary: 'Renames, enables or disables a rule.',
    changesState: true,
    parameters: { id, enabled, name: text('new name', { example: 'Ships' }) },
    example: simple('AutoTimer was changed successfully'),
  },
  '/autotimer/remove': {
    summary: 'Removes a rule; its timers stay.',
    changesState: true,
    parameters: { id },
    example: simple('AutoTimer was removed'),
  },
  '/autotimer/parse': {
    summary: 'Runs all enabled rules now.',
    changesState: true,
    example: simple('Found a total of 1 matching Events. 1 Timer were added, 0 refused.'),
  },
  '/autotimer/simulate': {
    summary: 'Previews a run: the events that the rules match, and what the rules would do with each.',
    parameters: { id: previewedId },
    example: simulation,
  },
  '/autotimer/test': {
    summary: 'Alias of /autotimer/simulate.',
    parameters: { id: previewedId },
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
