/**
 * The addresses of channel logos, as channel lists (`tvg-logo`) and guide files (`<icon>` of a channel) give them. Imports
 * collect them, also those of a command beside the running receiver; the pictures are fetched later (web-pictures.ts).
 *
 * They are in one file of the data folder, a line each, by the key that the guide has for the service:
 *
 *   list ff123456789a https://logos.example/one.png
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { maxFileBytes, replaceFile } from '../base/files.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { XmltvImportOptions } from '../epg/xmltv.ts';

/** The address in a channel list is preferred: it belongs to the very channel, while guide files are matched by name. */
const sources = ['list', 'guide'] as const;
export type LogoSource = (typeof sources)[number];

/** Addresses by `tripletKey`. */
export type LogoAddresses = ReadonlyMap<number, string>;

/** Logos of each source. The oldest are forgotten first. */
export const maxLogos = 20_000;

/** Addresses contain passwords of providers. */
const fileMode = 0o600;

export class Logos {
  readonly #path: string;
  readonly #addresses: Readonly<Record<LogoSource, Map<number, string>>> = { list: new Map(), guide: new Map() };
  readonly #inTurn = serialQueue();
  /** Modification time and size of the file as last read. */
  #state = '';
  #generation = 0;
  #refreshing: Promise<void> | undefined;

  private constructor(path: string) {
    this.#path = path;
  }

  static async read(dataDir: string): Promise<Logos> {
    const logos = new Logos(join(dataDir, 'logos'));
    await logos.refresh();
    return logos;
  }

  /** Increases whenever addresses have changed. */
  get generation(): number {
    return this.#generation;
  }

  get isEmpty(): boolean {
    return sources.every((source) => this.#addresses[source].size === 0);
  }

  /** The addresses of a service's logo, the preferred one first. */
  addressesOf(service: DvbTriplet): readonly string[] {
    const key = tripletKey(service);
    return sources.flatMap((source) => this.#addresses[source].get(key) ?? []);
  }

  /** Reads the file again if it has changed. Costs one stat; concurrent calls share it. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#inTurn(() => this.#read()).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /**
   * Adds addresses, and saves them if any is new. If that fails, they are there until the next start. An address
   * among `picons`, the picons of a receiver, replaces no other: this receiver may have made that picon from the logo.
   */
  add(
    source: LogoSource,
    addresses: LogoAddresses,
    { picons }: { readonly picons?: LogoAddresses } = {},
  ): Promise<void> {
    return this.#inTurn(async () => {
      await this.#read();
      const known = this.#addresses[source];
      const slice = new TimeSlice();
      let hasNew = false;
      const added = [...(picons ?? [])].filter(([key]) => !known.has(key));
      for (const [key, address] of [...added, ...addresses]) {
        if (slice.isOver) await slice.next();
        hasNew ||= known.get(key) !== address;
        put(known, key, address);
      }
      if (!hasNew) return;
      this.#generation++;
      await this.#save().catch(() => undefined);
    });
  }

  async #read(): Promise<void> {
    const state = await this.#currentState();
    if (state === this.#state) return;
    this.#state = state;
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    for (const source of sources) this.#addresses[source].clear();
    const slice = new TimeSlice();
    for (const [, source, key = '', address = ''] of text.matchAll(/^(list|guide) ([0-9a-f]{1,12}) (https?:\S+)$/gm)) {
      if (slice.isOver) await slice.next();
      put(this.#addresses[source as LogoSource], Number.parseInt(key, 16), address);
    }
    this.#generation++;
  }

  async #currentState(): Promise<string> {
    const status = await stat(this.#path).catch(() => undefined);
    return status?.isFile() && status.size <= maxFileBytes ? `${status.mtimeMs} ${status.size} ${status.ino}` : '';
  }

  async #save(): Promise<void> {
    const slice = new TimeSlice();
    const lines: Buffer[] = [];
    for (const source of sources) {
      for (const [key, address] of this.#addresses[source]) {
        if (slice.isOver) await slice.next();
        lines.push(Buffer.from(`${source} ${key.toString(16)} ${address}\n`));
      }
    }
    await replaceFile(this.#path, Buffer.concat(lines), fileMode);
    this.#state = await this.#currentState();
  }
}

/** Adds an address as the newest one. */
function put(addresses: Map<number, string>, key: number, address: string): void {
  addresses.delete(key);
  addresses.set(key, address);
  const [oldest] = addresses.size > maxLogos ? addresses.keys() : [];
  if (oldest !== undefined) addresses.delete(oldest);
}

/** A function that matches channels of a guide file to services, and adds the logos of those that it matches. */
export function collectingLogos(
  servicesOf: XmltvImportOptions['servicesOf'],
  logos: Map<number, string>,
): typeof servicesOf {
  return async (channels) => {
    const matched = await servicesOf(channels);
    for (const [index, services] of matched.entries()) {
      const { icon } = channels[index] ?? {};
      if (icon !== undefined) for (const service of services) put(logos, tripletKey(service), icon);
    }
    return matched;
  };
}
