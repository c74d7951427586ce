/**
 * `/api/guidechannels`: which channels of the bouquets have a guide, and the channels of guide files that users have chosen
 * for them.
 */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { TimeSlice } from '../../../base/time-slice.ts';
import { tripletKey } from '../../../dvb/triplet.ts';
import { comparedName } from '../../../services/compared-name.ts';
import { matchKinds } from '../../../services/guide/guide-channels.ts';
import { guideKey } from '../../../services/guide/guide-key.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { boolean, integer, serviceReference, text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';

/** Channels in a response, unless the request has a number. */
const defaultListed = 500;
const maxListed = 20_000;
/** Characters of a text that are searched for. */
const maxTextLength = 100;

const Channel = recordSchema(
  {
    servicereference: field('1:0:19:2B66:3F3:1:C00000:0:0:0:', 'its reference'),
    servicename: field('Omega', 'its name'),
    guide: field(false, 'it has events'),
    channel: field('', 'id of the channel that a user has chosen for it; empty if none'),
    match: field(
      'omega.example',
      'id of the channel that was matched to it in the last import; empty if none or if one is chosen',
    ),
    matched_by: sampled(oneOf(['', ...matchKinds]), 'name'),
    priority: sampled(nullable(Type.Integer({ description: 'its own priority of guide files, if it has one' })), null),
  },
  { $id: 'ChannelWithoutGuide' },
);
type Channel = Type.Static<typeof Channel>;

const guidechannels = route({
  path: '/api/guidechannels',
  name: 'guidechannels',
  summary: 'The channels of the bouquets that have no guide, and those with a channel or a priority chosen by hand.',
  parameters: {
    what: text('part of the name; empty: all of these channels', { example: 'ome' }),
    all: boolean('whether channels that have a guide are listed too').or(false),
    max: integer('maximum number of channels', { minimum: 1, maximum: maxListed }).or(defaultListed),
  },
  responses: {
    200: {
      description: 'the channels in the order of the bouquets',
      schema: recordSchema({
        withGuide: field(40, 'channels that have events'),
        withoutGuide: field(2, 'channels that have none'),
        known: field(60, 'channels of imported guide files to choose from'),
        found: field(1, 'channels that the request asks for'),
        services: Type.Array(Channel),
        result: true,
      }),
    },
  },
  run: async (parts, { what = '', all, max }) => ({
    body: await matches(parts, comparedName(what.slice(0, maxTextLength)), { isAll: all, max }),
  }),
});

async function matches(
  { services, guide, guideChannels }: ReceiverParts,
  what: string,
  { isAll, max }: { readonly isAll: boolean; readonly max: number },
) {
  const filled = new Set((await guide.services()).map(({ service }) => tripletKey(service)));
  const seen = new Set<number>();
  const listed: Channel[] = [];
  let [withGuide, found] = [0, 0];
  const slice = new TimeSlice();
  for (const reference of services.playableReferences()) {
    if (slice.isOver) await slice.next();
    const service = guideKey(services, reference);
    if (service === undefined || seen.has(tripletKey(service))) continue;
    seen.add(tripletKey(service));
    const hasGuide = filled.has(tripletKey(service));
    const channel = guideChannels.chosenFor(service) ?? '';
    if (hasGuide) withGuide++;
    const priority = guideChannels.priorityFor(service) ?? null;
    if (hasGuide && channel === '' && priority === null && !isAll) continue;
    const servicename = services.nameOf(reference);
    if (!comparedName(servicename).includes(what) || found++ >= max) continue;
    const { id: match = '', by: matched_by = '' } = guideChannels.matchFor(service) ?? {};
    listed.push({
      ...{ servicereference: reference.format(), servicename, guide: hasGuide },
      ...{ channel, match, matched_by, priority },
    });
  }
  return {
    withGuide,
    withoutGuide: seen.size - withGuide,
    known: guideChannels.size,
    found,
    services: listed,
    result: true,
  };
}

const guidechannelsearch = route({
  path: '/api/guidechannels/search',
  name: 'guidechannelsearch',
  summary: 'Finds channels of the guide files imported so far.',
  parameters: {
    what: text('words of the name or the id; empty: all channels', { example: 'omega' }),
    max: integer('maximum number of channels', { minimum: 1, maximum: 100 }).or(50),
  },
  responses: {
    200: {
      description: 'the channels that share the most words with the text first',
      schema: recordSchema({
        channels: Type.Array(
          recordSchema({
            id: field('omega.example', 'its id in the guide file'),
            name: field('Omega TV', 'its first display name'),
          }),
        ),
        result: true,
      }),
    },
  },
  // It compares all names, and only those who choose a channel need it.
  permission: 'admin',
  isPrivate: true,
  run: async ({ guideChannels }, { what = '', max }) => ({
    body: { channels: [...(await guideChannels.find(what.slice(0, maxTextLength), max))], result: true },
  }),
});

const chooseguidechannel = route({
  method: 'POST',
  path: '/api/guidechannels',
  name: 'chooseguidechannel',
  summary: 'Chooses the channel of guide files that has the guide of a service.',
  description:
    'It takes effect with the next import of a guide file, and applies to all later ones. The guide sources are imported again after a minute without further choices.',
  parameters: {
    service_reference: serviceReference('the service').required(),
    channel: text('id of the channel in guide files; empty: match the service automatically again', {
      example: 'omega.example',
    }),
  },
  responses: { 200: { description: 'the choice is saved', schema: recordSchema({ result: true }) } },
  failures: { 404: 'the guide files imported so far have no such channel' },
  permission: 'admin',
  async run({ services, guideChannels, guideSources }, { service_reference: given, channel = '' }) {
    const service = guideKey(services, services.resolve(given));
    if (service === undefined) throw fail('parameter-invalid', 'service_reference', 'is not a service with a guide');
    if (channel !== '' && !guideChannels.has(channel)) throw fail('not-found', `channel '${channel}'`);
    await guideChannels.choose(service, channel);
    guideSources.readSoon();
    return { body: { result: true } };
  },
});

const setguidepriority = route({
  method: 'POST',
  path: '/api/guidechannels/priority',
  name: 'setguidepriority',
  summary:
    'Sets whether guide files or the broadcast have the guide of a service, instead of the priorities of the sources.',
  description: 'It takes effect like a chosen channel.',
  parameters: {
    service_reference: serviceReference('the service').required(),
    priority: integer(
      '-9 to -1: guide files only fill gaps; 0: what arrives last; 1 to 9: guide files. Absent: as the sources say',
      {
        minimum: -9,
        maximum: 9,
        example: 5,
      },
    ),
  },
  responses: { 200: { description: 'the priority is saved', schema: recordSchema({ result: true }) } },
  permission: 'admin',
  async run({ services, guideChannels, guideSources }, { service_reference: given, priority }) {
    const service = guideKey(services, services.resolve(given));
    if (service === undefined) throw fail('parameter-invalid', 'service_reference', 'is not a service with a guide');
    await guideChannels.setPriority(service, priority);
    guideSources.readSoon();
    return { body: { result: true } };
  },
});

export const guideChannelRoutes = group('epg', [
  guidechannels,
  guidechannelsearch,
  chooseguidechannel,
  setguidepriority,
]);
