/** Moves timers with their events when the broadcaster reschedules them. */
import type { UnixSeconds } from '../base/clock.ts';
import { isActive, logCodes, logged, type Timer } from './timer.ts';
import { moved, presentEvent, type TimerGuideParts } from './timer-event.ts';
import type { TimerList } from './timer-list.ts';

export interface MovedEventsParts extends TimerGuideParts {
  readonly list: TimerList;
  readonly log: { info(text: string): void; warn(text: string): void };
}

/** Seconds between two checks of the guide. */
const pace = 10;
/** Seconds ahead in which events are followed: longer than any broadcast guide. */
const horizon = 15 * 86_400;

export class MovedEvents {
  readonly #parts: MovedEventsParts;
  #hasChanged = true;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: MovedEventsParts) {
    this.#parts = parts;
  }

  /** Notes that the guide has changed: there may be something to follow. */
  guideChanged(): void {
    this.#hasChanged = true;
  }

  /** When the guide is due for a check; infinite while unchanged. */
  get dueAt(): UnixSeconds {
    return this.#hasChanged ? this.#lookedAt + pace : Number.POSITIVE_INFINITY;
  }

  /** Checks the guide if that is due. Timers for which `stays` returns true are left alone. */
  async follow(now: UnixSeconds, stays: (timer: Timer) => boolean): Promise<void> {
    // A clock that went back makes a check due as well.
    if (!this.#hasChanged || (now < this.dueAt && now >= this.#lookedAt)) return;
    this.#hasChanged = false;
    this.#lookedAt = now;
    for (const timer of this.#parts.list.all) {
      if (!isActive(timer) || timer.repeated !== 0 || timer.event === undefined || stays(timer)) continue;
      if (timer.begin - now <= horizon) await this.#follow(timer, now);
    }
  }

  async #follow(timer: Timer, now: UnixSeconds): Promise<void> {
    const { list, guide, guideKey, log } = this.#parts;
    const service = guideKey(timer.reference);
    const present = service && (await presentEvent(guide, service, timer));
    if (!present) return;
    const was = list.find(timer.id);
    const is = list.update(timer.id, (one) => {
      const next = moved(one, present, now);
      const isShifted = next.begin !== one.begin || next.end !== one.end;
      return isShifted ? logged(next, now, logCodes.changed, 'record time changed: the event was moved') : next;
    });
    if (!was || !is || (is.begin === was.begin && is.end === was.end)) return;
    log.info(`timer '${is.name}' follows its event: moved by ${is.begin - was.begin} s`);
    const conflicts = await list.conflictsOf(is);
    if (conflicts)
      log.warn(
        `timer '${is.name}' may get no tuner now, because of ${conflicts.map((one) => one.timer.name).join(' / ')}; change or delete one`,
      );
  }
}
