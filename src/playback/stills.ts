import { fail } from '../errors.ts';
import { oneByOne } from '../one-by-one.ts';
import type { StillOptions } from './output.ts';

/** Takes a still in the format that the options name. */
interface Source<Options> {
  still(options: Options): Promise<Buffer | undefined>;
}

/** Bound of the stills waiting for the one in progress. */
const maximumWaiting = 8;

/**
 * Stills of an output, taken one after another: each is expensive, and pages request them again and again. Concurrent
 * requests for the same still share it.
 */
export class Stills<Options extends object = StillOptions> {
  readonly #output: Source<Options>;
  readonly #pending = new Map<string, Promise<Buffer | undefined>>();
  readonly #oneByOne = oneByOne();

  constructor(output: Source<Options>) {
    this.#output = output;
  }

  /** @throws ReceiverError `too-many-clients` if too many others are waiting already */
  async take(options: Options): Promise<Buffer | undefined> {
    const key = JSON.stringify(options);
    const same = this.#pending.get(key);
    if (same !== undefined) return same;
    if (this.#pending.size > maximumWaiting) throw fail('too-many-clients', this.#pending.size);
    const made = this.#oneByOne(() => this.#output.still(options)).finally(() => this.#pending.delete(key));
    this.#pending.set(key, made);
    return made;
  }
}
