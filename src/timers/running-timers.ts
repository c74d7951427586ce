/**
 * What is known of timers only while they are prepared or running, by their id: what they hold, and how they began.
 * Nothing of it is stored; after a restart, timers get a tuner and a recording again.
 */
import type { UnixSeconds } from '../base/clock.ts';
import type { TunerLease } from '../dvb/tuner-pool.ts';
import type { ActiveRecording } from '../recordings/active-recording.ts';

export type TunerHold = Pick<TunerLease, 'release'>;
export type TimedRecording = Pick<ActiveRecording, 'path' | 'stop'>;

export class RunningTimers {
  /** Including recordings that have ended by themselves. */
  readonly recordings = new Map<number, TimedRecording>();
  /** Timers that woke the receiver. */
  readonly woken = new Set<number>();
  /** Timers that started early with their event. */
  readonly early = new Set<number>();
  /** The original end of timers extended with their event. */
  readonly plannedEnds = new Map<number, UnixSeconds>();
  readonly #holds = new Map<number, TunerHold>();
  /** Recordings that are stopping. */
  readonly #stopping = new Set<Promise<void>>();
  readonly #complain: (error: unknown) => void;

  /** `complain` is called with the error of a recording that could not be stopped. */
  constructor(complain: (error: unknown) => void) {
    this.#complain = complain;
  }

  /** Timers that hold a tuner. */
  get holders(): Iterable<number> {
    return this.#holds.keys();
  }

  hold(id: number, hold: TunerHold): void {
    this.letGo(id);
    this.#holds.set(id, hold);
  }

  letGo(id: number): void {
    this.#holds.get(id)?.release();
    this.#holds.delete(id);
  }

  /** Stops the recording of a timer, if there is one; resolves when it is on the disk. */
  async stopRecording(id: number): Promise<void> {
    const recording = this.recordings.get(id);
    this.recordings.delete(id);
    await recording?.stop();
  }

  /** Does the same without waiting for the disk. */
  dropRecording(id: number): void {
    const stopped = this.stopRecording(id)
      .catch(this.#complain)
      .finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }

  /** Lets all tuners go and stops all recordings; resolves when these are on the disk. */
  async close(): Promise<void> {
    for (const id of this.#holds.keys()) this.letGo(id);
    for (const id of this.recordings.keys()) this.dropRecording(id);
    await Promise.all(this.#stopping);
  }
}
