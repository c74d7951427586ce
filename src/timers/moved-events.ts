/** Moves timers with their events when the broadcaster reschedules them, and adds timers where an event is continued. */
import type { UnixSeconds } from '../base/clock.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import type { Guide } from '../epg/guide.ts';
import type { ServiceReference } from '../services/reference.ts';
import { isMovedFrom, locatorOf, relaysOf } from './event-groups.ts';
import { editText, isActive, logCodes, newTimer, type Timer, withLogEntry } from './timer.ts';
import {
  currentVersionOf,
  maxMoveSeconds,
  moveWithEvent,
  type TimerGuide,
  type TimerGuideParts,
} from './timer-event.ts';
import type { TimerList } from './timer-list.ts';
import { specOfEvent } from './timer-specs.ts';

export interface MovedEventsParts extends TimerGuideParts {
  readonly list: TimerList;
  readonly guide: TimerGuide & Pick<Guide, 'search'>;
  /** The listed service with this triplet. */
  readonly referenceOf: (service: DvbTriplet) => ServiceReference | undefined;
  readonly nameOf: (reference: ServiceReference) => string;
  readonly log: { info(text: string): void; warn(text: string): void };
}

/** Seconds between two checks of the guide. */
const checkIntervalSeconds = 10;
/** Timers that begin later than this are not checked; no broadcast guide reaches further. */
const horizonSeconds = 15 * 86_400;
/** An event continues another one if it begins at most this many seconds after that has ended. */
const maxRelayGapSeconds = 1800;
/** Searches of the whole guide in one check: many timers would delay the start of others. */
const maxSearches = 4;
/** Timers that continue one timer. */
const maxRelays = 4;

export class MovedEvents {
  readonly #parts: MovedEventsParts;
  #hasChanged = true;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** Ids of timers for which the guide was searched, until it was for all that need it. */
  readonly #searched = new Set<number>();
  #searchesLeft = 0;
  #mustContinue = false;

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
    this.#searchesLeft = maxSearches;
    this.#mustContinue = false;
    for (const timer of this.#parts.list.all) {
      if (!isActive(timer) || timer.repeated !== 0 || timer.event === undefined || isFixed(timer)) continue;
      if (timer.begin - now <= horizonSeconds) await this.#moveTimer(timer, now);
    }
    if (this.#mustContinue) this.#hasChanged = true;
    else this.#searched.clear();
  }

  async #moveTimer(timer: Timer, now: UnixSeconds): Promise<void> {
    const { list, guide, guideKey, referenceOf, nameOf, log } = this.#parts;
    const service = guideKey(timer.reference);
    if (service === undefined) return;
    const found = await currentVersionOf(guide, service, timer);
    const event = found ?? (await this.#movedElsewhere(timer, service));
    const elsewhere = found ? undefined : event && referenceOf(event.service);
    if (event === undefined || (found ?? elsewhere) === undefined) return;
    await this.#addRelay(timer, event, now);
    const before = list.find(timer.id);
    const moved = list.update(timer.id, (one) => {
      const moved = moveWithEvent(one, event, now);
      const next = elsewhere ? { ...moved, reference: elsewhere } : moved;
      const change = changeOf(one, next, nameOf);
      return change === '' ? next : withLogEntry(next, now, logCodes.changed, `${editText}: ${change}`);
    });
    const change = before && moved && changeOf(before, moved, nameOf);
    if (!change) return;
    log.info(`timer '${moved.name}' follows its event: ${change}`);
    const conflicts = await list.conflictsOf(moved);
    if (conflicts)
      log.warn(
        `timer '${moved.name}' follows its event and now conflicts with ${conflicts.map((conflict) => conflict.timer.name).join(' / ')}: change or delete one of them`,
      );
  }

  /** The event of a timer on another service, if another event has taken its place and it says that it has moved. */
  async #movedElsewhere({ id, event, eventId, state }: Timer, service: DvbTriplet): Promise<GuideEvent | undefined> {
    if (event === undefined || eventId === undefined || state === 'running') return undefined;
    const { guide } = this.#parts;
    if (this.#searched.has(id) || (await guide.at(service, event.start)) === null) return undefined;
    if (this.#searchesLeft === 0) {
      this.#mustContinue = true;
      return undefined;
    }
    this.#searchesLeft--;
    this.#searched.add(id);
    const locator = locatorOf(service, eventId);
    const from = event.start - maxMoveSeconds;
    const { events } = await guide.search({ crid: { crid: locator }, from, until: event.start + maxMoveSeconds });
    return events.find((one) => isMovedFrom(one, locator));
  }

  /** Adds a timer for the event that continues the event of a timer: once, even if it is removed. */
  async #addRelay(timer: Timer, event: GuideEvent, now: UnixSeconds): Promise<void> {
    const { list, guide, referenceOf, nameOf, log } = this.#parts;
    const { begin, end, relayOf = timer.id } = timer;
    const eventEnd = event.start + event.duration;
    for (const { locator, service, eventId } of relaysOf(event)) {
      if (timer.log.some(({ text }) => text.endsWith(` ${locator}`))) return;
      const reference = referenceOf(service);
      const next = reference && (await guide.byId(service, eventId));
      if (!next || next.start <= event.start || next.start > eventEnd + maxRelayGapSeconds) continue;
      if (list.all.filter((one) => one.relayOf === relayOf).length >= maxRelays) return;
      const { start = begin, end: until = end } = timer.event ?? {};
      const margins = { before: Math.max(0, start - begin), after: Math.max(0, end - until) };
      const options = { ...timer, reference, relayOf, autoTimer: false, autoTimerRule: undefined };
      let spec = specOfEvent({ ...next, title: next.title || timer.name }, options, margins);
      const text = `continues on ${nameOf(reference)}: ${locator}`;
      list.update(timer.id, (one) => withLogEntry(one, now, logCodes.changed, text));
      // If one tuner must do, it changes when the programme does.
      let lost = 0;
      if ((await list.conflictsOf(newTimer(0, spec), [], true)) !== undefined) {
        lost = end - (list.update(timer.id, (one) => withoutMarginAfter(one, eventEnd))?.end ?? end);
        spec = { ...spec, begin: next.start };
      }
      // In the background: the disk may be slow.
      list.add(spec).then(
        () => log.info(`timer '${timer.name}' ${text}`),
        ({ message }: Error) => {
          if (lost > 0) list.update(timer.id, (one) => ({ ...one, end: one.end + lost, margins: timer.margins }));
          log.warn(`timer '${timer.name}' ${text}, which is not recorded: ${message}`);
        },
      );
      return;
    }
  }
}

const withoutMarginAfter = (timer: Timer, eventEnd: UnixSeconds): Timer => ({
  ...timer,
  end: Math.min(timer.end, Math.max(timer.begin, eventEnd)),
  margins: timer.margins && { ...timer.margins, after: 0 },
});

/** `begins 600 s later and ends 900 s later`; empty if service and times are the same. */
function changeOf(before: Timer, after: Timer, nameOf: MovedEventsParts['nameOf']): string {
  const shift = (verb: string, seconds: number) =>
    seconds === 0 ? [] : [`${verb} ${Math.abs(seconds)} s ${seconds > 0 ? 'later' : 'earlier'}`];
  return [
    ...(before.reference.equals(after.reference) ? [] : [`is on ${nameOf(after.reference)}`]),
    ...shift('begins', after.begin - before.begin),
    ...shift('ends', after.end - before.end),
  ].join(' and ');
}
