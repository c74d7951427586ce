import { fail } from '../errors.ts';
import type { Output, StillOptions } from './output.ts';

/** Bound of the stills waiting for the one in progress. */
const maximumWaiting = 8;

/**
 * Stills of an output, taken one after another: each is expensive, and pages request them again and again. Concurrent
 * requests for the same still share it.
 */
export class Stills {
  readonly #output: Pick<Output, 'still'>;
  readonly #pending = new Map<string, Promise<Buffer | undefined>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(output: Pick<Output, 'still'>) {
    this.#output = output;
  }

  /** @throws ReceiverError `too-many-clients` if too many others are waiting already */
  async take(options: StillOptions): Promise<Buffer | undefined> {
    const key = JSON.stringify([options.format, options.width ?? 0, options.subtitles]);
    const same = this.#pending.get(key);
    if (same !== undefined) return same;
    if (this.#pending.size > maximumWaiting) throw fail('too-many-clients', this.#pending.size);
    const made = this.#last.then(() => this.#output.still(options)).finally(() => this.#pending.delete(key));
    this.#pending.set(key, made);
    this.#last = made.catch(() => undefined);
    return made;
  }
}
