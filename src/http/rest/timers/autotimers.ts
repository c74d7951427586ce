/** `/autotimers`: lists and changes the AutoTimer rules, and previews which events they find. */
import * as Type from 'typebox';
import { filterFields, maxFilters } from '../../../autotimer/filter.ts';
import { missingReferences } from '../../../autotimer/missing.ts';
import { type Match, verdicts } from '../../../autotimer/plan.ts';
import {
  buildRuleSpec,
  type Rule,
  RuleFields,
  type RuleInput,
  type RuleSpec,
  ruleReference,
  validateRuleSpec,
} from '../../../autotimer/rule.ts';
import { fail } from '../../../base/errors.ts';
import { TimeSlice } from '../../../base/time-slice.ts';
import { timerFolder } from '../../../timers/timer-specs.ts';
import { group } from '../../endpoint/endpoint.ts';
import { type RestResponse, route } from '../../endpoint/route.ts';
import { parseJson } from '../../middleware/bodies.ts';
import { tagOf } from '../../middleware/entity-tag.ts';
import {
  boolean,
  bouquetExample,
  choice,
  defined,
  endTimes,
  integer,
  Parameter,
  type ParameterValues,
  serviceExample,
  text,
  unixTimes,
} from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { exampleOf, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { eventKeys, eventRecord, exampleNextEvent, exampleService } from '../event-record.ts';
import { segmentInteger } from '../segments.ts';

const RuleSchema = sampled(
  Type.Object(
    {
      id: Type.Integer({ description: 'never changes' }),
      ...RuleFields,
      timers: Type.Integer({ description: 'number of its unfinished timers' }),
      missing: Type.Array(Type.String(), {
        description: 'the entries of `services` and `bouquets` that do not exist, or no longer; they match nothing',
      }),
    },
    { $id: 'AutoTimerRule' },
  ),
  { id: 1, ...buildRuleSpec({ name: 'Weather', match: 'weather' }), timers: 2, missing: [] },
);
const List = recordSchema({ result: true, items: Type.Array(RuleSchema) }, { $id: 'AutoTimerRules' });

const MatchSchema = sampled(
  Type.Object(
    {
      ...eventKeys,
      service_reference: Type.String(),
      service_name: Type.String(),
      verdict: oneOf(
        verdicts,
        'planned: the event gets a timer; timer: it has one; repeat: its programme is or will be recorded; dismissed: somebody deleted its ' +
          'timer; counter: the rule has reached its number of timers for the period; refused: no tuner is free; ' +
          'bound: the maximum number of timers has been reached',
      ),
      timer_id: Type.Optional(Type.Integer({ description: 'id of its timer' })),
      message: Type.Optional(Type.String({ description: 'reason for `refused`, human-readable' })),
    },
    { $id: 'AutoTimerMatch' },
  ),
  { ...exampleNextEvent, ...exampleService, verdict: 'timer', timer_id: 1 },
);
const Matches = recordSchema({ result: true, items: Type.Array(MatchSchema) }, { $id: 'AutoTimerMatches' });

const caching = 'no-cache';
const segments = { id: segmentInteger('id of the rule') };
const ruleResponse = { 200: { description: 'the rule', schema: List } };
const created = {
  201: {
    description: 'the rule',
    schema: List,
    headers: { Location: { description: 'path of the rule', schema: Type.String() } },
  },
};
const failures = {
  400: 'something is missing or invalid, or a service or bouquet does not exist',
  403: 'the folder is not a recording folder',
  500: 'the rules cannot be written',
};
const unknown = { 404: 'no such rule' };

interface FieldSchema {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const descriptionOf = (schema: Type.TSchema) => (schema as { readonly description?: string }).description ?? '';

/** The parameter for a field with a single value. */
function singleValue(schema: Type.TSchema): Parameter<unknown> {
  const { type, enum: words, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema as unknown as FieldSchema;
  const description = descriptionOf(schema);
  if (words !== undefined) return choice(description, words);
  if (type === 'boolean') return boolean(description);
  return type === 'integer' ? integer(description, { minimum, maximum }) : text(description);
}

/** The parameter for a field of a rule. Undefined if absent; an empty text stands for null. */
function field(schema: Type.TSchema): Parameter<unknown> {
  const parameter = singleValue(schema);
  const { description } = parameter;
  if (!('x-nullable' in schema))
    return new Parameter(description, schema, (given, name) => parameter.from(given, name));
  return new Parameter(
    description,
    schema,
    (_, name, [given] = []) => (given === '' ? null : parameter.from(given, name)),
    // A null in a JSON body arrives as an empty text, but only for a parameter that takes all texts.
    { takes: 'texts' },
  );
}

/** The parameter for a field with a list of values. Empty texts are left out. */
function list(
  schema: Type.TSchema,
  read: (text: string, name: string) => unknown = (text) => text,
  takes: 'texts' | 'objects' = 'texts',
): Parameter<unknown> {
  const readAll = (_: unknown, name: string, all?: readonly string[]) =>
    all?.filter((text) => text !== '').map((text) => read(text, name));
  return new Parameter(descriptionOf(schema), schema, readAll, { takes });
}

/** The parameter for a list of references. */
const references = (name: 'services' | 'bouquets', example: string) =>
  list(listOf(RuleFields[name], example), (text) => ruleReference(text, name, { isStrict: true }));

/** The parameter for a list of filters: objects in JSON, `WHERE:TEXT` in a form. */
function filters(schema: Type.TSchema, example: string): Parameter<unknown> {
  const filter = Type.String({
    pattern: `^(${filterFields.join('|')}):.+$`,
    description: 'WHERE:TEXT; in JSON, an object with both',
    examples: [example],
  });
  return list(Type.Array(filter, { maxItems: maxFilters, description: descriptionOf(schema) }), filterOf, 'objects');
}

/** Parses a filter. Returns anything else unchanged, for the validation of the rule to report. */
function filterOf(text: string): unknown {
  const [, where, filter] = /^(\w+):(.+)$/s.exec(text) ?? [];
  if (where !== undefined) return { where, text: filter };
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Examples of fields in a request. */
const examples: Readonly<Record<string, string | number>> = {
  name: 'Ships',
  match: 'Ships',
  from: '20:00',
  to: '23:00',
  weekdays: 31,
  after: unixTimes.example,
  before: endTimes.example,
  minimumDuration: 30,
  maximumDuration: 120,
  marginBefore: 5,
  marginAfter: 10,
  dirname: '/media/hdd/movie/',
  counter: 5,
};

const withExample = (schema: Type.TSchema, example: string | number | undefined): Type.TSchema =>
  example === undefined ? schema : { ...schema, examples: [example] };

const listOf = (schema: Type.TArray, example: string): Type.TSchema => ({
  ...schema,
  items: withExample(schema.items, example),
});

const fields = {
  ...Object.fromEntries(
    Object.entries(RuleFields).map(([name, schema]) => [name, field(withExample(schema, examples[name]))]),
  ),
  include: filters(RuleFields.include, 'title:ships'),
  exclude: filters(RuleFields.exclude, 'title:repeat'),
  services: references('services', serviceExample),
  bouquets: references('bouquets', bouquetExample),
  tags: list(listOf(RuleFields.tags, 'News')),
} as { readonly [Name in keyof RuleSpec]: Parameter<unknown> };

/** Says where a client finds the entries that exist. */
const listings = { services: '/api/getallservices', bouquets: '/api/bouquets' } as const;

/**
 * The fields of a rule that a request contains. Services and bouquets that the rule has already may be missing.
 * @throws ReceiverError `outside-locations`, `parameter-invalid` for a service or bouquet that does not exist
 */
async function changesOf(
  { locations, services }: ReceiverParts,
  given: ParameterValues<typeof fields>,
  before?: Rule,
): Promise<RuleInput> {
  if (typeof given.dirname === 'string') await timerFolder(locations, given.dirname);
  const named = { services: textsOf(given.services), bouquets: textsOf(given.bouquets) };
  const missing = await missingReferences(services, named, before);
  for (const name of ['services', 'bouquets'] as const) {
    const [first] = missing[name];
    if (first !== undefined)
      throw fail(
        'parameter-invalid',
        name,
        `contains '${first}', which does not exist here; ${listings[name]} lists all`,
      );
  }
  return defined(given);
}

const textsOf = (list: unknown): readonly string[] => (Array.isArray(list) ? list : []);

const autotimers = route({
  path: '/autotimers',
  name: 'autotimers',
  summary: 'The AutoTimer rules, which create timers for matching events of the guide.',
  caching,
  responses: { 200: { description: 'the rules, in order of creation', schema: List } },
  run: (parts) => responseOf(parts, parts.autoTimer.rules.all),
});

const autotimer = route({
  path: '/autotimers/{id}',
  name: 'autotimer',
  summary: 'One rule.',
  caching,
  parameters: segments,
  responses: ruleResponse,
  failures: { 400: 'the path contains no number', ...unknown },
  run: (parts, { id }) => responseOf(parts, [findRule(parts, id)]),
});

const autotimerMatches = route({
  path: '/autotimers/{id}/matches',
  name: 'autotimerMatches',
  summary: 'The events that a rule matches now, and what it does with each.',
  description: 'This changes nothing. A disabled rule is evaluated as if it were enabled.',
  parameters: segments,
  responses: {
    200: { description: 'the events, by start', schema: Matches },
  },
  failures: { 400: 'the path contains no number', ...unknown },
  run: (parts, { id }) => matches(parts, findRule(parts, id)),
});

const autotimerPreview = route({
  method: 'POST',
  path: '/autotimers/preview',
  name: 'autotimerPreview',
  summary: 'The events that a rule with these fields would match now, and what it would do with each.',
  description:
    'This changes nothing. With `id`, it previews that rule with these changes; otherwise a new rule, with the defaults of `POST /autotimers`.',
  parameters: {
    ...fields,
    id: integer('id of the rule', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, example: 4711 }),
  },
  responses: {
    200: { description: 'the events, by start', schema: Matches },
  },
  failures: { 400: failures[400], 403: failures[403], ...unknown },
  async run(parts, { id, ...given }) {
    const before = id === undefined ? undefined : findRule(parts, id);
    const changes = await changesOf(parts, given, before);
    const spec = await validateRuleSpec({ ...before, ...changes }, new TimeSlice());
    return matches(parts, { ...spec, id: id ?? 0 });
  },
});

const autotimerPost = route({
  method: 'POST',
  path: '/autotimers',
  name: 'autotimerPost',
  summary: 'Creates a rule, and its timers.',
  description:
    '`match` is required; everything else has a default. Lists are JSON arrays or repeated form fields; a filter is ' +
    '`{"where": "title", "text": "News"}` in JSON and `title:News` in a form.',
  parameters: { ...fields, match: field({ ...RuleFields.match, examples: [exampleOf(RuleSchema).match] }).required() },
  responses: created,
  failures: { ...failures, 507: 'the maximum number of rules has been reached' },
  async run(parts, given) {
    const { autoTimer } = parts;
    const rule = await autoTimer.rules.add(await changesOf(parts, given));
    await autoTimer.runChangedRules();
    return { status: 201, headers: { Location: `/autotimers/${rule.id}` }, body: await bodyOf(parts, [rule]) };
  },
});

const autotimerPut = route({
  method: 'PUT',
  path: '/autotimers/{id}',
  name: 'autotimerPut',
  summary: 'Changes a rule; absent fields stay as they are.',
  description: 'The timers of the rule are recreated, except those that have begun or that somebody has edited.',
  parameters: { ...segments, ...fields },
  responses: ruleResponse,
  failures: { ...failures, ...unknown },
  async run(parts, { id, ...given }) {
    const { autoTimer } = parts;
    const rule = await autoTimer.rules.change(id, await changesOf(parts, given, autoTimer.rules.find(id)));
    if (!rule) throw fail('not-found', `rule ${id}`);
    await autoTimer.runChangedRules();
    return { body: await bodyOf(parts, [rule]) };
  },
});

const autotimerDelete = route({
  method: 'DELETE',
  path: '/autotimers/{id}',
  name: 'autotimerDelete',
  summary: 'Deletes a rule; its timers stay unless `timers=remove`.',
  parameters: {
    ...segments,
    timers: choice('`remove`: also delete its timers, except those that have begun or that somebody has edited', [
      'keep',
      'remove',
    ]).or('keep'),
  },
  responses: { 200: { description: 'the deleted rule', schema: List } },
  failures: { 400: failures[400], ...unknown, 500: failures[500] },
  async run(parts, { id, timers }) {
    const rule = await parts.autoTimer.rules.remove(id);
    if (!rule) throw fail('not-found', `rule ${id}`);
    if (timers === 'remove') await parts.autoTimer.removeTimers(id);
    return { body: await bodyOf(parts, [rule]) };
  },
});

export const autotimerRoutes = group(
  'timers',
  [autotimers, autotimer, autotimerMatches, autotimerPreview, autotimerPost, autotimerPut, autotimerDelete],
  'record',
);

async function matches(parts: ReceiverParts, rule: Rule): Promise<RestResponse> {
  const [found = []] = await parts.autoTimer.preview([rule]);
  return { body: { result: true, items: found.map((match) => matchOf(parts, match)) } };
}

/** The rule with this id. @throws ReceiverError `not-found` */
function findRule({ autoTimer }: ReceiverParts, id: number): Rule {
  const rule = autoTimer.rules.find(id);
  if (!rule) throw fail('not-found', `rule ${id}`);
  return rule;
}

async function responseOf(parts: ReceiverParts, rules: readonly Rule[]): Promise<RestResponse> {
  const body = await bodyOf(parts, rules);
  return { etag: tagOf(body), body };
}

async function bodyOf({ timers, services }: ReceiverParts, rules: readonly Rule[]) {
  const counts = new Map<number, number>();
  for (const { autoTimerRule, state } of timers.all) {
    if (autoTimerRule !== undefined && state !== 'ended')
      counts.set(autoTimerRule, (counts.get(autoTimerRule) ?? 0) + 1);
  }
  const items: object[] = [];
  for (const rule of rules) {
    const missing = Object.values(await missingReferences(services, rule)).flat();
    items.push({ ...rule, timers: counts.get(rule.id) ?? 0, missing });
  }
  return { result: true, items };
}

function matchOf({ services }: ReceiverParts, { event, reference, verdict, timer, refused }: Match) {
  return {
    ...eventRecord(event),
    service_reference: reference.withoutName().format(),
    service_name: services.nameOf(reference),
    verdict,
    ...(verdict === 'timer' && timer && { timer_id: timer.id }),
    ...(refused && { message: refused.message }),
  };
}
