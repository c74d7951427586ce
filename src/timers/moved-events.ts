/** Moves timers with their events when the broadcaster reschedules them. */
import type { UnixSeconds } from '../base/clock.ts';
import { isActive, logCodes, type Timer, withLogEntry } from './timer.ts';
import { currentVersionOf, moveWithEvent, type TimerGuideParts } from './timer-event.ts';
import type { TimerList } from './timer-list.ts';

export interface MovedEventsParts extends TimerGuideParts {
  readonly list: TimerList;
  readonly log: { info(text: string): void; warn(text: string): void };
}

/** Seconds between two checks of the guide. */
const checkIntervalSeconds = 10;
/** Timers that begin later than this are not checked; no broadcast guide reaches further. */
const horizonSeconds = 15 * 86_400;

export class MovedEvents {
  readonly #parts: MovedEventsParts;
  #hasChanged = true;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: MovedEventsParts) {
    this.#parts = parts;
  }

  /** Makes a check of the guide due, because it has changed. */
  guideChanged(): void {
    this.#hasChanged = true;
  }

  /** When the guide is to be checked next; infinity while it is unchanged. */
  get dueAt(): UnixSeconds {
    return this.#hasChanged ? this.#checkedAt + checkIntervalSeconds : Number.POSITIVE_INFINITY;
  }

  /** Checks the guide if that is due. Timers for which `isFixed` returns true are not moved. */
  async moveTimers(now: UnixSeconds, isFixed: (timer: Timer) => boolean): Promise<void> {
    // A check is also due if the clock was set back.
    if (!this.#hasChanged || (now < this.dueAt && now >= this.#checkedAt)) return;
    this.#hasChanged = false;
    this.#checkedAt = now;
    for (const timer of this.#parts.list.all) {
      if (!isActive(timer) || timer.repeated !== 0 || timer.event === undefined || isFixed(timer)) continue;
      if (timer.begin - now <= horizonSeconds) await this.#moveTimer(timer, now);
    }
  }

  async #moveTimer(timer: Timer, now: UnixSeconds): Promise<void> {
    const { list, guide, guideKey, log } = this.#parts;
    const service = guideKey(timer.reference);
    const event = service && (await currentVersionOf(guide, service, timer));
    if (!event) return;
    const before = list.find(timer.id);
    const moved = list.update(timer.id, (one) => {
      const next = moveWithEvent(one, event, now);
      const change = changeOf(one, next);
      return change === '' ? next : withLogEntry(next, now, logCodes.changed, `record time changed: ${change}`);
    });
    const change = before && moved && changeOf(before, moved);
    if (!change) return;
    log.info(`timer '${moved.name}' follows its event: ${change}`);
    const conflicts = await list.conflictsOf(moved);
    if (conflicts)
      log.warn(
        `timer '${moved.name}' follows its event and now conflicts with ${conflicts.map((conflict) => conflict.timer.name).join(' / ')}: change or delete one of them`,
      );
  }
}

/** `begins 600 s later and ends 900 s later`; empty if both times are the same. */
function changeOf(before: Timer, after: Timer): string {
  const shift = (verb: string, seconds: number) =>
    seconds === 0 ? [] : [`${verb} ${Math.abs(seconds)} s ${seconds > 0 ? 'later' : 'earlier'}`];
  return [...shift('begins', after.begin - before.begin), ...shift('ends', after.end - before.end)].join(' and ');
}
