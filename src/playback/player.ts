/** What the keys of a player do: with a recording that plays. Live television is neither paused nor moved in. */
import type { CurrentService } from './current-service.ts';
import type { Output } from './output.ts';

export interface PlayerParts {
  readonly current: CurrentService | undefined;
  readonly output: Pick<Output, 'paused' | 'position' | 'pause' | 'seek'>;
  stop(): Promise<void>;
}

export class Player {
  readonly #playback: PlayerParts;

  constructor(playback: PlayerParts) {
    this.#playback = playback;
  }

  /** Pauses or goes on; undefined: the other of the two. */
  pause(paused = !this.#playback.output.paused): void {
    if (this.#plays) this.#playback.output.pause(paused);
  }

  /** Forward, or back by a negative number of seconds; not before the beginning. */
  seekBy(seconds: number): void {
    const { output } = this.#playback;
    if (this.#plays) output.seek(Math.max(0, (output.position ?? 0) + seconds));
  }

  /** Ends the recording; what was watched before is the current service again. */
  stop(): Promise<void> {
    return this.#playback.stop();
  }

  get #plays(): boolean {
    return this.#playback.current?.played !== undefined;
  }
}
