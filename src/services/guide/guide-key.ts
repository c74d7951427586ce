/** Determines the service under which the guide stores the events of a reference. */
import type { DvbTriplet } from '../../dvb/triplet.ts';
import { ServiceReference } from '../reference.ts';
import type { Services } from '../services.ts';

/**
 * Returns the first member of alternatives, the parent of a linked sub-service (fields d5 and d6), otherwise the
 * service itself. Undefined for references without a guide: markers, folders, streams without DVB identifiers.
 */
export function guideKey(services: Pick<Services, 'playable'>, reference: ServiceReference): DvbTriplet | undefined {
  const { dvb, fields } = services.playable(reference)[0] ?? reference;
  const [, , , , , parentServiceId, parentTransportStreamId] = fields;
  if (dvb === undefined || parentServiceId === 0 || parentTransportStreamId === 0) return dvb;
  const parent = { ...dvb, transportStreamId: parentTransportStreamId, serviceId: parentServiceId };
  return ServiceReference.service(0, parent, 0).dvb ?? dvb;
}
