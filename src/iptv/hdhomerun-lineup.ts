/** The channels of an HDHomeRun that has no tuner control, only streams by HTTP: imported as those of an IPTV list. */
import { limitBytes } from '../base/limit-bytes.ts';
import { urlOf } from '../base/url.ts';
import type { Services } from '../services/services.ts';
import type { ListedChannel } from './channel-list.ts';
import { importChannels } from './import.ts';

const maxLineupBytes = 4 * 2 ** 20;
const maxNameLength = 255;

interface LineupEntry {
  readonly GuideName: string;
  readonly URL: string;
  /** Present, and not 0, for a channel with copy protection. */
  readonly DRM?: unknown;
}

function isEntry(value: unknown): value is LineupEntry {
  const { GuideName: name, URL: url } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof name === 'string' && typeof url === 'string';
}

/**
 * The channels of a `lineup.json` that can be received: those without copy protection whose streams are at the same host as
 * the document, so that no device can make the receiver fetch from another one. @throws Error for another document
 */
export function channelsOf(text: string, host: string): readonly ListedChannel[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed) || !parsed.every(isEntry)) throw new Error('its lineup.json is not a list of channels');
  const received = parsed.filter(({ URL: url, DRM: drm }) => !drm && isStreamAt(url, host));
  return received.map(({ GuideName: name, URL: url }) => {
    const shown = name.slice(0, maxNameLength).trim() || url;
    const none = { reference: undefined, group: '', isRadio: false, userAgent: '', referer: '', logo: '' };
    return { ...none, name: shown, guideName: shown, id: '', url };
  });
}

function isStreamAt(text: string, host: string): boolean {
  const url = urlOf(text);
  return url?.protocol === 'http:' && url.hostname === host && url.hash === '';
}

/** As NetworkStreams.download. */
type Download = (url: string) => AsyncIterable<Uint8Array>;

/** The channels at an address; at least one. @throws Error, ReceiverError */
export async function readLineup(download: Download, url: string): Promise<readonly ListedChannel[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of limitBytes(download(url), 'lineup.json', maxLineupBytes)) pieces.push(piece);
  const channels = channelsOf(Buffer.concat(pieces).toString(), new URL(url).hostname);
  if (channels.length === 0) throw new Error('its lineup.json has no channel that can be received');
  return channels;
}

export interface LineupParts {
  readonly services: Services;
  readonly download: Download;
}

/** Imports the channels into the bouquet `HDHomeRun NAME`. Resolves to their number. @throws Error, ReceiverError */
export async function importLineup({ services, download }: LineupParts, name: string, url: string): Promise<number> {
  const channels = await readLineup(download, url);
  await importChannels(services, `HDHomeRun ${name}`, channels);
  return channels.length;
}
