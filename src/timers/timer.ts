/** A timer: what to record or show, when, and its progress. Contains all fields of Enigma2's file and interface. */
import type { UnixSeconds } from '../base/clock.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { LocalSpan } from './repeat.ts';

/** What the receiver does after the timer; the index is Enigma2's number. `auto`: returns to standby if the timer woke it. */
export const afterEvents = ['nothing', 'standby', 'deepstandby', 'auto'] as const;
export type AfterEvent = (typeof afterEvents)[number];

/** The states from which a timer that shows a service wakes the receiver; the index is Enigma2's number. */
export const zapWakeups = ['always', 'from_standby', 'from_deep_standby', 'never'] as const;
export type ZapWakeup = (typeof zapWakeups)[number];

/** The index is Enigma2's number. */
export const timerStates = ['waiting', 'prepared', 'running', 'ended'] as const;
export type TimerState = (typeof timerStates)[number];

/** Codes of log entries (Enigma2's). */
export const logCodes = {
  state: 5,
  prepared: 6,
  notPrepared: 7,
  zapped: 11,
  ended: 12,
  failed: 13,
  changed: 15,
  recorder: 16,
} as const;

export interface LogEntry {
  readonly time: UnixSeconds;
  readonly code: number;
  readonly text: string;
}

/** Log entries kept for a timer: the first one and the latest. */
export const maxLogEntries = 30;

/** The guide event of a timer. */
export interface TimerEvent {
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  /** CRID of the programme; '' if it has none. */
  readonly crid: string;
}

/** Seconds recorded before and after an event, as set by a client or by other software. */
export interface TimerMargins {
  readonly before: number;
  readonly after: number;
}

/** An XML attribute written by other software; preserved. */
export type ForeignAttribute = readonly [name: string, value: string];

/** What a timer does and when, as requested. */
export interface TimerSpec {
  /** Includes a name if the request had one. */
  readonly reference: ServiceReference;
  /** Including margins. For a repeating timer: its current or next time. */
  readonly begin: UnixSeconds;
  /** Not before `begin`. */
  readonly end: UnixSeconds;
  readonly name: string;
  readonly description: string;
  /** event_id. */
  readonly eventId: number | undefined;
  /** The event when the timer was created; undefined if the guide had none. */
  readonly event: TimerEvent | undefined;
  /** How much of begin to end is margin; undefined if no client has set it. See `marginsOf`. */
  readonly margins: TimerMargins | undefined;
  readonly disabled: boolean;
  /** Shows the service without recording it. */
  readonly justPlay: boolean;
  /** Shows the service while recording it. */
  readonly alwaysZap: boolean;
  readonly pipZap: boolean;
  readonly afterEvent: AfterEvent;
  /** Absolute, with a trailing slash; undefined: the timer folder, which is looked up when the timer starts. */
  readonly folder: string | undefined;
  readonly tags: readonly string[];
  /** Weekdays in local time: bit 0 Monday to bit 6 Sunday; 0 = once. */
  readonly repeated: number;
  readonly zapWakeup: ZapWakeup;
  /** A repeating timer takes its title and text from the guide each time. */
  readonly renameRepeat: boolean;
  readonly conflictDetection: boolean;
  readonly descramble: boolean;
  readonly recordEcm: boolean;
  /** Words set by the client that created it; they have no meaning here. */
  readonly flags: readonly string[];
  /** An instant recording: removed when it is over, and never in `timers.xml`. */
  readonly dontSave: boolean;
  /** May begin earlier and end later than planned, following the running status of EIT present/following. */
  readonly followsRunningStatus: boolean;
  /** With `followsRunningStatus`: also drops the margin after the event. */
  readonly endsWithEvent: boolean;
  /** `vpsplugin_time`: Unix seconds or -1. Preserved, but has no meaning here. */
  readonly vpsTime: number;
  readonly autoTimer: boolean;
  /** The rule that created it; undefined for other timers. */
  readonly autoTimerRule: number | undefined;
  readonly allowDuplicate: boolean;
  readonly autoAdjust: boolean;
  /** `ice_timer_id`; '' if there is none. */
  readonly iceTimerId: string;
  /** Id of the timer whose programme this one continues on another service; undefined for other timers. */
  readonly relayOf: number | undefined;
}

/** A timer: its spec and its progress. Immutable: a change replaces it under the same `id`. */
export interface Timer extends TimerSpec {
  /** From 1; stays the same for the life of the timer. */
  readonly id: number;
  readonly state: TimerState;
  /** For a repeating timer: its regular local times, if a change to or from summer time moves this occurrence. */
  readonly localSpan: LocalSpan | undefined;
  /** The first occurrence of a repeating timer is on this day. */
  readonly firstBegin: UnixSeconds;
  /** Whether the last occurrence was missed. */
  readonly failed: boolean;
  /**
   * Absolute path of the current recording without extension; '' while there is none. Files recorded after an
   * interruption add `_001`.
   */
  readonly fileName: string;
  /** Seconds between the last failed attempt and the next; 0 if none has failed. */
  readonly backoff: number;
  /** When the next attempt is due; undefined if none has failed. */
  readonly nextTry: UnixSeconds | undefined;
  readonly log: readonly LogEntry[];
  readonly foreignAttributes: readonly ForeignAttribute[];
  /** XML texts of child elements. */
  readonly foreignElements: readonly string[];
}

/** Seconds before its start at which a timer gets its tuner. */
export const preparationSeconds = 20;

const defaults: Omit<TimerSpec, 'reference' | 'begin' | 'end' | 'name'> = {
  description: '',
  eventId: undefined,
  event: undefined,
  margins: undefined,
  disabled: false,
  justPlay: false,
  alwaysZap: false,
  pipZap: false,
  afterEvent: 'auto',
  folder: undefined,
  tags: [],
  repeated: 0,
  zapWakeup: 'always',
  renameRepeat: true,
  conflictDetection: true,
  descramble: true,
  recordEcm: false,
  flags: [],
  dontSave: false,
  followsRunningStatus: false,
  endsWithEvent: false,
  vpsTime: -1,
  autoTimer: false,
  autoTimerRule: undefined,
  allowDuplicate: false,
  autoAdjust: false,
  iceTimerId: '',
  relayOf: undefined,
};

/** Builds a spec, with Enigma2's defaults for missing fields. An end before `begin` is set to `begin`. */
export function timerSpec(
  given: Pick<TimerSpec, 'reference' | 'begin' | 'end' | 'name'> & Partial<TimerSpec>,
): TimerSpec {
  return {
    ...defaults,
    ...given,
    end: Math.max(given.begin, given.end),
    repeated: given.repeated ? given.repeated & 127 : 0,
  };
}

/** A timer in its initial state. */
export function newTimer(id: number, spec: TimerSpec): Timer {
  return {
    ...spec,
    id,
    state: 'waiting',
    localSpan: undefined,
    firstBegin: spec.begin,
    failed: false,
    fileName: '',
    backoff: 0,
    nextTry: undefined,
    log: [],
    foreignAttributes: [],
    foreignElements: [],
  };
}

/** Returns the timer with another log entry. */
export function withLogEntry(timer: Timer, time: UnixSeconds, code: number, text: string): Timer {
  const [first, ...rest] = [...timer.log, { time, code, text }];
  const latest = rest.slice(-(maxLogEntries - 1));
  return { ...timer, log: first === undefined ? latest : [first, ...latest] };
}

/** The margins of a timer, if it is long enough for them. */
export const marginsOf = ({ margins, begin, end }: Pick<TimerSpec, 'margins' | 'begin' | 'end'>) =>
  margins && margins.before + margins.after < end - begin ? margins : undefined;

/** Log entry of a change by a user. For its own changes, the receiver appends `:` and the change, or begins differently. */
export const editText = 'record time changed';

/** Whether a user has changed it. */
export const isEdited = ({ log }: Timer) =>
  log.some(({ code, text }) => code === logCodes.changed && text.startsWith(editText) && text[editText.length] !== ':');

/** Whether it may still run: neither ended nor disabled. */
export const isActive = ({ state, disabled }: Timer) => state !== 'ended' && !disabled;

/** Whether both have the same times and service: an action in progress for `a` is still valid for `b`. */
export function isSameOccasion(a: Timer, b: Timer): boolean {
  return a.begin === b.begin && a.end === b.end && a.disabled === b.disabled && a.reference.equals(b.reference);
}

/**
 * Whether it ended before a time and may be removed. Both its end and its last log entry count, because the clock may
 * have been ahead. False for a disabled timer.
 */
export const hasEndedBefore = ({ state, disabled, end, log }: Timer, before: UnixSeconds) =>
  state === 'ended' && !disabled && Math.max(end, log.at(-1)?.time ?? 0) < before;
