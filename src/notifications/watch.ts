/**
 * Watches recordings and timers, and publishes a notice about each that has started, ended, failed or recovered, that was
 * added, or for which there is no tuner.
 */
import type { Clock } from '../base/clock.ts';
import type { HookKind, Notice, NoticeKind, NoticeProgramme } from '../events/notice.ts';
import type { ActiveRecording } from '../recordings/active-recording.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { TimerScheduler } from '../timers/scheduler.ts';
import { isActive, type Timer } from '../timers/timer.ts';
import type { TimerList, TimerTime } from '../timers/timer-list.ts';
import type { NoticeFields } from './notifications.ts';

/** How long a recording may have trouble, or a timer may be late, before that is reported for the first time. */
const patienceSeconds = 60;
/** How long after a change of the timers conflicts are looked for: several changes often follow each other. */
const conflictDelayMs = 3000;
/** Reported occasions that are remembered. */
const maxReported = 1000;

export interface WatchParts {
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, 'onChange'>;
  readonly scheduler: Pick<TimerScheduler, 'onFailure'>;
  readonly timers: Pick<TimerList, 'all' | 'find' | 'onAdded' | 'onChange' | 'onRefused' | 'unserved' | 'conflictsOf'>;
  readonly nameOf: (reference: ServiceReference) => string;
  /** Whether anything is done with notices of this kind, so that conflicts need be looked for. */
  readonly isWanted: (kind: HookKind) => boolean;
  readonly publish: (kind: NoticeKind, fields: NoticeFields) => void;
  /** Withdraws the notices of what was failing, but no longer is. */
  readonly withdraw: (isOver: (failing: Notice) => boolean) => void;
  readonly log: { error(error: unknown, message?: string): void };
}

export class NoticeWatch {
  readonly #parts: WatchParts;
  readonly #unlisten: readonly (() => void)[];
  /** Recordings with trouble, until it is reported or gone. */
  readonly #troubled = new Map<ActiveRecording, NodeJS.Timeout>();
  /** Recordings whose trouble was reported, and is not over. */
  readonly #failing = new WeakSet<ActiveRecording>();
  /** Seconds until the next trouble is reported: doubled each time, so that poor reception does not cause many notices. */
  readonly #patience = new WeakMap<ActiveRecording, number>();
  /** Late timers and conflicts that were reported, by timer or service and time. */
  readonly #reported = new Set<string>();
  #conflictCheck: NodeJS.Timeout | undefined;
  /** The times of the timers when conflicts were last looked for. */
  #checkedTimes = '';
  #isStopped = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    const { recorder, scheduler, timers } = parts;
    this.#unlisten = [
      recorder.onChange((recording, change) => this.#onRecording(recording, change)),
      scheduler.onFailure((timer, problem, isRetried) => this.#onTimerFailure(timer, problem, isRetried)),
      timers.onAdded((added) => {
        for (const timer of added) this.#publish('timerAdded', timer);
      }),
      timers.onRefused(({ conflicts: [refused, ...others] }) => {
        if (refused) this.#publishConflict(refused, others);
      }),
      timers.onChange(() => this.#onTimers()),
    ];
    this.#onTimers();
  }

  /** Publishes nothing more. What ends with the receiver resumes with its next start. */
  stop(): void {
    this.#isStopped = true;
    for (const end of this.#unlisten) end();
    for (const timer of this.#troubled.values()) clearTimeout(timer);
    clearTimeout(this.#conflictCheck);
  }

  #onRecording(recording: ActiveRecording, change: 'started' | 'stopped' | 'trouble'): void {
    const { clock, publish } = this.#parts;
    const { spec, path, began, trouble } = recording;
    const { id = 0, begin = began, end = 0 } = spec.timer ?? {};
    const fields = {
      title: spec.title,
      description: spec.description,
      ...this.#serviceOf(spec.reference, spec.serviceName),
      begin,
      path,
      timer: id,
    };
    // It may have been extended.
    const plannedEnd = () => this.#parts.timers.find(id)?.end ?? end;
    if (change === 'trouble' && trouble !== undefined) {
      if (this.#troubled.has(recording)) return;
      const patience = this.#patience.get(recording) ?? patienceSeconds;
      const report = () => {
        this.#failing.add(recording);
        this.#patience.set(recording, 2 * patience);
        publish('recordingFailed', { ...fields, end: plannedEnd(), problem: recording.trouble ?? '', ongoing: true });
      };
      this.#troubled.set(recording, setTimeout(report, patience * 1000).unref());
      return;
    }
    clearTimeout(this.#troubled.get(recording));
    this.#troubled.delete(recording);
    const hasRecovered = this.#failing.delete(recording) && change === 'trouble';
    if (hasRecovered) publish('recordingResumed', { ...fields, end: plannedEnd(), ongoing: true });
    if (change === 'started') {
      // If it is interrupted, the timer is late again.
      this.#reported.delete(`late ${id} ${begin}`);
      publish('recordingStarted', { ...fields, end: plannedEnd(), ongoing: true });
    }
    if (change !== 'stopped') return;
    const { problem, hasFailed } = recording;
    publish(hasFailed ? 'recordingFailed' : 'recordingEnded', { ...fields, end: clock.now(), problem });
  }

  #onTimerFailure(timer: Timer, problem: string, isRetried: boolean): void {
    if (timer.justPlay) return;
    const isLate = this.#parts.clock.now() >= timer.begin + patienceSeconds;
    if (isRetried && !(isLate && this.#isFirst(`late ${timer.id} ${timer.begin}`))) return;
    this.#publish('recordingFailed', timer, { problem, ongoing: isRetried });
  }

  #onTimers(): void {
    this.#checkConflictsSoon();
    // A timer that was deleted, disabled or moved is no longer tried.
    this.#parts.withdraw(
      ({ timer: id, begin }) =>
        id !== 0 &&
        !this.#parts.timers.all.some(
          (timer) => timer.id === id && isActive(timer) && (timer.begin === begin || timer.state === 'running'),
        ),
    );
  }

  #publish(kind: NoticeKind, timer: Timer, more: NoticeFields = {}): void {
    const { fileName, description, id } = timer;
    const path = fileName === '' ? '' : `${fileName}.ts`;
    this.#parts.publish(kind, { ...this.#programmeOf({ timer, ...timer }), description, path, timer: id, ...more });
  }

  #publishConflict(refused: TimerTime, others: readonly TimerTime[]): void {
    const { timer, begin, end } = refused;
    if (!this.#isFirst(`conflict ${timer.reference.identity} ${begin} ${end}`)) return;
    const conflicts = others.map((other) => this.#programmeOf(other));
    const problem = 'no tuner is free';
    this.#publish('conflict', timer, { begin, end, conflicts, problem });
  }

  #programmeOf({ timer, begin, end }: TimerTime): NoticeProgramme {
    return { title: timer.name, ...this.#serviceOf(timer.reference), begin, end };
  }

  #serviceOf(reference: ServiceReference, name = this.#parts.nameOf(reference)) {
    return { service: name, reference: reference.withoutName().format() };
  }

  #isFirst(occasion: string): boolean {
    if (this.#reported.has(occasion)) return false;
    this.#reported.add(occasion);
    const [oldest] = this.#reported;
    if (this.#reported.size > maxReported && oldest !== undefined) this.#reported.delete(oldest);
    return true;
  }

  #checkConflictsSoon(): void {
    if (this.#conflictCheck !== undefined || !this.#parts.isWanted('conflict')) return;
    this.#conflictCheck = setTimeout(() => {
      this.#checkConflicts()
        .catch((error) => this.#parts.log.error(error, 'the conflicts of timers are not known'))
        .finally(() => {
          this.#conflictCheck = undefined;
        });
    }, conflictDelayMs).unref();
  }

  /** Finds conflicts that nobody has caused by a request, for example because an event was moved. */
  async #checkConflicts(): Promise<void> {
    const { timers } = this.#parts;
    const active = timers.all.filter((timer) => isActive(timer) && !timer.justPlay && timer.state !== 'running');
    // Most changes of a timer are those of its log.
    const times = active.map(({ id, begin, end }) => `${id} ${begin} ${end}`).join(',');
    if (times === this.#checkedTimes) return;
    this.#checkedTimes = times;
    for (const timer of await timers.unserved(active)) {
      if (this.#isStopped) return;
      const [own, ...others] = (await timers.conflictsOf(timer)) ?? [];
      if (own) this.#publishConflict(own, others);
    }
  }
}
