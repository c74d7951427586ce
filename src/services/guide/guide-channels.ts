/**
 * The channels of the guide files imported so far, and those that users have chosen for services whose names differ from
 * the names in the file. A chosen channel replaces every other match of the service, from the next import on.
 *
 * They are in the file `guide-channels` of the data folder, a line each, with tabs between its fields. Services are given by
 * `tripletKey` in hexadecimal:
 *
 *   choice   ff123456789a   one.example
 *   priority ff123456789a   5
 *   channel  one.example    One HD   One   1.1
 *   match    ff123456789a   one.example   name
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { appendTo } from '../../base/append-to.ts';
import { readRegularFile, replaceWithPieces } from '../../base/files.ts';
import { serialQueue } from '../../base/serial-queue.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../../dvb/triplet.ts';
import type { XmltvChannel, XmltvImportOptions } from '../../epg/xmltv.ts';
import { comparedName } from '../compared-name.ts';
import { similarTo } from './similar-name.ts';

export interface GuideChannel {
  readonly id: string;
  readonly name: string;
}

/** By what the channel of a guide file was matched; `file`: by a channels file of the configuration. */
export const matchKinds = ['id', 'name', 'number', 'file'] as const;

/** The channel that an import has matched automatically. */
export interface GuideMatch {
  readonly id: string;
  readonly by: (typeof matchKinds)[number];
}

/** Channels that are kept, and choices. The oldest are forgotten first. */
const maxChannels = 20_000;
const maxChoices = 20_000;
/** Similarity from which a name is found that shares no word. */
const minSimilarity = 0.4;
/** UTF-16 units of all names of a channel. */
const maxNamesLength = 500;
/** UTF-16 units of an id; channels with longer ones cannot be chosen. */
export const maxIdLength = 255;

export class GuideChannels {
  readonly #path: string;
  readonly #inTurn = serialQueue();
  /** Names by id, with tabs between them. */
  readonly #names = new Map<string, string>();
  /** Chosen ids by service. */
  readonly #choices = new Map<number, string>();

  /** Automatic matches of the last imports by service. */
  readonly #matches = new Map<number, GuideMatch>();

  /** Priorities of guide files over the broadcast by service. */
  readonly #priorities = new Map<number, string>();

  private constructor(path: string) {
    this.#path = path;
  }

  static async read(dataDir: string): Promise<GuideChannels> {
    const all = new GuideChannels(join(dataDir, 'guide-channels'));
    const text = await readRegularFile(all.#path).catch(() => '');
    const slice = new TimeSlice();
    for (const line of text.toString().split('\n')) {
      if (slice.isOver) await slice.next();
      const [kind, first = '', second = '', third = '', ...more] = line.split('\t');
      const key = Number.parseInt(first, 16);
      if (kind === 'channel' && first !== '')
        put(all.#names, first, [second, third, ...more].join('\t').trim(), maxChannels);
      const isKnown = Number.isSafeInteger(key) && /^-?\d$/.test(second);
      if (kind === 'priority' && isKnown) put(all.#priorities, key, second, maxChoices);
      const by = matchKinds.find((one) => one === third);
      if (kind === 'match' && Number.isSafeInteger(key) && by) put(all.#matches, key, { id: second, by }, maxChoices);
      if (kind === 'choice' && Number.isSafeInteger(key) && second !== '') put(all.#choices, key, second, maxChoices);
    }
    return all;
  }

  /** Number of channels that can be chosen. */
  get size(): number {
    return this.#names.size;
  }

  /** The id of the channel chosen for a service. */
  chosenFor(service: DvbTriplet): string | undefined {
    return this.#choices.get(tripletKey(service));
  }

  /** The channel that the last imports have matched to a service, unless a user has chosen one. */
  matchFor(service: DvbTriplet): GuideMatch | undefined {
    return this.#choices.has(tripletKey(service)) ? undefined : this.#matches.get(tripletKey(service));
  }

  /** Chooses a channel for a service; an empty id removes the choice. @throws Error of the system if it cannot be saved */
  choose(service: DvbTriplet, id: string): Promise<void> {
    return this.#inTurn(async () => {
      if (id === '') this.#choices.delete(tripletKey(service));
      else put(this.#choices, tripletKey(service), id, maxChoices);
      await this.#save();
    });
  }

  /** The priority of guide files over the broadcast for a service; undefined: that of each source. */
  priorityFor(service: DvbTriplet): number | undefined {
    const text = this.#priorities.get(tripletKey(service));
    return text === undefined ? undefined : Number(text);
  }

  get priorities(): readonly (readonly [DvbTriplet, number])[] {
    return [...this.#priorities].map(([key, text]) => [tripletOf(key), Number(text)]);
  }

  /** Sets the priority from -9 to 9 of guide files for a service. @throws Error of the system if it cannot be saved */
  setPriority(service: DvbTriplet, priority: number | undefined): Promise<void> {
    return this.#inTurn(async () => {
      if (priority === undefined) this.#priorities.delete(tripletKey(service));
      else put(this.#priorities, tripletKey(service), String(priority), maxChoices);
      await this.#save();
    });
  }

  has(id: string): boolean {
    return this.#names.has(id);
  }

  /**
   * The channels whose id or names share the most words with a text, or resemble it, best first; all by name for an empty
   * text.
   */
  async find(text: string, limit: number): Promise<readonly GuideChannel[]> {
    const whole = comparedName(text);
    const words = text.split(/\s+/).map(comparedName).filter(Boolean);
    const similarity = similarTo(text);
    const found: (GuideChannel & { readonly score: number })[] = [];
    const slice = new TimeSlice();
    for (const [id, joined] of this.#names) {
      if (slice.isOver) await slice.next();
      const names = joined.split('\t');
      const compared = names.map(comparedName);
      const all = [...compared, comparedName(id)].join(' ');
      const shared = words.filter((word) => all.includes(word)).length;
      const similar = Math.max(...names.map(similarity));
      const score = compared.includes(whole) ? words.length + 2 : shared + similar;
      if (shared > 0 || similar >= minSimilarity || whole === '') found.push({ id, name: names[0] ?? '', score });
    }
    return found
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, limit)
      .map(({ id, name }) => ({ id, name }));
  }

  /**
   * A function that matches the channels of a guide file like `servicesOf`, except for services with a chosen channel, and
   * collects the channels for `add`.
   */
  matching(
    servicesOf: XmltvImportOptions['servicesOf'],
    collected: Map<string, string>,
  ): XmltvImportOptions['servicesOf'] {
    const chosen = new Map<string, DvbTriplet[]>();
    for (const [key, id] of this.#choices) appendTo(chosen, id, tripletOf(key));
    const withChoices = chosenFirst(servicesOf, chosen);
    return async (channels) => {
      const slice = new TimeSlice();
      for (const channel of channels) {
        if (slice.isOver) await slice.next();
        if (isChoosable(channel)) put(collected, channel.id, namesOf(channel), maxChannels);
      }
      return withChoices(channels);
    };
  }

  /**
   * Adds the channels of an import and their automatic matches by service, and saves them. If that fails, they are there
   * until the next start.
   */
  add(names: ReadonlyMap<string, string>, matches: ReadonlyMap<number, GuideMatch> = new Map()): Promise<void> {
    return this.#inTurn(async () => {
      const outdated = [...this.#matches].filter(([key, { id }]) => names.has(id) && !matches.has(key));
      const changed = [...matches].filter(
        ([key, match]) => names.has(match.id) && !isDeepStrictEqual(this.#matches.get(key), match),
      );
      const hasNames = [...names].every(([id, name]) => this.#names.get(id) === name);
      if (hasNames && outdated.length + changed.length === 0) return;
      for (const [id, name] of names) put(this.#names, id, name, maxChannels);
      for (const [key] of outdated) this.#matches.delete(key);
      for (const [key, match] of changed) put(this.#matches, key, match, maxChoices);
      await this.#save().catch(() => undefined);
    });
  }

  async #save(): Promise<void> {
    const choices = [...this.#choices].map(([key, id]) => `choice\t${key.toString(16)}\t${id}\n`);
    const priorities = [...this.#priorities].map(([key, text]) => `priority\t${key.toString(16)}\t${text}\n`);
    const channels = [...this.#names].map(([id, name]) => `channel\t${id}\t${name}\n`);
    const matches = [...this.#matches].map(([key, { id, by }]) => `match\t${key.toString(16)}\t${id}\t${by}\n`);
    await replaceWithPieces(this.#path, [...choices, ...priorities, ...channels, ...matches]);
  }
}

/** A function that matches channels like `servicesOf`, except for the services that `chosen` names for ids of channels. */
export function chosenFirst(
  servicesOf: XmltvImportOptions['servicesOf'],
  chosen: ReadonlyMap<string, readonly DvbTriplet[]>,
): XmltvImportOptions['servicesOf'] {
  const taken = new Set([...chosen.values()].flatMap((services) => services.map(tripletKey)));
  return async (channels) => {
    const matched = await servicesOf(channels);
    const slice = new TimeSlice();
    const all: DvbTriplet[][] = [];
    for (const [index, { id }] of channels.entries()) {
      if (slice.isOver) await slice.next();
      const others = (matched[index] ?? []).filter((service) => !taken.has(tripletKey(service)));
      all.push([...(chosen.get(id) ?? []), ...others]);
    }
    return all;
  };
}

/** Adds a value as the newest one. */
function put<Key, Value>(all: Map<Key, Value>, key: Key, value: Value, max: number): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.size > max ? all.keys() : [];
  if (oldest !== undefined) all.delete(oldest);
}

/** Inverse of `tripletKey`. */
function tripletOf(key: number): DvbTriplet {
  const low = key % 2 ** 32;
  return {
    originalNetworkId: Math.floor(key / 2 ** 32) & 0xffff,
    transportStreamId: low >>> 16,
    serviceId: low & 0xffff,
  };
}

const isChoosable = ({ id }: XmltvChannel) => id !== '' && id.length <= maxIdLength && id === lineOf(id);

const namesOf = ({ id, names: [first = id, ...more] }: XmltvChannel) =>
  [...new Set([first, ...more].map(lineOf))].join('\t').slice(0, maxNamesLength).trim();

/** A text without tabs, line ends and other control characters. */
const lineOf = (text: string) =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxIdLength);
