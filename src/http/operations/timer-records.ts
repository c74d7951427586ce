/** Timers in the format of the operations. */
import Type, { type Static } from 'typebox';
import { localTime } from '../../local-time.ts';
import { guideKey } from '../../services/guide-key.ts';
import { afterEvents, preparationTime, type Timer, timerStates } from '../../timers/timer.ts';
import type { TimerTime } from '../../timers/timer-list.ts';
import { nullable } from '../faces/operation.ts';
import type { Parts } from '../parts/parts.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { element, leaf } from '../write/xml.ts';

const Bit = Type.Integer({ minimum: 0, maximum: 1 });

export const TimerRecord = Type.Object({
  serviceref: Type.String(),
  servicename: Type.String(),
  eit: nullable(Type.Integer({ description: 'event id' })),
  name: Type.String(),
  description: Type.String(),
  descriptionextended: Type.String({ description: 'extended text of its event; N/A = unknown' }),
  disabled: Bit,
  begin: Type.Integer({ description: 'Unix seconds, including margins; for a repeated timer, its next time' }),
  end: Type.Integer(),
  duration: Type.Integer({ description: 'seconds' }),
  startprepare: Type.Integer({ description: 'when it gets its tuner' }),
  justplay: Bit,
  afterevent: Type.Integer({
    minimum: 0,
    maximum: 3,
    description: afterEvents.map((word, i) => `${i} ${word}`).join(', '),
  }),
  dirname: Type.String({ description: 'folder; None = the folder for timers' }),
  tags: Type.String({ description: 'separated by spaces' }),
  logentries: Type.Array(Type.Unsafe<[time: number, code: number, text: string]>({ type: 'array', items: {} }), {
    description: 'Unix time, code and text',
  }),
  backoff: Type.Integer({ description: 'seconds between the last failed attempt and the next' }),
  firsttryprepare: Type.Boolean({ description: 'no attempt has failed' }),
  state: Type.Integer({ minimum: 0, maximum: 3, description: timerStates.map((word, i) => `${i} ${word}`).join(', ') }),
  repeated: Type.Integer({ minimum: 0, maximum: 127, description: 'weekdays: 1 Monday to 64 Sunday' }),
  dontsave: Bit,
  cancelled: Type.Boolean({ description: 'it failed' }),
  toggledisabled: Type.Integer({ minimum: 0, maximum: 1, description: '1 = enabled' }),
  toggledisabledimg: Type.String({ description: 'off = enabled, on = disabled' }),
  filename: nullable(Type.String({ description: 'the recording, without extension' })),
  nextactivation: nullable(Type.Integer({ description: 'time of the next attempt' })),
  realbegin: Type.String(),
  realend: Type.String(),
  asrefs: Type.Unsafe<'' | string[]>({ description: 'the members of a group; otherwise an empty string' }),
  vpsplugin_enabled: Type.Boolean({ description: 'follows the running status of the event' }),
  vpsplugin_overwrite: Type.Boolean({ description: 'and ends with the event, without margin' }),
  vpsplugin_time: Type.Integer(),
  always_zap: Type.Integer(),
  pipzap: Type.Integer(),
  isAutoTimer: Type.Integer(),
  allow_duplicate: Bit,
  autoadjust: Type.Integer(),
  recordingtype: Type.String({ enum: ['normal', 'descrambled', 'scrambled'] }),
  ice_timer_id: Type.Unsafe<string | number>({ description: '-1 = none' }),
});
export type TimerRecord = Static<typeof TimerRecord>;

export const exampleTimer: TimerRecord = {
  serviceref: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  servicename: 'Alpha HD',
  eit: 4711,
  name: 'Ships & Harbours',
  description: 'Episode 3',
  descriptionextended: 'The pilot boats of a large river.',
  disabled: 0,
  begin: 1767290220,
  end: 1767293400,
  duration: 3180,
  startprepare: 1767290200,
  justplay: 0,
  afterevent: 3,
  dirname: '/media/hdd/movie/',
  tags: 'EPG Padding=3,5',
  logentries: [[1767200000, 15, 'record time changed']],
  backoff: 0,
  firsttryprepare: true,
  state: 0,
  repeated: 0,
  dontsave: 0,
  cancelled: false,
  toggledisabled: 1,
  toggledisabledimg: 'off',
  filename: null,
  nextactivation: null,
  realbegin: '01.01.2026 18:57',
  realend: '01.01.2026 19:50',
  asrefs: '',
  vpsplugin_enabled: false,
  vpsplugin_overwrite: false,
  vpsplugin_time: -1,
  always_zap: 0,
  pipzap: 0,
  isAutoTimer: 0,
  allow_duplicate: 0,
  autoadjust: 0,
  recordingtype: 'normal',
  ice_timer_id: -1,
};

export const timerView = element<TimerRecord>(
  'e2timer',
  leaf('e2servicereference', ({ serviceref }) => serviceref),
  leaf('e2servicename', ({ servicename }) => servicename),
  leaf('e2eit', ({ eit }) => eit),
  leaf('e2name', ({ name }) => name),
  leaf('e2description', ({ description }) => description),
  leaf('e2descriptionextended', ({ descriptionextended }) => descriptionextended),
  leaf('e2disabled', ({ disabled }) => disabled),
  leaf('e2timebegin', ({ begin }) => begin),
  leaf('e2timeend', ({ end }) => end),
  leaf('e2duration', ({ duration }) => duration),
  leaf('e2startprepare', ({ startprepare }) => startprepare),
  leaf('e2justplay', ({ justplay }) => justplay),
  leaf('e2afterevent', ({ afterevent }) => afterevent),
  leaf('e2location', ({ dirname }) => dirname),
  leaf('e2tags', ({ tags }) => tags),
  leaf('e2logentries', ({ logentries }) => pythonList(logentries)),
  leaf('e2filename', ({ filename }) => filename),
  leaf('e2backoff', ({ backoff }) => backoff),
  leaf('e2nextactivation', ({ nextactivation }) => nextactivation),
  leaf('e2firsttryprepare', ({ firsttryprepare }) => firsttryprepare),
  leaf('e2state', ({ state }) => state),
  leaf('e2repeated', ({ repeated }) => repeated),
  leaf('e2dontsave', ({ dontsave }) => dontsave),
  leaf('e2cancled', ({ cancelled }) => cancelled),
  leaf('e2toggledisabled', ({ toggledisabled }) => toggledisabled),
  leaf('e2toggledisabledimg', ({ toggledisabledimg }) => toggledisabledimg),
  leaf('e2alwayszap', ({ always_zap }) => always_zap),
  leaf('e2pipzap', ({ pipzap }) => pipzap),
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
function dateAndClock(parts: Parts<'config'>, time: number): string {
  const local = localTime(parts.config.timeZone);
  return `${local.weekdayAndDate(time).slice(4)} ${local.clock(time)}`;
}

/** Number of timers whose events are looked up in the guide at once. */
const batch = 50;

/** The full records of timers, with the guide's texts of their events. */
export async function timerRecords(
  parts: Parts<'config' | 'guide' | 'services'>,
  timers: readonly Timer[],
): Promise<TimerRecord[]> {
  const { guide, services } = parts;
  const records: TimerRecord[] = [];
  for (let start = 0; start < timers.length; start += batch) {
    const some = timers.slice(start, start + batch).map(async (timer) => {
      const service = guideKey(services, timer.reference);
      const event = service && timer.eventId !== undefined ? await guide.byId(service, timer.eventId) : null;
      return recordOf(parts, timer, event?.extendedText || 'N/A');
    });
    records.push(...(await Promise.all(some)));
  }
  return records;
}

function recordOf(parts: Parts<'config' | 'services'>, timer: Timer, descriptionextended: string): TimerRecord {
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
    startprepare: timer.nextTry ?? begin - preparationTime,
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
export type ConflictRecord = Static<typeof ConflictRecord>;

export const conflictRecord = (parts: Parts<'config' | 'services'>, { timer, begin, end }: TimerTime): ConflictRecord =>
  timeRecord(parts, { ...timer, begin, end });

function timeRecord(parts: Parts<'config' | 'services'>, { reference, name, begin, end }: Timer): ConflictRecord {
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
