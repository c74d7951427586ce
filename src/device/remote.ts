/**
 * The keys of a remote control. Those that mean something without a menu act on the receiver; all of them go on to the programs of
 * this machine, where it has such keys (keys.ts). Codes are those of Linux (linux/input-event-codes.h).
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
  /** Takes the keys of a player, as far as something plays. */
  readonly player?:
    | {
        pause(paused?: boolean): void;
        seekBy(seconds: number): void;
        stop(): Promise<void>;
      }
    | undefined;
  /** Takes the keys for sound and subtitles. */
  readonly tracks?: { nextAudio(): void; nextSubtitles(): void } | undefined;
  /** Keys of this machine. */
  readonly keys?: KeySink | undefined;
  /** Told when what a key asked for did not work. */
  readonly onError?: (error: Error) => void;
}

/** Where Linux takes the keys of programs. */
export const uinputPath = '/dev/uinput';

/** Takes keys as if somebody had pressed them on this machine. */
export interface KeySink {
  /** Presses and releases a key; `held` for long enough that it counts as held. What it does not have it ignores. */
  press(code: number, held: boolean): void;
  /** Types a text, as far as there are keys for it. */
  type(text: string): void;
}

const yes: ReadonlySet<number> = new Set([28, 352, 353]); // enter, ok, select
const no: ReadonlySet<number> = new Set([1, 158, 174]); // esc, back, exit
const power = 116;

/** Milliseconds in which a further digit belongs to the same number. */
const numberWait = 2000;
/** Seconds that one press of forward or rewind goes. */
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

  /** Presses a key, or holds it. What it leads to goes on by itself; a key that means nothing is none of ours. */
  press(code: number, held = false): void {
    this.#act(code, held);
    this.#parts.keys?.press(code, held);
  }

  /** Types a text: into whatever takes it on this machine. */
  type(text: string): void {
    this.#parts.keys?.type(text);
  }

  /** Forgets a number that is being entered. */
  stop(): void {
    clearTimeout(this.#entered);
    this.#number = '';
  }

  #act(code: number, held: boolean): void {
    if (code === power) {
      // Held, it asks a person what to do; nobody is asked here.
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

  /** Answers the message that came last; false when none is open. */
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

  /** The number is complete. */
  #choose(): void {
    const number = Number(this.#number);
    this.stop();
    if (number > 0) void this.#run(() => this.#parts.channels.choose(number));
  }

  /** Whoever has pressed the key does not wait for what it leads to. */
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
