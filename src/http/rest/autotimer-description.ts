/** The AutoTimer plug-in's paths in the OpenAPI document. */
import Type from 'typebox';
import { filterPlaces } from '../../autotimer/filter.ts';
import { maximumCounter, searchTypes } from '../../autotimer/rule.ts';
import { contentTypes } from '../gate/failures.ts';
import type { DescribedParameter, DescribedRoute, Schema } from './document.ts';

interface Description {
  readonly summary: string;
  readonly changesState: boolean;
  readonly parameters: readonly Named[];
  readonly example: string;
}

type Named = Pick<DescribedParameter, 'name' | 'description' | 'required' | 'repeated' | 'schema'>;

const one = (name: string, description: string, schema: Schema = Type.String()): Named => ({
  name,
  description,
  required: false,
  repeated: false,
  schema,
});
const several = (name: string, description: string): Named => ({ ...one(name, description), repeated: true });
const required = (parameter: Named): Named => ({ ...parameter, required: true });
const yesNo = (name: string, description: string) => one(name, `${description}: \`1\`, \`yes\`, \`true\` or \`on\``);
const number = (name: string, description: string, maximum: number, minimum = 0) =>
  one(name, description, Type.Integer({ minimum, maximum }));

const id = one('id', 'ID of the rule', Type.Integer({ minimum: 1, maximum: 1e9, examples: [1] }));
const shown = { ...id, description: 'ID of the rule; if absent, every enabled rule' };
const enabled = yesNo('enabled', 'whether the rule creates timers');

/** In minutes. */
const day = 24 * 60;
const latest = 0xffff_ffff;

const ruleWords: readonly Named[] = [
  { ...id, description: 'ID of the rule to change; if absent, a rule is added' },
  one('match', 'the text to look for; required for a new rule', Type.String({ examples: ['Weather'] })),
  one('name', 'name of the rule; default is `match`'),
  enabled,
  one('searchType', 'how the text must match', Type.String({ enum: [...searchTypes], default: 'partial' })),
  one('searchCase', '`sensitive` makes the match case-sensitive'),
  ...filterPlaces.flatMap((where) => [
    several(where, `regular expressions, all of which the ${where} must match`),
    several(`!${where}`, `regular expressions, none of which the ${where} may match`),
  ]),
  one('services', 'comma-separated service references; empty for every service'),
  one('bouquets', 'comma-separated bouquet references'),
  one('timespanFrom', 'earliest local start time, HH:MM'),
  one('timespanTo', 'latest local start time, HH:MM'),
  several('dayofweek', '0 Monday to 6 Sunday, `weekday` or `weekend`'),
  several('!dayofweek', 'days to leave out, in the same form'),
  number('after', 'Unix seconds: ignore earlier events', latest),
  number('before', 'Unix seconds: midnight at the start of the last day', latest),
  number('minduration', 'shortest event, in minutes', day),
  number('maxduration', 'longest event, in minutes', day),
  one('offset', 'margins in minutes: `5`, or `5,10` for before and after'),
  several('tag', 'tag for the timers'),
  one('location', 'folder for the recordings'),
  one('justplay', '`1` or `zap` for timers that only zap'),
  one('afterevent', '`auto`, `nothing`, `standby` or `deepstandby`'),
  number(
    'avoidDuplicateDescription',
    '0 records repeats; 1 skips those on the service, 2 on any service, 3 also those of recordings',
    3,
  ),
  number(
    'searchForDuplicateDescription',
    'a repeat has the same 0 title, 1 title and short text, 2 title and all texts',
    2,
  ),
  yesNo('always_zap', 'the timer zaps and records'),
  yesNo('vps_enabled', 'start and end follow the running status'),
  yesNo('vps_overwrite', 'the running status alone decides'),
  number('counter', 'maximum number of timers in a period; 0 for no limit', maximumCounter),
  one('counterFormat', 'the period: `%m` month, `%W` week from Monday, `%U` week from Sunday; empty for all time'),
];

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const simple = (text: string) =>
  `${declaration}<e2simplexmlresult>\n\t<e2state>True</e2state>\n\t<e2statetext>${text}</e2statetext>\n</e2simplexmlresult>\n`;
const simulation = `${declaration}<e2autotimersimulate></e2autotimersimulate>\n`;

export const autotimerDescriptions = {
  '/autotimer': {
    summary: 'The AutoTimer rules.',
    changesState: false,
    parameters: [],
    example: `${declaration}<autotimer version="8"></autotimer>\n`,
  },
  '/autotimer/get': {
    summary: 'The settings for all rules.',
    changesState: false,
    parameters: [],
    example: `${declaration}<e2settings>\n\t<e2setting>\n\t\t<e2settingname>config.plugins.autotimer.add_name_to_tags</e2settingname>\n\t\t<e2settingvalue>True</e2settingvalue>\n\t</e2setting>\n</e2settings>\n`,
  },
  '/autotimer/set': {
    summary: 'Changes the settings for all rules.',
    changesState: true,
    parameters: [
      yesNo('add_autotimer_to_tags', 'timers get the tag AutoTimer'),
      yesNo('add_name_to_tags', 'timers get the rule’s name as a tag'),
    ],
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
    parameters: [required(id), enabled, one('name', 'new name')],
    example: simple('AutoTimer was changed successfully'),
  },
  '/autotimer/remove': {
    summary: 'Removes a rule and keeps its timers.',
    changesState: true,
    parameters: [required(id)],
    example: simple('AutoTimer was removed'),
  },
  '/autotimer/parse': {
    summary: 'Runs every rule now.',
    changesState: true,
    parameters: [],
    example: simple('Found a total of 1 matching Events. 1 Timer were added, 0 refused.'),
  },
  '/autotimer/simulate': {
    summary: 'The events that the rules match.',
    changesState: false,
    parameters: [shown],
    example: simulation,
  },
  '/autotimer/test': {
    summary: 'The same as /autotimer/simulate.',
    changesState: false,
    parameters: [shown],
    example: simulation,
  },
} as const satisfies Readonly<Record<`/${string}`, Description>>;

export type AutotimerPath = keyof typeof autotimerDescriptions;

const xml = (description: string) => ({ types: [contentTypes.xml], schema: Type.String({ description }) });

function describe(path: string, description: Description, method: 'GET' | 'POST'): DescribedRoute {
  const { summary, changesState, parameters, example } = description;
  const name = path.slice(1).replace('/', '_');
  return {
    method,
    path,
    operationId: `plugin_${name}${method === 'POST' ? '_post' : ''}`,
    tag: 'timers',
    summary,
    description: 'As in the AutoTimer plug-in. Errors have status 200 and a simple result of False.',
    parameters: parameters.map((parameter) => ({ ...parameter, in: method === 'POST' ? 'form' : 'query' })),
    responses: {
      200: {
        description: 'the result',
        body: { ...xml('the result, or e2simplexmlresult with e2state False'), example: () => example },
      },
      ...(changesState && {
        403: {
          description: 'requested by a page of another site',
          body: {
            ...xml('e2simplexmlresult with e2state False and e2statetext'),
            example: () => simple('...').replace('True', 'False'),
          },
        },
      }),
    },
  };
}

export const describedAutotimer: readonly DescribedRoute[] = Object.entries(autotimerDescriptions).flatMap(
  ([path, description]) => (['GET', 'POST'] as const).map((method) => describe(path, description, method)),
);
