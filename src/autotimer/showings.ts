/**
 * Remembers the showings for which rules have created timers, until they are over and no counter needs them. If the timer
 * of a showing no longer exists, the user has dismissed the showing: no rule creates a timer for it again.
 */
import { appendTo } from '../base/append-to.ts';
import type { UnixSeconds } from '../base/clock.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import type { Timer } from '../timers/timer.ts';
import { overlap, timerEvent } from '../timers/timer-event.ts';
import { digestOf } from './programme.ts';

export interface Showing {
  /** Id of the rule that created the timer. */
  readonly rule: number;
  readonly service: DvbTriplet;
  /** event_id. */
  readonly event: number;
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  /** CRID of the programme; empty if there is none. */
  readonly crid: string;
  /** Digest of the long text, which a timer does not store; empty if unknown. */
  readonly digest: string;
}

/** An event whose start has moved by no more than this is still the same event. */
const maxMoveSeconds = 6 * 3600;
/** Beyond this number, the showings that begin last are not stored. */
export const maxShowings = 10_000;

export function showingOf(rule: number, event: GuideEvent, crid: string): Showing {
  const { service, id, start, duration, extendedText } = event;
  return { rule, service, event: id, start, end: start + duration, crid, digest: digestOf(extendedText) };
}

export const areEqualLists = (a: readonly Showing[], b: readonly Showing[]) =>
  a.length === b.length && a.every((showing, index) => isSame(showing, b[index] as Showing));

const isSame = (a: Showing, b: Showing) =>
  a.rule === b.rule &&
  tripletKey(a.service) === tripletKey(b.service) &&
  a.event === b.event &&
  a.start === b.start &&
  a.end === b.end &&
  a.crid === b.crid &&
  a.digest === b.digest;

interface ClassificationInput {
  readonly now: UnixSeconds;
  readonly serviceOf: (timer: Timer) => DvbTriplet | undefined;
  /** Whether its rule has a counter and the period of the showing is not over. */
  readonly isCounted: (showing: Showing) => boolean;
}

/** A timer that a rule has created, and its service. */
interface RuleTimer {
  readonly timer: Timer;
  readonly service: DvbTriplet;
}

export class Showings {
  /** Showings whose timer exists, by the id of the timer. */
  readonly ofTimer: ReadonlyMap<number, Showing>;
  /** Showings whose timer was removed by the user. */
  readonly dismissed: readonly Showing[];
  /** Past showings without a timer that a counter still needs. */
  readonly past: readonly Showing[];
  readonly #dismissedByService = new Map<number, Showing[]>();

  /**
   * Classifies the stored showings by the existing timers. If the event of a timer has moved, its showing is updated.
   * Past showings without a timer are dropped unless `isCounted`.
   */
  static async classify(
    stored: readonly Showing[],
    timers: readonly Timer[],
    { now, serviceOf, isCounted }: ClassificationInput,
  ): Promise<Showings> {
    const slice = new TimeSlice();
    const matched = new Map<number, Showing>();
    const ruleTimers = new Map<string, RuleTimer[]>();
    for (const timer of timers) {
      if (slice.isOver) await slice.next();
      const service = timer.autoTimerRule !== undefined && timer.event && serviceOf(timer);
      if (!service) continue;
      appendTo(ruleTimers, keyOf(timer.autoTimerRule, service), { timer, service });
    }
    const unmatched: Showing[] = [];
    const claimTimer = (showing: Showing, isSame: (timer: Timer) => boolean) => {
      const candidates = ruleTimers.get(keyOf(showing.rule, showing.service)) ?? [];
      const found = candidates.find(({ timer }) => !matched.has(timer.id) && isSame(timer));
      if (found) matched.set(found.timer.id, showingOfTimer(found, showing.digest));
      return found !== undefined;
    };
    // Showings that have not moved come first, so that a moved one does not get the timer of another.
    for (const showing of stored) {
      if (slice.isOver) await slice.next();
      const hasNotMoved = ({ eventId, event }: Timer) => eventId === showing.event && event?.start === showing.start;
      if (!claimTimer(showing, hasNotMoved)) unmatched.push(showing);
    }
    const withoutTimer = unmatched.filter((showing) => !claimTimer(showing, (timer) => isNear(timer, showing)));
    const dismissed = withoutTimer.filter(({ end }) => end > now);
    const past = withoutTimer.filter((showing) => showing.end <= now && isCounted(showing));
    // A timer has no stored showing if the receiver stopped right after creating it.
    for (const ruleTimer of [...ruleTimers.values()].flat()) {
      if (!matched.has(ruleTimer.timer.id)) matched.set(ruleTimer.timer.id, showingOfTimer(ruleTimer, undefined));
    }
    return new Showings(matched, dismissed, past);
  }

  private constructor(ofTimer: ReadonlyMap<number, Showing>, dismissed: readonly Showing[], past: readonly Showing[]) {
    this.ofTimer = ofTimer;
    this.dismissed = dismissed;
    this.past = past;
    for (const showing of dismissed) appendTo(this.#dismissedByService, tripletKey(showing.service), showing);
  }

  /** The showings to store. */
  get all(): readonly Showing[] {
    const all = [...this.ofTimer.values(), ...this.dismissed, ...this.past].sort((a, b) => a.start - b.start);
    return all.slice(0, maxShowings);
  }

  /** Whether the user has removed the timer of this event. `crid`: the CRID of its programme; empty if it has none. */
  isDismissed(event: GuideEvent, crid: string): boolean {
    const dismissed = this.#dismissedByService.get(tripletKey(event.service)) ?? [];
    return dismissed.some((showing) => {
      if (Math.abs(showing.start - event.start) > maxMoveSeconds) return false;
      if (showing.event === event.id) return showing.crid === crid || crid === '' || showing.crid === '';
      if (showing.crid !== crid) return false;
      if (crid !== '') return showing.start === event.start;
      return overlap(showing, timerEvent(event)) && showing.digest === digestOf(event.extendedText);
    });
  }
}

const keyOf = (rule: number | undefined, service: DvbTriplet) => `${rule} ${tripletKey(service)}`;

function showingOfTimer({ timer, service }: RuleTimer, digest: string | undefined): Showing {
  const { start = timer.begin, end = timer.end, crid = '' } = timer.event ?? {};
  return { rule: timer.autoTimerRule ?? 0, service, event: timer.eventId ?? 0, start, end, crid, digest: digest ?? '' };
}

/** Whether the timer is for the event of a showing that has moved, or got another event_id. */
function isNear({ eventId, event }: Timer, showing: Showing): boolean {
  if (event === undefined || Math.abs(event.start - showing.start) > maxMoveSeconds) return false;
  return eventId === showing.event || (showing.crid !== '' ? event.crid === showing.crid : overlap(event, showing));
}
