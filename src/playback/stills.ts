/** Serialises and shares the stills of an output. */
import { fail } from '../base/errors.ts';
import { serialQueue } from '../base/serial-queue.ts';

/** Takes a still with these options. */
type TakeStill<Options> = (options: Options) => Promise<Buffer | undefined>;

/** Stills that may wait for the one in progress. */
const maxWaiting = 8;

/**
 * Takes stills one after another: each is expensive, and pages request them repeatedly. Concurrent requests with the
 * same options share a still. The result rejects with `too-many-clients` if too many others are waiting.
 */
export function shareStills<Options extends object>(still: TakeStill<Options>): TakeStill<Options> {
  const pending = new Map<string, Promise<Buffer | undefined>>();
  const serial = serialQueue();
  return async (options) => {
    const key = JSON.stringify(options);
    const shared = pending.get(key);
    if (shared !== undefined) return shared;
    if (pending.size > maxWaiting) throw fail('too-many-clients', pending.size);
    const taken = serial(() => still(options)).finally(() => pending.delete(key));
    pending.set(key, taken);
    return taken;
  };
}
