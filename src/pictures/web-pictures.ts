/**
 * Pictures of addresses that lists and guide files name: channel logos and pictures of programmes. A picture is fetched
 * when a client first asks for it, checked by its contents, and kept on disk. Strangers have written the addresses, so
 * they are fetched by the guarded client of network streams (src/iptv/guard.ts), within bounds of bytes, time and number.
 */
import type { Logger } from 'pino';
import { systemReason } from '../base/errors.ts';
import { limitBytes } from '../base/limit-bytes.ts';
import { urlOf } from '../base/url.ts';
import { StreamError } from '../iptv/stream-error.ts';
import type { WebClient } from '../iptv/web.ts';
import type { PictureStore } from './picture-store.ts';
import { RecentFailures } from './recent-failures.ts';
import { WorkQueue } from './work-queue.ts';

export interface WebPicturesParts {
  /** Returns a client for one picture. */
  readonly client: () => WebClient;
  readonly store: PictureStore;
  readonly log: Logger;
}

const maxPictureBytes = 2 * 2 ** 20;
/** Milliseconds for a picture, including redirects. */
const timeoutMs = 20_000;
/** Milliseconds that a client waits for a picture that is being fetched. */
const maxWaitMs = 1000;
const dayMs = 86_400_000;
/** Age after which a picture is fetched again when it is used. */
const maxAgeMs = 30 * dayMs;
/** Time for which an address that did not answer is left alone, and its server after some of them in a row. */
const silencePauseMs = 600_000;
const maxSilences = 3;
/** Servers whose silences are counted. */
const maxCounted = 1000;

export class WebPictures {
  readonly #parts: WebPicturesParts;
  readonly #failed = new RecentFailures(dayMs);
  /** Addresses and servers that did not answer. */
  readonly #silent = new RecentFailures(silencePauseMs);
  /** Requests in a row to which each server did not answer. */
  readonly #silences = new Map<string, number>();
  /** Servers that made a client wait in vain: the next ones do not wait. */
  readonly #slow = new RecentFailures(silencePauseMs);
  readonly #queue = new WorkQueue<string | undefined>({ maxAtATime: 4, maxWaiting: 256 });

  constructor(parts: WebPicturesParts) {
    this.#parts = parts;
  }

  /** Whether the picture of an address may exist: false without a store, or if it could not be fetched within a day. */
  mayHave(address: string): boolean {
    return !this.#parts.store.isOff && !this.#failed.has(address);
  }

  /** Whether the picture of an address is being fetched. */
  isPending(address: string): boolean {
    return this.#queue.has(address);
  }

  /** Changes once a day: what `mayHave` has denied may have expired by then. */
  get day(): number {
    return Math.floor(performance.now() / dayMs);
  }

  /** The path of the picture of an address; undefined if there is none, or none yet. */
  async find(address: string): Promise<string | undefined> {
    const stored = await this.#parts.store.find(address);
    const isFresh = stored !== undefined && Date.now() - stored.storedAt < maxAgeMs;
    const host = urlOf(address)?.host ?? '';
    if (isFresh || !this.mayHave(address) || this.#isSilent(address, host)) return stored?.path;
    const waitMs = stored !== undefined || this.#slow.has(host) ? 0 : maxWaitMs;
    const found = await this.#queue.do(address, () => this.#fetch(address, host), waitMs);
    if (waitMs > 0 && this.isPending(address)) this.#slow.add(host);
    return found ?? stored?.path;
  }

  async #fetch(address: string, host: string): Promise<string | undefined> {
    const { store, log } = this.#parts;
    // The server may have fallen silent while this one waited for its turn.
    if (this.#isSilent(address, host)) return undefined;
    try {
      const bytes = await this.#download(address);
      this.#silences.delete(host);
      if (await store.put(address, bytes)) return (await store.find(address))?.path;
      throw new StreamError('it is no PNG, JPEG or WebP, or it is too large', { isFinal: true });
    } catch (error) {
      if (isSilence(error)) this.#noteSilence(address, host);
      else this.#failed.add(address);
      // Without the address, which may contain a password.
      log.debug(`no picture from ${host}: ${systemReason(error)}`);
      return undefined;
    }
  }

  #isSilent(address: string, host: string): boolean {
    return this.#silent.has(address) || this.#silent.has(host);
  }

  #noteSilence(address: string, host: string): void {
    const count = (this.#silences.get(host) ?? 0) + 1;
    if (this.#silences.size >= maxCounted) this.#silences.clear();
    this.#silences.set(host, count);
    this.#silent.add(address);
    if (count >= maxSilences) this.#silent.add(host);
  }

  async #download(address: string): Promise<Buffer> {
    const client = this.#parts.client();
    try {
      const { body } = await client.get(address, { signal: AbortSignal.timeout(timeoutMs) });
      const pieces: Uint8Array[] = [];
      for await (const piece of limitBytes(body, 'the picture', maxPictureBytes)) pieces.push(piece);
      return Buffer.concat(pieces);
    } finally {
      client.close();
    }
  }
}

/** Whether a server has not answered at all, or not in time. */
function isSilence(error: unknown): boolean {
  if (error instanceof StreamError) return error.status === undefined && !error.isFinal;
  return ['AbortError', 'TimeoutError'].includes((error as Error).name);
}
