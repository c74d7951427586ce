/**
 * The keys of a remote control. Keys that work without a menu act on the receiver. All keys are also passed to the
 * programs of this machine if it has a virtual keyboard (keys.ts). Key codes are those of linux/input-event-codes.h.
 */
import type { Answer, Messages } from './messages.ts';
import type { Power } from './power.ts';
import type { Volume } from './volume.ts';

export interface RemoteParts {
  readonly volume: Volume;
  readonly power: Power;
  readonly messages: Messages;
  readonly channels: {
    step(by: 1 | -1): Promise<void>;
    choose(number: string): Promise<void>;
  };
  /** Handles the player keys while a recording or timeshift is playing. */
  readonly player?:
    | {
        pause(paused?: boolean): void;
        seekBy(seconds: number): void;
        stop(): Promise<void>;
      }
    | undefined;
  /** Handles the keys for audio and subtitles. */
  readonly tracks?: { nextAudio(): void; nextSubtitles(): void } | undefined;
  /** The virtual keyboard of this machine. */
  readonly keys?: KeySink | undefined;
  /** Called if the action of a key failed. */
  readonly onError?: (error: Error) => void;
}

/** The device through which Linux accepts key strokes from programs. */
export const uinputPath = '/dev/uinput';

/** Accepts key strokes like a keyboard of this machine. */
export interface KeySink {
  /** Presses and releases a key; `held`: with a repetition in between. Ignores unknown keys. */
  press(code: number, held: boolean): void;
  /** Types the characters of a text that have a key. */
  type(text: string): void;
}

const yes: ReadonlySet<number> = new Set([28, 352, 353]); // enter, ok, select
const no: ReadonlySet<number> = new Set([1, 158, 174]); // esc, back, exit
const power = 116;

/** Milliseconds after a digit until a channel number is complete. */
const digitTimeoutMs = 2000;
/** Seconds per press of forward or rewind. */
const seekSeconds = 30;
/** Digits of a channel number; those after the dot are not counted. */
const maxDigits = 5;
const maxMinorDigits = 3;

export class RemoteControl {
  readonly #parts: RemoteParts;
  readonly #actions: ReadonlyMap<number, (held: boolean) => unknown>;
  #number = '';
  #digitTimer: NodeJS.Timeout | undefined;

  constructor(parts: RemoteParts) {
    this.#parts = parts;
    const { volume, channels, player, tracks } = parts;
    const step = (direction: 'up' | 'down') => (held: boolean) => {
      volume.step(direction);
      if (held) volume.step(direction);
    };
    this.#actions = new Map<number, (held: boolean) => unknown>([
      [113, () => volume.toggleMute()],
      [114, step('down')],
      [115, step('up')],
      [119, () => player?.pause(true)],
      [207, () => player?.pause(false)],
      [164, () => player?.pause()],
      [128, () => player?.stop()],
      ...[159, 163, 208].map((code) => [code, () => player?.seekBy(seekSeconds)] as const),
      ...[165, 168].map((code) => [code, () => player?.seekBy(-seekSeconds)] as const),
      [392, () => tracks?.nextAudio()],
      [370, () => tracks?.nextSubtitles()],
      [402, () => channels.step(1)],
      [403, () => channels.step(-1)],
      ...Array.from({ length: 10 }, (_, index) => [index + 2, () => this.#digit((index + 1) % 10)] as const),
      // minus, dot, that of the number pad: between the parts of an ATSC number
      ...[12, 52, 83].map((code) => [code, () => this.#dot()] as const),
    ]);
  }

  /** Presses a key, or holds it. Its action runs in the background; keys without one are ignored. */
  press(code: number, held = false): void {
    this.#act(code, held);
    this.#parts.keys?.press(code, held);
  }

  /** Types a text into the program that has the focus on this machine. */
  type(text: string): void {
    this.#parts.keys?.type(text);
  }

  /** Discards a number that is being entered. */
  stop(): void {
    clearTimeout(this.#digitTimer);
    this.#number = '';
  }

  #act(code: number, held: boolean): void {
    if (code === power) {
      // On a box, holding it opens a menu, which does not exist here.
      if (!held) void this.#run(() => this.#parts.power.change('toggle-standby'));
    } else if (yes.has(code)) {
      if (!this.#answer('yes')) this.#zapToNumber();
    } else if (no.has(code)) {
      if (!this.#answer('no')) this.stop();
    } else if (!this.#parts.power.standby || isSound(code)) {
      const action = this.#actions.get(code);
      if (action !== undefined) void this.#run(() => action(held));
    }
  }

  /** Answers the latest message; false if none is open. */
  #answer(answer: Answer): boolean {
    const last = this.#parts.messages.open.at(-1);
    return last !== undefined && this.#parts.messages.close(last.id, answer);
  }

  #digit(digit: number): void {
    clearTimeout(this.#digitTimer);
    this.#number += String(digit);
    const [major = '', minor] = this.#number.split('.');
    const isFull = minor === undefined ? major.length >= maxDigits : minor.length >= maxMinorDigits;
    if (isFull) this.#zapToNumber();
    else this.#digitTimer = setTimeout(() => this.#zapToNumber(), digitTimeoutMs).unref();
  }

  #dot(): void {
    if (this.#number !== '' && !this.#number.includes('.')) this.#number += '.';
  }

  /** Zaps to the number entered. */
  #zapToNumber(): void {
    const number = this.#number.replace(/^0+(?=\d)|\.$/g, '');
    this.stop();
    if (Number(number) > 0) void this.#run(() => this.#parts.channels.choose(number));
  }

  /** Runs an action; never rejects, because no caller waits for it. */
  async #run(action: () => unknown): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#parts.onError?.(error as Error);
    }
  }
}

/** Mute and volume also act in standby. */
const isSound = (code: number) => code >= 113 && code <= 115;
