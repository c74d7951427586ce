/** The timers that the guide marks at its events. */
import type { Result } from '../../client/client.ts';
import type { GuideEvent } from './guide-event.ts';
import { receiver } from './receiver.ts';
import { useAnswer } from './use-answer.ts';

export type Timer = Result<'get', '/api/timerlist'>['timers'][number];

/** By service reference. */
export type Timers = ReadonlyMap<string, readonly Timer[]>;

export function useTimers(): Timers | undefined {
  const { value } = useAnswer(
    async (signal) => {
      const { timers } = await receiver.get('/api/timerlist', {}, { signal });
      const found = new Map<string, Timer[]>();
      for (const timer of timers) found.set(timer.serviceref, [...(found.get(timer.serviceref) ?? []), timer]);
      return found;
    },
    [],
    ['timers'],
  );
  return value;
}

/** `state` of a finished timer in `/api/timerlist`. */
const ended = 3;

/** The unfinished timer of an event. Timers without an event_id belong to no event. */
export function timerOf(
  { id, start, duration }: GuideEvent,
  ofService: readonly Timer[] | undefined,
): Timer | undefined {
  return ofService?.find(
    ({ eit, begin, end, state }) => state !== ended && eit === id && begin < start + duration && start < end,
  );
}
