/** Adds, changes, finds and deletes timers for all operations on timers. */
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../../base/errors.ts';
import { ServiceReference } from '../../../services/reference.ts';
import { afterEvents, type Timer, type TimerSpec } from '../../../timers/timer.ts';
import { TimerConflict } from '../../../timers/timer-list.ts';
import { resolveRecordable, resolveTimerService, type TimerOptions } from '../../../timers/timer-specs.ts';
import { done, failure, SimpleResult } from '../../endpoint/operation.ts';
import {
  boolean,
  defined,
  eventIds,
  integer,
  type ParameterValues,
  text,
  unixTimes,
} from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { recordSchema } from '../../write/record.ts';
import { ConflictRecord, conflictRecord } from './timer-records.ts';

/** The reply of operations that may find a conflict. */
export const TimerResult = recordSchema({
  ...SimpleResult.properties,
  conflicts: Type.Optional(
    Type.Array(ConflictRecord, { description: 'the timer that gets no tuner, and those that run at the same time' }),
  ),
});
export type TimerResult = Type.Static<typeof TimerResult>;

/** Options of every timer, however it is created. */
export const optionParameters = {
  justplay: boolean('1 = only show the service', { form: 'bit' }),
  afterevent: integer('0 nothing, 1 standby, 2 deep standby, 3 auto; anything else = 3', {
    minimum: 0,
    maximum: 3,
    wrong: 3,
    example: 3,
  }),
  dirname: text('folder; absent or empty = the folder for timers', { example: '/media/hdd/movie/' }),
  tags: text('separated by spaces', { example: 'News' }),
  always_zap: integer('1 = also show the service; -1 = unchanged', {
    minimum: -1,
    maximum: 1,
    wrong: 'nearest',
    example: 1,
  }),
  pipzap: integer('stored, no effect', { minimum: -1, maximum: 1, wrong: 'nearest', example: 0 }),
  allow_duplicate: boolean('1 = add it even if another timer already does the same', { form: 'bit' }),
  autoadjust: boolean('stored, no effect', { form: 'bit', example: 0 }),
  recordingtype: text('normal, descrambled, scrambled', { example: 'normal' }),
  vpsplugin_enabled: boolean('1 = start earlier and end later with the event, following its running status', {
    form: 'bit',
  }),
  vpsplugin_overwrite: boolean('1 = also end with the event, without margin', { form: 'bit', example: 0 }),
  vpsplugin_time: integer('stored, no effect', {
    minimum: -1,
    maximum: unixTimes.maximum,
    wrong: 'nearest',
    example: -1,
  }),
  vps_pbox: text('`yes`: like vpsplugin_enabled; `yes_safe`: like `yes`, but never end early', { example: 'yes' }),
};

/** Options of a timer with its own time. */
export const timeParameters = {
  ...optionParameters,
  description: text('short text; if absent, that of the event with the id `eit`', { example: 'Episode 3' }),
  eit: integer('event id; if the service has no such event at that time, the event running then', {
    ...eventIds,
    wrong: 0,
  }),
  disabled: boolean('1 = disabled', { form: 'bit' }),
  repeated: integer('weekdays: 1 Monday to 64 Sunday; 0 = once', { minimum: 0, maximum: 127, wrong: 0, example: 31 }),
};

/** The options in a request. Absent ones are left out. */
export function timerOptionsOf(given: Partial<ParameterValues<typeof optionParameters>>): TimerOptions {
  const { always_zap, pipzap, recordingtype, tags, vps_pbox, vpsplugin_enabled, vpsplugin_overwrite } = given;
  const vps = vps_pbox === undefined ? vpsplugin_enabled : vps_pbox === 'yes' || vps_pbox === 'yes_safe';
  return defined({
    justPlay: given.justplay ?? false,
    afterEvent: afterEvents[given.afterevent ?? -1] ?? ('auto' as const),
    folder: given.dirname,
    tags: tags?.split(/\s+/).filter((word) => word !== ''),
    alwaysZap: always_zap === undefined || always_zap === -1 ? undefined : always_zap === 1,
    pipZap: pipzap === undefined || pipzap === -1 ? undefined : pipzap === 1,
    allowDuplicate: given.allow_duplicate,
    autoAdjust: given.autoadjust,
    ...recordingKinds[recordingtype ?? ''],
    followsRunningStatus: vps,
    endsWithEvent: vps_pbox === undefined ? vpsplugin_overwrite : vps_pbox === 'yes' && vpsplugin_overwrite,
    vpsTime: given.vpsplugin_time,
  });
}

const recordingKinds: Readonly<Record<string, { readonly descramble: boolean; readonly recordEcm: boolean }>> = {
  normal: { descramble: true, recordEcm: false },
  descrambled: { descramble: true, recordEcm: true },
  scrambled: { descramble: false, recordEcm: true },
};

export function timeOptionsOf(given: Partial<ParameterValues<typeof timeParameters>>): TimerOptions {
  const { description, eit, disabled = false, repeated = 0 } = given;
  return { ...timerOptionsOf(given), ...defined({ description }), eventId: eit || undefined, disabled, repeated };
}

/** What a request with this spec changes about a timer. Fields that it omits or cannot express stay as they are. */
export function changesOf(
  old: TimerSpec,
  spec: TimerSpec,
  given: Partial<ParameterValues<typeof timeParameters>>,
): Partial<TimerSpec> {
  const { reference, begin, end, name, description, repeated, folder, endsWithEvent, vpsTime } = spec;
  const isSameTime = begin === old.begin && end === old.end && reference.equals(old.reference);
  // A new name alone is no reason to look for another event.
  const { eventId, event } = isSameTime && old.eventId !== undefined ? old : spec;
  const options = timerOptionsOf(given);
  return {
    ...options,
    ...{ reference, begin, end, name, description, repeated, folder, eventId, event },
    disabled: spec.disabled,
    ...(options.followsRunningStatus !== undefined && { endsWithEvent, vpsTime }),
  };
}

/** The service for a timer with this name. @throws ReceiverError `timer-refused` */
export function serviceFor(
  { services }: ReceiverParts,
  sRef: string,
  name: string,
  { justplay = false }: { readonly justplay?: boolean | undefined },
): ServiceReference {
  try {
    return resolveRecordable(services, sRef, { justPlay: justplay });
  } catch {
    throw fail('timer-refused', name);
  }
}

/** Adds a timer. A client that repeats its request gets the same response. */
export async function addTimer(parts: ReceiverParts, spec: TimerSpec): Promise<TimerResult> {
  const { name } = spec;
  return resultOrConflict(parts, async () => {
    await parts.timers.add(spec);
    return done(`Timer '${name}' added`);
  });
}

/** The result of an action. A conflict is reported with the timers concerned, and with `text` or its own message. */
export async function resultOrConflict(
  parts: ReceiverParts,
  action: () => Promise<SimpleResult>,
  text?: string,
): Promise<TimerResult> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof TimerConflict)) throw error;
    const conflicts = error.conflicts.map((conflict) => conflictRecord(parts, conflict));
    return { ...failure(error, text), conflicts };
  }
}

interface ListedTimes {
  readonly begin: number;
  readonly end: number;
  readonly eit?: number | undefined;
}

/** Finds a timer by its service and its listed times, or by its service and event. */
export function findTimer(parts: ReceiverParts, sRef: string, times: ListedTimes): Timer | undefined {
  const timers = timersOf(parts, sRef);
  const atTimes = timers.find(({ begin, end }) => begin === times.begin && end === times.end);
  return atTimes ?? (times.eit ? timerOfEvent(timers, times.eit) : undefined);
}

/** The timers of a service, whether or not the lists still contain it. */
function timersOf({ timers, services }: ReceiverParts, sRef: string): readonly Timer[] {
  const timersFor = (wanted: ServiceReference) => timers.all.filter(({ reference }) => reference.equals(wanted));
  const given = ServiceReference.tryParse(sRef.trim());
  const listed = given ? timersFor(given) : [];
  if (listed.length > 0) return listed;
  try {
    return timersFor(resolveTimerService(services, sRef));
  } catch {
    return [];
  }
}

/** The timer for an event: of several, one that has not ended. */
export function timerOfEvent(timers: readonly Timer[], event: number): Timer | undefined {
  const ofEvent = timers.filter(({ eventId }) => eventId === event);
  return ofEvent.find(({ state }) => state !== 'ended') ?? ofEvent[0];
}

/** Deletes the timer that `findTimer` finds. */
export async function deleteTimer(parts: ReceiverParts, sRef: string, times: ListedTimes): Promise<SimpleResult> {
  const timer = findTimer(parts, sRef, times);
  const removed = timer && (await parts.timers.remove(timer.id));
  if (!removed) throw new ReceiverError('not-found', 'No matching Timer found');
  return done(`The timer '${removed.name}' has been deleted successfully`);
}
