/** The timeshift as an HTTP Live Streaming playlist (RFC 8216), in which players can pause and seek. */
import type { KeptSegment } from './reading.ts';
import type { Timeshift } from './timeshift.ts';

export const hlsType = 'application/vnd.apple.mpegurl';

/** How segments are listed. */
export interface Listing {
  /** Their addresses, relative to that of the list. */
  readonly addressOf: (sequence: number) => string;
  /** Target duration: an upper bound in seconds of a segment, which should not change while a client has the playlist. */
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
  { addressOf, longest }: Listing = ofTimeshift,
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
  return `${[...head, ...listed.map((segment) => entry(segment, addressOf, segment === first))].join('\n')}\n`;
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
