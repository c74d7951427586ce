/** Decides which transponder's guide is collected next: the one with the oldest data. */
import type { UnixSeconds } from '../base/clock.ts';
import { type Transponder, transponderKey } from '../dvb/transponder.ts';
import type { GuideProgress } from '../dvb/tuner.ts';

type Stream = Pick<Transponder, 'originalNetworkId' | 'transportStreamId'>;

const streamKey = ({ originalNetworkId, transportStreamId }: Stream) => originalNetworkId * 0x10000 + transportStreamId;

export class GuidePlan {
  readonly #maxAgeSeconds: number;
  /** When all schedules of a transport stream were last received, on its own transponder or as those of another one. */
  readonly #collected = new Map<number, UnixSeconds>();
  /** When a transponder was last visited, with or without success. */
  readonly #visited = new Map<string, UnixSeconds>();

  /** `maxAgeSeconds`: age at which data is collected again. */
  constructor(maxAgeSeconds: number) {
    this.#maxAgeSeconds = maxAgeSeconds;
  }

  /** Records the progress of a tuner, for any user of it. */
  recordProgress(progress: readonly GuideProgress[], now: UnixSeconds): void {
    for (const stream of progress) if (hasAllSchedules(stream)) this.#collected.set(streamKey(stream), now);
  }

  /** Records a visit to a transponder. */
  recordVisit(transponder: Transponder, now: UnixSeconds): void {
    this.#visited.set(transponderKey(transponder), now);
  }

  /** The transponders that are due, oldest data first. */
  due(transponders: readonly Transponder[], now: UnixSeconds): readonly Transponder[] {
    const last = (one: Transponder) =>
      Math.max(this.#visited.get(transponderKey(one)) ?? 0, this.#collected.get(streamKey(one)) ?? 0);
    return transponders.filter((one) => now - last(one) >= this.#maxAgeSeconds).sort((a, b) => last(a) - last(b));
  }
}

/** Whether all announced schedules have arrived. */
const hasAllSchedules = ({ schedules, schedulesComplete }: GuideProgress) =>
  schedules > 0 && schedules === schedulesComplete;

/** Whether all announced tables of all streams have arrived. */
export function isComplete(progress: readonly GuideProgress[]): boolean {
  return (
    progress.length > 0 &&
    progress.every((one) => one.schedules === one.schedulesComplete) &&
    progress.every((one) => one.presentFollowing === one.presentFollowingComplete)
  );
}
