/** Sets a timer for an event, or takes it back. */
import { Circle, CircleStop } from 'lucide';
import { attempt, say } from '../../shared/attempt.ts';
import type { GuideEvent } from '../../shared/guide-event.ts';
import { Icon } from '../../shared/icon.tsx';
import { now, receiver } from '../../shared/receiver.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';

export function RecordButton({ event: { reference, id, start, duration, title } }: { readonly event: GuideEvent }) {
  const { value: timers } = useAnswer((signal) => receiver.get('/api/timerlist', {}, { signal }), [], ['timers']);
  const { event: said } = words.value;
  const timer = timers?.timers.find(
    (one) => one.serviceref === reference && one.eit === id && one.begin < start + duration && start < one.end,
  );
  const record = async () => {
    const done = await attempt(() => receiver.post('/api/timeraddbyeventid', { sRef: reference, eventid: id }));
    if (done) say(said.willRecord(title));
  };
  const remove = async () => {
    if (timer === undefined) return;
    const { serviceref: sRef, begin, end } = timer;
    const done = await attempt(() => receiver.post('/api/timerdelete', { sRef, begin, end }));
    if (done) say(said.removed(title));
  };
  if (start + duration <= now()) return null;
  return timer ? (
    <button type="button" class="button" onClick={() => void remove()}>
      <Icon of={CircleStop} size={16} /> {said.removeTimer}
    </button>
  ) : (
    <button type="button" class="button strong" aria-label={said.recordEvent(title)} onClick={() => void record()}>
      <Icon of={Circle} size={16} /> {said.record}
    </button>
  );
}
