/** The timers, and the actions on a timer that any page can offer. */
import { type Parameters, Refused, type Timer } from '../../client/client.ts';
import { attempt, showToast } from './attempt.ts';
import { now, receiver } from './receiver.ts';
import { useResponse } from './use-response.ts';
import { words } from './words.ts';

export type { Timer };

/** A timer that competes for a tuner. */
export interface Contender {
  readonly title: string;
  readonly channel: string;
  /** Unix seconds. */
  readonly start: number;
  readonly end: number;
  /** Empty if unknown. */
  readonly transponder: string;
  readonly tuners: readonly string[];
  readonly isServed: boolean;
}

export function useTimers() {
  return useResponse(
    async (signal) => (await receiver.get('/timers', { all: true }, { signal })).items,
    [],
    ['timers', 'recording', 'services'],
  );
}

const pathOf = ({ service_reference, timer_id }: Timer) => ({ service_reference, item: `t${timer_id}` });

/** Deletes a timer, with *Undo* in the message. */
export async function removeTimer(timer: Timer, message?: string): Promise<void> {
  const done = await attempt(() => receiver.delete('/timers/{service_reference}/{item}', pathOf(timer)));
  if (!done) return;
  const { common, timers } = words.peek();
  const { timer_id, title } = timer;
  showToast(message ?? timers.deleted(title), {
    label: common.undo,
    run: () => attempt(() => receiver.post('/timers/restore', { timer_id })),
  });
}

type TimerChanges = Omit<Parameters<'put', '/timers/{service_reference}/{item}'>, 'service_reference' | 'item'>;

/** @throws as the client does; see `conflictOf` */
export function changeTimer(timer: Timer, changes: TimerChanges) {
  return receiver.put('/timers/{service_reference}/{item}', { ...pathOf(timer), ...changes });
}

export async function switchTimer(timer: Timer): Promise<void> {
  await attempt(() => changeTimer(timer, { disabled: !timer.disabled }));
}

/** Ends a running timer now, with *Undo* in the message. The recording so far is kept. */
export async function stopTimer(timer: Timer): Promise<void> {
  const { title, end_time, repeated } = timer;
  const done = await attempt(() => changeTimer(timer, { end_time: now() }));
  if (!done) return;
  const { common, timers } = words.peek();
  const undo = { label: common.undo, run: () => attempt(() => changeTimer(timer, { end_time })) };
  // The end of a repeating timer is that of its next date.
  showToast(timers.stopped(title), repeated ? undefined : undo);
}

/** The timers in conflict, if a timer was refused for that: the refused timer first. */
export function conflictOf(error: unknown): readonly Contender[] {
  if (!(error instanceof Refused) || error.code !== 'timer-conflict') return [];
  const { conflicts = [] } = error.answer as { readonly conflicts?: readonly Timer[] };
  return conflicts.map((timer, index) => ({
    title: timer.title,
    channel: timer.service_name,
    start: timer.start_time,
    end: timer.end_time,
    transponder: '',
    tuners: [],
    isServed: index > 0,
  }));
}
