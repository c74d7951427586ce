/**
 * The tuner of one network stream, which all its users share. A web stream goes through a pipe: JavaScript fetches it,
 * and the tuner's thread reads the packets when they are due.
 */
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Guide, native } from '../base/native.ts';
import type { BroadcastService } from '../dvb/multiplex.ts';
import { noNumber, PoolTuner } from '../dvb/pool-tuner.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import { type MultiplexInformation, Tuner } from '../dvb/tuner.ts';
import type { MulticastAddress } from './address.ts';
import { StreamError } from './stream-error.ts';

export interface NetworkTunerOptions {
  /** Milliseconds that it keeps running after its last user has left. */
  readonly linger: number;
  readonly guide?: Guide;
  /** Its name in the log, without the address. */
  readonly name: string;
  readonly host: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The service of the guide to which the events in the stream belong; undefined if they are not stored. */
  readonly events: DvbTriplet | undefined;
  /** service_id of the service to receive if the stream has several. */
  readonly serviceId: number;
}

/** Starts receiving the stream. Each call is a new attempt. */
export type Receive = (signal: AbortSignal) => AsyncIterable<Buffer>;

/** Milliseconds before users are moved to a changed service. */
const changeDelayMs = 1000;
/** Seconds before each further attempt to receive a stream that has ended or failed. */
const retryDelaysSeconds = [1, 2, 5, 5, 10, 10, 10, 10, 30];
/** Milliseconds of reception after which a failure counts as the first again. */
const stableAfterMs = 10_000;
/** Milliseconds from the start of an attempt to its first usable packet. */
const firstPacketTimeoutMs = 10_000;
/** Statuses for too many users or an expired account: servers lock out clients that retry often. */
const refusals = new Set([401, 403, 429, 458, 509, 513]);

/** Seconds to wait before the next request. */
export const retryDelaySeconds = ({ status = 0 }: StreamError, failures: number): number =>
  Math.max(refusals.has(status) ? 30 : 0, retryDelaysSeconds[Math.min(failures, retryDelaysSeconds.length - 1)] ?? 0);

export class NetworkTuner {
  readonly pooled: PoolTuner;
  readonly host: string;
  readonly #options: NetworkTunerOptions;
  readonly #closed = new AbortController();
  readonly #pipe: { readonly reader: number; readonly writer: Socket } | undefined;
  #attempt = { since: 0, ending: new AbortController() };
  #serviceId: number | undefined;
  #changeTimer: NodeJS.Timeout | undefined;
  /** Rejects if the first attempt fails. */
  #firstAttempt: Promise<unknown> = Promise.resolve();

  /** `interface`: name of the interface for multicast; empty: by the routing table. */
  constructor(source: Receive | (MulticastAddress & { readonly interface: string }), options: NetworkTunerOptions) {
    this.#options = options;
    this.host = options.host;
    const { linger } = options;
    if (typeof source === 'function') {
      const [reader, writer] = native.openPipe();
      this.#pipe = { reader, writer: new Socket({ fd: writer, readable: false, writable: true }) };
      this.#pipe.writer.on('error', () => undefined);
      this.pooled = pooled(new Tuner({ kind: 'pipe', descriptor: reader }, options), linger);
      this.#firstAttempt = this.#startReceiving(source);
      this.#firstAttempt.catch(() => undefined);
    } else {
      this.pooled = pooled(new Tuner(source, options), linger);
    }
    const { tuner } = this.pooled;
    tuner.onReception(() => this.#checkAttempt());
    tuner.onMultiplex(() => this.#follow(tuner.multiplex()));
    tuner.onEnded((end) => this.pooled.revokeLeases(end.reason === 'failed' ? end.message : 'the stream has ended'));
  }

  /** Resolves to the service_id in the stream, once it is known. @throws StreamError, ReceiverError `no-signal` */
  async ready(): Promise<number> {
    const seen = this.pooled.until((multiplex) => this.#chooseService(multiplex) !== undefined);
    // The first attempt ends the wait only by its failure.
    const failed = this.#firstAttempt.then(() => new Promise<never>(() => undefined));
    await Promise.race([seen, failed]);
    const multiplex = this.pooled.tuner.multiplex();
    this.#follow(multiplex);
    return this.#chooseService(multiplex) ?? 0;
  }

  /** The service in the stream; undefined while no packets arrive. */
  get received(): BroadcastService | undefined {
    const { tuner } = this.pooled;
    if (!tuner.running || tuner.reception().state !== 'locked') return undefined;
    return servicesInPat(tuner.multiplex()).find(({ serviceId }) => serviceId === this.#serviceId);
  }

  /** Closes the tuner for good. Further calls do nothing. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    clearTimeout(this.#changeTimer);
    await this.pooled.close();
    if (this.#pipe === undefined) return;
    this.#pipe.writer.destroy();
    closeSync(this.#pipe.reader);
  }

  /** Receives until `close()`. Resolves with the first data. @throws StreamError if the first attempt fails */
  #startReceiving(receive: Receive): Promise<void> {
    return new Promise((resolve, reject) => void this.#receive(receive, resolve, reject));
  }

  async #receive(receive: Receive, begun: () => void, fail: (error: Error) => void): Promise<void> {
    const { signal } = this.#closed;
    const { log, name } = this.#options;
    let failures = 0;
    let state: 'new' | 'there' | 'interrupted' = 'new';
    while (!signal.aborted) {
      let began: number | undefined;
      let trouble = new StreamError('the server has ended the stream');
      try {
        for await (const piece of receive(this.#newAttempt())) {
          began ??= performance.now();
          if (state === 'interrupted') log.info(`the stream of ${name} is back`);
          state = 'there';
          begun();
          await this.#write(piece);
        }
      } catch (error) {
        const reason: unknown = this.#attempt.ending.signal.reason ?? error;
        trouble = reason instanceof StreamError ? reason : new StreamError((reason as Error).message);
      }
      if (signal.aborted) return;
      if (state === 'new') return fail(trouble);
      if (state === 'there') log.warn(`the stream of ${name} is interrupted: ${trouble.message}`);
      state = 'interrupted';
      if (began !== undefined && performance.now() - began > stableAfterMs) failures = 0;
      const seconds = retryDelaySeconds(trouble, failures++);
      // The random part keeps the receivers of a provider from retrying at the same moment.
      await pause(seconds * 1000 * (1 + Math.random() / 4), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #newAttempt(): AbortSignal {
    this.#attempt = { since: performance.now(), ending: new AbortController() };
    return AbortSignal.any([this.#closed.signal, this.#attempt.ending.signal]);
  }

  /** Ends an attempt without usable packets. */
  #checkAttempt(): void {
    const { since, ending } = this.#attempt;
    if (this.pooled.tuner.reception().state !== 'lost' || performance.now() - since < firstPacketTimeoutMs) return;
    ending.abort(new StreamError('it has had no usable packets for some seconds'));
  }

  /** Resolves when the pipe can take more. */
  async #write(piece: Buffer): Promise<void> {
    const writer = this.#pipe?.writer;
    if (writer === undefined || writer.write(piece)) return;
    await once(writer, 'drain', { signal: this.#closed.signal });
  }

  /**
   * The service filter follows the only service of a stream even if its number changes. With several services, a change
   * ends the stream for its users, who then tune to it again.
   */
  #follow(multiplex: MultiplexInformation): void {
    const serviceId = this.#chooseService(multiplex);
    if (serviceId === undefined || serviceId === this.#serviceId) return;
    if (this.#serviceId === undefined || servicesInPat(multiplex).length === 1) {
      this.#serviceId = serviceId;
      if (this.#options.events) this.pooled.tuner.routeGuide(serviceId, this.#options.events);
      return;
    }
    // Delayed, so that a sender with constant changes does not keep users tuning.
    this.#changeTimer ??= setTimeout(() => this.#change(), changeDelayMs).unref();
  }

  #change(): void {
    this.#changeTimer = undefined;
    if (this.#chooseService(this.pooled.tuner.multiplex()) === this.#serviceId) return;
    this.#serviceId = undefined;
    void this.pooled.revokeAndStop('the stream has changed');
  }

  /** Chooses the requested service, otherwise the first with video, otherwise the first. */
  #chooseService(multiplex: MultiplexInformation): number | undefined {
    const services = servicesInPat(multiplex);
    const wanted = services.find(({ serviceId }) => serviceId === this.#options.serviceId);
    if (wanted) return wanted.streams.length > 0 ? wanted.serviceId : undefined;
    const picture = services.find(({ streams }) => streams.some(({ kind }) => kind === 'video'));
    const isKnown = services.every(({ streams }) => streams.length > 0);
    return picture?.serviceId ?? (isKnown ? services[0]?.serviceId : undefined);
  }
}

/** Returns the services in the PAT; the SDT may name others. */
const servicesInPat = ({ services }: MultiplexInformation) => services.filter(({ pmtPid }) => pmtPid !== 0);

const pooled = (tuner: Tuner, linger: number) => new PoolTuner(noNumber, tuner, { linger, aerialOf: () => undefined });
