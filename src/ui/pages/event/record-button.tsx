/** Sets a timer for an event, to record it or to be reminded of it, or takes it back. */
import { Bell, BellOff, Circle, CircleStop } from 'lucide';
import { attempt, say } from '../../shared/attempt.ts';
import { type Timer, timerOf, useTimers } from '../../shared/event-timers.ts';
import type { GuideEvent } from '../../shared/guide-event.ts';
import { Icon } from '../../shared/icon.tsx';
import { heard } from '../../shared/live.ts';
import { now, receiver } from '../../shared/receiver.ts';
import { words } from '../../shared/words.ts';

interface EventProps {
  readonly event: GuideEvent;
}

export function RecordButton({ event }: EventProps) {
  const { start, duration, title } = event;
  const timer = useTimer(event);
  const { event: said } = words.value;
  if (start + duration <= now()) return null;
  return timer && !timer.justplay ? (
    <button type="button" class="button" data-needs="record" onClick={() => void remove(timer, said.removed(title))}>
      <Icon of={CircleStop} size={16} /> {said.cancelRecording}
    </button>
  ) : (
    <button
      type="button"
      class="button strong"
      data-needs="record"
      aria-label={said.recordEvent(title)}
      onClick={() => void add(event, 0, said.willRecord(title))}
    >
      <Icon of={Circle} size={16} /> {said.record}
    </button>
  );
}

/** A reminder is a timer that only switches to the service. There is one at most, and none of what is recorded. */
export function RemindButton({ event }: EventProps) {
  const { start, title } = event;
  const timer = useTimer(event);
  const { event: said } = words.value;
  if (start <= now() || (timer && !timer.justplay)) return null;
  return timer ? (
    <button
      type="button"
      class="button"
      data-needs="record"
      onClick={() => void remove(timer, said.willNotRemind(title))}
    >
      <Icon of={BellOff} size={16} /> {said.cancelReminder}
    </button>
  ) : (
    <button
      type="button"
      class="button"
      data-needs="record"
      aria-label={said.remindOf(title)}
      onClick={() => void add(event, 1, said.willRemind(title))}
    >
      <Icon of={Bell} size={16} /> {said.remind}
    </button>
  );
}

function useTimer(event: GuideEvent): Timer | undefined {
  return timerOf(event, useTimers()?.get(event.reference));
}

async function add({ reference: sRef, id: eventid }: GuideEvent, justplay: number, said: string): Promise<void> {
  const done = await attempt(() => receiver.post('/api/timeraddbyeventid', { sRef, eventid, justplay }));
  tell(done, said);
}

async function remove({ serviceref: sRef, begin, end }: Timer, said: string): Promise<void> {
  const done = await attempt(() => receiver.post('/api/timerdelete', { sRef, begin, end }));
  tell(done, said);
}

/** Right after a page was opened, its events may not come yet. */
function tell(done: object | undefined, said: string): void {
  if (done === undefined) return;
  say(said);
  heard.timers.value++;
}
