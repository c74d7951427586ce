/**
 * The events of the grid, loaded in blocks of 40 channels by six hours with one request each. A block is cached until the
 * guide changes or the cache is full.
 */
import { signal } from '@preact/signals';
import { reasonOf } from '../../shared/attempt.ts';
import { fromRow, type GuideEvent } from '../../shared/guide-event.ts';
import { noteRequest } from '../../shared/live.ts';
import { receiver, setClock } from '../../shared/receiver.ts';
import type { Service } from '../../shared/services.ts';

/** The visible part of the grid: rows and times, ends exclusive. */
export interface View {
  readonly firstRow: number;
  readonly endRow: number;
  /** Unix seconds. */
  readonly from: number;
  readonly until: number;
}

const rowsPerBlock = 40;
const secondsPerBlock = 6 * 3600;
/** About 60,000 events. */
const maxBlocks = 120;
/** Blocks are requested when scrolling pauses for this time. */
const scrollDebounceMs = 60;
/** Changes of the guide within this time cause one reload. */
const reloadDebounceMs = 1000;
/** Title but no other texts; also the receiver's time, even for services without events. */
const flags = 'IBDTRWCX';

interface Block {
  /** Events by service reference; undefined until loaded. */
  events: ReadonlyMap<string, readonly GuideEvent[]> | undefined;
  /** Whether the guide has changed since. */
  isOld: boolean;
  /** Set while a request is running. */
  request: AbortController | undefined;
}

export class Blocks {
  /** Rises when events arrive. Components that read it re-render. */
  readonly version = signal(0);
  /** Why loading failed; empty if it succeeded. */
  readonly trouble = signal('');
  readonly #services: readonly Service[];
  readonly #origin: number;
  /** By row and column of blocks, least recently wanted first. */
  readonly #blocks = new Map<string, Block>();
  #wanted: View | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #changing: ReturnType<typeof setTimeout> | undefined;

  /** `origin`: left edge of the grid in Unix seconds. */
  constructor(services: readonly Service[], origin: number) {
    this.#services = services;
    this.#origin = origin;
  }

  /** Loads the missing blocks of a view: at once the first time, later when scrolling pauses. */
  want(view: View): void {
    const isFirst = this.#wanted === undefined;
    this.#wanted = view;
    clearTimeout(this.#waiting);
    if (isFirst) this.#load();
    else this.#waiting = setTimeout(() => this.#load(), scrollDebounceMs);
  }

  /** Reloads the blocks. Old events stay until new ones arrive. */
  guideChanged(): void {
    this.#changing ??= setTimeout(() => {
      this.#changing = undefined;
      for (const block of this.#blocks.values()) block.isOld = true;
      this.#load();
    }, reloadDebounceMs);
  }

  stop(): void {
    clearTimeout(this.#waiting);
    clearTimeout(this.#changing);
    for (const { request } of this.#blocks.values()) request?.abort();
  }

  /** The events of a row by block, in order; undefined for blocks not yet loaded. Adjacent lists may share an event. */
  lists(row: number, { from, until }: Pick<View, 'from' | 'until'>): readonly (readonly GuideEvent[] | undefined)[] {
    const reference = this.#services[row]?.reference ?? '';
    const lists: (readonly GuideEvent[] | undefined)[] = [];
    for (let column = this.#column(from); column <= this.#column(until - 1); column++) {
      const events = this.#blocks.get(keyOf(Math.floor(row / rowsPerBlock), column))?.events;
      lists.push(events && (events.get(reference) ?? none));
    }
    return lists;
  }

  #column(time: number): number {
    return Math.floor((time - this.#origin) / secondsPerBlock);
  }

  #load(): void {
    if (this.#wanted === undefined) return;
    const { firstRow, endRow, from, until } = this.#wanted;
    const wanted = new Set<string>();
    for (let row = Math.floor(firstRow / rowsPerBlock); row * rowsPerBlock < endRow; row++) {
      for (let column = this.#column(from); column <= this.#column(until - 1); column++) {
        const key = keyOf(row, column);
        wanted.add(key);
        const known = this.#blocks.get(key);
        this.#blocks.delete(key);
        const block = known ?? { events: undefined, isOld: true, request: undefined };
        this.#blocks.set(key, block);
        if (block.isOld && block.request === undefined) void this.#request(block, row, column);
      }
    }
    this.#dropUnwanted(wanted);
  }

  /** Aborts the requests for blocks that are no longer wanted, and drops the least recently wanted blocks. */
  #dropUnwanted(wanted: ReadonlySet<string>): void {
    for (const [key, block] of this.#blocks) {
      if (wanted.has(key)) continue;
      block.request?.abort();
      if (this.#blocks.size > maxBlocks || block.events === undefined) this.#blocks.delete(key);
    }
  }

  async #request(block: Block, row: number, column: number): Promise<void> {
    const services = this.#services.slice(row * rowsPerBlock, (row + 1) * rowsPerBlock);
    const request = new AbortController();
    block.request = request;
    block.isOld = false;
    const isOutdated = noteRequest(['guide']);
    try {
      const { events: rows } = await receiver.get(
        '/api/eventlookup',
        {
          service_reference: services.map(({ reference }) => reference),
          begin: this.#origin + column * secondsPerBlock,
          minutes: secondsPerBlock / 60,
          flags,
        },
        { signal: request.signal },
      );
      setClock(rows[0]?.current_time);
      block.events = byService(rows.flatMap((one) => fromRow(one) ?? []));
      this.trouble.value = '';
      this.version.value++;
      // The guide changed during the request.
      if (block.isOld || isOutdated()) this.guideChanged();
    } catch (error) {
      block.isOld = true;
      const reason = reasonOf(error);
      if (!request.signal.aborted) this.trouble.value = reason;
    } finally {
      block.request = undefined;
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
