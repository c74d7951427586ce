/** The subtitles of a stream: the offered ones, the chosen one, and its decoded pictures by time. */
import { type Signal, signal } from '@preact/signals';
import type { Program, Subtitles } from '../transport-stream.ts';
import { Captions } from './captions.ts';
import { DvbSubtitles } from './dvb.ts';
import type { Decoder, Picture } from './picture.ts';
import { TeletextSubtitles } from './teletext.ts';

/** Limits of decoded pictures, which arrive seconds ahead: of bitmaps, with up to 8 MB each, and of texts. */
const maxWaiting = { bitmaps: 16, texts: 256 };
/** Key in the local storage: the language chosen last, on any channel. */
const storageKey = 'subtitles';

export class SubtitleTrack {
  readonly offered: Signal<readonly Subtitles[]> = signal<readonly Subtitles[]>([]);
  readonly chosen = signal<Subtitles>();
  #decoder: Decoder | undefined;
  #captions = new Captions();
  #captionLanguages: Program['captions'] = {};
  /** The captions decoded last, by channel: they are shown at once when their channel is chosen. */
  readonly #latest = new Map<number, { readonly from: number; readonly picture: Picture }>();
  #waiting: { readonly from: number; readonly picture: Picture }[] = [];

  /** Sets the subtitles that a new stream offers, and chooses the language chosen last. `captions`: see `Program`. */
  offer(subtitles: readonly Subtitles[], captions: Program['captions']): void {
    this.offered.value = subtitles;
    this.#captions = new Captions();
    this.#captionLanguages = captions;
    this.#latest.clear();
    this.#open(wantedOf(subtitles));
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
    if (picture) this.#show(seconds, picture);
  }

  /** Takes the captions of a picture, by field. Their channels are offered once they have a text. */
  takeCaptions(seconds: number, fields: readonly (readonly number[])[]): void {
    for (const { channel, picture } of this.#captions.decode(seconds, fields)) {
      this.#latest.set(channel, { from: seconds, picture });
      const isSame = ({ coding, pages }: Subtitles) => coding === 'CTA-608' && pages[0] === channel;
      const offered = this.offered.peek();
      if (!offered.some(isSame)) {
        const language = this.#captionLanguages[channel] ?? `CC${channel}`;
        const added = { pid: 0, coding: 'CTA-608', language, isForHardOfHearing: false, pages: [channel] } as const;
        this.offered.value = [...offered, added];
        if (this.chosen.peek() === undefined) this.#open(wantedOf([added]));
      }
      const chosen = this.chosen.peek();
      if (chosen && isSame(chosen)) this.#show(seconds, picture);
    }
  }

  #show(from: number, picture: Picture): void {
    const max = picture.bitmaps.length > 0 ? maxWaiting.bitmaps : maxWaiting.texts;
    this.#waiting = [...this.#waiting.slice(1 - max), { from, picture }];
  }

  /** The picture at a time of the video element. */
  at(seconds: number): Picture | undefined {
    const shown = this.#waiting.findLast(({ from }) => from <= seconds);
    if (shown === undefined) return undefined;
    this.#waiting = this.#waiting.slice(this.#waiting.indexOf(shown));
    return seconds < shown.from + shown.picture.timeOut ? shown.picture : undefined;
  }

  #open(subtitles: Subtitles | undefined): void {
    const latest = subtitles?.coding === 'CTA-608' ? this.#latest.get(subtitles.pages[0] ?? 0) : undefined;
    this.#waiting = latest ? [latest] : [];
    this.chosen.value = subtitles;
    const pages = subtitles?.pages ?? [];
    this.#decoder = undefined;
    if (subtitles?.coding === 'DVB') this.#decoder = new DvbSubtitles(...pages);
    if (subtitles?.coding === 'teletext') this.#decoder = new TeletextSubtitles(pages[0] ?? 0);
  }
}

/** The subtitles in the language chosen last. */
function wantedOf(subtitles: readonly Subtitles[]): Subtitles | undefined {
  const wanted = localStorage.getItem(storageKey) ?? '';
  return (
    subtitles.find((one) => nameOf(one) === wanted) ?? subtitles.find(({ language }) => wanted.startsWith(language))
  );
}

const nameOf = ({ language, isForHardOfHearing }: Subtitles) => (isForHardOfHearing ? `${language} deaf` : language);
