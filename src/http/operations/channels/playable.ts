/** Tells whether services can be played now. Clients grey out services that cannot. */
import * as Type from 'typebox';
import type { ServiceReference } from '../../../services/reference.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation } from '../../endpoint/operation.ts';
import { boolean, bouquetReference, serviceReference } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, recordSchema } from '../../write/record.ts';
import { lazily } from '../../write/written-list.ts';
import { each, element, leaf, leaves, part, type View } from '../../write/xml.ts';
import { findList, tryResolve } from '../lists.ts';

const PlayableService = recordSchema({
  servicereference: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  isplayable: field(true, 'true if the available tuners can receive it'),
  servicename: Type.Optional(Type.String({ description: 'only with `includeName`' })),
});
type PlayableService = Type.Static<typeof PlayableService>;

const playableView: View<PlayableService> = element(
  'e2serviceplayable',
  leaves({ e2servicereference: 'servicereference', e2isplayable: 'isplayable' }),
  part(({ servicename }) => servicename, leaf('e2servicename', String)),
);

const sRefPlaying = serviceReference(
  'service assumed to be playing already: all services on its multiplex are playable',
);

/** Returns a test whether services can be played, assuming that `playing` already plays. */
function playableBeside(
  { services, tuners }: ReceiverParts,
  playing: string | undefined,
): (reference: ServiceReference) => boolean {
  const other = playing ? tryResolve(services, playing) : undefined;
  const placedPlaying = other && services.playable(other).find(({ isBroadcast }) => isBroadcast)?.placed;
  return (reference) =>
    services
      .playable(reference)
      .some(
        (one) =>
          one.isStream || (one.isBroadcast && one.placed !== undefined && tuners.canReceive(one.placed, placedPlaying)),
      );
}

const PlayableList = recordSchema({ result: true, services: Type.Array(PlayableService) });

const servicelistplayable = operation({
  name: 'servicelistplayable',
  summary: 'Which entries of a list could be played now, with a free or a shared tuner.',
  description: 'This does not tune. Markers and folders are never playable, network streams always.',
  parameters: {
    sRef: bouquetReference('the list; absent = the bouquets of the television root'),
    sRefPlaying,
    includeName: boolean('include the name of each service', { form: 'presence' }),
  },
  result: PlayableList,
  xml: element<Type.Static<typeof PlayableList>>(
    'e2servicelistplayable',
    each(({ services }) => services, playableView),
  ),
  async run(parts, { sRef, sRefPlaying, includeName }) {
    const { services } = parts;
    const list = await findList(services, sRef || services.root('tv').format());
    const isPlayable = playableBeside(parts, sRefPlaying);
    const tested = lazily(list?.entries ?? [], ({ reference, name }) => ({
      servicereference: reference.format(),
      isplayable: isPlayable(reference),
      ...(includeName && { servicename: name }),
    }));
    return { result: true, services: tested };
  },
});

const Playable = recordSchema({ result: true, service: PlayableService });

const serviceplayable = operation({
  name: 'serviceplayable',
  summary: 'Whether a service could be played now, with a free or a shared tuner.',
  description: 'This does not tune. The reference is returned as it was sent.',
  parameters: { sRef: serviceReference('the service').required(), sRefPlaying },
  result: Playable,
  xml: part<Type.Static<typeof Playable>, PlayableService>(({ service }) => service, playableView),
  run(parts, { sRef, sRefPlaying }) {
    const reference = tryResolve(parts.services, sRef);
    const isplayable = reference !== undefined && playableBeside(parts, sRefPlaying)(reference);
    return { result: true, service: { servicereference: sRef, isplayable } };
  },
});

export const playableOperations = group('services', [servicelistplayable, serviceplayable]);
