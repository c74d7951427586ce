/** The timers of events, as the guide and its events show them. */
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

/** As clients know it. */
const ended = 3;

/** The timer that was set for an event, and has not ended. One for a time alone belongs to none. */
export function timerOf(
  { id, start, duration }: GuideEvent,
  ofService: readonly Timer[] | undefined,
): Timer | undefined {
  return ofService?.find(
    ({ eit, begin, end, state }) => state !== ended && eit === id && begin < start + duration && start < end,
  );
}
