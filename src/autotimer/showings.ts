/**
 * The showings for which rules have created timers, kept until they are over and no counter needs them. A showing whose
 * timer is gone was dismissed by the user: it is not recorded again, whichever rule finds it.
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
  /** The rule that created the timer. */
  readonly rule: number;
  readonly service: DvbTriplet;
  /** event_id. */
  readonly event: number;
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  /** CRID of the programme, '' for none. */
  readonly crid: string;
  /** Digest of its long text, which a timer does not store. */
  readonly digest: string;
}

/** Seconds that an event may move and still count as the same. */
const furthestMove = 6 * 3600;
/** Maximum showings stored; beyond it, those that begin last are dropped. */
export const maximumShowings = 10_000;

export function showingOf(rule: number, event: GuideEvent, crid: string): Showing {
  const { service, id, start, duration, extendedText } = event;
  return { rule, service, event: id, start, end: start + duration, crid, digest: digestOf(extendedText) };
}

/** Whether two lists are equal. */
export const areSame = (some: readonly Showing[], others: readonly Showing[]) =>
  some.length === others.length && some.every((one, index) => isSame(one, others[index] as Showing));

const isSame = (a: Showing, b: Showing) =>
  a.rule === b.rule &&
  tripletKey(a.service) === tripletKey(b.service) &&
  a.event === b.event &&
  a.start === b.start &&
  a.end === b.end &&
  a.crid === b.crid &&
  a.digest === b.digest;

interface Circumstances {
  readonly now: UnixSeconds;
  readonly serviceOf: (timer: Timer) => DvbTriplet | undefined;
  /** Whether a rule counts it in a period that is not over. */
  readonly isCounted: (showing: Showing) => boolean;
}

/** A timer of a rule that has an event. */
interface Made {
  readonly timer: Timer;
  readonly service: DvbTriplet;
}

export class Showings {
  /** Showings whose timer exists, by timer id. */
  readonly ofTimer: ReadonlyMap<number, Showing>;
  /** Showings whose timer was removed by the user. */
  readonly dismissed: readonly Showing[];
  /** Past showings without a timer that a rule still counts. */
  readonly past: readonly Showing[];
  readonly #dismissed = new Map<number, Showing[]>();

  /**
   * Classifies showings by the existing timers. A timer that moved takes its showing with it. Past showings without a
   * timer are dropped unless `isCounted`.
   */
  static async of(
    known: readonly Showing[],
    timers: readonly Timer[],
    { now, serviceOf, isCounted }: Circumstances,
  ): Promise<Showings> {
    const slice = new TimeSlice();
    const matched = new Map<number, Showing>();
    const made = new Map<string, Made[]>();
    for (const timer of timers) {
      if (slice.isOver) await slice.next();
      const service = timer.autoTimerRule !== undefined && timer.event && serviceOf(timer);
      if (!service) continue;
      appendTo(made, keyOf(timer.autoTimerRule, service), { timer, service });
    }
    const unmatched: Showing[] = [];
    const claim = (showing: Showing, isSame: (timer: Timer) => boolean) => {
      const ours = made.get(keyOf(showing.rule, showing.service)) ?? [];
      const found = ours.find(({ timer }) => !matched.has(timer.id) && isSame(timer));
      if (found) matched.set(found.timer.id, ofTimer(found, showing.digest));
      return found !== undefined;
    };
    // Unmoved ones first, so that none takes another's timer.
    for (const one of known) {
      if (slice.isOver) await slice.next();
      if (!claim(one, ({ eventId, event }) => eventId === one.event && event?.start === one.start)) unmatched.push(one);
    }
    const gone = unmatched.filter((one) => !claim(one, (timer) => isNear(timer, one)));
    const dismissed = gone.filter(({ end }) => end > now);
    const past = gone.filter((one) => one.end <= now && isCounted(one));
    // A timer that was created right before the receiver stopped.
    for (const one of [...made.values()].flat()) {
      if (!matched.has(one.timer.id)) matched.set(one.timer.id, ofTimer(one, undefined));
    }
    return new Showings(matched, dismissed, past);
  }

  private constructor(ofTimer: ReadonlyMap<number, Showing>, dismissed: readonly Showing[], past: readonly Showing[]) {
    this.ofTimer = ofTimer;
    this.dismissed = dismissed;
    this.past = past;
    for (const one of dismissed) appendTo(this.#dismissed, tripletKey(one.service), one);
  }

  /** The showings to store. */
  get all(): readonly Showing[] {
    const all = [...this.ofTimer.values(), ...this.dismissed, ...this.past].sort((a, b) => a.start - b.start);
    return all.slice(0, maximumShowings);
  }

  isDismissed(event: GuideEvent, crid: string): boolean {
    const there = this.#dismissed.get(tripletKey(event.service)) ?? [];
    return there.some((one) => {
      if (Math.abs(one.start - event.start) > furthestMove) return false;
      if (one.event === event.id) return one.crid === crid || crid === '' || one.crid === '';
      if (one.crid !== crid) return false;
      if (crid !== '') return one.start === event.start;
      return overlap(one, timerEvent(event)) && one.digest === digestOf(event.extendedText);
    });
  }
}

const keyOf = (rule: number | undefined, service: DvbTriplet) => `${rule} ${tripletKey(service)}`;

function ofTimer({ timer, service }: Made, digest: string | undefined): Showing {
  const { start = timer.begin, end = timer.end, crid = '' } = timer.event ?? {};
  return { rule: timer.autoTimerRule ?? 0, service, event: timer.eventId ?? 0, start, end, crid, digest: digest ?? '' };
}

function isNear({ eventId, event }: Timer, showing: Showing): boolean {
  if (event === undefined || Math.abs(event.start - showing.start) > furthestMove) return false;
  return eventId === showing.event || (showing.crid !== '' ? event.crid === showing.crid : overlap(event, showing));
}
