/** The timers that the guide marks at its events. */
import type { Result } from '../../client/client.ts';
import type { GuideEvent } from './guide-event.ts';
import { receiver } from './receiver.ts';
import { useResponse } from './use-response.ts';

export type Timer = Result<'get', '/api/timerlist'>['timers'][number];

/** By `identityOf` the service reference. */
export type Timers = ReadonlyMap<string, readonly Timer[]>;

/** A service reference without the name at its end, with which some clients and lists write it. */
const identityOf = (reference: string) => reference.split(':').slice(0, 11).join(':');

export const isSameService = (one: string, other: string) => identityOf(one) === identityOf(other);

export const timersOf = (timers: Timers | undefined, reference: string) => timers?.get(identityOf(reference));

export function useTimers(): Timers | undefined {
  const { value } = useResponse(
    async (signal) => {
      const { timers } = await receiver.get('/api/timerlist', {}, { signal });
      const found = new Map<string, Timer[]>();
      for (const timer of timers) {
        const service = identityOf(timer.serviceref);
        found.set(service, [...(found.get(service) ?? []), timer]);
      }
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
