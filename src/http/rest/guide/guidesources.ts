/** `/api/guidesources`: the guide files that the receiver imports regularly. */
import * as Type from 'typebox';
import type { ListedSource } from '../../../guide-sources/guide-sources.ts';
import { sourceKinds } from '../../../guide-sources/source.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { integer, text } from '../../middleware/parameters.ts';
import { field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { address, addressFailures } from '../address.ts';

const time = (sample: number, description: string) => nullable(field(sample, description));

const Source = recordSchema(
  {
    id: '5f0c3b1a9d2e',
    kind: sampled(oneOf(sourceKinds), 'url'),
    name: field(
      'tv.example',
      'host of the address, or name of the file or program; a second one with that name has a number',
    ),
    fixed: field(false, 'whether the configuration file names it; it cannot be removed here then'),
    every: field(86_400, 'seconds between two readings'),
    times: sampled(Type.Array(Type.String({ description: 'local times of the day, instead of `every`' })), []),
    priority: field(0, 'over the broadcast, which has 0: -9 to 9'),
    running: field(false, 'whether it is being read'),
    checked: time(1767290400, 'Unix seconds of the last reading'),
    imported: time(1767290400, 'Unix seconds of the last import; later readings have found the same version'),
    next: time(1767376800, 'Unix seconds of the next reading; null for a file, which is read when it changes'),
    failures: field(0, 'failed readings since the last successful one'),
    problem: nullable(field('tv.example: no such host', 'why the last reading failed; null if it has not')),
    programmes: field(1200, 'programmes that the last import has added to the guide'),
    matched: field(40, 'channels with a service'),
    unmatched: field(1, 'channels without a service'),
    channels: Type.Array(recordSchema({ id: 'omega.example', name: 'Omega TV', programmes: 30 }), {
      description: 'channels without a service, those with the most programmes first',
      maxItems: 100,
    }),
  },
  { $id: 'GuideSource' },
);

function recordOf({ source, result, isRunning }: ListedSource): Type.Static<typeof Source> {
  const { id, kind, name, isFixed, every, times, priority } = source;
  const { checked, imported, due, failures, problem, programmes, matched, unmatched, channels } = result;
  return {
    ...{ id, kind, name, fixed: isFixed, every, times: [...times], priority, running: isRunning },
    ...{ checked: checked || null, imported: imported || null, next: (kind !== 'file' && due) || null },
    ...{ failures, problem: problem || null, programmes, matched, unmatched, channels },
  };
}

const list = route({
  path: '/api/guidesources',
  name: 'guidesources',
  isPrivate: true,
  summary: 'The guide sources, with the results of their last readings.',
  description:
    '`checked`, `imported` and `next` are the times of the last reading, of the last import and of the next reading; a reading that finds the same version imports nothing. `problem` says why the last reading failed, or, with 0 `failures`, what is wrong with the guide. `programmes`, `matched`, `unmatched` and `channels` (without a service, at most 100) are those of the last import.',
  responses: {
    200: { description: 'the sources', schema: recordSchema({ sources: Type.Array(Source), result: true }) },
  },
  run: ({ guideSources }) => ({ body: { sources: guideSources.all.map(recordOf), result: true } }),
});

const priority = integer(
  'priority over the broadcast: below 0, programmes only fill gaps of its schedule; above 0, they replace it; 0: what arrives last replaces the other',
  { minimum: -9, maximum: 9, example: 5 },
);

const add = route({
  method: 'POST',
  path: '/api/guidesources',
  name: 'guidesourceAdd',
  summary: 'Imports the guide file at an address now, and again at intervals.',
  description:
    'The address is remembered only if it can be imported. Adding one again changes the other parameters that are given.',
  parameters: {
    url: address.required(),
    every: integer('seconds between two readings; 86400 for a new address', {
      ...{ minimum: 900, maximum: 2_592_000, example: 86_400 },
    }),
    priority,
  },
  responses: {
    200: {
      description: 'the source is added',
      schema: recordSchema({
        id: '5f0c3b1a9d2e',
        imported: field(1200, 'programmes now in the guide'),
        unmatched: field(1, 'channels without a service'),
        result: true,
      }),
    },
  },
  failures: {
    ...addressFailures,
    403: 'the address is not allowed, or the configuration file names it',
    400: 'the file is of another kind, or damaged',
    404: 'the source was removed before it was imported',
    413: 'the file is too large',
  },
  async run({ guideSources }, { url, ...options }) {
    const { source, result } = await guideSources.add(url, options);
    const { programmes, unmatched } = result;
    return { body: { id: source.id, imported: programmes, unmatched, result: true } };
  },
});

const id = text('id of the source', { example: '5f0c3b1a9d2e' }).required();

const remove = route({
  method: 'DELETE',
  path: '/api/guidesources/{id}',
  name: 'guidesourceDelete',
  summary: 'Removes a guide source. Its events stay in the guide until they end.',
  parameters: { id },
  responses: { 200: { description: 'the source is removed', schema: recordSchema({ result: true }) } },
  failures: { 403: 'the configuration file names it', 404: 'no such source' },
  async run({ guideSources }, { id }) {
    await guideSources.remove(id);
    return { body: { result: true } };
  },
});

const refresh = route({
  method: 'POST',
  path: '/api/guidesources/{id}/refresh',
  name: 'guidesourceRefresh',
  summary: 'Imports a guide source now, whether it has changed or not.',
  parameters: { id },
  responses: { 200: { description: 'the source is imported', schema: recordSchema({ result: true }) } },
  failures: { ...addressFailures, 404: 'no such source' },
  async run({ guideSources }, { id }) {
    await guideSources.refresh(id);
    return { body: { result: true } };
  },
});

const setPriority = route({
  method: 'POST',
  path: '/api/guidesources/{id}/priority',
  name: 'guidesourcePriority',
  summary: 'Changes the priority of a guide source. It is imported again after a minute.',
  parameters: { id, priority: priority.required() },
  responses: { 200: { description: 'the priority is saved', schema: recordSchema({ result: true }) } },
  failures: { 403: 'the configuration file names it', 404: 'no such source' },
  async run({ guideSources }, { id, priority }) {
    await guideSources.setPriority(id, priority);
    return { body: { result: true } };
  },
});

export const guideSourceRoutes = group('epg', [list, add, remove, refresh, setPriority], 'admin');
