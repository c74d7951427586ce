/**
 * The player keys: they control the recording that plays, or live television while timeshift is running. Without
 * timeshift, live television can be neither paused nor rewound.
 */
import type { UnixSeconds } from '../base/clock.ts';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { Output } from './output.ts';
import type { Playback } from './playback.ts';

export type PlayerParts = Pick<Playback, 'current' | 'showsTimeshift' | 'showFrom' | 'stop'> & {
  readonly output: Pick<Output, 'paused' | 'position' | 'pause' | 'seek'>;
};

/** The running timeshift of the current service. */
export interface TimeshiftSource {
  /** Unix seconds with fractions. */
  readonly begin: UnixSeconds;
  readonly end: UnixSeconds;
  readonly isClosed: boolean;
  /** A stream that begins at or before this time, and when it begins. */
  streamAt(time: UnixSeconds): { readonly begin: UnixSeconds; readonly stream: PacketStream };
}

/** Positions less than this many seconds behind the broadcast count as live. */
const liveToleranceSeconds = 5;

export class Player {
  readonly #playback: PlayerParts;
  readonly #timeshifts: { readonly active: TimeshiftSource | undefined };
  /** The timeshift being shown, and the broadcast time at which its stream begins. */
  #shown: { readonly timeshift: TimeshiftSource; begin: UnixSeconds } | undefined;
  /** Broadcast time at which live television is paused. */
  #pausedAt: UnixSeconds | undefined;

  constructor(
    playback: PlayerParts,
    timeshifts: { readonly active: TimeshiftSource | undefined } = { active: undefined },
  ) {
    this.#playback = playback;
    this.#timeshifts = timeshifts;
  }

  /** Pauses or resumes; toggles without an argument. */
  pause(paused = !this.#playback.output.paused): void {
    const { output } = this.#playback;
    if (this.#isPlayingRecording) {
      output.pause(paused);
      return;
    }
    const timeshift = this.#timeshiftSource;
    if (!timeshift || paused === output.paused) return;
    if (paused) this.#pausedAt = this.#time(timeshift);
    // A timeshift stream can be paused at any length, a tuner stream only for a moment.
    if (paused || this.#shown || timeshift.end - (this.#pausedAt ?? 0) < liveToleranceSeconds) output.pause(paused);
    else this.#goTo(timeshift, this.#pausedAt);
  }

  /**
   * Seeks forward, or back by a negative number of seconds, within the recording, or in live television within the
   * timeshift.
   */
  seekBy(seconds: number): void {
    const { output } = this.#playback;
    const timeshift = this.#timeshiftSource;
    if (this.#isPlayingRecording) output.seek(Math.max(0, (output.position ?? 0) + seconds));
    else if (timeshift) this.#goTo(timeshift, (this.#pausedAt ?? this.#time(timeshift)) + seconds);
  }

  /** Stops the recording: the previous service becomes current again. Shifted or paused television returns to live. */
  stop(): Promise<void> {
    if (!this.#isPlayingRecording && this.#timeshiftSource && (this.#shown || this.#pausedAt !== undefined))
      this.#goTo(this.#timeshiftSource);
    return this.#playback.stop();
  }

  get #isPlayingRecording(): boolean {
    return this.#playback.current?.played !== undefined;
  }

  /** The timeshift of the current service. */
  get #timeshiftSource(): TimeshiftSource | undefined {
    const timeshift = this.#timeshifts.active;
    if (this.#shown?.timeshift !== timeshift || !this.#playback.showsTimeshift) this.#shown = undefined;
    if (!timeshift || !this.#playback.output.paused) this.#pausedAt = undefined;
    return timeshift;
  }

  /** Broadcast time of the picture shown, in Unix seconds. */
  #time(timeshift: TimeshiftSource): UnixSeconds {
    return this.#shown ? this.#shown.begin + (this.#playback.output.position ?? 0) : timeshift.end;
  }

  /** Shows the broadcast from this time; without a time, or with one in the future, live. */
  #goTo(timeshift: TimeshiftSource, time = Number.POSITIVE_INFINITY): void {
    this.#pausedAt = undefined;
    if (time > timeshift.end - liveToleranceSeconds) {
      this.#shown = undefined;
      this.#playback.showFrom(undefined);
      return;
    }
    const shown = { timeshift, begin: timeshift.begin };
    this.#shown = shown;
    this.#playback.showFrom(() => {
      if (timeshift.isClosed) return undefined;
      const { begin, stream } = timeshift.streamAt(time);
      shown.begin = begin;
      return stream;
    });
  }
}
