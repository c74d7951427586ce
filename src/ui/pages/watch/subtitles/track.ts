/** The subtitles of what is played: those that the person has chosen, by the times at which they are shown. */
import { type Signal, signal } from '@preact/signals';
import type { Subtitles } from '../transport-stream.ts';
import { DvbSubtitles } from './dvb.ts';
import type { Decoder, Picture } from './picture.ts';
import { TeletextSubtitles } from './teletext.ts';

/** Pictures that wait at most, of up to 8 MB: a stream tells them seconds ahead, and must not fill the memory. */
const most = 16;
/** Where the browser keeps the language: that of the last choice, also for other channels. */
const stored = 'subtitles';

export class SubtitleTrack {
  readonly offered: Signal<readonly Subtitles[]> = signal<readonly Subtitles[]>([]);
  readonly chosen = signal<Subtitles>();
  #decoder: Decoder | undefined;
  #waiting: { readonly from: number; readonly picture: Picture }[] = [];

  /** What a stream that begins has: the language of the last choice goes on. */
  offer(subtitles: readonly Subtitles[]): void {
    this.offered.value = subtitles;
    const wanted = localStorage.getItem(stored) ?? '';
    this.#open(
      subtitles.find((one) => nameOf(one) === wanted) ?? subtitles.find(({ language }) => wanted.startsWith(language)),
    );
  }

  choose(subtitles: Subtitles | undefined): void {
    localStorage.setItem(stored, subtitles ? nameOf(subtitles) : '');
    this.#open(subtitles);
  }

  toggle(): void {
    this.choose(this.chosen.peek() ? undefined : this.offered.peek()[0]);
  }

  clear(): void {
    this.offered.value = [];
    this.#open(undefined);
  }

  /** A PES packet of private data, to be shown from `seconds` on. */
  take(pid: number, seconds: number, payload: Uint8Array): void {
    if (pid !== this.chosen.peek()?.pid) return;
    const picture = this.#decoder?.decode(payload);
    if (picture) this.#waiting = [...this.#waiting.slice(1 - most), { from: seconds, picture }];
  }

  /** What is shown at this time of the video element. */
  at(seconds: number): Picture | undefined {
    const shown = this.#waiting.findLast(({ from }) => from <= seconds);
    if (shown === undefined) return undefined;
    this.#waiting = this.#waiting.slice(this.#waiting.indexOf(shown));
    return seconds < shown.from + shown.picture.timeOut ? shown.picture : undefined;
  }

  #open(subtitles: Subtitles | undefined): void {
    this.#waiting = [];
    this.chosen.value = subtitles;
    const pages = subtitles?.pages ?? [];
    if (subtitles === undefined) this.#decoder = undefined;
    else this.#decoder = subtitles.coding === 'DVB' ? new DvbSubtitles(...pages) : new TeletextSubtitles(pages[0] ?? 0);
  }
}

const nameOf = ({ language, isForDeaf }: Subtitles) => (isForDeaf ? `${language} deaf` : language);
