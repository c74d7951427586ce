/** Timers as `/timers` returns them: with all keys that clients may read. */
import * as Type from 'typebox';
import type { GuideEvent } from '../../../epg/event.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import { afterEvents, marginsOf, preparationSeconds, type Timer, timerStates } from '../../../timers/timer.ts';
import { withEvents } from '../../operations/timers/timer-records.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { exampleOf, field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { eventKeys, eventRecord, exampleService } from '../event-record.ts';

const alwaysFalse = field(false, 'always false; for clients that expect this key');

const LogEntry = Type.Unsafe<[number, number, string]>({
  type: 'array',
  prefixItems: [Type.Integer(), Type.Integer(), Type.String()],
  minItems: 3,
  maxItems: 3,
});

export const TimerSchema = recordSchema(
  {
    service_reference: exampleService.service_reference,
    start_time: field(1767290220, 'Unix seconds, including the margin; for a repeating timer, its next occurrence'),
    end_time: 1767293400,
    duration: field(3180, 'seconds'),
    id: nullable(field(4711, 'event id; null for a timer without an event')),
    title: 'Ships',
    shortinfo: 'Episode 3',
    state: oneOf(timerStates),
    disabled: false,
    justplay: field(false, 'whether it only shows the service, without recording'),
    justremind: alwaysFalse,
    zapbeforerecord: field(false, 'whether it also shows the service that it records'),
    repeated: false,
    repeat_mask: field(0, { minimum: 0, maximum: 127, description: 'weekdays: bit 0 Monday to bit 6 Sunday' }),
    repeatedbegindate: field(1767290220, 'Unix seconds: begin of its first occurrence'),
    cancelled: field(false, 'whether it has failed'),
    dontSave: field(
      false,
      'whether it is an instant recording, which is not in timers.xml and is stored only until it ends',
    ),
    first_try_prepare: field(true, 'true if no attempt has failed'),
    dirname: nullable(field('/media/hdd/movie/', 'folder; null = the folder for timers')),
    dirnameHadToFallback: alwaysFalse,
    tags: ['EPG'],
    log_entries: sampled(Type.Array(LogEntry, { description: 'Unix seconds, code and text' }), [
      [1767288000, 15, 'record time changed'],
    ]),
    prepare_time: field(preparationSeconds, 'seconds before the start at which the timer gets its tuner'),
    start_prepare: field(1767290200, 'Unix seconds at which it gets its tuner, or tries again'),
    is_timeshift: alwaysFalse,
    is_transformed_timeshift: alwaysFalse,
    record_ecm: false,
    pvrConvert: alwaysFalse,
    receiveRecordEvents: alwaysFalse,
    timer_id: field(1, 'never changes'),
    afterevent: sampled(oneOf(afterEvents), 'auto'),
    filename: sampled(nullable(Type.String({ description: 'path of the recording without extension' })), null),
    service_name: exampleService.service_name,
    conflict: field(false, 'whether it may get no tuner because of other timers'),
    margin_before: Type.Optional(
      Type.Integer({
        description: 'seconds; only for a timer whose margins have been set by `margin_before`, `margin_after`',
      }),
    ),
    margin_after: Type.Optional(Type.Integer({ description: 'seconds' })),
    event: Type.Optional(recordSchema({ ...eventKeys, ...exampleService })),
  },
  { $id: 'Timer' },
);
type TimerItem = Type.Static<typeof TimerSchema>;

export const exampleTimer = exampleOf(TimerSchema);
const { event: _, ...withoutEvent } = exampleTimer;
/** A timer for a period, without an event. */
export const exampleManual = { ...withoutEvent, id: null, title: 'Films', timer_id: 2 };

/** The reference of a service as in paths and responses: without its name. */
export const referenceText = (reference: ServiceReference) => reference.withoutName().format();

export async function itemsOf(parts: ReceiverParts, shown: readonly Timer[]): Promise<TimerItem[]> {
  const unserved = await parts.timers.unserved(shown);
  return withEvents(parts, shown, (timer, event) => itemOf(parts, timer, event, unserved.has(timer)));
}

function itemOf({ services }: ReceiverParts, timer: Timer, event: GuideEvent | null, conflict: boolean): TimerItem {
  const { reference, begin, end, eventId, log, folder } = timer;
  const service_reference = referenceText(reference);
  const service_name = cleaned(services.nameOf(reference));
  const margins = marginsOf(timer);
  return {
    // The keys that are not set below have the same value in all timers.
    ...withoutEvent,
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
    zapbeforerecord: timer.alwaysZap,
    repeated: timer.repeated !== 0,
    repeat_mask: timer.repeated,
    repeatedbegindate: timer.firstBegin,
    cancelled: timer.failed,
    dontSave: timer.dontSave,
    first_try_prepare: timer.backoff === 0,
    dirname: folder ?? null,
    tags: [...timer.tags],
    log_entries: log.map(({ time, code, text }) => [time, code, text]),
    start_prepare: timer.nextTry ?? begin - preparationSeconds,
    record_ecm: timer.recordEcm,
    timer_id: timer.id,
    afterevent: timer.afterEvent,
    filename: timer.fileName || null,
    service_name,
    conflict,
    ...(margins && { margin_before: margins.before, margin_after: margins.after }),
    ...(event && { event: { ...eventRecord(event), service_reference, service_name } }),
  };
}
