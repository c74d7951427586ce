/**
 * Reads a file that says which services the channels of a guide file stand for, in the form of Enigma2's EPGImport:
 *
 *   <channel id="one.example">1:0:19:2B66:3F3:1:C00000:0:0:0:</channel>
 */
import { appendTo } from '../base/append-to.ts';
import { readRegularFile } from '../base/files.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import { guideKey } from '../services/guide/guide-key.ts';
import { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';

const channel = /<channel id="([^"<>]{1,255})">([^<>\s]{1,1000})</g;
const maxBytes = 16 * 2 ** 20;

/** The services by ids of channels. @throws FileRefused, or the system's error */
export async function readChannelsFile(
  path: string,
  services: Pick<Services, 'playable'>,
): Promise<ReadonlyMap<string, readonly DvbTriplet[]>> {
  const text = (await readRegularFile(path, maxBytes)).toString();
  const found = new Map<string, DvbTriplet[]>();
  const slice = new TimeSlice();
  for (const [, id = '', written = ''] of text.matchAll(channel)) {
    if (slice.isOver) await slice.next();
    const reference = ServiceReference.tryParse(written);
    const service = reference && guideKey(services, reference);
    if (service !== undefined) appendTo(found, id.replaceAll('&amp;', '&'), service);
  }
  return found;
}
