/** Timers in the format of the operations. */
import * as Type from 'typebox';
import { localTime } from '../../../base/local-time.ts';
import type { GuideEvent } from '../../../epg/event.ts';
import { guideKey } from '../../../services/guide/guide-key.ts';
import { afterEvents, preparationSeconds, type Timer, timerStates } from '../../../timers/timer.ts';
import type { TimerTime } from '../../../timers/timer-list.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { element, leaf, leaves } from '../../write/xml.ts';

const Bit = field(0, { minimum: 0, maximum: 1 });

/** The schema of a number that stands for one of several words. */
function numbered(words: readonly string[], sample: number) {
  const description = words.map((word, number) => `${number} ${word}`).join(', ');
  return field(sample, { minimum: 0, maximum: words.length - 1, description });
}

const LogEntry = Type.Unsafe<[time: number, code: number, text: string]>({ type: 'array', items: {} });

export const TimerRecord = recordSchema({
  serviceref: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  servicename: 'Alpha HD',
  eit: nullable(field(4711, 'event id')),
  name: 'Ships & Harbours',
  description: 'Episode 3',
  descriptionextended: field('The pilot boats of a large river.', 'extended text of its event; N/A = unknown'),
  disabled: Bit,
  begin: field(1767290220, 'Unix seconds, including margins; for a repeating timer, its next time'),
  end: 1767293400,
  duration: field(3180, 'seconds'),
  startprepare: field(1767290200, 'when it gets its tuner'),
  justplay: Bit,
  afterevent: numbered(afterEvents, 3),
  dirname: field('/media/hdd/movie/', 'folder; None = the folder for timers'),
  tags: field('EPG Padding=3,5', 'separated by spaces'),
  logentries: sampled(Type.Array(LogEntry, { description: 'Unix time, code and text' }), [
    [1767200000, 15, 'record time changed'],
  ]),
  backoff: field(0, 'seconds between the last failed attempt and the next'),
  firsttryprepare: field(true, 'no attempt has failed'),
  state: numbered(timerStates, 0),
  repeated: field(0, { minimum: 0, maximum: 127, description: 'weekdays: 1 Monday to 64 Sunday' }),
  dontsave: Bit,
  cancelled: field(false, 'true if the timer has failed'),
  toggledisabled: field(1, { minimum: 0, maximum: 1, description: '1 = enabled' }),
  toggledisabledimg: field('off', 'off = enabled, on = disabled'),
  filename: sampled(nullable(Type.String({ description: 'the recording, without extension' })), null),
  nextactivation: sampled(nullable(Type.Integer({ description: 'time of the next attempt' })), null),
  realbegin: '01.01.2026 18:57',
  realend: '01.01.2026 19:50',
  asrefs: sampled(Type.Unsafe<'' | string[]>({ description: 'the members of a group; otherwise an empty string' }), ''),
  vpsplugin_enabled: field(false, 'true if the timer follows the running status of the event'),
  vpsplugin_overwrite: field(false, 'true if it then ends with the event, without margin'),
  vpsplugin_time: -1,
  always_zap: 0,
  pipzap: 0,
  isAutoTimer: 0,
  allow_duplicate: Bit,
  autoadjust: 0,
  recordingtype: oneOf(['normal', 'descrambled', 'scrambled']),
  ice_timer_id: sampled(Type.Unsafe<string | number>({ description: '-1 = none' }), -1),
});
export type TimerRecord = Type.Static<typeof TimerRecord>;

export const timerView = element<TimerRecord>(
  'e2timer',
  leaves({
    e2servicereference: 'serviceref',
    e2servicename: 'servicename',
    e2eit: 'eit',
    e2name: 'name',
    e2description: 'description',
    e2descriptionextended: 'descriptionextended',
    e2disabled: 'disabled',
    e2timebegin: 'begin',
    e2timeend: 'end',
    e2duration: 'duration',
    e2startprepare: 'startprepare',
    e2justplay: 'justplay',
    e2afterevent: 'afterevent',
    e2location: 'dirname',
    e2tags: 'tags',
  }),
  leaf('e2logentries', ({ logentries }) => pythonList(logentries)),
  leaves({
    e2filename: 'filename',
    e2backoff: 'backoff',
    e2nextactivation: 'nextactivation',
    e2firsttryprepare: 'firsttryprepare',
    e2state: 'state',
    e2repeated: 'repeated',
    e2dontsave: 'dontsave',
    e2cancled: 'cancelled',
    e2toggledisabled: 'toggledisabled',
    e2toggledisabledimg: 'toggledisabledimg',
    e2alwayszap: 'always_zap',
    e2pipzap: 'pipzap',
  }),
);

/** `[(1767200000, 15, 'record time changed')]` */
function pythonList(entries: TimerRecord['logentries']): string {
  return `[${entries.map(([time, code, text]) => `(${time}, ${code}, ${pythonText(text)})`).join(', ')}]`;
}

function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replace(/\\/g, '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `${quote}${quote === "'" ? inside.replaceAll("'", "\\'") : inside}${quote}`;
}

const bit = (on: boolean) => (on ? 1 : 0);

/** `01.01.2026 18:57` */
function dateAndClock(parts: ReceiverParts, time: number): string {
  const local = localTime(parts.config.timeZone);
  return `${local.weekdayAndDate(time).slice(4)} ${local.clock(time)}`;
}

/** Number of timers whose events are looked up in the guide at once. */
const batchSize = 50;

/** Converts timers with `show`, each together with its event if the guide has it. */
export async function withEvents<Shown>(
  { guide, services }: ReceiverParts,
  timers: readonly Timer[],
  show: (timer: Timer, event: GuideEvent | null) => Shown | Promise<Shown>,
): Promise<Shown[]> {
  const all: Shown[] = [];
  for (let start = 0; start < timers.length; start += batchSize) {
    const batch = timers.slice(start, start + batchSize).map(async (timer) => {
      const service = guideKey(services, timer.reference);
      const isKnown = service !== undefined && timer.eventId !== undefined;
      return show(timer, isKnown ? await guide.byId(service, timer.eventId) : null);
    });
    all.push(...(await Promise.all(batch)));
  }
  return all;
}

/** The full records of timers, with the guide's texts of their events. */
export function timerRecords(parts: ReceiverParts, timers: readonly Timer[]): Promise<TimerRecord[]> {
  return withEvents(parts, timers, (timer, event) => recordOf(parts, timer, event?.extendedText || 'N/A'));
}

function recordOf(parts: ReceiverParts, timer: Timer, descriptionextended: string): TimerRecord {
  const { begin, end, disabled, reference, log, failed, backoff, descramble, recordEcm } = timer;
  const { serviceref, servicename, name, realbegin, realend } = timeRecord(parts, timer);
  return {
    serviceref,
    servicename,
    eit: timer.eventId ?? null,
    name,
    description: cleaned(timer.description),
    descriptionextended: cleaned(descriptionextended),
    disabled: bit(disabled),
    begin,
    end,
    duration: end - begin,
    startprepare: timer.nextTry ?? begin - preparationSeconds,
    justplay: bit(timer.justPlay),
    afterevent: afterEvents.indexOf(timer.afterEvent),
    dirname: timer.folder ?? 'None',
    tags: timer.tags.join(' '),
    logentries: log.map(({ time, code, text }) => [time, code, text]),
    backoff,
    firsttryprepare: backoff === 0,
    // Clients recognise a disabled timer by both values.
    state: disabled ? timerStates.indexOf('ended') : timerStates.indexOf(timer.state),
    repeated: timer.repeated,
    dontsave: bit(timer.dontSave),
    cancelled: failed,
    toggledisabled: bit(!disabled),
    toggledisabledimg: disabled ? 'on' : 'off',
    filename: timer.fileName || null,
    nextactivation: timer.nextTry ?? null,
    realbegin,
    realend,
    asrefs: reference.isAlternatives ? parts.services.playable(reference).map((one) => one.format()) : '',
    vpsplugin_enabled: timer.followsRunningStatus,
    vpsplugin_overwrite: timer.endsWithEvent,
    vpsplugin_time: timer.vpsTime,
    always_zap: bit(timer.alwaysZap),
    pipzap: bit(timer.pipZap),
    isAutoTimer: bit(timer.autoTimer),
    allow_duplicate: bit(timer.allowDuplicate),
    autoadjust: bit(timer.autoAdjust),
    recordingtype: descramble ? (recordEcm ? 'descrambled' : 'normal') : 'scrambled',
    ice_timer_id: timer.iceTimerId || -1,
  };
}

/** A timer that conflicts with another, with the time of the conflict. */
export const ConflictRecord = Type.Object({
  serviceref: Type.String(),
  servicename: Type.String(),
  name: Type.String(),
  begin: Type.Integer(),
  end: Type.Integer(),
  realbegin: Type.String(),
  realend: Type.String(),
});
export type ConflictRecord = Type.Static<typeof ConflictRecord>;

export const conflictRecord = (parts: ReceiverParts, { timer, begin, end }: TimerTime): ConflictRecord =>
  timeRecord(parts, { ...timer, begin, end });

function timeRecord(parts: ReceiverParts, { reference, name, begin, end }: Timer): ConflictRecord {
  return {
    serviceref: reference.format(),
    servicename: cleaned(parts.services.nameOf(reference)),
    name: cleaned(name),
    begin,
    end,
    realbegin: dateAndClock(parts, begin),
    realend: dateAndClock(parts, end),
  };
}
