/**
 * What the keys of a player do: with a recording that plays, and with live television as far as timeshift keeps it. Otherwise that is
 * neither paused nor moved in.
 */
import type { UnixSeconds } from '../clock.ts';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { CurrentService } from './current-service.ts';
import type { Output } from './output.ts';

export interface PlayerParts {
  readonly current: CurrentService | undefined;
  readonly output: Pick<Output, 'paused' | 'position' | 'pause' | 'seek'>;
  /** What is shown is what `showFrom` was given. */
  readonly showsKept: boolean;
  showFrom(open: (() => PacketStream | undefined) | undefined): void;
  stop(): Promise<void>;
}

/** What is kept of the current service. */
export interface KeptService {
  /** Unix seconds with fractions: from when to when. */
  readonly begin: UnixSeconds;
  readonly end: UnixSeconds;
  readonly isClosed: boolean;
  /** A stream that begins not later than at this time, and the time at which it does. */
  streamAt(time: UnixSeconds): { readonly begin: UnixSeconds; readonly stream: PacketStream };
}

/** Seconds: nearer to the present than this is live. */
const nearlyLive = 5;

export class Player {
  readonly #playback: PlayerParts;
  readonly #timeshift: { readonly active: KeptService | undefined };
  /** What is shown of what was kept: since when, on the air, it is shown. */
  #shown: { readonly kept: KeptService; begin: UnixSeconds } | undefined;
  /** Where, on the air, live television is paused. */
  #pausedAt: UnixSeconds | undefined;

  constructor(playback: PlayerParts, timeshift: { readonly active: KeptService | undefined } = { active: undefined }) {
    this.#playback = playback;
    this.#timeshift = timeshift;
  }

  /** Pauses or goes on; undefined: the other of the two. */
  pause(paused = !this.#playback.output.paused): void {
    const { output } = this.#playback;
    if (this.#plays) {
      output.pause(paused);
      return;
    }
    const kept = this.#kept;
    if (!kept || paused === output.paused) return;
    if (paused) this.#pausedAt = this.#time(kept);
    // What is kept waits for its reader; the stream of a tuner does not.
    if (paused || this.#shown || kept.end - (this.#pausedAt ?? 0) < nearlyLive) output.pause(paused);
    else this.#goTo(kept, this.#pausedAt);
  }

  /** Forward, or back by a negative number of seconds; not before the beginning, and of live television not beyond the present. */
  seekBy(seconds: number): void {
    const { output } = this.#playback;
    const kept = this.#kept;
    if (this.#plays) output.seek(Math.max(0, (output.position ?? 0) + seconds));
    else if (kept) this.#goTo(kept, (this.#pausedAt ?? this.#time(kept)) + seconds);
  }

  /** Ends the recording; what was watched before is the current service again. Of live television shows the present. */
  stop(): Promise<void> {
    if (!this.#plays && this.#kept && (this.#shown || this.#pausedAt !== undefined)) this.#goTo(this.#kept);
    return this.#playback.stop();
  }

  get #plays(): boolean {
    return this.#playback.current?.played !== undefined;
  }

  /** What is kept of what is watched. */
  get #kept(): KeptService | undefined {
    const kept = this.#timeshift.active;
    if (this.#shown?.kept !== kept || !this.#playback.showsKept) this.#shown = undefined;
    if (!kept || !this.#playback.output.paused) this.#pausedAt = undefined;
    return kept;
  }

  /** When what is shown was on the air. */
  #time(kept: KeptService): UnixSeconds {
    return this.#shown ? this.#shown.begin + (this.#playback.output.position ?? 0) : kept.end;
  }

  /** Shows what was on the air then; what lies ahead, and without a time, is the present. */
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
