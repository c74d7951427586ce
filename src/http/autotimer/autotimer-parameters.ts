/**
 * The parameters of the AutoTimer plug-in's paths. Their handlers read the texts themselves (src/autotimer/plugin-words.ts),
 * so these kinds only describe them and refuse nothing.
 */
import * as Type from 'typebox';
import type { filterFields } from '../../autotimer/filter.ts';
import { maxCounter, searchTypes } from '../../autotimer/rule.ts';
import {
  bouquetReference,
  choice,
  endTimes,
  integer,
  Parameter,
  serviceReference,
  text,
  unixTimes,
} from '../middleware/parameters.ts';

export const yesNo = (description: string, example = '1') =>
  text(`${description}: \`1\`, \`yes\`, \`true\` or \`on\` for yes`, { example });
const number = (description: string, maximum: number, example: number) =>
  integer(description, { minimum: 0, maximum, example, wrong: 'nearest' });

/** The handler reads the texts itself; a JSON object among them is ignored. */
const repeated = (description: string, { example }: { readonly example: string }) =>
  new Parameter(description, Type.Array(Type.String({ examples: [example] })), (_, _name, all) => all, {
    takes: 'objects',
  });

export const ruleIds = { minimum: 1, maximum: 1e9, example: 1 };
const anyId = integer('ID of the rule', { ...ruleIds, wrong: 'nearest' });
/** For the handler, an empty one is missing. */
export const id = new Parameter(anyId.description, anyId.schema, (text) => text, { mandatory: true });
export const previewedId = integer('ID of the rule to preview; if absent, all enabled rules', {
  ...ruleIds,
  wrong: 'nearest',
});
export const enabled = yesNo('whether the rule creates timers', 'True');

const filterExamples: Readonly<Record<(typeof filterFields)[number], string>> = {
  title: 'Ships',
  shortdescription: 'Episode',
  description: 'Episode 3',
};

const minutesPerDay = 24 * 60;

const filters = Object.entries(filterExamples).flatMap(([where, example]) => [
  [where, repeated(`regular expressions; the ${where} must match all of them`, { example })] as const,
  [`!${where}`, repeated(`regular expressions; the ${where} must match none of them`, { example })] as const,
]);

export const ruleParameters = {
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
  dayofweek: repeated('0 Monday to 6 Sunday, `weekday` or `weekend`', { example: 'weekday' }),
  '!dayofweek': repeated('days to exclude, in the format of `dayofweek`', { example: 'weekday' }),
  after: integer('Unix seconds: only events that begin then or later', { ...unixTimes, wrong: 'nearest' }),
  before: integer('Unix seconds: midnight; only events that begin before the end of the day that begins then', {
    ...endTimes,
    wrong: 'nearest',
  }),
  minduration: number('minimum length of an event in minutes', minutesPerDay, 30),
  maxduration: number('maximum length of an event in minutes', minutesPerDay, 120),
  offset: text('margins in minutes: `5`, or `5,10` for before and after', { example: '5,10' }),
  tag: repeated('tag for the timers', { example: 'News' }),
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
