/** Decides which of a rule's events get a timer, and why the others do not. */
import { appendTo } from '../base/append-to.ts';
import type { UnixSeconds } from '../base/clock.ts';
import type { ReceiverError } from '../base/errors.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import { occurrencesWithin, type Span, type Zone } from '../timers/repeat.ts';
import { isActive, type Timer, type TimerSpec } from '../timers/timer.ts';
import { timerEvent } from '../timers/timer-event.ts';
import type { Addition } from '../timers/timer-list.ts';
import { orderOf } from '../timers/timer-specs.ts';
import { type Programmes, programmeOf } from './programme.ts';
import { maximumTimersOfRule, maximumTimersOfRules, periodAt, type Rule } from './rule.ts';
import type { RuleSettings } from './rules-file.ts';
import type { FoundEvent } from './search.ts';
import type { Showings } from './showings.ts';

/**
 * The outcome for an event found by a rule: it gets a timer (`planned`); it has one (`timer`); it is a `repeat`; the
 * user removed its timer (`dismissed`); the rule has reached its number of timers in that period (`counter`); its timer
 * was `refused` for lack of a tuner; or a maximum number is reached (`bound`).
 */
export const verdicts = ['planned', 'timer', 'repeat', 'dismissed', 'counter', 'refused', 'bound'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Match extends FoundEvent {
  readonly verdict: Verdict;
  /** The new or existing timer. */
  readonly timer?: Timer;
  /** Why it was refused. */
  readonly refused?: ReceiverError;
}

/** State shared by all rules of a run; each rule updates it for the following ones. */
export interface PlanContext {
  readonly settings: RuleSettings;
  readonly coverage: Coverage;
  readonly showings: Showings;
  readonly programmes: Programmes;
  /** Timers of rules that have not ended: per rule, and in total. */
  readonly counts: Map<number, number>;
  total: number;
  readonly counters: Counters;
  /** Seconds. */
  readonly margins: { readonly before: number; readonly after: number };
  /** Resolves a rule's folder if it may still be used. */
  readonly folder: (dirname: string) => string | undefined;
}

/** Maximum refusals of one rule in a run; later events are tried once these are over. */
const maximumRefusals = 20;

/** Orders timers for a rule, in turns. Returns the outcome for every event, or for those before `isOver`. */
export async function plan(
  rule: Rule,
  found: readonly FoundEvent[],
  context: PlanContext,
  add: (order: TimerSpec) => Promise<Addition>,
  isOver = () => false,
): Promise<readonly Match[]> {
  const matches: Match[] = [];
  const slice = new TimeSlice();
  let refusals = 0;
  for (const one of found) {
    if (slice.isOver) await slice.next();
    if (isOver()) break;
    const before =
      judged(rule, one, context) ?? (refusals < maximumRefusals ? undefined : { verdict: 'bound' as const });
    if (before) {
      matches.push({ ...one, ...before });
      continue;
    }
    const outcome = await add(orderFor(rule, one, context));
    if ('refused' in outcome) {
      refusals++;
      matches.push({ ...one, verdict: 'refused', refused: outcome.refused });
      continue;
    }
    const { timer, added } = outcome;
    matches.push({ ...one, verdict: added ? 'planned' : 'timer', timer });
    if (added) note(rule, one.event, timer, context);
  }
  return matches;
}

/** Why an event needs no timer. */
function judged(rule: Rule, { event }: FoundEvent, context: PlanContext): Pick<Match, 'verdict' | 'timer'> | undefined {
  const timer = context.coverage.of(event, rule);
  if (timer) return { verdict: 'timer', timer };
  if (context.showings.isDismissed(event, timerEvent(event).crid)) return { verdict: 'dismissed' };
  if (rule.avoidDuplicates !== 'none' && context.programmes.has(programmeOf(event), rule)) return { verdict: 'repeat' };
  if (context.counters.isFull(rule, event.start)) return { verdict: 'counter' };
  const count = context.counts.get(rule.id) ?? 0;
  return count >= maximumTimersOfRule || context.total >= maximumTimersOfRules ? { verdict: 'bound' } : undefined;
}

function orderFor(rule: Rule, { event, reference }: FoundEvent, { settings, margins, folder }: PlanContext): TimerSpec {
  const { marginBefore, marginAfter, dirname, tags, vps } = rule;
  const names = [
    ...(settings.addAutoTimerToTags ? ['AutoTimer'] : []),
    // The form that Kodi looks for.
    ...(settings.addNameToTags ? [rule.name.replace(/\s/g, '_')] : []),
  ];
  return orderOf(
    event,
    {
      reference,
      justPlay: rule.justplay,
      alwaysZap: rule.zapbeforerecord,
      followsRunningStatus: vps,
      endsWithEvent: vps && rule.vpsOverwrite,
      afterEvent: rule.afterevent,
      folder: dirname === null ? undefined : folder(dirname),
      tags: [...new Set([...tags, ...names])],
      autoTimer: true,
      autoTimerRule: rule.id,
    },
    {
      before: marginBefore === null ? margins.before : marginBefore * 60,
      after: marginAfter === null ? margins.after : marginAfter * 60,
    },
  );
}

function note(rule: Rule, event: GuideEvent, timer: Timer, context: PlanContext): void {
  context.coverage.add(timer, event.service);
  if (!timer.justPlay) context.programmes.add(programmeOf(event));
  context.counts.set(rule.id, (context.counts.get(rule.id) ?? 0) + 1);
  context.total++;
  context.counters.add(rule, event.start);
}

/** Counts the timers that rules have created per period, including past and removed ones. */
export class Counters {
  readonly #zone: Zone;
  readonly #counts = new Map<string, number>();

  constructor(zone: Zone) {
    this.#zone = zone;
  }

  add(rule: Rule, start: UnixSeconds): void {
    if (rule.counter === 0) return;
    const key = this.#keyOf(rule, start);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  isFull(rule: Rule, start: UnixSeconds): boolean {
    return rule.counter > 0 && (this.#counts.get(this.#keyOf(rule, start)) ?? 0) >= rule.counter;
  }

  #keyOf(rule: Rule, start: UnixSeconds): string {
    return `${rule.id} ${periodAt(rule, start, this.#zone)}`;
  }
}

/** Seconds that a timer may end before its event and still count as covering it. */
const coveringTolerance = 60;

/** The timers by service, to find the one that covers an event. */
export class Coverage {
  readonly #zone: Zone;
  readonly #timers = new Map<number, Timer[]>();

  constructor(zone: Zone) {
    this.#zone = zone;
  }

  add(timer: Timer, service: DvbTriplet): void {
    appendTo(this.#timers, tripletKey(service), timer);
  }

  /**
   * Includes disabled timers: the user does not want the event. A timer that only shows the service is not a recording.
   */
  of(event: GuideEvent, { justplay }: Rule): Timer | undefined {
    const { service, id, start, duration } = event;
    const span = { begin: start, end: start + duration };
    return this.#timers.get(tripletKey(service))?.find((timer) => {
      if (timer.justPlay !== justplay || timer.state === 'ended') return false;
      if (timer.eventId === id && timer.event?.start === start) return true;
      if (timer.repeated === 0 && !covers(timer, span)) return false;
      return occurrencesWithin(timer, this.#zone, span).some((time) => covers(time, span));
    });
  }
}

const covers = (one: Span, span: Span) => one.begin <= span.begin && one.end >= span.end - coveringTolerance;

/** Whether it will record or has recorded, so that a repeat is a repeat of it. */
export const isOfUse = (timer: Timer) =>
  !timer.justPlay && (isActive(timer) || (timer.state === 'ended' && !timer.failed && !timer.disabled));
