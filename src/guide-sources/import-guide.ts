/** Imports a guide file into the running receiver, with its channels and their logos. */
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { Guide } from '../epg/guide.ts';
import { type ImportedGuide, importGuideFile } from '../epg/guide-file.ts';
import type { GuideStore } from '../epg/guide-store.ts';
import type { XmltvImportOptions } from '../epg/xmltv.ts';
import { collectingLogos, type Logos } from '../pictures/logos.ts';
import { channelMatcher } from '../services/guide/channel-matcher.ts';
import { chosenFirst, type GuideChannels, type GuideMatch } from '../services/guide/guide-channels.ts';
import type { Services } from '../services/services.ts';
import { readChannelsFile } from './channels-file.ts';
import type { GuideSource } from './source.ts';

/** Size of a document after decompression. */
const maxBytes = 4 * 2 ** 30;

export interface ImportParts {
  readonly guide: Guide;
  readonly guideStore: Pick<GuideStore, 'saveSoon'>;
  readonly services: Services;
  readonly logos: Pick<Logos, 'add'>;
  readonly guideChannels: GuideChannels;
}

type ImportOptions = Pick<XmltvImportOptions, 'signal' | 'rank'> & Pick<GuideSource, 'numbers' | 'channels'>;

/** @throws ReceiverError, as `importGuideFile`; events read before the error stay in the guide */
export async function importGuide(
  { guide, guideStore, services, logos, guideChannels }: ImportParts,
  pieces: AsyncIterable<Uint8Array>,
  { numbers = false, channels: path, ...options }: ImportOptions = {},
): Promise<ImportedGuide> {
  const named = new Map<number, string>();
  const channels = new Map<string, string>();
  const matches = new Map<number, GuideMatch>();
  const onMatch = (service: DvbTriplet, match: GuideMatch) => void matches.set(tripletKey(service), match);
  const chosen = new Map<string, readonly DvbTriplet[]>();
  try {
    const matching = channelMatcher(services, { hasNumbers: numbers, onMatch });
    if (path !== undefined) for (const [id, all] of await readChannelsFile(path, services)) chosen.set(id, all);
    const ofFile = chosenFirst(matching, chosen);
    const servicesOf = collectingLogos(guideChannels.matching(ofFile, channels), named);
    return await importGuideFile(guide, pieces, { servicesOf, maxBytes, ranks: guideChannels.priorities, ...options });
  } finally {
    guideStore.saveSoon();
    await logos.add('guide', named);
    for (const [id, all] of chosen) for (const service of all) onMatch(service, { id, by: 'file' });
    await guideChannels.add(channels, matches);
  }
}
