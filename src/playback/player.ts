/**
 * The keys of a player: they control a recording that plays, and live television as far as timeshift covers it. Without
 * timeshift, live television can be neither paused nor rewound.
 */
import type { UnixSeconds } from '../base/clock.ts';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { Output } from './output.ts';
import type { Playback } from './playback.ts';

export type PlayerParts = Pick<Playback, 'current' | 'showsKept' | 'showFrom' | 'stop'> & {
  readonly output: Pick<Output, 'paused' | 'position' | 'pause' | 'seek'>;
};

/** The timeshift of the current service. */
export interface KeptService {
  /** Unix seconds with fractions. */
  readonly begin: UnixSeconds;
  readonly end: UnixSeconds;
  readonly isClosed: boolean;
  /** Returns a stream that starts at or before this time, and its start. */
  streamAt(time: UnixSeconds): { readonly begin: UnixSeconds; readonly stream: PacketStream };
}

/** Positions within this many seconds of the present count as live. */
const nearlyLive = 5;

export class Player {
  readonly #playback: PlayerParts;
  readonly #timeshift: { readonly active: KeptService | undefined };
  /** The timeshift being shown, and the broadcast time at which it starts. */
  #shown: { readonly kept: KeptService; begin: UnixSeconds } | undefined;
  /** Broadcast time at which live television is paused. */
  #pausedAt: UnixSeconds | undefined;

  constructor(playback: PlayerParts, timeshift: { readonly active: KeptService | undefined } = { active: undefined }) {
    this.#playback = playback;
    this.#timeshift = timeshift;
  }

  /** Pauses or resumes; without an argument, toggles. */
  pause(paused = !this.#playback.output.paused): void {
    const { output } = this.#playback;
    if (this.#plays) {
      output.pause(paused);
      return;
    }
    const kept = this.#kept;
    if (!kept || paused === output.paused) return;
    if (paused) this.#pausedAt = this.#time(kept);
    // The timeshift waits for its reader; the stream of a tuner does not.
    if (paused || this.#shown || kept.end - (this.#pausedAt ?? 0) < nearlyLive) output.pause(paused);
    else this.#goTo(kept, this.#pausedAt);
  }

  /**
   * Moves forward, or back by a negative number of seconds: not before the start and, in live television, not beyond
   * the present.
   */
  seekBy(seconds: number): void {
    const { output } = this.#playback;
    const kept = this.#kept;
    if (this.#plays) output.seek(Math.max(0, (output.position ?? 0) + seconds));
    else if (kept) this.#goTo(kept, (this.#pausedAt ?? this.#time(kept)) + seconds);
  }

  /** Ends the recording: the service watched before becomes current again. Live television returns to the present. */
  stop(): Promise<void> {
    if (!this.#plays && this.#kept && (this.#shown || this.#pausedAt !== undefined)) this.#goTo(this.#kept);
    return this.#playback.stop();
  }

  get #plays(): boolean {
    return this.#playback.current?.played !== undefined;
  }

  /** The timeshift of the current service. */
  get #kept(): KeptService | undefined {
    const kept = this.#timeshift.active;
    if (this.#shown?.kept !== kept || !this.#playback.showsKept) this.#shown = undefined;
    if (!kept || !this.#playback.output.paused) this.#pausedAt = undefined;
    return kept;
  }

  /** Broadcast time of the picture shown. */
  #time(kept: KeptService): UnixSeconds {
    return this.#shown ? this.#shown.begin + (this.#playback.output.position ?? 0) : kept.end;
  }

  /** Shows the broadcast of that time; a time ahead, or none, means the present. */
  #goTo(kept: KeptService, time = Number.POSITIVE_INFINITY): void {
    this.#pausedAt = undefined;
    if (time > kept.end - nearlyLive) {
      this.#shown = undefined;
      this.#playback.showFrom(undefined);
      return;
    }
    const shown = { kept, begin: kept.begin };
    this.#shown = shown;
    this.#playback.showFrom(() => {
      if (kept.isClosed) return undefined;
      const { begin, stream } = kept.streamAt(time);
      shown.begin = begin;
      return stream;
    });
  }
}
