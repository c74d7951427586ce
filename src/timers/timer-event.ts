/** Finds the guide events of timers, and moves timers when the broadcaster reschedules their events. */
import type { UnixSeconds } from '../base/clock.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import type { Guide } from '../epg/guide.ts';
import type { ServiceReference } from '../services/reference.ts';
import { isMovedFrom, locatorOf } from './event-groups.ts';
import type { Span } from './repeat.ts';
import type { Timer, TimerEvent } from './timer.ts';

/** The guide lookups needed here. */
export type TimerGuide = Pick<Guide, 'byId' | 'at' | 'window'>;

export interface TimerGuideParts {
  readonly guide: TimerGuide;
  /** The service under which the guide stores the events of a reference. */
  readonly guideKey: (reference: ServiceReference) => DvbTriplet | undefined;
}

/** An event that moves by more than this is taken for another one: broadcasters reuse event ids. */
export const maxMoveSeconds = 6 * 3600;

/** The part of an event that a timer stores. */
export function timerEvent({ start, duration, crids }: GuideEvent): TimerEvent {
  return { start, end: start + duration, crid: crids.find(({ type }) => type === 'programme')?.crid ?? '' };
}

/** The fraction of a timer's span at which to look for its event: after the margin, but before a following event. */
const onAirFraction = 1 / 5;

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
  const byId = id ? await guide.byId(service, id) : null;
  if (byId && byId.start < Math.max(end, begin + 1) && begin < byId.start + Math.max(1, byId.duration)) return byId;
  const time = begin + Math.floor((end - begin) * onAirFraction);
  return (await guide.at(service, time)) ?? undefined;
}

/**
 * Finds the current version of a timer's event by its id. If the id now belongs to another event, finds the event with
 * the same CRID; without a CRID, the one that overlaps the original time and has the timer's name; or the one marked as
 * moved from the original. Undefined while the guide has no event at the original time: after a start, a repeat with the
 * same CRID may arrive first.
 */
export async function currentVersionOf(
  guide: TimerGuide,
  service: DvbTriplet,
  timer: Timer,
): Promise<GuideEvent | undefined> {
  const { event, eventId } = timer;
  if (event === undefined || eventId === undefined) return undefined;
  const isNear = ({ start }: GuideEvent) => Math.abs(start - event.start) <= maxMoveSeconds;
  const isSame = (found: GuideEvent) => event.crid === '' || timerEvent(found).crid === event.crid;
  const byId = await guide.byId(service, eventId);
  if (byId && isNear(byId) && isSame(byId)) return byId;
  const locator = locatorOf(service, eventId);
  const isRenumbered = (found: GuideEvent) =>
    isMovedFrom(found, locator) ||
    (event.crid !== '' ? isSame(found) : found.title === timer.name && overlap(timerEvent(found), event));
  const atOriginalTime = await guide.at(service, event.start);
  if (!atOriginalTime) return undefined;
  if (isRenumbered(atOriginalTime)) return atOriginalTime;
  const near = await guide.window([service], event.start - maxMoveSeconds, event.start + maxMoveSeconds + 1);
  return near
    .filter((found) => isNear(found) && isRenumbered(found))
    .sort((a, b) => distance(a, event) - distance(b, event))[0];
}

export const overlap = (a: Pick<TimerEvent, 'start' | 'end'>, b: Pick<TimerEvent, 'start' | 'end'>) =>
  a.start < b.end && b.start < a.end;

/**
 * Whether an event is a timer's event, possibly with another id or time. On one service, events that overlap and have
 * the same CRID or title are the same showing.
 */
export function isVersionOf({ event, name }: Timer, found: GuideEvent): boolean {
  if (event === undefined) return false;
  const { crid, ...span } = timerEvent(found);
  if (!overlap(span, event)) return false;
  return crid !== '' && event.crid !== '' ? crid === event.crid : found.title === name;
}

const distance = (found: GuideEvent, { start }: TimerEvent) => Math.abs(found.start - start);

/**
 * Moves a timer by as much as `current` has moved from its event, keeping both margins. A running timer keeps its start
 * and ends no earlier than `now`; only its margin before changes. Returns the same timer if the event has not moved.
 */
export function moveWithEvent(timer: Timer, current: GuideEvent, now: UnixSeconds): Timer {
  const { event } = timer;
  // Without a duration, the end is unknown.
  if (event === undefined || current.duration === 0) return timer;
  const next = timerEvent(current);
  const isRunning = timer.state === 'running';
  if (next.start === event.start && next.end === event.end && current.id === timer.eventId) return timer;
  const begin = isRunning ? timer.begin : timer.begin + next.start - event.start;
  const end = Math.max(timer.end + next.end - event.end, isRunning ? now : begin);
  const before = (timer.margins?.before ?? 0) + (next.start - event.start) - (begin - timer.begin);
  const margins = timer.margins && { ...timer.margins, before: Math.max(0, before) };
  return { ...timer, begin, end, firstBegin: begin, eventId: current.id, event: next, margins };
}

/** Values of running_status (EN 300 468 table 6): pausing, running. */
const onAir: ReadonlySet<number> = new Set([3, 4]);

/**
 * The status of a timer's event by the running status in EIT present/following: `running`, or `over` if a later event
 * of the service is running. Undefined if it is not signalled, or if the timer does not follow the running status.
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
  if (later.some((next) => next.start > event.start && next.id !== eventId && onAir.has(next.runningStatus)))
    return 'over';
  return onAir.has(event.runningStatus) ? 'running' : undefined;
}
