/** What is kept of a service, as those who read it see it. */

/** A part of what is kept, by itself a transport stream that can be played. */
export interface KeptSegment {
  readonly sequence: number;
  /** Absolute. */
  readonly path: string;
  /** Bytes at its beginning that are copies of PAT and PMT, for those who begin here. */
  readonly head: number;
  readonly bytes: number;
  /** Seconds. */
  readonly duration: number;
  /** Unix seconds, with a fraction. */
  readonly begin: number;
  readonly discontinuity: boolean;
}

export interface Kept {
  /** Those that are whole, the oldest first; their numbers follow each other. */
  readonly segments: readonly KeptSegment[];
  /** The one that is being written, as far as it can be read. */
  readonly growing: KeptSegment;
  readonly isClosed: boolean;
  /** The one with this number; undefined when it is gone, or has not begun. */
  segment(sequence: number): KeptSegment | undefined;
  /** Resolves at the next look, when there may be more of it, or it is closed. */
  more(): Promise<void>;
}
