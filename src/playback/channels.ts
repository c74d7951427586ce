/** Changes channels like a remote control: up and down in the current bouquet, and by number. */
import { serialQueue } from '../base/serial-queue.ts';
import { typedNumber } from '../services/channel-number.ts';
import { ServiceReference } from '../services/reference.ts';
import { type ServiceEntry, shownNumber } from '../services/service-list.ts';
import { isLocked, type ParentalParts } from './parental-control.ts';
import type { Playback } from './playback.ts';

export interface ChannelParts extends ParentalParts {
  readonly playback: Pick<Playback, 'current' | 'zap'>;
}

export class Channels {
  readonly #parts: ChannelParts;
  /** The channel of the last key until it is tuned: keys arrive faster than a tuner tunes. */
  #target: ServiceReference | undefined;
  /** Serialise the interpretation of keys, and tuning. */
  readonly #interpret = serialQueue();
  readonly #tune = serialQueue();

  constructor(parts: ChannelParts) {
    this.#parts = parts;
  }

  /**
   * Zaps to the next or the previous channel of the current bouquet; the first follows the last. Skips channels under
   * the parental lock.
   * @throws ReceiverError like `Playback.zap`
   */
  step(by: 1 | -1): Promise<void> {
    return this.#zapToFound(() => this.#neighbour(by));
  }

  /**
   * Zaps to the channel with this number. Does nothing if there is none, or if it is under the parental lock.
   * @throws ReceiverError like `Playback.zap`
   */
  choose(number: string): Promise<void> {
    return this.#zapToFound(() => this.#numbered(number));
  }

  async #neighbour(by: 1 | -1): Promise<ServiceReference | undefined> {
    const entries = this.#bouquet();
    const from = this.#target ?? this.#parts.playback.current?.reference;
    const index = from === undefined ? -1 : entryIndex(entries, from);
    // If the current service is not in the bouquet, up selects its first channel and down its last.
    const start = index < 0 && by < 0 ? entries.length : index;
    for (let distance = 1; distance <= entries.length; distance++) {
      const reference = entries[(start + by * distance + entries.length) % entries.length]?.reference;
      if (reference !== undefined && !(await isLocked(this.#parts, reference))) return reference;
    }
    return undefined;
  }

  async #numbered(number: string): Promise<ServiceReference | undefined> {
    const { services, playback } = this.#parts;
    const bouquet = playback.current?.bouquet?.reference;
    const isRadio = services.allBouquets('radio').some(({ reference }) => reference.format() === bouquet);
    const kinds = isRadio ? (['radio', 'tv'] as const) : (['tv', 'radio'] as const);
    const entries = kinds.flatMap((kind) => services.allBouquets(kind).flatMap((one) => one.entries));
    const reference = entries.find(
      (entry) => isChannel(entry) && typedNumber(shownNumber(entry)) === number,
    )?.reference;
    return reference !== undefined && !(await isLocked(this.#parts, reference)) ? reference : undefined;
  }

  /** The channels of the current bouquet, or of the first one that has any if the current service is in none. */
  #bouquet(): readonly ServiceEntry[] {
    const { services, playback } = this.#parts;
    const reference = playback.current?.bouquet?.reference;
    const current = reference === undefined ? undefined : services.list(ServiceReference.parse(reference))?.entries;
    const channels = current?.filter(isChannel) ?? [];
    if (channels.length > 0) return channels;
    const first = services.allBouquets('tv').find(({ entries }) => entries.some(isChannel));
    return first?.entries.filter(isChannel) ?? [];
  }

  /** Zaps to the channel that `find` returns, unless another key has replaced it as the target before it is tuned. */
  async #zapToFound(find: () => Promise<ServiceReference | undefined>): Promise<void> {
    const reference = await this.#interpret(async () => {
      const found = await find();
      if (found !== undefined) this.#target = found;
      return found;
    });
    if (reference !== undefined) await this.#tune(() => this.#zap(reference));
  }

  async #zap(reference: ServiceReference): Promise<void> {
    if (this.#target !== reference) return;
    try {
      await this.#parts.playback.zap(reference);
    } finally {
      if (this.#target === reference) this.#target = undefined;
    }
  }
}

/**
 * Index of the entry with the same text as the reference, including its name; else of the first equal entry; -1 if
 * there is none.
 */
function entryIndex(entries: readonly ServiceEntry[], from: ServiceReference): number {
  const text = from.format();
  const exact = entries.findIndex(({ reference }) => reference.format() === text);
  return exact < 0 ? entries.findIndex(({ reference }) => reference.equals(from)) : exact;
}

const isChannel = ({ reference }: ServiceEntry) => !reference.isMarker && !reference.isHidden && !reference.isDirectory;
