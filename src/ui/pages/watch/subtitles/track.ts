/** The subtitles of a stream: the offered ones, the chosen one, and its decoded pictures by time. */
import { type Signal, signal } from '@preact/signals';
import type { Subtitles } from '../transport-stream.ts';
import { DvbSubtitles } from './dvb.ts';
import type { Decoder, Picture } from './picture.ts';
import { TeletextSubtitles } from './teletext.ts';

/** Limit of decoded pictures, which arrive seconds ahead and have up to 8 MB each. */
const maxWaiting = 16;
/** Key in the local storage: the language chosen last, on any channel. */
const storageKey = 'subtitles';

export class SubtitleTrack {
  readonly offered: Signal<readonly Subtitles[]> = signal<readonly Subtitles[]>([]);
  readonly chosen = signal<Subtitles>();
  #decoder: Decoder | undefined;
  #waiting: { readonly from: number; readonly picture: Picture }[] = [];

  /** Sets the subtitles that a new stream offers, and chooses the language chosen last. */
  offer(subtitles: readonly Subtitles[]): void {
    this.offered.value = subtitles;
    const wanted = localStorage.getItem(storageKey) ?? '';
    this.#open(
      subtitles.find((one) => nameOf(one) === wanted) ?? subtitles.find(({ language }) => wanted.startsWith(language)),
    );
  }

  choose(subtitles: Subtitles | undefined): void {
    localStorage.setItem(storageKey, subtitles ? nameOf(subtitles) : '');
    this.#open(subtitles);
  }

  toggle(): void {
    this.choose(this.chosen.peek() ? undefined : this.offered.peek()[0]);
  }

  clear(): void {
    this.offered.value = [];
    this.#open(undefined);
  }

  /** Takes a PES packet of private data. `seconds`: its PTS on the time scale of the video element. */
  take(pid: number, seconds: number, payload: Uint8Array): void {
    if (pid !== this.chosen.peek()?.pid) return;
    const picture = this.#decoder?.decode(payload);
    if (picture) this.#waiting = [...this.#waiting.slice(1 - maxWaiting), { from: seconds, picture }];
  }

  /** The picture at a time of the video element. */
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

const nameOf = ({ language, isForHardOfHearing }: Subtitles) => (isForHardOfHearing ? `${language} deaf` : language);
