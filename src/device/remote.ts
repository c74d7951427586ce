/**
 * The keys of a remote control. Those that work without a menu act on the receiver; all of them are passed on to the
 * programs of this machine, if it has a virtual keyboard (keys.ts). Codes are those of Linux
 * (linux/input-event-codes.h).
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
    choose(number: number): Promise<void>;
  };
  /** Handles the keys of a player, as far as something plays. */
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

/** Device through which Linux accepts keys from programs. */
export const uinputPath = '/dev/uinput';

/** Accepts keys as if somebody had pressed them on this machine. */
export interface KeySink {
  /** Presses and releases a key; `held` for long enough to count as held. Ignores unknown keys. */
  press(code: number, held: boolean): void;
  /** Types a text, as far as there are keys for it. */
  type(text: string): void;
}

const yes: ReadonlySet<number> = new Set([28, 352, 353]); // enter, ok, select
const no: ReadonlySet<number> = new Set([1, 158, 174]); // esc, back, exit
const power = 116;

/** Milliseconds within which a further digit belongs to the same number. */
const numberWait = 2000;
/** Seconds per press of forward or rewind. */
const seekStep = 30;
/** Digits of the longest channel number. */
const longestNumber = 5;

export class RemoteControl {
  readonly #parts: RemoteParts;
  readonly #actions: ReadonlyMap<number, (held: boolean) => unknown>;
  #number = '';
  #entered: NodeJS.Timeout | undefined;

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
      ...[159, 163, 208].map((code) => [code, () => player?.seekBy(seekStep)] as const),
      ...[165, 168].map((code) => [code, () => player?.seekBy(-seekStep)] as const),
      [392, () => tracks?.nextAudio()],
      [370, () => tracks?.nextSubtitles()],
      [402, () => channels.step(1)],
      [403, () => channels.step(-1)],
      ...Array.from({ length: 10 }, (_, index) => [index + 2, () => this.#digit((index + 1) % 10)] as const),
    ]);
  }

  /** Presses a key, or holds it. Its action runs in the background; keys without one are ignored. */
  press(code: number, held = false): void {
    this.#act(code, held);
    this.#parts.keys?.press(code, held);
  }

  /** Types a text into whatever has the focus on this machine. */
  type(text: string): void {
    this.#parts.keys?.type(text);
  }

  /** Discards a number that is being entered. */
  stop(): void {
    clearTimeout(this.#entered);
    this.#number = '';
  }

  #act(code: number, held: boolean): void {
    if (code === power) {
      // Held, it opens a menu on a box; there is none here.
      if (!held) void this.#run(() => this.#parts.power.change('toggle-standby'));
    } else if (yes.has(code)) {
      if (!this.#answer('yes')) this.#choose();
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
    clearTimeout(this.#entered);
    this.#number += String(digit);
    if (this.#number.length >= longestNumber) this.#choose();
    else this.#entered = setTimeout(() => this.#choose(), numberWait).unref();
  }

  /** Zaps to the number entered. */
  #choose(): void {
    const number = Number(this.#number);
    this.stop();
    if (number > 0) void this.#run(() => this.#parts.channels.choose(number));
  }

  /** Reports errors instead of rejecting: the caller does not wait for the action. */
  async #run(action: () => unknown): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#parts.onError?.(error as Error);
    }
  }
}

/** Mute and volume act in standby too. */
const isSound = (code: number) => code >= 113 && code <= 115;
