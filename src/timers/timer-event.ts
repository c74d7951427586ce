/** The events of the guide that timers are made for, and where they go when the broadcaster moves them. */
import type { UnixSeconds } from '../clock.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import type { Guide } from '../epg/guide.ts';
import type { Span } from './repeat.ts';
import type { Timer, TimerEvent } from './timer.ts';

/** What is asked of the guide. */
export type TimerGuide = Pick<Guide, 'byId' | 'at' | 'window'>;

/** Seconds by which an event may move and still be the same: ids are given to other events after a while. */
const furthestMove = 6 * 3600;

/** What a timer keeps of its event. */
export function timerEvent({ start, duration, crids }: GuideEvent): TimerEvent {
  return { start, end: start + duration, crid: crids.find(({ type }) => type === 'programme')?.crid ?? '' };
}

/** Where in a timer's time its event is looked for: past the margin, and before the next event. */
const representativePart = 1 / 5;

/**
 * The event that a timer is for: the one with the id, if the service has that and it shares a moment with the timer, else what runs
 * one fifth into its time.
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
 * The event of a timer as the guide has it now: by its id, or by its CRID when that is on another event. Undefined as long as the guide
 * does not know what runs at the time that it had: after a start, what comes first may be a repeat, which has the same CRID.
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
  if (event.crid === '') return undefined;
  const inItsPlace = await guide.at(service, event.start);
  if (!inItsPlace || isSame(inItsPlace)) return inItsPlace ?? undefined;
  const near = await guide.window([service], event.start - furthestMove, event.start + furthestMove + 1);
  return near.filter((one) => isNear(one) && isSame(one)).sort((a, b) => distance(a, event) - distance(b, event))[0];
}

const distance = (one: GuideEvent, { start }: TimerEvent) => Math.abs(one.start - start);

/**
 * The timer moved with its event, both margins kept; the same timer when nothing has moved. What runs already keeps its begin, and
 * ends not before `now`.
 */
export function moved(timer: Timer, present: GuideEvent, now: UnixSeconds): Timer {
  const { event } = timer;
  // An event that does not say how long it lasts says nothing.
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
 * What the running status of EIT present/following says of an event: `running`, `over` when a later one of the service runs, and
 * undefined when it says nothing.
 */
export async function runningStatus(
  guide: TimerGuide,
  service: DvbTriplet,
  id: number,
  now: UnixSeconds,
): Promise<'running' | 'over' | undefined> {
  const event = await guide.byId(service, id);
  if (!event) return undefined;
  const later = await guide.window([service], event.start + 1, now + 3600);
  if (later.some((one) => one.start > event.start && one.id !== id && onAir.has(one.runningStatus))) return 'over';
  return onAir.has(event.runningStatus) ? 'running' : undefined;
}
