/**
 * A service stored on disk as far back as there is room. The ring is native: a thread writes the tuner's output into a
 * series of files and removes the oldest. Nothing here waits for the disk, and no packet becomes a JavaScript object.
 */
import { native, type Ring, type RingOptions } from '../native.ts';

export type { RingOptions, RingSegment, RingStatus } from '../native.ts';

/** The native object: passed to `Tuner.recordService`, which opens a stream into it. */
export type { Ring };

/** Opens a ring, without a stream yet. */
export function openRing(options: RingOptions): Ring {
  return new native.Ring(options);
}
