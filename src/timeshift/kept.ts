/** The timeshift of a service, as its readers see it. */

/** A segment of the timeshift, playable by itself as a transport stream. */
export interface KeptSegment {
  readonly sequence: number;
  /** Absolute. */
  readonly path: string;
  /** Bytes of copied PAT and PMT at its beginning, for readers that start here. */
  readonly head: number;
  readonly bytes: number;
  /** Seconds. */
  readonly duration: number;
  /** Unix seconds, with a fraction. */
  readonly begin: number;
  readonly discontinuity: boolean;
}

export interface Kept {
  /** The complete segments, the oldest first; their numbers are consecutive. */
  readonly segments: readonly KeptSegment[];
  /** The segment being written, as far as it can be read. */
  readonly growing: KeptSegment;
  readonly isClosed: boolean;
  /** Returns the segment with this number; undefined if it was removed or has not started. */
  segment(sequence: number): KeptSegment | undefined;
  /** Resolves at the next check, when there may be more data, or the timeshift is closed. */
  more(): Promise<void>;
}
