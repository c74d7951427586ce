/**
 * The events of the grid, asked for in blocks of some channels by some hours: one question each. A block is kept until the
 * guide changes or there are too many.
 */
import { signal } from '@preact/signals';
import { reasonOf } from '../../shared/attempt.ts';
import { fromRow, type GuideEvent } from '../../shared/guide-event.ts';
import { receiver, setClock } from '../../shared/receiver.ts';
import type { Service } from '../../shared/services.ts';

/** What is shown: rows and seconds, the last ones exclusive. */
export interface View {
  readonly firstRow: number;
  readonly endRow: number;
  /** Unix seconds. */
  readonly from: number;
  readonly until: number;
}

const rowsOfBlock = 40;
const secondsOfBlock = 6 * 3600;
/** Blocks kept: about 60,000 events. */
const most = 120;
/** Milliseconds that scrolling has to pause before what it passes is asked for. */
const pause = 60;
/** Milliseconds in which changes of the guide count as one. */
const together = 1000;
/** No texts besides the title, and the receiver's time also for a service without events. */
const flags = 'IBDTRWCX';

interface Block {
  /** By service reference; undefined until they have come. */
  events: ReadonlyMap<string, readonly GuideEvent[]> | undefined;
  /** The guide has changed since. */
  isOld: boolean;
  /** While it is being asked for. */
  asking: AbortController | undefined;
}

export class Blocks {
  /** Rises when events have come: read it to be drawn again. */
  readonly version = signal(0);
  /** Why there are none; empty otherwise. */
  readonly trouble = signal('');
  readonly #services: readonly Service[];
  readonly #origin: number;
  /** By row and time, the last wanted ones last. */
  readonly #blocks = new Map<string, Block>();
  #wanted: View | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #changing: ReturnType<typeof setTimeout> | undefined;

  /** `origin`: where the grid begins, in Unix seconds. */
  constructor(services: readonly Service[], origin: number) {
    this.#services = services;
    this.#origin = origin;
  }

  /** Asks for what is missing in a view: at once for the first, once scrolling pauses for the following. */
  want(view: View): void {
    const isFirst = this.#wanted === undefined;
    this.#wanted = view;
    clearTimeout(this.#waiting);
    if (isFirst) this.#load();
    else this.#waiting = setTimeout(() => this.#load(), pause);
  }

  /** What is shown stays until the new events have come. */
  guideChanged(): void {
    this.#changing ??= setTimeout(() => {
      this.#changing = undefined;
      for (const block of this.#blocks.values()) block.isOld = true;
      this.#load();
    }, together);
  }

  stop(): void {
    clearTimeout(this.#waiting);
    clearTimeout(this.#changing);
    for (const { asking } of this.#blocks.values()) asking?.abort();
  }

  /** The lists of events of a row, in order; undefined for one that has not come. They may share events at their seams. */
  lists(row: number, { from, until }: Pick<View, 'from' | 'until'>): readonly (readonly GuideEvent[] | undefined)[] {
    const reference = this.#services[row]?.reference ?? '';
    const lists: (readonly GuideEvent[] | undefined)[] = [];
    for (let column = this.#column(from); column <= this.#column(until - 1); column++) {
      const events = this.#blocks.get(keyOf(Math.floor(row / rowsOfBlock), column))?.events;
      lists.push(events && (events.get(reference) ?? none));
    }
    return lists;
  }

  #column(time: number): number {
    return Math.floor((time - this.#origin) / secondsOfBlock);
  }

  #load(): void {
    if (this.#wanted === undefined) return;
    const { firstRow, endRow, from, until } = this.#wanted;
    const wanted = new Set<string>();
    for (let row = Math.floor(firstRow / rowsOfBlock); row * rowsOfBlock < endRow; row++) {
      for (let column = this.#column(from); column <= this.#column(until - 1); column++) {
        const key = keyOf(row, column);
        wanted.add(key);
        const known = this.#blocks.get(key);
        this.#blocks.delete(key);
        const block = known ?? { events: undefined, isOld: true, asking: undefined };
        this.#blocks.set(key, block);
        if (block.isOld && block.asking === undefined) void this.#ask(block, row, column);
      }
    }
    this.#giveUp(wanted);
  }

  /** Ends the questions for other blocks than these, and drops those that were not wanted for the longest time. */
  #giveUp(wanted: ReadonlySet<string>): void {
    for (const [key, block] of this.#blocks) {
      if (wanted.has(key)) continue;
      block.asking?.abort();
      if (this.#blocks.size > most || block.events === undefined) this.#blocks.delete(key);
    }
  }

  async #ask(block: Block, row: number, column: number): Promise<void> {
    const services = this.#services.slice(row * rowsOfBlock, (row + 1) * rowsOfBlock);
    const asking = new AbortController();
    block.asking = asking;
    block.isOld = false;
    try {
      const { events: rows } = await receiver.get(
        '/api/eventlookup',
        {
          service_reference: services.map(({ reference }) => reference),
          begin: this.#origin + column * secondsOfBlock,
          minutes: secondsOfBlock / 60,
          flags,
        },
        { signal: asking.signal },
      );
      setClock(rows[0]?.current_time);
      block.events = byService(rows.flatMap((one) => fromRow(one) ?? []));
      this.trouble.value = '';
      this.version.value++;
      // It has changed in the meantime.
      if (block.isOld) this.guideChanged();
    } catch (error) {
      block.isOld = true;
      const reason = reasonOf(error);
      if (!asking.signal.aborted) this.trouble.value = reason;
    } finally {
      block.asking = undefined;
    }
  }
}

const none: readonly GuideEvent[] = [];

const keyOf = (row: number, column: number) => `${row} ${column}`;

function byService(events: readonly GuideEvent[]): ReadonlyMap<string, readonly GuideEvent[]> {
  const found = new Map<string, GuideEvent[]>();
  for (const event of events) {
    const known = found.get(event.reference);
    if (known) known.push(event);
    else found.set(event.reference, [event]);
  }
  return found;
}
