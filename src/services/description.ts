/** Describes a service in messages: its name, position and frequency. */

import { positionName } from '../base/orbital-position.ts';
import { frequencyText } from '../dvb/transponder.ts';
import { type DvbTriplet, tripletText } from '../dvb/triplet.ts';
import type { Services } from './services.ts';

/** Returns `Alpha HD (19.2° E, 11836 MHz H)`; for a service that is not in the list, its identifiers. */
export function describeService(services: Services, dvb: DvbTriplet): string {
  const service = services.findByTriplet(dvb);
  if (service === undefined) return tripletText(dvb);
  const { reference, name } = service;
  const transponder = services.transponderOf(reference);
  const place = [positionName(reference.source), transponder && frequencyText(transponder.parameters)].filter(Boolean);
  return `${name || tripletText(dvb)}${place.length > 0 ? ` (${place.join(', ')})` : ''}`;
}
