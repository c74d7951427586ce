/** The keys for audio and subtitles: each press selects the next track and shows its name on the screen. */
import { once } from '../base/once.ts';
import type { Output } from './output.ts';
import type { Playback } from './playback.ts';

type TrackParts = Pick<
  Playback,
  'current' | 'audioTrack' | 'shownSubtitles' | 'selectAudioTrack' | 'selectSubtitles'
> & { readonly output: Pick<Output, 'showText'> };

/** Seconds for which the name is shown. */
const displaySeconds = 3;

/** Codes for local use (ISO 639-2 qaa to qtz) with a meaning common among broadcasters. */
const localCodes = new Map([
  ['qaa', 'original'],
  ['qad', 'audio description'],
]);
const languages = once(() => new Intl.DisplayNames('en', { type: 'language' }));

export function trackKeys(playback: TrackParts) {
  const show = (text: string) => playback.output.showText(text, displaySeconds);
  return {
    /** Selects the next track; after the last one, the first. */
    nextAudio(): void {
      const { current, audioTrack } = playback;
      const tracks = current?.audioTracks ?? [];
      const next = (audioTrack + 1) % tracks.length;
      const track = tracks[next];
      if (track === undefined || !playback.selectAudioTrack(next)) return;
      show(`Audio: ${languageOf(track.language, next)}, ${track.codec}`);
    },

    /** Selects the next subtitles; after the last ones, none. A stream with several pages counts once. */
    nextSubtitles(): void {
      const { current, shownSubtitles: shown = -1 } = playback;
      const all = current?.subtitles ?? [];
      const streams = all.flatMap(({ pid }, index) =>
        all.findIndex((one) => one.pid === pid) === index ? [index] : [],
      );
      const next = streams.find((index) => index > shown && all[index]?.pid !== all[shown]?.pid);
      if (!playback.selectSubtitles(next)) return;
      const track = next === undefined ? undefined : all[next];
      show(`Subtitles: ${track === undefined ? 'none' : languageOf(track.language, streams.indexOf(next ?? 0))}`);
    },
  };
}

/** The name of the language; without one, the number of the track. */
function languageOf(code: string, index: number): string {
  if (!/^[a-z]{3}$/i.test(code)) return `track ${index + 1}`;
  return localCodes.get(code) ?? languages().of(code) ?? code;
}
