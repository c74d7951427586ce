/**
 * The AutoTimer: creates timers for the events that its rules find, whenever the guide or a rule has changed. If nothing
 * changes, it is idle. The search is native; long loops here yield to the event loop.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import { type EpisodeNumber, episodeOf } from '../epg/episode-number.ts';
import type { GuideEvent } from '../epg/event.ts';
import type { Guide } from '../epg/guide.ts';
import { type RecordingFolders, withSlash } from '../recordings/library/folders.ts';
import type { RecordingLibrary } from '../recordings/library/library.ts';
import { guideKey } from '../services/guide/guide-key.ts';
import { isEdited, type Timer } from '../timers/timer.ts';
import { timerEvent } from '../timers/timer-event.ts';
import type { TimerList } from '../timers/timer-list.ts';
import { recordingMargins } from '../timers/timer-specs.ts';
import { Coverage, hasOrWillHaveRecording, type Match, type PlanContext, planTimers, TimerCounters } from './plan.ts';
import { digestOf, normaliseProgramme, Programmes } from './programme.ts';
import { periodAt, type Rule } from './rule.ts';
import type { RuleList } from './rule-list.ts';
import { findEvents, type SearchParts } from './search.ts';
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

/** The result of a run: numbers of events found, timers created and timers refused. */
export interface RunResult {
  readonly found: number;
  readonly created: number;
  readonly refused: number;
}

/** The rules that a run covers: all, or those that have changed. */
interface DueRules {
  readonly all: boolean;
  /** Ids of rules. */
  readonly changed: ReadonlySet<number>;
}

/** Delay of a run after a change of the guide, the service lists or the timers: changes come in groups. */
const runDelayMs = 10_000;
/** From the end of a run to the begin of the next. */
const minRunIntervalMs = 60_000;
/** The due time of a run because of a changed rule, for which `minRunIntervalMs` does not apply. */
const immediately = Number.NEGATIVE_INFINITY;
/** The share of time that runs may take. */
const maxTimeShare = 1 / 20;
/** Events in a preview of what rules would do: 300 rules that match every title took a gigabyte. */
const maxPreviewedEvents = 20_000;

export class AutoTimer {
  readonly rules: RuleList;
  readonly #parts: AutoTimerParts;
  #stopListening: readonly (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** When the next run is due, in milliseconds of `performance.now()`; infinite if nothing has changed. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** Ids of the rules that have changed: the next run recreates their timers. */
  readonly #changedRules = new Set<number>();
  /** Whether the next run covers all rules. */
  #allRulesDue = false;
  /** Whether a timer was refused since the last run of all rules. If so, a change of other timers may make room for it. */
  #hadRefusals = false;
  /** The earliest time of the next run, in milliseconds of `performance.now()`. */
  #notBefore = 0;
  /** The refusals in the last run of each rule, by rule id. They have been logged. */
  readonly #loggedRefusals = new Map<number, ReadonlySet<string>>();
  /** Serialises runs. */
  readonly #serialise = serialQueue();
  #isRunning = false;
  #isStarted = false;
  /** Set while `stop` waits for a run, which then skips the rules it has not begun. */
  #isStopping = false;

  constructor(parts: AutoTimerParts) {
    this.#parts = parts;
    this.rules = parts.rules;
    this.rules.onChange((changed) => {
      if (!changed) return;
      this.#changedRules.add(changed.id);
      this.#runBy(immediately);
    });
  }

  /** Schedules a run of all rules, and further runs after each change of the guide, the service lists or a rule. */
  start(): void {
    this.#isStarted = true;
    const { guide, services, timers } = this.#parts;
    const scheduleAll = () => this.#scheduleAllRules();
    this.#stopListening = [
      guide.onChange(scheduleAll),
      services.onChange(scheduleAll),
      timers.onChange(() => {
        if (this.#hadRefusals && !this.#isRunning) this.#scheduleAllRules();
      }),
    ];
    scheduleAll();
  }

  /** Stops, after ending a run at the next consistent point. The next run covers the rules that were skipped. */
  async stop(): Promise<void> {
    for (const stopListening of this.#stopListening) stopListening();
    this.#stopListening = [];
    this.#isStarted = false;
    this.#clearDue();
    this.#isStopping = true;
    await this.#serialise(() => undefined);
    this.#isStopping = false;
  }

  /** Runs all rules now. @throws ReceiverError `file-unwritable` */
  run(): Promise<RunResult> {
    this.#allRulesDue = true;
    return this.#runNow();
  }

  /** Runs the rules that have changed. Resolves when done or after `timeoutMs`; the run then continues. */
  async runChangedRules(timeoutMs = 2000): Promise<void> {
    await Promise.race([this.#runDueRules(), wait(timeoutMs, undefined, { ref: false })]);
  }

  /**
   * Previews what these rules, enabled or not, would do now. Changes nothing. Returns a list of events by start for each
   * rule; after `maxPreviewedEvents` events in total, the lists of further rules are empty.
   */
  async preview(rules: readonly Rule[]): Promise<readonly (readonly Match[])[]> {
    const { context } = await this.#loadContext(rules);
    const matchesByRule: (readonly Match[])[] = [];
    let count = 0;
    for (const rule of rules) {
      const found = count < maxPreviewedEvents ? await findEvents(this.#parts, rule, this.#parts.clock.now()) : [];
      count += found.length;
      await this.#parts.timers.tryAll(
        async (add) => void matchesByRule.push(await planTimers(rule, found, context, add)),
      );
    }
    return matchesByRule;
  }

  /**
   * Removes the timers of a rule that have not begun and that nobody has edited.
   * @throws ReceiverError `file-unwritable`
   */
  async removeTimers(id: number): Promise<void> {
    await this.#serialise(() => this.#removeTimers(new Set([id])));
  }

  #scheduleAllRules(): void {
    this.#allRulesDue = true;
    // Without rules, changes of the guide need no run.
    if (this.rules.all.length > 0) this.#runBy(Math.max(performance.now() + runDelayMs, this.#notBefore));
  }

  #runBy(at: number): void {
    if (!this.#isStarted) return;
    this.#dueAt = Math.min(this.#dueAt, at);
    this.#setTimer();
  }

  /** Sets the timer of the next run. Does nothing during a run, which calls this at its end. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.#isRunning || this.#dueAt === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => void this.#runDueRules(), Math.max(0, this.#dueAt - performance.now())).unref();
  }

  #clearDue(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }

  async #runDueRules(): Promise<void> {
    this.#clearDue();
    if (this.rules.all.length === 0) return;
    // Until a broadcast clock has received the time, its seconds are not Unix seconds.
    if (!this.#parts.clock.synchronised) return this.#runBy(performance.now() + runDelayMs);
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
    return this.#serialise(async () => {
      const began = performance.now();
      const due: DueRules = { all: this.#allRulesDue, changed: new Set(this.#changedRules) };
      this.#allRulesDue = false;
      this.#changedRules.clear();
      this.#clearDue();
      this.#isRunning = true;
      try {
        return await this.#runRules(due);
      } catch (error) {
        this.#keepDue(due);
        this.#runBy(performance.now());
        throw error;
      } finally {
        this.#isRunning = false;
        const now = performance.now();
        this.#notBefore = now + Math.max(minRunIntervalMs, (now - began) / maxTimeShare);
        if (this.#dueAt !== immediately) this.#dueAt = Math.max(this.#dueAt, this.#notBefore);
        this.#setTimer();
      }
    });
  }

  #keepDue({ all, changed }: DueRules): void {
    this.#allRulesDue ||= all;
    for (const id of changed) this.#changedRules.add(id);
  }

  async #runRules({ all, changed }: DueRules): Promise<RunResult> {
    const rules = this.rules.all.filter(({ id, enabled }) => enabled && (all || changed.has(id)));
    const result = { found: 0, created: 0, refused: 0 };
    if (this.#isStopping) {
      this.#keepDue({ all, changed });
      return result;
    }
    if (all) this.#hadRefusals = false;
    // A changed rule replaces the timers that its previous version created.
    const rulesWithoutTimers = await this.#removeTimers(
      new Set(rules.filter(({ id }) => changed.has(id)).map(({ id }) => id)),
    );
    const { context, showings } = await this.#loadContext(rules);
    const newShowings: Showing[] = [];
    const skipped = new Set<number>();
    for (const rule of rules) {
      // A rule whose timers were removed must create them again, even while stopping.
      const isCancelled = () => this.#isStopping && !rulesWithoutTimers.has(rule.id);
      const matches = isCancelled() ? [] : await this.#runRule(rule, context, isCancelled);
      if (isCancelled()) skipped.add(rule.id);
      result.found += matches.length;
      for (const { verdict, event } of matches) {
        if (verdict !== 'planned') continue;
        newShowings.push(showingOf(rule.id, event, timerEvent(event).crid));
        result.created++;
      }
      result.refused += this.#logRefusals(rule, matches);
    }
    if (result.refused > 0) this.#hadRefusals = true;
    if (skipped.size > 0) this.#keepDue({ all, changed: new Set([...changed].filter((id) => skipped.has(id))) });
    await this.rules.storeShowings([...showings.all, ...newShowings]);
    return result;
  }

  async #runRule(rule: Rule, context: PlanContext, isCancelled: () => boolean): Promise<readonly Match[]> {
    const found = await findEvents(this.#parts, rule, this.#parts.clock.now());
    let matches: readonly Match[] = [];
    await this.#parts.timers.addAll(async (add) => {
      matches = await planTimers(rule, found, context, add, isCancelled);
    });
    return matches;
  }

  /** Logs the refusals that the last run of the rule did not have. Returns the number of distinct refusals. */
  #logRefusals(rule: Rule, matches: readonly Match[]): number {
    const refusals = new Set<string>();
    for (const { verdict, event, refused } of matches) {
      if (verdict !== 'refused') continue;
      refusals.add(`AutoTimer '${rule.name}': no timer for '${event.title}' at ${event.start}: ${refused?.message}`);
    }
    for (const text of refusals) if (!this.#loggedRefusals.get(rule.id)?.has(text)) this.#parts.log.info(text);
    if (refusals.size > 0) this.#loggedRefusals.set(rule.id, refusals);
    else this.#loggedRefusals.delete(rule.id);
    return refusals.size;
  }

  /** Removes the timers of these rules, as `removeTimers` does. Returns the ids of the rules that had any. */
  async #removeTimers(ids: ReadonlySet<number>): Promise<ReadonlySet<number>> {
    const { timers, clock } = this.#parts;
    const isUntouched = (timer: Timer) =>
      timer.state === 'waiting' &&
      // A timer in this state may have begun: it continues after a restart, or waits for a retry.
      timer.begin > clock.now() &&
      timer.fileName === '' &&
      !timer.disabled &&
      !isEdited(timer);
    const { ofTimer, dismissed, past } = await this.#loadShowings();
    const removable = timers.all.filter((timer) => ids.has(timer.autoTimerRule ?? 0) && isUntouched(timer));
    const timerIds = new Set(removable.map(({ id }) => id));
    if (timerIds.size === 0) return new Set();
    // The showings go first: without a timer, they would count as dismissed by the user.
    const kept = [...ofTimer].filter(([id]) => !timerIds.has(id)).map(([, showing]) => showing);
    await this.rules.storeShowings([...kept, ...dismissed, ...past]);
    // With what continues them.
    await timers.removeAll((timer) => timerIds.has(timer.relayOf ?? timer.id) && isUntouched(timer));
    return new Set(removable.map(({ autoTimerRule = 0 }) => autoTimerRule));
  }

  #serviceOf = (timer: Timer): DvbTriplet | undefined => guideKey(this.#parts.services, timer.reference);

  #loadShowings(): Promise<Showings> {
    const { timers, clock, zone } = this.#parts;
    const now = clock.now();
    const countingRules = new Map(
      this.rules.all.flatMap((rule) => (rule.counter > 0 ? [[rule.id, rule] as const] : [])),
    );
    const isCounted = ({ rule: id, start }: Showing) => {
      const rule = countingRules.get(id);
      return rule !== undefined && periodAt(rule, start, zone) >= periodAt(rule, now, zone);
    };
    return Showings.classify(this.rules.showings, timers.all, { now, serviceOf: this.#serviceOf, isCounted });
  }

  async #loadContext(rules: readonly Rule[]): Promise<{ readonly context: PlanContext; readonly showings: Showings }> {
    const { timers, zone, settings, locations } = this.#parts;
    const slice = new TimeSlice();
    const showings = await this.#loadShowings();
    const coverage = new Coverage(zone);
    const programmes = new Programmes();
    const counters = new TimerCounters(zone);
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
      if (!hasOrWillHaveRecording(timer)) continue;
      programmes.add(
        normaliseProgramme({
          title: timer.name,
          description: timer.description,
          digest: showings.ofTimer.get(timer.id)?.digest || (await this.#digestOf(timer, service)),
          episode: await this.#episodeOf(timer, service),
          service: tripletKey(service),
          ...(timer.event ?? { start: timer.begin, end: timer.end, crid: '' }),
          isRecording: false,
        }),
      );
    }
    if (rules.some(({ avoidDuplicates }) => avoidDuplicates === 'recording')) await this.#addRecordings(programmes);
    const folder = (dirname: string) => {
      try {
        // Links are not followed here; the recorder checks where they lead.
        return dirname === 'None' ? undefined : withSlash(locations.resolve(dirname));
      } catch {
        // The folder was removed: a recording in another one is better than none.
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

  /**
   * Digest of the long text of a timer's event, for timers that no rule has created. Undefined if the guide no longer has
   * the event.
   */
  async #digestOf(timer: Timer, service: DvbTriplet): Promise<string | undefined> {
    const guideEvent = await this.#eventOf(timer, service);
    return guideEvent && digestOf(guideEvent.extendedText);
  }

  /** The season and the episode of a timer, by its own texts or the long text in the guide. */
  async #episodeOf(timer: Timer, service: DvbTriplet): Promise<EpisodeNumber> {
    const texts = { title: timer.name, description: timer.description, extendedText: '' };
    const own = episodeOf(texts);
    if (own.episode !== undefined) return own;
    return episodeOf({ ...texts, extendedText: (await this.#eventOf(timer, service))?.extendedText ?? '' });
  }

  async #eventOf({ eventId, event }: Timer, service: DvbTriplet): Promise<GuideEvent | undefined> {
    if (eventId === undefined || !event) return undefined;
    const found = await this.#parts.guide.byId(service, eventId);
    return found?.start === event.start ? found : undefined;
  }

  async #addRecordings(programmes: Programmes): Promise<void> {
    const slice = new TimeSlice();
    for (const { title, description, extendedText, service, event } of await this.#parts.recordings.all()) {
      if (slice.isOver) await slice.next();
      programmes.add(
        normaliseProgramme({
          title,
          description: description || extendedText,
          digest: event ? digestOf(extendedText) : undefined,
          episode: episodeOf({ title, description, extendedText }),
          ...(event ? timerEvent(event) : { start: 0, end: 0, crid: '' }),
          service: service?.dvb ? tripletKey(service.dvb) : 0,
          isRecording: true,
        }),
      );
    }
  }
}
