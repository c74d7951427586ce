/** The guide events of timers, and how timers follow them when the broadcaster reschedules them. */
import type { UnixSeconds } from '../base/clock.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import type { Guide } from '../epg/guide.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Span } from './repeat.ts';
import type { Timer, TimerEvent } from './timer.ts';

/** The guide lookups needed here. */
export type TimerGuide = Pick<Guide, 'byId' | 'at' | 'window'>;

export interface TimerGuideParts {
  readonly guide: TimerGuide;
  /** The service under which the guide stores the events of a reference. */
  readonly guideKey: (reference: ServiceReference) => DvbTriplet | undefined;
}

/** Seconds that an event may move and still count as the same: ids are reused for other events after a while. */
const furthestMove = 6 * 3600;

/** The part of an event that a timer stores. */
export function timerEvent({ start, duration, crids }: GuideEvent): TimerEvent {
  return { start, end: start + duration, crid: crids.find(({ type }) => type === 'programme')?.crid ?? '' };
}

/** Where in a timer's span to look for its event: past the margin, and before the next event. */
const representativePart = 1 / 5;

/**
 * The event of a timer: the one with the given id, if the service has it and it overlaps the timer; otherwise the event
 * on air one fifth into the timer's span.
 */
export async function eventFor(
  guide: TimerGuide,
  service: DvbTriplet,
  { begin, end }: Span,
  id?: number,
): Promise<GuideEvent | undefined> {
  const named = id ? await guide.byId(service, id) : null;
  if (named && named.start < Math.max(end, begin + 1) && begin < named.start + Math.max(1, named.duration))
    return named;
  const time = begin + Math.floor((end - begin) * representativePart);
  return (await guide.at(service, time)) ?? undefined;
}

/**
 * The current version of a timer's event: found by id, or by its CRID if another event has that now; without a CRID, the
 * event of the timer's name that overlaps the original time. Undefined while the guide does not know the event at the
 * original time: after a start, a repeat with the same CRID may arrive first.
 */
export async function presentEvent(
  guide: TimerGuide,
  service: DvbTriplet,
  timer: Timer,
): Promise<GuideEvent | undefined> {
  const { event, eventId } = timer;
  if (event === undefined || eventId === undefined) return undefined;
  const isNear = ({ start }: GuideEvent) => Math.abs(start - event.start) <= furthestMove;
  const isSame = (one: GuideEvent) => event.crid === '' || timerEvent(one).crid === event.crid;
  const named = await guide.byId(service, eventId);
  if (named && isNear(named) && isSame(named)) return named;
  const isRenumbered = (one: GuideEvent) =>
    event.crid !== '' ? isSame(one) : one.title === timer.name && overlap(timerEvent(one), event);
  const inItsPlace = await guide.at(service, event.start);
  if (!inItsPlace) return undefined;
  if (isRenumbered(inItsPlace)) return inItsPlace;
  const near = await guide.window([service], event.start - furthestMove, event.start + furthestMove + 1);
  return near
    .filter((one) => isNear(one) && isRenumbered(one))
    .sort((a, b) => distance(a, event) - distance(b, event))[0];
}

/** Whether two events share some of their time. */
export const overlap = (one: Pick<TimerEvent, 'start' | 'end'>, other: Pick<TimerEvent, 'start' | 'end'>) =>
  one.start < other.end && other.start < one.end;

const distance = (one: GuideEvent, { start }: TimerEvent) => Math.abs(one.start - start);

/**
 * Moves a timer with its event, keeping both margins. Returns the same timer if nothing has moved. A running timer
 * keeps its begin, and ends no earlier than `now`.
 */
export function moved(timer: Timer, present: GuideEvent, now: UnixSeconds): Timer {
  const { event } = timer;
  // An event without a duration is not usable.
  if (event === undefined || present.duration === 0) return timer;
  const next = timerEvent(present);
  const isRunning = timer.state === 'running';
  if (next.start === event.start && next.end === event.end && present.id === timer.eventId) return timer;
  const begin = isRunning ? timer.begin : timer.begin + next.start - event.start;
  const end = Math.max(timer.end + next.end - event.end, isRunning ? now : begin);
  return { ...timer, begin, end, firstBegin: begin, eventId: present.id, event: next };
}

/** running_status: pausing, running. */
const onAir: ReadonlySet<number> = new Set([3, 4]);

/**
 * The status of the event that a timer follows, by the running status of EIT present/following: `running`, `over` if a
 * later event of the service is running, undefined if not signalled or if the timer does not follow it.
 */
export async function statusOf(
  { guide, guideKey }: TimerGuideParts,
  { reference, eventId, followsRunningStatus }: Timer,
  now: UnixSeconds,
): Promise<'running' | 'over' | undefined> {
  if (!followsRunningStatus || eventId === undefined) return undefined;
  const service = guideKey(reference);
  const event = service && (await guide.byId(service, eventId));
  if (!event) return undefined;
  const later = await guide.window([service], event.start + 1, now + 3600);
  if (later.some((one) => one.start > event.start && one.id !== eventId && onAir.has(one.runningStatus))) return 'over';
  return onAir.has(event.runningStatus) ? 'running' : undefined;
}
