/** Playlists of HTTP Live Streaming (RFC 8216): of a timeshift or of a live service, and of a recording. */
import type { KeptSegment } from './reading.ts';
import type { Timeshift } from './timeshift.ts';

export const hlsType = 'application/vnd.apple.mpegurl';

/** How segments are listed. */
export interface Listing {
  /** Their addresses, relative to that of the list. */
  readonly addressOf: (sequence: number) => string;
  /** Target duration: an upper bound in seconds of a segment, which should not change while a client has the playlist. */
  readonly longest: number;
  /** How parts are listed; absent: not at all. */
  readonly parts?: PartListing;
}

/** Parts of segments, for players that stay close to the broadcast (RFC 8216, second edition, §4.4.4.9). */
export interface PartListing {
  readonly addressOf: (place: { readonly sequence: number; readonly part: number }) => string;
  /** An upper bound in seconds of a part. */
  readonly longest: number;
}

const ofTimeshift: Listing = { addressOf: (sequence) => `timeshift/${sequence}.ts`, longest: 10 };

/** Bound of the listed segments, the newest: clients fetch the list every few seconds. At least two hours. */
export const mostListed = 1800;

/**
 * Builds the media playlist of the complete segments, with addresses relative to its own, and with the time at which
 * each was broadcast. Sequence numbers continue when another service is kept.
 */
export function mediaPlaylist(
  { segments, growing, discontinuities }: Pick<Timeshift, 'segments' | 'growing' | 'discontinuities'>,
  { addressOf, longest, parts }: Listing = ofTimeshift,
): string {
  const listed = segments.slice(-mostListed);
  const first = listed[0] ?? growing;
  let before = discontinuities + Number(first.discontinuity);
  for (let i = 0; i < segments.length - listed.length; i++) before += Number(segments[i]?.discontinuity);
  const head = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-TARGETDURATION:${longest}`,
    `#EXT-X-MEDIA-SEQUENCE:${first.sequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${before}`,
  ];
  // For the first segment, the discontinuity is counted in EXT-X-DISCONTINUITY-SEQUENCE.
  const marked = (segment: KeptSegment, text: string) =>
    segment.discontinuity && segment !== first ? `#EXT-X-DISCONTINUITY\n${text}` : text;
  const whole = (segment: KeptSegment) => marked(segment, entry(segment, addressOf));
  if (parts === undefined) return `${[...head, ...listed.map(whole)].join('\n')}\n`;
  const divided = listed.slice(firstDivided(listed, longest));
  const lines = [
    ...head,
    // No EXT-X-PRELOAD-HINT: a part is asked for when it is listed, a round trip later, which is nothing at home.
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${(holdBack * parts.longest).toFixed(3)}`,
    `#EXT-X-PART-INF:PART-TARGET=${parts.longest.toFixed(3)}`,
    ...listed.slice(0, listed.length - divided.length).map(whole),
    ...divided.map((one) =>
      marked(one, [timeLine(one), ...partLines(one, parts), endLines(one, addressOf)].join('\n')),
    ),
    // Even without a part: hls.js 1.6 would else take the last segment for this one, and give up if it misses the next list.
    marked(growing, [timeLine(growing), ...partLines(growing, parts)].join('\n')),
  ];
  return `${lines.join('\n')}\n`;
}

/** Target durations for whose time parts are listed, and part target durations that players stay behind (§6.2.2, §4.4.3.8). */
const keptTargets = 3;
const holdBack = 3;

const partLines = ({ sequence, parts }: KeptSegment, { addressOf }: PartListing) =>
  parts.map(({ duration, isEntry }, part) => {
    const independent = isEntry ? ',INDEPENDENT=YES' : '';
    return `#EXT-X-PART:DURATION=${duration.toFixed(5)}${independent},URI="${addressOf({ sequence, part })}"`;
  });

/** The index of the first segment whose parts are listed. */
function firstDivided(segments: readonly KeptSegment[], longest: number): number {
  let age = 0;
  let n = segments.length;
  while (n > 0 && age < keptTargets * longest) age += segments[--n]?.duration ?? 0;
  return n;
}

/** The playlist of a recording; one that is not complete grows. */
export function recordingPlaylist(
  pieces: readonly { readonly duration: number; readonly address: string }[],
  isComplete: boolean,
): string {
  const longest = Math.max(1, ...pieces.map(({ duration }) => Math.ceil(duration)));
  const head = ['#EXTM3U', '#EXT-X-VERSION:3', `#EXT-X-TARGETDURATION:${longest}`, '#EXT-X-MEDIA-SEQUENCE:0'];
  const type = `#EXT-X-PLAYLIST-TYPE:${isComplete ? 'VOD' : 'EVENT'}`;
  const entries = pieces.map(({ duration, address }) => `#EXTINF:${duration.toFixed(3)},\n${address}`);
  return `${[...head, type, ...entries, ...(isComplete ? ['#EXT-X-ENDLIST'] : [])].join('\n')}\n`;
}

/** Entries already written: a list of hours would take too long to rebuild each time. */
const written = new WeakMap<KeptSegment, string>();

function entry(segment: KeptSegment, addressOf: Listing['addressOf']): string {
  const text = written.get(segment) ?? `${timeLine(segment)}\n${endLines(segment, addressOf)}`;
  written.set(segment, text);
  return text;
}

const timeLine = ({ begin }: KeptSegment) => `#EXT-X-PROGRAM-DATE-TIME:${new Date(begin * 1000).toISOString()}`;

const endLines = ({ sequence, duration }: KeptSegment, addressOf: Listing['addressOf']) =>
  `#EXTINF:${duration.toFixed(3)},\n${addressOf(sequence)}`;
