import { fail } from '../base/errors.ts';
import { serialQueue } from '../base/serial-queue.ts';

/** Takes a still in the format that the options name. */
type Take<Options> = (options: Options) => Promise<Buffer | undefined>;

/** Bound of the stills waiting for the one in progress. */
const maximumWaiting = 8;

/**
 * Stills of an output, taken one after another: each is expensive, and pages request them again and again. Concurrent
 * requests for the same still share it. Rejects with `too-many-clients` if too many others are waiting already.
 */
export function sharedStills<Options extends object>(still: Take<Options>): Take<Options> {
  const pending = new Map<string, Promise<Buffer | undefined>>();
  const inTurn = serialQueue();
  return async (options) => {
    const key = JSON.stringify(options);
    const same = pending.get(key);
    if (same !== undefined) return same;
    if (pending.size > maximumWaiting) throw fail('too-many-clients', pending.size);
    const made = inTurn(() => still(options)).finally(() => pending.delete(key));
    pending.set(key, made);
    return made;
  };
}
