/** The keys for audio and subtitles: each press selects the next track and shows its name on the screen. */
import { once } from '../once.ts';
import type { CurrentService } from './current-service.ts';
import type { Output } from './output.ts';

export interface TrackParts {
  readonly current: CurrentService | undefined;
  readonly output: Pick<Output, 'showText'>;
  /** Index of the selected track in `current.audioTracks`. */
  readonly audioTrack: number;
  /** Index in `current.subtitles` of those shown; undefined: none. */
  readonly shownSubtitles: number | undefined;
  selectAudioTrack(index: number): boolean;
  selectSubtitles(index: number | undefined): boolean;
}

/** Seconds the name is shown. */
const shownFor = 3;

/** Codes for local use (ISO 639-2 qaa-qtz) that broadcasters have agreed on. */
const agreed = new Map([
  ['qaa', 'original'],
  ['qad', 'audio description'],
]);
const languages = once(() => new Intl.DisplayNames('en', { type: 'language' }));

export class TrackKeys {
  readonly #playback: TrackParts;

  constructor(playback: TrackParts) {
    this.#playback = playback;
  }

  /** Selects the next track; after the last one, the first. */
  nextAudio(): void {
    const { current, audioTrack } = this.#playback;
    const tracks = current?.audioTracks ?? [];
    const next = (audioTrack + 1) % tracks.length;
    const track = tracks[next];
    if (track === undefined || !this.#playback.selectAudioTrack(next)) return;
    this.#show(`Audio: ${languageOf(track.language, next)}, ${track.codec}`);
  }

  /** Selects the next subtitles; after the last ones, none. A stream with pages for several counts once. */
  nextSubtitles(): void {
    const { current, shownSubtitles } = this.#playback;
    const all = current?.subtitles ?? [];
    const streams = all.flatMap(({ pid }, index) => (all.findIndex((one) => one.pid === pid) === index ? [index] : []));
    const next = streams.find(
      (index) => index > (shownSubtitles ?? -1) && all[index]?.pid !== all[shownSubtitles ?? -1]?.pid,
    );
    if (!this.#playback.selectSubtitles(next)) return;
    const track = next === undefined ? undefined : all[next];
    this.#show(`Subtitles: ${track === undefined ? 'none' : languageOf(track.language, streams.indexOf(next ?? 0))}`);
  }

  #show(text: string): void {
    this.#playback.output.showText(text, shownFor);
  }
}

/** Name of the language, else the number of the track. */
function languageOf(code: string, index: number): string {
  if (!/^[a-z]{3}$/i.test(code)) return `track ${index + 1}`;
  return agreed.get(code) ?? languages().of(code) ?? code;
}
