/** Which transponder's guide to collect next: the one whose data is oldest. */
import type { UnixSeconds } from '../base/clock.ts';
import { type Transponder, transponderKey } from '../dvb/transponder.ts';
import type { GuideProgress } from '../dvb/tuner.ts';

type Stream = Pick<Transponder, 'originalNetworkId' | 'transportStreamId'>;

const streamKey = ({ originalNetworkId, transportStreamId }: Stream) => originalNetworkId * 0x10000 + transportStreamId;

export class GuidePlan {
  readonly #every: number;
  /** When the schedules of a transport stream were last received whole, here or as those of another one. */
  readonly #collected = new Map<number, UnixSeconds>();
  /** When a transponder was last visited, whatever came of it. */
  readonly #visited = new Map<string, UnixSeconds>();

  /** `every`: seconds after which data is old. */
  constructor(every: number) {
    this.#every = every;
  }

  /** A tuner has received this, for the guide or for somebody else. */
  note(progress: readonly GuideProgress[], now: UnixSeconds): void {
    for (const stream of progress) if (isComplete(stream)) this.#collected.set(streamKey(stream), now);
  }

  visited(transponder: Transponder, now: UnixSeconds): void {
    this.#visited.set(transponderKey(transponder), now);
  }

  /** Those that are due, the oldest data first. */
  due(transponders: readonly Transponder[], now: UnixSeconds): readonly Transponder[] {
    const last = (one: Transponder) =>
      Math.max(this.#visited.get(transponderKey(one)) ?? 0, this.#collected.get(streamKey(one)) ?? 0);
    return transponders.filter((one) => now - last(one) >= this.#every).sort((a, b) => last(a) - last(b));
  }
}

/** Every schedule that was announced has arrived. */
const isComplete = ({ schedules, schedulesComplete }: GuideProgress) =>
  schedules > 0 && schedules === schedulesComplete;

/** Everything that was announced has arrived, of all streams. */
export function isWhole(progress: readonly GuideProgress[]): boolean {
  return (
    progress.length > 0 &&
    progress.every((one) => one.schedules === one.schedulesComplete) &&
    progress.every((one) => one.presentFollowing === one.presentFollowingComplete)
  );
}
