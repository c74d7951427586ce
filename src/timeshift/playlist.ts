/** Playlists of HTTP Live Streaming (RFC 8216) for the timeshift, live services and recordings. */
import type { Segment } from './reading.ts';
import type { Timeshift } from './timeshift.ts';

export const hlsType = 'application/vnd.apple.mpegurl';

/** How a playlist lists segments. */
export interface SegmentListing {
  /** Their addresses, relative to that of the playlist. */
  readonly addressOf: (sequence: number) => string;
  /**
   * Target duration in seconds: no segment, rounded, is longer. It should not change while a client uses the playlist.
   */
  readonly maxSeconds: number;
  /** How parts are listed; undefined: not at all. */
  readonly parts?: PartListing;
}

/** How a playlist lists parts of segments, for playback with low latency (RFC 8216, second edition, §4.4.4.9). */
export interface PartListing {
  readonly addressOf: (place: { readonly sequence: number; readonly part: number }) => string;
  /** Part target duration in seconds: no part is longer. */
  readonly maxSeconds: number;
}

const ofTimeshift: SegmentListing = { addressOf: (sequence) => `timeshift/${sequence}.ts`, maxSeconds: 10 };

/** Segments in a playlist: the newest, two hours or more. Clients fetch the playlist every few seconds. */
export const maxListedSegments = 1800;

/**
 * Builds the media playlist of the complete segments, each with the time of its broadcast. Sequence numbers continue
 * when the service changes.
 */
export function mediaPlaylist(
  { segments, growing, discontinuities }: Pick<Timeshift, 'segments' | 'growing' | 'discontinuities'>,
  { addressOf, maxSeconds, parts }: SegmentListing = ofTimeshift,
): string {
  const listed = segments.slice(-maxListedSegments);
  const first = listed[0] ?? growing;
  let before = discontinuities + Number(first.discontinuity);
  for (let i = 0; i < segments.length - listed.length; i++) before += Number(segments[i]?.discontinuity);
  const head = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-TARGETDURATION:${maxSeconds}`,
    `#EXT-X-MEDIA-SEQUENCE:${first.sequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${before}`,
  ];
  // For the first segment, the discontinuity is counted in EXT-X-DISCONTINUITY-SEQUENCE.
  const marked = (segment: Segment, text: string) =>
    segment.discontinuity && segment !== first ? `#EXT-X-DISCONTINUITY\n${text}` : text;
  const whole = (segment: Segment) => marked(segment, entry(segment, addressOf));
  if (parts === undefined) return `${[...head, ...listed.map(whole)].join('\n')}\n`;
  const divided = listed.slice(firstDivided(listed, maxSeconds));
  const lines = [
    ...head,
    // Without EXT-X-PRELOAD-HINT, a client requests a part once it is listed. The additional round trip is short
    // locally.
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${(holdBackTargets * parts.maxSeconds).toFixed(3)}`,
    `#EXT-X-PART-INF:PART-TARGET=${parts.maxSeconds.toFixed(3)}`,
    ...listed.slice(0, listed.length - divided.length).map(whole),
    ...divided.map((one) =>
      marked(one, [timeLine(one), ...partLines(one, parts), endLines(one, addressOf)].join('\n')),
    ),
    // Written even if it has no part yet: otherwise hls.js 1.6 takes the last segment for this one, and stops if it
    // misses the next playlist.
    marked(growing, [timeLine(growing), ...partLines(growing, parts)].join('\n')),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Parts are listed for the last three target durations; players stay three part target durations behind the broadcast
 * (§6.2.2, §4.4.3.8).
 */
const targetsWithParts = 3;
const holdBackTargets = 3;

const partLines = ({ sequence, parts }: Segment, { addressOf }: PartListing) =>
  parts.map(({ duration, isEntry }, part) => {
    const independent = isEntry ? ',INDEPENDENT=YES' : '';
    return `#EXT-X-PART:DURATION=${duration.toFixed(5)}${independent},URI="${addressOf({ sequence, part })}"`;
  });

/** The index of the first segment whose parts are listed. */
function firstDivided(segments: readonly Segment[], maxSeconds: number): number {
  let age = 0;
  let n = segments.length;
  while (n > 0 && age < targetsWithParts * maxSeconds) age += segments[--n]?.duration ?? 0;
  return n;
}

/**
 * The playlist of a recording; while it is incomplete, the playlist grows. `isBreak`: something is left out before the
 * piece.
 */
export function recordingPlaylist(
  pieces: readonly { readonly duration: number; readonly address: string; readonly isBreak?: boolean }[],
  isComplete: boolean,
): string {
  const longest = Math.max(1, ...pieces.map(({ duration }) => Math.ceil(duration)));
  const head = ['#EXTM3U', '#EXT-X-VERSION:3', `#EXT-X-TARGETDURATION:${longest}`, '#EXT-X-MEDIA-SEQUENCE:0'];
  const type = `#EXT-X-PLAYLIST-TYPE:${isComplete ? 'VOD' : 'EVENT'}`;
  const entries = pieces.map(
    ({ duration, address, isBreak }) =>
      `${isBreak ? '#EXT-X-DISCONTINUITY\n' : ''}#EXTINF:${duration.toFixed(3)},\n${address}`,
  );
  return `${[...head, type, ...entries, ...(isComplete ? ['#EXT-X-ENDLIST'] : [])].join('\n')}\n`;
}

/** Cached entries: formatting a playlist of hours each time would take too long. */
const entries = new WeakMap<Segment, string>();

function entry(segment: Segment, addressOf: SegmentListing['addressOf']): string {
  const text = entries.get(segment) ?? `${timeLine(segment)}\n${endLines(segment, addressOf)}`;
  entries.set(segment, text);
  return text;
}

const timeLine = ({ begin }: Segment) => `#EXT-X-PROGRAM-DATE-TIME:${new Date(begin * 1000).toISOString()}`;

const endLines = ({ sequence, duration }: Segment, addressOf: SegmentListing['addressOf']) =>
  `#EXTINF:${duration.toFixed(3)},\n${addressOf(sequence)}`;
