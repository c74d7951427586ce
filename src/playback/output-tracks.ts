/** Converts pictures and tracks to the form of CurrentService. */
import type { VideoPicture } from '../dvb/video-format.ts';
import type { AudioTrack, SubtitleTrack, VideoFormat } from './current-service.ts';
import type { OutputTrack } from './output.ts';

/** Upper bounds of width to height for 4:3 and 16:9, and of the lines of standard definition. */
const widerThan = { normal: 1.5, wide: 1.9 } as const;
const standardLines = 576;

/**
 * `aspect` is a component_type of EN 300 468 table 26 for 25 Hz: 1, 3, 4 for 4:3, 16:9 and wider, 8 more in high
 * definition.
 */
export function videoFormat(video: VideoPicture | undefined): VideoFormat | undefined {
  if (video === undefined) return undefined;
  const { width, height, ratio } = video;
  const shape = ratio <= widerThan.normal ? 1 : ratio <= widerThan.wide ? 3 : 4;
  return { width, height, aspect: height > standardLines ? shape + 8 : shape };
}

/** FFmpeg's codec names with those clients know. */
const codecNames: Readonly<Record<string, string>> = {
  mp1: 'MPEG',
  mp2: 'MPEG',
  mp3: 'MPEG',
  ac3: 'AC3',
  eac3: 'AC3+',
  ac4: 'AC4',
  aac: 'AAC',
  aac_latm: 'AAC-HE',
  dts: 'DTS',
};

/** The audio tracks that have a PID to identify them. */
export function audioTracksShown(tracks: readonly OutputTrack[], active: number): AudioTrack[] {
  const audio = tracks.filter(({ kind, pid }) => kind === 'audio' && pid !== undefined);
  return audio.map(({ pid = 0, codec, language }, index) => ({
    pid,
    codec: codecNames[codec] ?? codec.toUpperCase(),
    language,
    active: index === active,
  }));
}

/** The subtitles that have a PID to identify them. Their page within the stream is not known here. */
export function subtitlesShown(tracks: readonly OutputTrack[]): SubtitleTrack[] {
  return tracks.flatMap(({ kind, pid, codec, language }) => {
    if (kind !== 'subtitles' || pid === undefined) return [];
    const isTeletext = codec === 'dvb_teletext';
    return [{ kind: isTeletext ? 'teletext' : 'dvb', pid, page: 0, ancillary: 0, language, hearingImpaired: false }];
  });
}
