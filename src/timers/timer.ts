/** A timer: what is recorded or shown, when, and how far that is. All fields that the file of Enigma2 and its interface have. */
import type { UnixSeconds } from '../clock.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Shown } from './repeat.ts';

/** By its index: what the receiver does when the timer has ended. `auto`: what it was before the timer woke it. */
export const afterEvents = ['nothing', 'standby', 'deepstandby', 'auto'] as const;
export type AfterEvent = (typeof afterEvents)[number];

/** By its index: out of what a timer that shows something wakes the receiver. */
export const zapWakeups = ['always', 'from_standby', 'from_deep_standby', 'never'] as const;
export type ZapWakeup = (typeof zapWakeups)[number];

/** By its index, which is Enigma2's number. */
export const timerStates = ['waiting', 'prepared', 'running', 'ended'] as const;
export type TimerState = (typeof timerStates)[number];

/** Codes of log entries (Enigma2's). */
export const logCodes = {
  file: 0,
  state: 5,
  prepared: 6,
  notPrepared: 7,
  zapped: 11,
  ended: 12,
  failed: 13,
  changed: 15,
  recorder: 16,
  retry: 10,
} as const;

export interface LogEntry {
  readonly time: UnixSeconds;
  readonly code: number;
  readonly text: string;
}

/** Log entries that are kept of one timer: the first one and the latest. */
export const longestLog = 30;

/** The event that a timer was made for. */
export interface TimerEvent {
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  /** CRID of the programme, '' when it has none. */
  readonly crid: string;
}

/** An attribute or a child element that means nothing here and stays in the file. */
export type ForeignAttribute = readonly [name: string, value: string];

/** What somebody wants. */
export interface TimerOrder {
  /** With its name, if it was given one. */
  readonly reference: ServiceReference;
  /** Margins included. Of a repeated timer: its next time, or the one that runs. */
  readonly begin: UnixSeconds;
  /** Not before `begin`. */
  readonly end: UnixSeconds;
  readonly name: string;
  readonly description: string;
  /** event_id. */
  readonly eventId: number | undefined;
  /** What the guide said of that event; undefined when it knew nothing of it. */
  readonly event: TimerEvent | undefined;
  readonly disabled: boolean;
  /** Shows the service and records nothing. */
  readonly justPlay: boolean;
  /** Shows the service that it records. */
  readonly alwaysZap: boolean;
  readonly pipZap: boolean;
  readonly afterEvent: AfterEvent;
  /** Absolute, with a slash at the end; undefined: the folder for timers, whichever that is then. */
  readonly folder: string | undefined;
  readonly tags: readonly string[];
  /** Weekdays in local time: bit 0 Monday to bit 6 Sunday; 0 = once. */
  readonly repeated: number;
  readonly zapWakeup: ZapWakeup;
  /** A repeated timer takes title and text from the guide each time. */
  readonly renameRepeat: boolean;
  readonly conflictDetection: boolean;
  readonly descramble: boolean;
  readonly recordEcm: boolean;
  /** Words of whoever has made it. */
  readonly flags: readonly string[];
  /** An instant recording: forgotten when it is over, and never in `timers.xml`. */
  readonly dontSave: boolean;
  /** May begin earlier and end later than its times say, as the running status of EIT present/following does. */
  readonly followsRunningStatus: boolean;
  /** With that it also ends when the event does, without the margin after it. */
  readonly endsWithEvent: boolean;
  /** `vpsplugin_time`: Unix seconds or -1. Kept, and means nothing here. */
  readonly vpsTime: number;
  readonly autoTimer: boolean;
  /** The rule that has made it; undefined for one of somebody else. */
  readonly autoTimerRule: number | undefined;
  readonly allowDuplicate: boolean;
  readonly autoAdjust: boolean;
  /** `ice_timer_id`; '' when it has none. */
  readonly iceTimerId: string;
}

/** An order, and how far it is. Never changed: another one takes its place under the same `id`. */
export interface Timer extends TimerOrder {
  /** From 1; stays the same as long as there is the timer. */
  readonly id: number;
  readonly state: TimerState;
  /** Of a repeated timer, what the clock shows at its times, where it does not do so at this one. */
  readonly shown: Shown | undefined;
  /** A repeated timer has no time before this. */
  readonly firstBegin: UnixSeconds;
  /** The last time it was due, nothing came of it. */
  readonly failed: boolean;
  /** The recording of this time without extension, absolute; '' as long as there is none. A part that follows is called as it is. */
  readonly fileName: string;
  /** Seconds between the last try that failed and the next; 0 when none has failed. */
  readonly backoff: number;
  /** When it is tried again; undefined when no try has failed. */
  readonly nextTry: UnixSeconds | undefined;
  readonly log: readonly LogEntry[];
  readonly foreignAttributes: readonly ForeignAttribute[];
  /** XML texts of child elements. */
  readonly foreignElements: readonly string[];
}

/** Seconds before its begin at which a timer gets its tuner. */
export const preparationTime = 20;

const presets: Omit<TimerOrder, 'reference' | 'begin' | 'end' | 'name'> = {
  description: '',
  eventId: undefined,
  event: undefined,
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
};

/** An order of what is given, with Enigma2's defaults for the rest. An end before the begin is the begin. */
export function timerOrder(
  given: Pick<TimerOrder, 'reference' | 'begin' | 'end' | 'name'> & Partial<TimerOrder>,
): TimerOrder {
  return {
    ...presets,
    ...given,
    end: Math.max(given.begin, given.end),
    repeated: given.repeated ? given.repeated & 127 : 0,
  };
}

/** A timer that nothing was done about yet. */
export function newTimer(id: number, order: TimerOrder): Timer {
  return {
    ...order,
    id,
    state: 'waiting',
    shown: undefined,
    firstBegin: order.begin,
    failed: false,
    fileName: '',
    backoff: 0,
    nextTry: undefined,
    log: [],
    foreignAttributes: [],
    foreignElements: [],
  };
}

/** The timer with another line in its log. */
export function logged(timer: Timer, time: UnixSeconds, code: number, text: string): Timer {
  const [first, ...rest] = [...timer.log, { time, code, text }];
  const latest = rest.slice(-(longestLog - 1));
  return { ...timer, log: first === undefined ? latest : [first, ...latest] };
}

/** Will still do something: neither ended nor switched off. */
export const isActive = ({ state, disabled }: Timer) => state !== 'ended' && !disabled;

/**
 * Has ended before a time, by its own end and by what was noted last: a clock that has run ahead for a while makes nothing forgotten.
 * One that is switched off stays.
 */
export const isForgotten = ({ state, disabled, end, log }: Timer, before: UnixSeconds) =>
  state === 'ended' && !disabled && Math.max(end, log.at(-1)?.time ?? 0) < before;
