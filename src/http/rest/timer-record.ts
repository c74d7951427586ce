/** Timers in the format of `/timers`: every key that a client of this family may look for. */
import Type, { type Static } from 'typebox';
import { guideKey } from '../../services/guide-key.ts';
import type { ServiceReference } from '../../services/reference.ts';
import { afterEvents, preparationTime, type Timer, timerStates } from '../../timers/timer.ts';
import { nullable } from '../faces/operation.ts';
import type { Parts } from '../parts/parts.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { eventKeys, eventRecord, exampleEvent, exampleService } from './event-record.ts';

const never = Type.Boolean({ description: 'always false; for clients that expect it' });

const LogEntry = Type.Unsafe<[number, number, string]>({
  type: 'array',
  prefixItems: [Type.Integer(), Type.Integer(), Type.String()],
  minItems: 3,
  maxItems: 3,
});

export const TimerSchema = Type.Object(
  {
    service_reference: Type.String(),
    start_time: Type.Integer({ description: 'Unix seconds, including margins; for a repeated timer, its next time' }),
    end_time: Type.Integer(),
    duration: Type.Integer({ description: 'seconds' }),
    id: nullable(Type.Integer({ description: 'event id; null for a timer without an event' })),
    title: Type.String(),
    shortinfo: Type.String(),
    state: Type.Unsafe<string>({ type: 'string', enum: [...timerStates] }),
    disabled: Type.Boolean(),
    justplay: Type.Boolean({ description: 'shows the service and records nothing' }),
    justremind: never,
    zapbeforerecord: Type.Boolean({ description: 'shows the service that it records' }),
    repeated: Type.Boolean(),
    repeat_mask: Type.Integer({ minimum: 0, maximum: 127, description: 'weekdays: bit 0 Monday to bit 6 Sunday' }),
    repeatedbegindate: Type.Integer({ description: 'Unix seconds' }),
    cancelled: Type.Boolean({ description: 'it failed' }),
    dontSave: Type.Boolean({ description: 'an instant recording: stored until it is over, and not in timers.xml' }),
    first_try_prepare: Type.Boolean({ description: 'no attempt has failed' }),
    dirname: nullable(Type.String({ description: 'folder; null = the folder for timers' })),
    dirnameHadToFallback: never,
    tags: Type.Array(Type.String()),
    log_entries: Type.Array(LogEntry, {
      description: 'Unix seconds, code and text',
    }),
    prepare_time: Type.Integer({ description: 'seconds before its begin at which it gets its tuner' }),
    start_prepare: Type.Integer({ description: 'Unix seconds' }),
    is_timeshift: never,
    is_transformed_timeshift: never,
    record_ecm: Type.Boolean(),
    pvrConvert: never,
    receiveRecordEvents: never,
    timer_id: Type.Integer({ description: 'stays the same for the life of the timer' }),
    afterevent: Type.Unsafe<string>({ type: 'string', enum: [...afterEvents] }),
    filename: nullable(Type.String({ description: 'the recording, without extension' })),
    service_name: Type.String(),
    conflict: Type.Boolean({ description: 'it may get no tuner alongside the others' }),
    event: Type.Optional(
      Type.Object({
        ...eventKeys,
        service_reference: Type.String(),
        service_name: Type.String(),
      }),
    ),
  },
  { $id: 'Timer' },
);
type TimerItem = Static<typeof TimerSchema>;

export const exampleTimer = {
  service_reference: exampleService.service_reference,
  start_time: 1767290220,
  end_time: 1767293400,
  duration: 3180,
  id: 4711,
  title: 'Ships',
  shortinfo: 'Episode 3',
  state: 'waiting',
  disabled: false,
  justplay: false,
  justremind: false,
  zapbeforerecord: false,
  repeated: false,
  repeat_mask: 0,
  repeatedbegindate: 1767290220,
  cancelled: false,
  dontSave: false,
  first_try_prepare: true,
  dirname: '/media/hdd/movie/',
  dirnameHadToFallback: false,
  tags: ['EPG'],
  log_entries: [[1767288000, 15, 'record time changed']],
  prepare_time: 20,
  start_prepare: 1767290200,
  is_timeshift: false,
  is_transformed_timeshift: false,
  record_ecm: false,
  pvrConvert: false,
  receiveRecordEvents: false,
  timer_id: 1,
  afterevent: 'auto',
  filename: null,
  service_name: exampleService.service_name,
  conflict: false,
  event: { ...exampleEvent, ...exampleService },
} as const;

const { event: _, ...withoutEvent } = exampleTimer;
/** A timer for a time, without an event. */
export const exampleManual = { ...withoutEvent, id: null, title: 'Films', timer_id: 2 };

/** The reference of a service in paths and responses. */
export const named = (reference: ServiceReference) => reference.withoutName().format();

/** Number of timers whose events are looked up in the guide at once. */
const batch = 50;

export async function itemsOf(
  parts: Parts<'guide' | 'services' | 'timers'>,
  shown: readonly Timer[],
): Promise<TimerItem[]> {
  const items: TimerItem[] = [];
  for (let start = 0; start < shown.length; start += batch)
    items.push(...(await Promise.all(shown.slice(start, start + batch).map((timer) => itemOf(parts, timer)))));
  return items;
}

async function itemOf(parts: Parts<'guide' | 'services' | 'timers'>, timer: Timer): Promise<TimerItem> {
  const { services, guide, timers } = parts;
  const { reference, begin, end, eventId, log, folder } = timer;
  const service = guideKey(services, reference);
  const event = service && eventId !== undefined ? await guide.byId(service, eventId) : null;
  const service_reference = named(reference);
  const service_name = cleaned(services.nameOf(reference));
  return {
    service_reference,
    start_time: begin,
    end_time: end,
    duration: end - begin,
    id: eventId ?? null,
    title: cleaned(timer.name),
    shortinfo: cleaned(timer.description),
    state: timer.state,
    disabled: timer.disabled,
    justplay: timer.justPlay,
    justremind: false,
    zapbeforerecord: timer.alwaysZap,
    repeated: timer.repeated !== 0,
    repeat_mask: timer.repeated,
    repeatedbegindate: timer.firstBegin,
    cancelled: timer.failed,
    dontSave: timer.dontSave,
    first_try_prepare: timer.backoff === 0,
    dirname: folder ?? null,
    dirnameHadToFallback: false,
    tags: [...timer.tags],
    log_entries: log.map(({ time, code, text }) => [time, code, text]),
    prepare_time: preparationTime,
    start_prepare: timer.nextTry ?? begin - preparationTime,
    is_timeshift: false,
    is_transformed_timeshift: false,
    record_ecm: timer.recordEcm,
    pvrConvert: false,
    receiveRecordEvents: false,
    timer_id: timer.id,
    afterevent: timer.afterEvent,
    filename: timer.fileName || null,
    service_name,
    conflict: (await timers.conflictsOf(timer)) !== undefined,
    ...(event && { event: { ...eventRecord(event), service_reference, service_name } }),
  };
}
