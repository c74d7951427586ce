/** Finds the closed captions that pictures carry (ATSC A/53 part 4; in H.264 and HEVC as SEI), and when they are shown. */
import { extractCta608Data } from '@svta/cml-608';
import { payloadOf, startsUnit, timesOf } from './transport-stream.ts';

/** Identifies cc_data in a user_data_registered_itu_t_t35: the United States, ATSC, `GA94`, type 3. */
const marker = [0xb5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03];
/** Bytes of cc_data with its marker, escapes included. */
const maxSize = 160;
/** Captions precede the slices of a picture. */
const maxHead = 4096;
/** Pictures that wait for one that is shown earlier, and sent later. */
const maxWaiting = 32;
/** Time stamps have 33 bits. */
const wrapSeconds = 2 ** 33 / 90_000;

/** The pairs of bytes of both fields. */
type Fields = readonly (readonly number[])[];

export class CaptionReader {
  readonly #video: number | undefined;
  readonly #take: (seconds: number, fields: Fields) => void;
  readonly #begun = new Set<number>();
  /** The earliest of the first time stamps of the streams, where the video element begins. */
  #base = Number.POSITIVE_INFINITY;
  #times: { readonly shown: number; readonly decoded: number } | undefined;
  readonly #head = new Uint8Array(maxHead);
  #headSize = 0;
  #waiting: { readonly seconds: number; readonly fields: Fields }[] = [];

  /** `video`: PID of the pictures. `take` gets captions in the order in which the pictures are shown. */
  constructor(video: number | undefined, take: (seconds: number, fields: Fields) => void) {
    this.#video = video;
    this.#take = take;
  }

  /** Takes each packet of the streams that are played. */
  feed(pid: number, packet: Uint8Array): void {
    const payload = payloadOf(packet);
    if (payload === undefined) return;
    const times = startsUnit(packet) ? timesOf(payload) : undefined;
    if (times && !this.#begun.has(pid)) this.#base = Math.min(this.#base, times.shown);
    if (times) this.#begun.add(pid);
    if (pid !== this.#video) return;
    if (startsUnit(packet)) this.#endPicture();
    if (times) this.#times = times;
    const part = payload.subarray(0, maxHead - this.#headSize);
    this.#head.set(part, this.#headSize);
    this.#headSize += part.length;
  }

  #endPicture(): void {
    const fields = captionsIn(this.#head.subarray(0, this.#headSize));
    this.#headSize = 0;
    if (this.#times === undefined) return;
    const { shown, decoded } = this.#times;
    if (fields) this.#waiting.push({ seconds: this.#sinceBegin(shown), fields });
    this.#waiting.sort((one, other) => one.seconds - other.seconds);
    while (
      this.#waiting[0] &&
      (this.#waiting.length > maxWaiting || this.#waiting[0].seconds <= this.#sinceBegin(decoded))
    ) {
      const { seconds, fields: earliest } = this.#waiting[0];
      this.#waiting.shift();
      this.#take(seconds, earliest);
    }
  }

  #sinceBegin(time: number): number {
    const seconds = time - this.#base;
    return seconds < -wrapSeconds / 2 ? seconds + wrapSeconds : seconds;
  }
}

/** The captions of both fields in the beginning of a picture. */
function captionsIn(bytes: Uint8Array): Fields | undefined {
  for (let at = bytes.indexOf(0xb5); at >= 0; at = bytes.indexOf(0xb5, at + 1)) {
    if (marker.some((byte, offset) => bytes[at + offset] !== byte)) continue;
    const escaped = bytes.subarray(at, at + maxSize);
    const plain = escaped.filter((byte, n) => byte !== 3 || n < 2 || escaped[n - 1] !== 0 || escaped[n - 2] !== 0);
    return extractCta608Data(new DataView(plain.buffer), [0, plain.length]);
  }
  return undefined;
}
