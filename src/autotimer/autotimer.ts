/**
 * The AutoTimer: creates timers for the events that its rules find, whenever the guide or a rule has changed. Otherwise
 * it is idle. Searching is native; the remaining work is done in turns.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { Guide } from '../epg/guide.ts';
import { type RecordingFolders, withSlash } from '../recordings/folders.ts';
import type { RecordingLibrary } from '../recordings/library.ts';
import { guideKey } from '../services/guide-key.ts';
import { logCodes, type Timer } from '../timers/timer.ts';
import { timerEvent } from '../timers/timer-event.ts';
import type { TimerList } from '../timers/timer-list.ts';
import { recordingMargins } from '../timers/timer-specs.ts';
import { Counters, Coverage, isOfUse, type Match, type PlanContext, plan } from './plan.ts';
import { digestOf, Programmes, programme } from './programme.ts';
import { periodAt, type Rule } from './rule.ts';
import type { RuleList } from './rule-list.ts';
import { eventsFor, type SearchParts } from './search.ts';
import { type Showing, Showings, showingOf } from './showings.ts';

export interface AutoTimerParts extends SearchParts {
  readonly rules: RuleList;
  readonly timers: TimerList;
  readonly guide: Pick<Guide, 'search' | 'byId' | 'onChange'>;
  readonly recordings: Pick<RecordingLibrary, 'all'>;
  readonly settings: Pick<Settings, 'number'>;
  readonly locations: RecordingFolders;
  readonly clock: Clock;
  readonly log: { info(text: string): void; warn(text: string): void; error(error: unknown, message?: string): void };
}

/** The result of a run: events found, timers created, orders refused. */
export interface RunResult {
  readonly found: number;
  readonly made: number;
  readonly refused: number;
}

/** What a run has to cover: all rules, or those that have changed. */
interface Wanted {
  readonly all: boolean;
  readonly changed: ReadonlySet<number>;
}

/**
 * Milliseconds: the delay after a change of guide, lists or timers, since changes come in groups; and the minimum
 * between two runs.
 */
const delay = 10_000;
const pace = 60_000;
/** A rule has changed: the minimum does not apply. */
const atOnce = Number.NEGATIVE_INFINITY;
/** The share of time that runs may take. */
const share = 1 / 20;
/** Events that are looked at to show what rules would do: 300 rules for every title took a gigabyte. */
const mostMatches = 20_000;

export class AutoTimer {
  readonly rules: RuleList;
  readonly #parts: AutoTimerParts;
  #stopListening: readonly (() => void)[] = [];
  #wake: NodeJS.Timeout | undefined;
  /** When the next run is due, in milliseconds of the monotonic clock; infinite while nothing has changed. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** Rules that have changed; their timers are to be created again. */
  readonly #changed = new Set<number>();
  /** All rules are due, because the guide has changed. */
  #all = false;
  /** A timer was refused: the removal of another one may make room. */
  #refused = false;
  #notBefore = 0;
  /** Logged refusals of each rule's last run. */
  readonly #told = new Map<number, ReadonlySet<string>>();
  /** Serialises runs. */
  readonly #afterRuns = serialQueue();
  #isRunning = false;
  #isStarted = false;
  /** Runs skip everything they have not started. */
  #isEnding = false;

  constructor(parts: AutoTimerParts) {
    this.#parts = parts;
    this.rules = parts.rules;
    this.rules.onChange((changed) => {
      if (!changed) return;
      this.#changed.add(changed.id);
      this.#wakeBy(atOnce);
    });
  }

  /** Starts following the guide. */
  start(): void {
    this.#isStarted = true;
    const { guide, services, timers } = this.#parts;
    const again = () => this.#wantAll();
    this.#stopListening = [
      guide.onChange(again),
      services.onChange(again),
      timers.onChange(() => {
        if (this.#refused && !this.#isRunning) this.#wantAll();
      }),
    ];
    again();
  }

  /** Ends a run at the next consistent point; skipped rules are covered by the next run. */
  async stop(): Promise<void> {
    for (const end of this.#stopListening) end();
    this.#stopListening = [];
    this.#isStarted = false;
    this.#forgetDue();
    this.#isEnding = true;
    await this.#afterRuns(() => undefined);
    this.#isEnding = false;
  }

  /** Runs all rules now. @throws ReceiverError `file-unwritable` */
  run(): Promise<RunResult> {
    this.#all = true;
    return this.#runNow();
  }

  /** Runs the changed rules at once. Resolves when done, or after `longest` milliseconds while the run continues. */
  async settle(longest = 2000): Promise<void> {
    await Promise.race([this.#awake(), wait(longest, undefined, { ref: false })]);
  }

  /**
   * What these rules, enabled or not, would do now, without changing anything. In the order of the rules, each by
   * start; once there are `mostMatches` events, further rules have none.
   */
  async matches(rules: readonly Rule[]): Promise<readonly (readonly Match[])[]> {
    const { context } = await this.#context(rules);
    const all: (readonly Match[])[] = [];
    let count = 0;
    for (const rule of rules) {
      const found = count < mostMatches ? await eventsFor(this.#parts, rule, this.#parts.clock.now()) : [];
      count += found.length;
      await this.#parts.timers.tryAll(async (add) => void all.push(await plan(rule, found, context, add)));
    }
    return all;
  }

  /**
   * Removes a rule's timers that have not begun and that nobody has changed.
   * @throws ReceiverError `file-unwritable`
   */
  async withdraw(id: number): Promise<void> {
    await this.#afterRuns(() => this.#withdraw(new Set([id])));
  }

  #wantAll(): void {
    this.#all = true;
    // Without rules there is no need to wake for each new section of the guide.
    if (this.rules.all.length > 0) this.#wakeBy(Math.max(performance.now() + delay, this.#notBefore));
  }

  #wakeBy(at: number): void {
    if (!this.#isStarted) return;
    this.#dueAt = Math.min(this.#dueAt, at);
    this.#arm();
  }

  /** During a run, the end of the run arms it. */
  #arm(): void {
    clearTimeout(this.#wake);
    if (this.#isRunning || this.#dueAt === Number.POSITIVE_INFINITY) return;
    this.#wake = setTimeout(() => void this.#awake(), Math.max(0, this.#dueAt - performance.now())).unref();
  }

  #forgetDue(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    clearTimeout(this.#wake);
  }

  async #awake(): Promise<void> {
    this.#forgetDue();
    if (this.rules.all.length === 0) return;
    // A broadcast clock that does not know the time yet counts from a different origin.
    if (!this.#parts.clock.synchronised) return this.#wakeBy(performance.now() + delay);
    try {
      await this.#runNow();
    } catch (error) {
      this.#parts.log.error(
        error,
        'the rules (AutoTimer) could not be applied; the next change of the guide tries again',
      );
    }
  }

  #runNow(): Promise<RunResult> {
    return this.#afterRuns(async () => {
      const began = performance.now();
      const wanted: Wanted = { all: this.#all, changed: new Set(this.#changed) };
      this.#all = false;
      this.#changed.clear();
      this.#forgetDue();
      this.#isRunning = true;
      try {
        return await this.#lookForRules(wanted);
      } catch (error) {
        this.#wantAgain(wanted);
        this.#wakeBy(performance.now());
        throw error;
      } finally {
        this.#isRunning = false;
        const now = performance.now();
        this.#notBefore = now + Math.max(pace, (now - began) / share);
        if (this.#dueAt !== atOnce) this.#dueAt = Math.max(this.#dueAt, this.#notBefore);
        this.#arm();
      }
    });
  }

  #wantAgain({ all, changed }: Wanted): void {
    this.#all ||= all;
    for (const id of changed) this.#changed.add(id);
  }

  async #lookForRules({ all, changed }: Wanted): Promise<RunResult> {
    const rules = this.rules.all.filter(({ id, enabled }) => enabled && (all || changed.has(id)));
    const result = { found: 0, made: 0, refused: 0 };
    if (this.#isEnding) {
      this.#wantAgain({ all, changed });
      return result;
    }
    if (all) this.#refused = false;
    // Timers created by the previous version of a rule are replaced by those of the current one.
    const withdrawn = await this.#withdraw(new Set(rules.filter(({ id }) => changed.has(id)).map(({ id }) => id)));
    const { context, showings } = await this.#context(rules);
    const made: Showing[] = [];
    const left = new Set<number>();
    for (const rule of rules) {
      // A rule whose timers were removed is run in any case.
      const isOver = () => this.#isEnding && !withdrawn.has(rule.id);
      const matches = isOver() ? [] : await this.#lookFor(rule, context, isOver);
      if (isOver()) left.add(rule.id);
      result.found += matches.length;
      for (const { verdict, event } of matches) {
        if (verdict !== 'planned') continue;
        made.push(showingOf(rule.id, event, timerEvent(event).crid));
        result.made++;
      }
      result.refused += this.#tellRefusals(rule, matches);
    }
    if (result.refused > 0) this.#refused = true;
    if (left.size > 0) this.#wantAgain({ all, changed: new Set([...changed].filter((id) => left.has(id))) });
    // The showings of new timers, and the remaining earlier ones.
    await this.rules.keep([...showings.all, ...made]);
    return result;
  }

  async #lookFor(rule: Rule, context: PlanContext, isOver: () => boolean): Promise<readonly Match[]> {
    const found = await eventsFor(this.#parts, rule, this.#parts.clock.now());
    let matches: readonly Match[] = [];
    await this.#parts.timers.addAll(async (add) => {
      matches = await plan(rule, found, context, add, isOver);
    });
    return matches;
  }

  /** Refusals are retried every time but logged once. Returns their number. */
  #tellRefusals(rule: Rule, matches: readonly Match[]): number {
    const refusals = new Set<string>();
    for (const { verdict, event, refused } of matches) {
      if (verdict !== 'refused') continue;
      refusals.add(`AutoTimer '${rule.name}': no timer for '${event.title}' at ${event.start}: ${refused?.message}`);
    }
    for (const text of refusals) if (!this.#told.get(rule.id)?.has(text)) this.#parts.log.info(text);
    if (refusals.size > 0) this.#told.set(rule.id, refusals);
    else this.#told.delete(rule.id);
    return refusals.size;
  }

  /** Removes the timers of these rules. Returns the rules that had any. */
  async #withdraw(ids: ReadonlySet<number>): Promise<ReadonlySet<number>> {
    const { timers, clock } = this.#parts;
    const isTouched = ({ log }: Timer) => log.some(({ code }) => code === logCodes.changed);
    const isOurs = (timer: Timer) =>
      timer.autoTimerRule !== undefined &&
      ids.has(timer.autoTimerRule) &&
      timer.state === 'waiting' &&
      // A timer that continues after a restart, or waits for a retry, is waiting too.
      timer.begin > clock.now() &&
      timer.fileName === '' &&
      !timer.disabled &&
      !isTouched(timer);
    const { ofTimer, dismissed, past } = await this.#showings();
    const ours = timers.all.filter(isOurs);
    const withdrawn = new Set(ours.map(({ id }) => id));
    if (withdrawn.size === 0) return new Set();
    // This comes first, so that the removed timers do not count as dismissed by the user.
    const kept = [...ofTimer].filter(([id]) => !withdrawn.has(id)).map(([, showing]) => showing);
    await this.rules.keep([...kept, ...dismissed, ...past]);
    await timers.removeAll((timer) => withdrawn.has(timer.id) && isOurs(timer));
    return new Set(ours.map(({ autoTimerRule = 0 }) => autoTimerRule));
  }

  #serviceOf = (timer: Timer): DvbTriplet | undefined => guideKey(this.#parts.services, timer.reference);

  #showings(): Promise<Showings> {
    const { timers, clock, zone } = this.#parts;
    const now = clock.now();
    const counting = new Map(this.rules.all.flatMap((rule) => (rule.counter > 0 ? [[rule.id, rule] as const] : [])));
    const isCounted = ({ rule: id, start }: Showing) => {
      const rule = counting.get(id);
      return rule !== undefined && periodAt(rule, start, zone) >= periodAt(rule, now, zone);
    };
    return Showings.of(this.rules.showings, timers.all, { now, serviceOf: this.#serviceOf, isCounted });
  }

  async #context(rules: readonly Rule[]): Promise<{ readonly context: PlanContext; readonly showings: Showings }> {
    const { timers, zone, settings, locations } = this.#parts;
    const slice = new TimeSlice();
    const showings = await this.#showings();
    const coverage = new Coverage(zone);
    const programmes = new Programmes();
    const counters = new Counters(zone);
    const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
    for (const { rule: id, start } of showings.all) {
      const rule = ruleOf.get(id);
      if (rule) counters.add(rule, start);
    }
    const counts = new Map<number, number>();
    let total = 0;
    for (const timer of timers.all) {
      if (slice.isOver) await slice.next();
      const service = this.#serviceOf(timer);
      if (!service) continue;
      coverage.add(timer, service);
      if (timer.autoTimerRule !== undefined && timer.state !== 'ended') {
        counts.set(timer.autoTimerRule, (counts.get(timer.autoTimerRule) ?? 0) + 1);
        total++;
      }
      if (!isOfUse(timer)) continue;
      programmes.add(
        programme({
          title: timer.name,
          description: timer.description,
          digest: showings.ofTimer.get(timer.id)?.digest || (await this.#digestOf(timer, service)),
          service: tripletKey(service),
          ...(timer.event ?? { start: timer.begin, end: timer.end, crid: '' }),
          isRecording: false,
        }),
      );
    }
    if (rules.some(({ avoidDuplicates }) => avoidDuplicates === 'recording')) await this.#addRecordings(programmes);
    const folder = (dirname: string) => {
      try {
        // Where links lead is found out when the timer records.
        return dirname === 'None' ? undefined : withSlash(locations.named(dirname));
      } catch {
        // The folder was removed: recording into another one is better than none.
        return undefined;
      }
    };
    const margins = recordingMargins(settings);
    const context: PlanContext = {
      settings: this.rules.settings,
      coverage,
      showings,
      programmes,
      counts,
      total,
      counters,
      margins,
      folder,
    };
    return { context, showings };
  }

  /** Digest of the long text, for a timer from elsewhere; undefined if the guide no longer has its event. */
  async #digestOf({ eventId, event }: Timer, service: DvbTriplet): Promise<string | undefined> {
    if (eventId === undefined || !event) return undefined;
    const present = await this.#parts.guide.byId(service, eventId);
    return present?.start === event.start ? digestOf(present.extendedText) : undefined;
  }

  async #addRecordings(programmes: Programmes): Promise<void> {
    const slice = new TimeSlice();
    for (const { title, description, extendedText, service, event } of await this.#parts.recordings.all()) {
      if (slice.isOver) await slice.next();
      programmes.add(
        programme({
          title,
          description: description || extendedText,
          digest: event ? digestOf(extendedText) : undefined,
          ...(event ? timerEvent(event) : { start: 0, end: 0, crid: '' }),
          service: service?.dvb ? tripletKey(service.dvb) : 0,
          isRecording: true,
        }),
      );
    }
  }
}
