/**
 * State of prepared and running timers, by timer id: their tuners and recordings, and how they started. It is not
 * stored: after a restart, timers get a new tuner and a new recording.
 */
import type { UnixSeconds } from '../base/clock.ts';
import type { TunerLease } from '../dvb/tuner-pool.ts';
import type { ActiveRecording } from '../recordings/active-recording.ts';

export type HeldTuner = Pick<TunerLease, 'release'>;
export type TimedRecording = Pick<ActiveRecording, 'path' | 'stop'>;

export class RunningTimers {
  /** Recordings of timers, including those that have ended early. */
  readonly recordings = new Map<number, TimedRecording>();
  /** Timers that woke the receiver. */
  readonly woken = new Set<number>();
  /** Timers that started early with their event. */
  readonly early = new Set<number>();
  /** The original end of timers extended with their event. */
  readonly plannedEnds = new Map<number, UnixSeconds>();
  readonly #tuners = new Map<number, HeldTuner>();
  /** Recordings that are stopping. */
  readonly #stopping = new Set<Promise<void>>();
  readonly #onError: (error: unknown) => void;

  /** `onError` is called with the error of a recording that could not be stopped. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Ids of the timers that hold a tuner. */
  get tunerHolders(): Iterable<number> {
    return this.#tuners.keys();
  }

  holdTuner(id: number, tuner: HeldTuner): void {
    this.releaseTuner(id);
    this.#tuners.set(id, tuner);
  }

  releaseTuner(id: number): void {
    this.#tuners.get(id)?.release();
    this.#tuners.delete(id);
  }

  /** Stops the recording of a timer, if there is one; resolves once all of it is on the disk. */
  async stopRecording(id: number): Promise<void> {
    const recording = this.recordings.get(id);
    this.recordings.delete(id);
    await recording?.stop();
  }

  /** Stops the recording of a timer without waiting for the disk. */
  dropRecording(id: number): void {
    const stopped = this.stopRecording(id)
      .catch(this.#onError)
      .finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }

  /** Releases all tuners and stops all recordings; resolves once these are on the disk. */
  async close(): Promise<void> {
    for (const id of this.#tuners.keys()) this.releaseTuner(id);
    for (const id of this.recordings.keys()) this.dropRecording(id);
    await Promise.all(this.#stopping);
  }
}
