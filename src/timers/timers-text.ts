/**
 * The text of `timers.xml`, Enigma2's timer list: one start tag per line, one line per log entry. Attributes and
 * elements of other programs are preserved. A few attributes are this receiver's own: `timer_id`, `state`, `failed`,
 * `filename`, `marginBefore` and `marginAfter` in seconds, and `eventBegin`, `eventEnd` and `crid` of the event that a timer
 * follows. Enigma2 ignores them; OpenATV has the margins too.
 */

import { TimeSlice } from '../base/time-slice.ts';
import { attributeText, elementsOf, escaped, salvageXml, textOf, type XmlElement, xmlText } from '../base/xml.ts';
import { ServiceReference } from '../services/reference.ts';
import type { LocalSpan } from './repeat.ts';
import {
  afterEvents,
  type ForeignAttribute,
  type LogEntry,
  marginsOf,
  maxLogEntries,
  newTimer,
  type Timer,
  timerSpec,
  zapWakeups,
} from './timer.ts';

export interface TimersText {
  readonly timers: readonly Timer[];
  /** XML texts of everything else in the list: foreign elements, and timers that cannot be read. */
  readonly others: readonly string[];
  /** Messages about the problems found. */
  readonly problems: readonly string[];
  /** What is wrong with the file as a whole; then `timers` has only the timers that are intact. */
  readonly damage?: string | undefined;
}

/** Characters of a list. */
const maxTextLength = 16 * 1024 * 1024;
/** No timers. */
export const noTimers: TimersText = { timers: [], others: [], problems: [] };

/**
 * Parses a list; of a damaged one, the timers that are intact. Yields to the event loop. A timer without a service or
 * times stays in `others`.
 */
export async function parseTimers(text: string): Promise<TimersText> {
  if (text.length > maxTextLength) return { ...noTimers, damage: `it is longer than ${maxTextLength} characters` };
  const { element: list, fault } = await salvageXml(text, 'timers', 'timer');
  const damage = fault && `it is damaged in line ${fault.line}: ${fault.message}`;
  if (list === undefined) return { ...noTimers, damage };
  const timers: Timer[] = [];
  const others: string[] = [];
  const problems: string[] = [];
  const slice = new TimeSlice();
  for (const element of elementsOf(list)) {
    if (slice.isOver) await slice.next();
    const isTimer = element.name === 'timer';
    const timer = isTimer ? timerOf(element) : undefined;
    if (timer !== undefined) {
      timers.push(timer);
      continue;
    }
    others.push(xmlText(element));
    if (isTimer)
      problems.push(
        `timer '${element.attributes.name ?? ''}' has no service, begin or end: it stays in the file but never runs`,
      );
  }
  return { timers: withIds(timers), others, problems, damage };
}

/** Gives every timer a unique id; a missing or duplicate one is replaced. */
function withIds(timers: readonly Timer[]): Timer[] {
  const taken = new Set<number>();
  let next = timers.reduce((highest, { id }) => Math.max(highest, id), 0);
  return timers.map((timer) => {
    const id = timer.id > 0 && !taken.has(timer.id) ? timer.id : ++next;
    taken.add(id);
    return id === timer.id ? timer : { ...timer, id };
  });
}

function timerOf(element: XmlElement): Timer | undefined {
  // Attributes that are not read below are foreign.
  const attributes = new Map(Object.entries(element.attributes));
  const text = (name: string) => {
    const value = attributes.get(name);
    attributes.delete(name);
    return value;
  };
  const textUnlessNone = (name: string) => {
    const value = text(name);
    return value === 'None' || value === '' ? undefined : value;
  };
  const number = (name: string) => wholeNumber(text(name));
  const isOn = (name: string, byDefault = false) => {
    const value = text(name);
    return value === undefined ? byDefault : /^\s*(?:1|true|yes|on)\s*$/i.test(value);
  };
  const reference = ServiceReference.tryParse(text('serviceref') ?? '');
  const [begin, end] = [number('begin'), number('end')];
  if (reference === undefined || begin === undefined || end === undefined) return undefined;
  const [eventStart, eventEnd, crid = ''] = [number('eventBegin'), number('eventEnd'), text('crid')];
  const [before = -1, after = -1] = [number('marginBefore'), number('marginAfter')];
  const [afterEvent, zapWakeup] = [text('afterevent'), text('zap_wakeup')];
  const spec = timerSpec({
    reference,
    begin,
    end,
    name: text('name') ?? '',
    description: text('description') ?? '',
    eventId: number('eit') || undefined,
    event: eventStart === undefined || eventEnd === undefined ? undefined : { start: eventStart, end: eventEnd, crid },
    margins: before >= 0 && after >= 0 ? { before, after } : undefined,
    disabled: isOn('disabled'),
    justPlay: isOn('justplay'),
    alwaysZap: isOn('always_zap'),
    pipZap: isOn('pipzap'),
    afterEvent: afterEvents.find((action) => action === afterEvent) ?? 'nothing',
    folder: textUnlessNone('location'),
    tags: words(text('tags')),
    repeated: number('repeated') ?? 0,
    zapWakeup: zapWakeups.find((wakeup) => wakeup === zapWakeup) ?? 'always',
    renameRepeat: isOn('rename_repeat', true),
    conflictDetection: isOn('conflict_detection', true),
    descramble: isOn('descramble', true),
    recordEcm: isOn('record_ecm'),
    flags: words(text('flags')),
    followsRunningStatus: isOn('vpsplugin_enabled'),
    endsWithEvent: isOn('vpsplugin_overwrite'),
    vpsTime: number('vpsplugin_time') ?? -1,
    autoTimer: isOn('isAutoTimer'),
    autoTimerRule: number('autotimer_rule') || undefined,
    allowDuplicate: isOn('allow_duplicate'),
    autoAdjust: isOn('autoadjust'),
    iceTimerId: textUnlessNone('ice_timer_id') ?? '',
    relayOf: number('relayOf') || undefined,
  });
  const id = number('timer_id');
  const log: LogEntry[] = [];
  const foreignElements: string[] = [];
  for (const inner of elementsOf(element)) {
    const entry = inner.name === 'log' ? logEntry(inner) : undefined;
    if (entry === undefined) foreignElements.push(xmlText(inner));
    else log.push(entry);
  }
  return {
    ...newTimer(id !== undefined && id > 0 && id < 1e9 ? id : 0, spec),
    state: number('state') === 3 ? 'ended' : 'waiting',
    localSpan: localSpanOf(number('shown_begin'), number('shown_length')),
    failed: isOn('failed'),
    fileName: text('filename') ?? '',
    log: log.length <= maxLogEntries ? log : [...log.slice(0, 1), ...log.slice(1 - maxLogEntries)],
    foreignAttributes: [...attributes],
    foreignElements,
  };
}

/** Undefined unless these are a time of day and a length in seconds. */
function localSpanOf(begin: number | undefined, length: number | undefined): LocalSpan | undefined {
  if (begin === undefined || length === undefined) return undefined;
  return begin >= 0 && begin < 86_400 && length >= 0 ? { begin, length } : undefined;
}

/** A number of at most fifteen digits, without its fraction; undefined if it is none. */
function wholeNumber(text: string | undefined): number | undefined {
  const match = /^\s*([+-]?\d{1,15})(?:\.\d*)?\s*$/.exec(text ?? '');
  return match === null ? undefined : Number(match[1]) || 0;
}

const words = (text = '') => text.split(/\s+/).filter((word) => word !== '' && word !== 'None');

/** Undefined for an entry in another format, which is preserved as XML. */
function logEntry(element: XmlElement): LogEntry | undefined {
  const { attributes } = element;
  const [time, code] = [wholeNumber(attributes.time), wholeNumber(attributes.code)];
  const isOurs = elementsOf(element).length === 0 && Object.keys(attributes).length <= 2;
  return isOurs && time !== undefined && code !== undefined ? { time, code, text: textOf(element).trim() } : undefined;
}

/** Formats a list; yields a piece for each timer. */
export function* formatTimers(
  timers: readonly Timer[],
  others: readonly string[] = [],
): Generator<string, void, undefined> {
  yield '<?xml version="1.0" ?>\n<timers>\n';
  for (const timer of timers) yield timerText(timer);
  for (const other of others) yield `${other}\n`;
  yield '</timers>\n';
}

function timerText(timer: Timer): string {
  const lines = timer.log.map(
    ({ time, code, text }) => `<log code="${code}" time="${time}">${escaped(text.trim())}</log>\n`,
  );
  const elements = timer.foreignElements.map((xml) => `${xml}\n`);
  return `<timer${attributeText(attributesOf(timer))}>\n${lines.join('')}${elements.join('')}</timer>\n`;
}

function attributesOf(timer: Timer): ForeignAttribute[] {
  const bit = (on: boolean) => (on ? '1' : '0');
  const margins = marginsOf(timer);
  const { eventId, event, folder, tags, flags, vpsTime, iceTimerId, fileName } = timer;
  const all: readonly (ForeignAttribute | false)[] = [
    ['begin', String(timer.begin)],
    ['end', String(timer.end)],
    ['serviceref', timer.reference.format()],
    ['repeated', String(timer.repeated)],
    ['name', timer.name],
    ['description', timer.description],
    ['afterevent', timer.afterEvent],
    eventId !== undefined && ['eit', String(eventId)],
    folder !== undefined && ['location', folder],
    tags.length > 0 && ['tags', tags.map((tag) => tag.replace(/\s+/g, '_')).join(' ')],
    timer.disabled && ['disabled', '1'],
    ['justplay', bit(timer.justPlay)],
    ['always_zap', bit(timer.alwaysZap)],
    ['pipzap', bit(timer.pipZap)],
    ['zap_wakeup', timer.zapWakeup],
    ['rename_repeat', bit(timer.renameRepeat)],
    ['conflict_detection', bit(timer.conflictDetection)],
    ['descramble', bit(timer.descramble)],
    ['record_ecm', bit(timer.recordEcm)],
    flags.length > 0 && ['flags', flags.join(' ')],
    timer.followsRunningStatus && ['vpsplugin_enabled', '1'],
    timer.endsWithEvent && ['vpsplugin_overwrite', '1'],
    vpsTime !== -1 && ['vpsplugin_time', String(vpsTime)],
    timer.autoTimer && ['isAutoTimer', '1'],
    timer.autoTimerRule !== undefined && ['autotimer_rule', String(timer.autoTimerRule)],
    timer.allowDuplicate && ['allow_duplicate', '1'],
    timer.autoAdjust && ['autoadjust', '1'],
    iceTimerId !== '' && ['ice_timer_id', iceTimerId],
    ...timer.foreignAttributes,
    ['timer_id', String(timer.id)],
    timer.state === 'ended' && ['state', '3'],
    timer.failed && ['failed', '1'],
    fileName !== '' && ['filename', fileName],
    timer.localSpan !== undefined && ['shown_begin', String(timer.localSpan.begin)],
    timer.localSpan !== undefined && ['shown_length', String(timer.localSpan.length)],
    event !== undefined && ['eventBegin', String(event.start)],
    event !== undefined && ['eventEnd', String(event.end)],
    event !== undefined && event.crid !== '' && ['crid', event.crid],
    timer.relayOf !== undefined && ['relayOf', String(timer.relayOf)],
    margins !== undefined && ['marginBefore', String(margins.before)],
    margins !== undefined && ['marginAfter', String(margins.after)],
  ];
  return all.filter((one) => one !== false);
}
