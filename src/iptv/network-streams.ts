/** Receives the streams of IPTV services. All users of a stream share one tuner, which runs while it has users. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { fail, ReceiverError } from '../base/errors.ts';
import { addressMatcher } from '../base/ip-prefixes.ts';
import type { Guide } from '../base/native.ts';
import { signalWithin } from '../base/signal-within.ts';
import { urlOf } from '../base/url.ts';
import type { Configuration } from '../config/config.ts';
import { deviceIdentity } from '../device/identity.ts';
import { noTotals, type TunerTotals, totalsWith } from '../dvb/statistics.ts';
import type { FoundService, Purpose, TunerLease } from '../dvb/tuner-pool.ts';
import type { ServiceReference } from '../services/reference.ts';
import { type StreamAddress, streamAddress } from './address.ts';
import { type GuardRules, StreamGuard } from './guard.ts';
import { NetworkTuner, retryDelaySeconds } from './network-tuner.ts';
import { receiveWeb } from './receive.ts';
import { StreamError } from './stream-error.ts';
import { receiverHeader, WebClient, type WebContent } from './web.ts';

/** Milliseconds for a whole download. */
const downloadTimeoutMs = 900_000;
/** Names of the errors of a request whose time is over. */
const timeoutNames: ReadonlySet<string> = new Set(['AbortError', 'TimeoutError']);

/** What identifies a version of a document (RFC 9110 §8.8): header fields of its answer; empty if there are none. */
export interface Validators {
  readonly etag: string;
  readonly lastModified: string;
}

export interface DownloadOptions {
  /** Validators of the known version, which the server need not send again. */
  readonly validators?: Validators;
  /** Called with the validators of the version that is about to be received. */
  readonly onValidators?: (validators: Validators) => void;
  readonly signal?: AbortSignal;
  /** As `WebRequest.timeoutMs`. */
  readonly timeoutMs?: number;
}

/** The document is still the version that is known. */
export class Unchanged extends Error {}

export interface NetworkStreamsParts {
  readonly guide?: Guide;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** True if this receiver listens there. */
  readonly isOwn: GuardRules['isOwn'];
  /** Called when events were sent to the guide. */
  readonly onGuideData: () => void;
}

export class NetworkStreams {
  /** Value of `receiverHeader` in our requests. */
  readonly mark = randomUUID();
  readonly #parts: NetworkStreamsParts;
  readonly #options: Configuration['iptv'] & { readonly linger: number };
  readonly #rules: GuardRules;
  readonly #tuners = new Map<string, NetworkTuner>();
  /** Streams that have failed, and the time (`performance.now()`) before which they are not requested again. */
  readonly #failed = new Map<string, { readonly error: Error; readonly until: number }>();
  /** Totals of streams that were closed. */
  #closedTotals = noTotals;
  #isClosed = false;

  constructor(parts: NetworkStreamsParts, { iptv, stream }: Pick<Configuration, 'iptv' | 'stream'>) {
    this.#parts = parts;
    this.#options = { ...iptv, linger: stream.linger * 1000 };
    this.#rules = { isOwn: parts.isOwn, allowed: addressMatcher(iptv.allow) };
  }

  /** Number of streams being received. */
  get running(): number {
    return [...this.#tuners.values()].filter(({ pooled }) => pooled.tuner.running).length;
  }

  /** Counters of all streams since the start. */
  get totals(): TunerTotals {
    return [...this.#tuners.values()].reduce(withTotals, this.#closedTotals);
  }

  /** False for streams that only players can receive, such as `rtmp:`. */
  canReceive(reference: ServiceReference): boolean {
    return streamAddress(reference) !== undefined;
  }

  /**
   * Leases a tuner that receives the stream, once its PMT has arrived.
   * @throws ReceiverError `unsupported` for a kind of stream that we do not receive, `stream-failed`, `no-signal`
   */
  async tune(reference: ServiceReference, purpose: Purpose, user: string): Promise<TunerLease> {
    const address = streamAddress(reference);
    if (address === undefined) throw fail('unsupported', `receiving the stream '${reference.name}'`);
    const key = keyOf(address, reference);
    const { error, until = 0 } = this.#failed.get(key) ?? {};
    if (error !== undefined && performance.now() < until) throw error;
    this.#failed.delete(key);
    const known = this.#tuners.get(key);
    const hasClosed = known === undefined && (await this.#closeLingering(address));
    if (this.#isClosed) throw fail('not-allowed', 'tuning during shutdown');
    const one = known ?? this.#tuners.get(key) ?? this.#open(key, address, reference);
    const lease = one.pooled.lease({ purpose, user });
    try {
      lease.serviceId = await one.ready();
    } catch (failure) {
      lease.release();
      if (one.pooled.users.length === 0) void this.#drop(one);
      if (!(failure instanceof StreamError)) throw failure;
      const named = namedError(failure, `the stream ${nameOf(address, reference)}`);
      // The server may not have noticed yet that the other stream was closed.
      const seconds = hasClosed ? 2 : retryDelaySeconds(failure, 0);
      this.#failed.set(key, { error: named, until: performance.now() + seconds * 1000 });
      throw named;
    }
    if (lease.lost === undefined) return lease;
    lease.release();
    throw fail('stream-failed', nameOf(address, reference), lease.lost);
  }

  /** Returns the service of a stream as it is received now, or undefined. */
  receiving(reference: ServiceReference): FoundService | undefined {
    const address = streamAddress(reference);
    const one = address && this.#tuners.get(keyOf(address, reference));
    const broadcast = one?.received;
    return one && broadcast && { tuner: one.pooled, broadcast };
  }

  /**
   * Closes lingering streams of the same host: many accounts allow one connection. Resolves to whether there were any.
   */
  async #closeLingering(address: StreamAddress): Promise<boolean> {
    const host = hostOf(address);
    const lingering = [...this.#tuners.values()].filter(
      (tuner) => tuner.host === host && tuner.pooled.users.length === 0,
    );
    await Promise.all(lingering.map((one) => this.#drop(one)));
    return lingering.length > 0;
  }

  /** Removes and closes a stream. */
  async #drop(one: NetworkTuner): Promise<void> {
    for (const [key, other] of this.#tuners) {
      if (other !== one) continue;
      this.#tuners.delete(key);
      this.#closedTotals = withTotals(this.#closedTotals, one);
    }
    await one.close();
  }

  /** Returns a client for one picture, at an address that a list or a guide file contains. */
  pictureClient(): WebClient {
    const guard = new StreamGuard({ ...this.#rules, isForeign: true });
    return new WebClient({ guard, headers: this.#ownHeaders });
  }

  /**
   * Downloads a channel list or a guide file from an address that an administrator has entered: on the internet, or in the
   * local network. @throws Unchanged; ReceiverError, which names only the host, because addresses of providers contain passwords
   */
  async *download(
    url: string,
    { validators, onValidators, signal, timeoutMs }: DownloadOptions = {},
  ): AsyncGenerator<Buffer, void, undefined> {
    const client = new WebClient({ guard: new StreamGuard(this.#rules), headers: this.#ownHeaders });
    const host = urlOf(url)?.host || url;
    const known = conditions(validators);
    try {
      const limit = signalWithin(downloadTimeoutMs, signal);
      const { headers = {}, body } = await client.get(url, { signal: limit, headers: known, timeoutMs });
      onValidators?.({ etag: headers.etag ?? '', lastModified: headers['last-modified'] ?? '' });
      yield* body;
    } catch (error) {
      if (error instanceof StreamError && error.status === 304 && Object.keys(known).length > 0) throw new Unchanged();
      signal?.throwIfAborted();
      if (error instanceof StreamError) throw namedError(error, host);
      if (!timeoutNames.has((error as Error).name)) throw error;
      throw new ReceiverError('stream-failed', `${host}: the download takes too long`);
    } finally {
      client.close();
    }
  }

  /**
   * Sends a POST request to an address that an administrator has entered. @throws ReceiverError, which names only the
   * host, because the address may contain a secret
   */
  async post(url: string, content: WebContent, signal: AbortSignal): Promise<void> {
    const client = new WebClient({ guard: new StreamGuard(this.#rules), headers: this.#ownHeaders });
    try {
      await client.post(url, content, signal);
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      throw namedError(error, urlOf(url)?.host ?? '');
    } finally {
      client.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#tuners.values()].map((tuner) => tuner.close()));
  }

  #open(key: string, address: StreamAddress, reference: ServiceReference): NetworkTuner {
    const { dvb, serviceId } = reference;
    const { guide, log } = this.#parts;
    const { linger } = this.#options;
    const name = nameOf(address, reference);
    const toGuide = guide === undefined ? {} : { guide };
    const identity = { name, host: hostOf(address), events: dvb, serviceId };
    const one = new NetworkTuner(this.#sourceOf(address), { linger, ...toGuide, log, ...identity });
    this.#tuners.set(key, one);
    one.pooled.tuner.onGuide(this.#parts.onGuideData);
    one.pooled.onUse(() => {
      if (one.pooled.users.length === 0 && !one.pooled.tuner.running) void this.#drop(one);
    });
    return one;
  }

  #sourceOf(address: StreamAddress) {
    const { interface: name, maximumBandwidth } = this.#options;
    if (address.kind === 'multicast') return { ...address, interface: name };
    const headers = { ...this.#ownHeaders, ...address.headers, [receiverHeader]: this.mark };
    return (signal: AbortSignal) => this.#receive(address.url, headers, signal, maximumBandwidth);
  }

  get #ownHeaders() {
    const userAgent = this.#options.userAgent || `receiverd/${deviceIdentity('receiverd').version}`;
    return { 'user-agent': userAgent, [receiverHeader]: this.mark };
  }

  async *#receive(
    url: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    maxBandwidth: number,
  ): AsyncGenerator<Buffer> {
    const client = new WebClient({ guard: new StreamGuard(this.#rules), headers });
    try {
      yield* receiveWeb(url, { get: client.get, signal, maxBandwidth });
    } finally {
      client.close();
    }
  }
}

/** Header fields that Node sends: without control and special characters, and not too long for servers. */
const validator = /^[\x20-\x7e]{1,500}$/;

function conditions({ etag, lastModified }: Validators = { etag: '', lastModified: '' }): Record<string, string> {
  return {
    ...(validator.test(etag) && { 'if-none-match': etag }),
    ...(validator.test(lastModified) && { 'if-modified-since': lastModified }),
  };
}

const namedError = (cause: StreamError, name: string) =>
  Object.assign(new ReceiverError(cause.code, `${name}: ${cause.message}`), { cause });

function withTotals(totals: TunerTotals, { pooled }: NetworkTuner): TunerTotals {
  const more = pooled.tuner.totals();
  return totalsWith(totals, more, more.networkLost);
}

const keyOf = (address: StreamAddress, { dvb }: ServiceReference) => JSON.stringify([address, dvb]);
const hostOf = (address: StreamAddress) => (address.kind === 'web' ? new URL(address.url).host : address.group);

/** Name for messages, without the secrets that addresses contain. */
function nameOf(address: StreamAddress, { name }: ServiceReference): string {
  if (name !== '') return `'${name}'`;
  return address.kind === 'web' ? hostOf(address) : `${address.group}:${address.port}`;
}
