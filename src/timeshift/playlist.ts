/** What is kept as an HTTP Live Streaming playlist (RFC 8216), which players pause and go back and forth in. */
import type { KeptSegment, Timeshift } from './timeshift.ts';

export const hlsType = 'application/vnd.apple.mpegurl';

/** Seconds that no segment exceeds: it must not change while a client has the playlist. */
const longest = 10;

/**
 * The media playlist: all segments that are whole, by addresses below the playlist's own. With the time at which each was broadcast, and
 * numbers that go on when another service is kept.
 */
export function mediaPlaylist({
  segments,
  growing,
  discontinuities,
}: Pick<Timeshift, 'segments' | 'growing' | 'discontinuities'>): string {
  const first = segments[0] ?? growing;
  const head = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-TARGETDURATION:${longest}`,
    `#EXT-X-MEDIA-SEQUENCE:${first.sequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuities + Number(first.discontinuity)}`,
  ];
  return `${[...head, ...segments.flatMap((segment) => entry(segment, segment === first))].join('\n')}\n`;
}

function entry({ sequence, begin, duration, discontinuity }: KeptSegment, isFirst: boolean): string[] {
  return [
    // In front of the first one it is in the number.
    ...(discontinuity && !isFirst ? ['#EXT-X-DISCONTINUITY'] : []),
    `#EXT-X-PROGRAM-DATE-TIME:${new Date(begin * 1000).toISOString()}`,
    `#EXTINF:${duration.toFixed(3)},`,
    `timeshift/${sequence}.ts`,
  ];
}
