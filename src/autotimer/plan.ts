/** Decides which of a rule's events get a timer, and why the others do not. */
import { appendTo } from '../base/append-to.ts';
import type { UnixSeconds } from '../base/clock.ts';
import type { ReceiverError } from '../base/errors.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import { occurrencesWithin, type Span, type Zone } from '../timers/repeat.ts';
import { isActive, type Timer, type TimerSpec } from '../timers/timer.ts';
import { isVersionOf, timerEvent } from '../timers/timer-event.ts';
import type { Addition } from '../timers/timer-list.ts';
import { specOfEvent } from '../timers/timer-specs.ts';
import { type Programmes, programmeOfEvent } from './programme.ts';
import { maxTimersOfAllRules, maxTimersPerRule, periodAt, type Rule } from './rule.ts';
import type { RuleSettings } from './rules-file.ts';
import type { FoundEvent } from './search.ts';
import type { Showings } from './showings.ts';

/**
 * What a rule does with an event it has found:
 *
 *   planned    creates a timer
 *   timer      nothing: the event has a timer
 *   repeat     nothing: another showing of the programme is or will be recorded
 *   dismissed  nothing: the user removed the timer of this showing
 *   counter    nothing: the rule has reached its number of timers for the period
 *   refused    nothing: no tuner is free
 *   bound      nothing: a maximum number of timers or refusals is reached
 */
export const verdicts = ['planned', 'timer', 'repeat', 'dismissed', 'counter', 'refused', 'bound'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Match extends FoundEvent {
  readonly verdict: Verdict;
  /** The timer for `planned` and `timer`. */
  readonly timer?: Timer;
  /** The reason for `refused`. */
  readonly refused?: ReceiverError;
}

/** The state that the rules of a run share. Each rule updates it for the rules after it. */
export interface PlanContext {
  readonly settings: RuleSettings;
  readonly coverage: Coverage;
  readonly showings: Showings;
  readonly programmes: Programmes;
  /** Unfinished timers of rules, by rule id and in total. */
  readonly counts: Map<number, number>;
  total: number;
  readonly counters: TimerCounters;
  /** The configured margins in seconds. */
  readonly margins: { readonly before: number; readonly after: number };
  /** The folder that a rule names; undefined if it is no longer a recording folder. */
  readonly folder: (dirname: string) => string | undefined;
}

/** Refusals per rule. Later events are tried in a later run, when the refused ones are over. */
const maxRefusalsPerRun = 20;

/**
 * Creates the timers of a rule for the events that it has found. `add` adds a timer. Returns the verdict for each event,
 * up to the event before which `isCancelled` returned true.
 */
export async function planTimers(
  rule: Rule,
  found: readonly FoundEvent[],
  context: PlanContext,
  add: (spec: TimerSpec) => Promise<Addition>,
  isCancelled = () => false,
): Promise<readonly Match[]> {
  const matches: Match[] = [];
  const slice = new TimeSlice();
  let refusals = 0;
  for (const candidate of found) {
    if (slice.isOver) await slice.next();
    if (isCancelled()) break;
    const verdict =
      verdictFor(rule, candidate, context) ??
      (refusals < maxRefusalsPerRun ? undefined : { verdict: 'bound' as const });
    if (verdict) {
      matches.push({ ...candidate, ...verdict });
      continue;
    }
    const outcome = await add(timerSpecFor(rule, candidate, context));
    if ('refused' in outcome) {
      refusals++;
      matches.push({ ...candidate, verdict: 'refused', refused: outcome.refused });
      continue;
    }
    const { timer, added } = outcome;
    matches.push({ ...candidate, verdict: added ? 'planned' : 'timer', timer });
    if (added) trackTimer(rule, candidate.event, timer, context);
  }
  return matches;
}

/** Why an event gets no timer; undefined if it should get one. */
function verdictFor(
  rule: Rule,
  { event }: FoundEvent,
  context: PlanContext,
): Pick<Match, 'verdict' | 'timer'> | undefined {
  const timer = context.coverage.timerCovering(event, rule);
  if (timer) return { verdict: 'timer', timer };
  if (context.showings.isDismissed(event, timerEvent(event).crid)) return { verdict: 'dismissed' };
  if (rule.avoidDuplicates !== 'none' && context.programmes.has(programmeOfEvent(event), rule))
    return { verdict: 'repeat' };
  if (context.counters.isFull(rule, event.start)) return { verdict: 'counter' };
  const count = context.counts.get(rule.id) ?? 0;
  return count >= maxTimersPerRule || context.total >= maxTimersOfAllRules ? { verdict: 'bound' } : undefined;
}

function timerSpecFor(
  rule: Rule,
  { event, reference }: FoundEvent,
  { settings, margins, folder }: PlanContext,
): TimerSpec {
  const { marginBefore, marginAfter, dirname, tags, vps } = rule;
  const names = [
    ...(settings.addAutoTimerToTags ? ['AutoTimer'] : []),
    // Kodi looks for this form.
    ...(settings.addNameToTags ? [rule.name.replace(/\s/g, '_')] : []),
  ];
  return specOfEvent(
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

/** Updates the context for a timer that was created. */
function trackTimer(rule: Rule, event: GuideEvent, timer: Timer, context: PlanContext): void {
  context.coverage.add(timer, event.service);
  if (!timer.justPlay) context.programmes.add(programmeOfEvent(event));
  context.counts.set(rule.id, (context.counts.get(rule.id) ?? 0) + 1);
  context.total++;
  context.counters.add(rule, event.start);
}

/** The numbers of timers that rules have created in each counter period, including past and removed timers. */
export class TimerCounters {
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

/** A timer that ends this much before an event still covers it. */
const maxEarlyEndSeconds = 60;

/** Finds the timer that covers an event. */
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
   * A disabled timer covers its event too: the user does not want the event. A rule that records ignores timers that
   * only show the service, and the other way round.
   */
  timerCovering(event: GuideEvent, { justplay }: Rule): Timer | undefined {
    const { service, id, start, duration } = event;
    const span = { begin: start, end: start + duration };
    return this.#timers.get(tripletKey(service))?.find((timer) => {
      if (timer.justPlay !== justplay || timer.state === 'ended') return false;
      if (timer.eventId === id && timer.event?.start === start) return true;
      // The guide may have changed before the timer has followed its event.
      if (timer.repeated === 0 && isVersionOf(timer, event)) return true;
      if (timer.repeated === 0 && !covers(timer, span)) return false;
      return occurrencesWithin(timer, this.#zone, span).some((occurrence) => covers(occurrence, span));
    });
  }
}

const covers = (timer: Span, event: Span) => timer.begin <= event.begin && timer.end >= event.end - maxEarlyEndSeconds;

/** Whether the timer has recorded its programme or will record it, so that other showings are repeats. */
export const hasOrWillHaveRecording = (timer: Timer) =>
  !timer.justPlay && (isActive(timer) || (timer.state === 'ended' && !timer.failed && !timer.disabled));
