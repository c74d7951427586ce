/** What is kept as an HTTP Live Streaming playlist (RFC 8216), which players pause and go back and forth in. */
import type { KeptSegment } from './kept.ts';
import type { Timeshift } from './timeshift.ts';

export const hlsType = 'application/vnd.apple.mpegurl';

/** Seconds that no segment exceeds: it must not change while a client has the playlist. */
const longest = 10;

/** Segments that are listed, the newest: clients fetch the list every few seconds. At least two hours. */
export const mostListed = 1800;

/**
 * The media playlist: the segments that are whole, by addresses below the playlist's own. With the time at which each was broadcast, and
 * numbers that go on when another service is kept.
 */
export function mediaPlaylist({
  segments,
  growing,
  discontinuities,
}: Pick<Timeshift, 'segments' | 'growing' | 'discontinuities'>): string {
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
  return `${[...head, ...listed.map((segment) => entry(segment, segment === first))].join('\n')}\n`;
}

/** What is written of each: a list of hours would take too long to be written anew each time. */
const written = new WeakMap<KeptSegment, string>();

function entry(segment: KeptSegment, isFirst: boolean): string {
  let text = written.get(segment);
  if (text === undefined) {
    const { sequence, begin, duration } = segment;
    const time = new Date(begin * 1000).toISOString();
    text = `#EXT-X-PROGRAM-DATE-TIME:${time}\n#EXTINF:${duration.toFixed(3)},\ntimeshift/${sequence}.ts`;
    written.set(segment, text);
  }
  // In front of the first one it is in the number.
  return segment.discontinuity && !isFirst ? `#EXT-X-DISCONTINUITY\n${text}` : text;
}
