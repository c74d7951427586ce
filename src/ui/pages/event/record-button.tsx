/** Buttons that add or delete the timer of an event, for recording or as a reminder. */
import { Bell, BellOff, Circle, CircleDot, CircleStop } from 'lucide';
import { attempt, showToast } from '../../shared/attempt.ts';
import { type Timer, timerOf, timersOf, useTimers } from '../../shared/event-timers.ts';
import type { GuideEvent } from '../../shared/guide-event.ts';
import { Icon } from '../../shared/icon.tsx';
import { eventCounts } from '../../shared/live.ts';
import { now, receiver } from '../../shared/receiver.ts';
import { words } from '../../shared/words.ts';

interface EventProps {
  readonly event: GuideEvent;
}

export function RecordButton({ event }: EventProps) {
  return <RecordToggle event={event} timer={useTimer(event)} />;
}

interface ToggleProps extends EventProps {
  readonly timer: Timer | undefined;
  /** Without a text, for rows and cards. */
  readonly isBrief?: boolean;
}

export function RecordToggle({ event, timer, isBrief = false }: ToggleProps) {
  const { start, duration, title } = event;
  const { event: texts } = words.value;
  if (start + duration <= now()) return null;
  const form = isBrief ? 'bare record' : 'button';
  return timer && !timer.justplay ? (
    <button
      type="button"
      class={`${form} set`}
      data-needs="record"
      aria-label={isBrief ? `${texts.cancelRecording}: ${title}` : undefined}
      onClick={() => void remove(timer, texts.removed(title))}
    >
      <Icon of={isBrief ? Circle : CircleStop} size={isBrief ? 20 : 16} /> {!isBrief && texts.cancelRecording}
    </button>
  ) : (
    <button
      type="button"
      class={`${form} ${isBrief ? '' : 'strong'}`}
      data-needs="record"
      aria-label={texts.recordEvent(title)}
      onClick={() => void add(event, 0, texts.willRecord(title))}
    >
      <Icon of={isBrief ? CircleDot : Circle} size={isBrief ? 20 : 16} /> {!isBrief && texts.record}
    </button>
  );
}

/** A reminder is a timer that only switches to the service. An event has either a reminder or a recording. */
export function RemindButton({ event }: EventProps) {
  const { start, title } = event;
  const timer = useTimer(event);
  const { event: texts } = words.value;
  if (start <= now() || (timer && !timer.justplay)) return null;
  return timer ? (
    <button
      type="button"
      class="button"
      data-needs="record"
      onClick={() => void remove(timer, texts.willNotRemind(title))}
    >
      <Icon of={BellOff} size={16} /> {texts.cancelReminder}
    </button>
  ) : (
    <button
      type="button"
      class="button"
      data-needs="record"
      aria-label={texts.remindOf(title)}
      onClick={() => void add(event, 1, texts.willRemind(title))}
    >
      <Icon of={Bell} size={16} /> {texts.remind}
    </button>
  );
}

function useTimer(event: GuideEvent): Timer | undefined {
  return timerOf(event, timersOf(useTimers(), event.reference));
}

async function add({ reference: sRef, id: eventid }: GuideEvent, justplay: number, message: string): Promise<void> {
  const done = await attempt(() => receiver.post('/api/timeraddbyeventid', { sRef, eventid, justplay }));
  finish(done, message);
}

async function remove({ serviceref: sRef, begin, end }: Timer, message: string): Promise<void> {
  const done = await attempt(() => receiver.post('/api/timerdelete', { sRef, begin, end }));
  finish(done, message);
}

/** Shows the message and reloads the timers: just after loading, the event stream may not be open yet. */
function finish(done: object | undefined, message: string): void {
  if (done === undefined) return;
  showToast(message);
  eventCounts.timers.value++;
}
