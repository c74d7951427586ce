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
  const entries = listed.map((segment) => entry(segment, addressOf, segment === first));
  if (parts === undefined) return `${[...head, ...entries].join('\n')}\n`;
  // Those of the last segments only, as many as last three target durations.
  let age = 0;
  for (let n = listed.length - 1; n >= 0 && age < keptTargets * longest; n--) {
    const segment = listed[n];
    age += segment?.duration ?? 0;
    if (segment) entries[n] = withParts(segment, parts, entries[n]);
  }
  const control = [
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${(holdBack * parts.longest).toFixed(3)}`,
    `#EXT-X-PART-INF:PART-TARGET=${parts.longest.toFixed(3)}`,
  ];
  // No EXT-X-PRELOAD-HINT: a part is asked for when it is listed, a round trip later, which is nothing at home.
  const rest = partLines(growing, parts);
  const last = growing.discontinuity && rest.length > 0 ? ['#EXT-X-DISCONTINUITY', ...rest] : rest;
  return `${[...head, ...control, ...entries, ...last].join('\n')}\n`;
}

/** Target durations for whose time parts are listed, and part target durations that players stay behind (§6.2.2, §4.4.3.8). */
const keptTargets = 3;
const holdBack = 3;

const partLines = ({ sequence, parts }: KeptSegment, { addressOf }: PartListing) =>
  parts.map(({ duration, isEntry }, part) => {
    const independent = isEntry ? ',INDEPENDENT=YES' : '';
    return `#EXT-X-PART:DURATION=${duration.toFixed(5)}${independent},URI="${addressOf({ sequence, part })}"`;
  });

/** The parts of a segment stand before it, but after the mark of a discontinuity. */
function withParts(segment: KeptSegment, parts: PartListing, text = ''): string {
  const mark = '#EXT-X-DISCONTINUITY\n';
  const isMarked = text.startsWith(mark);
  const lines = [...partLines(segment, parts), isMarked ? text.slice(mark.length) : text].join('\n');
  return isMarked ? mark + lines : lines;
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

function entry(segment: KeptSegment, addressOf: Listing['addressOf'], isFirst: boolean): string {
  let text = written.get(segment);
  if (text === undefined) {
    const { sequence, begin, duration } = segment;
    const time = new Date(begin * 1000).toISOString();
    text = `#EXT-X-PROGRAM-DATE-TIME:${time}\n#EXTINF:${duration.toFixed(3)},\n${addressOf(sequence)}`;
    written.set(segment, text);
  }
  // For the first segment, the discontinuity is counted in EXT-X-DISCONTINUITY-SEQUENCE.
  return segment.discontinuity && !isFirst ? `#EXT-X-DISCONTINUITY\n${text}` : text;
}
