/**
 * The tuner of one network stream, which all its users share. A web stream goes through a pipe: JavaScript fetches, the
 * tuner's thread takes what is due.
 */
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Guide, native } from '../base/native.ts';
import { noNumber, PoolTuner } from '../dvb/pool-tuner.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import { type MultiplexInformation, Tuner } from '../dvb/tuner.ts';
import type { MulticastAddress } from './address.ts';
import { StreamError } from './stream-error.ts';

export interface NetworkTunerOptions {
  /** Milliseconds. */
  readonly linger: number;
  readonly guide?: Guide;
  /** What its users call it in the log; no address. */
  readonly name: string;
  readonly host: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The guide's service to which the events in the stream belong, if there is any. */
  readonly events: DvbTriplet | undefined;
  /** The one that is received if the stream has several. */
  readonly serviceId: number;
}

/** Begins anew with each call. */
export type Receive = (signal: AbortSignal) => AsyncIterable<Buffer>;

/** Milliseconds. */
const changeAfter = 1000;
/** Seconds before each further attempt to receive what has ended or failed. */
const pauses = [1, 2, 5, 5, 10, 10, 10, 10, 30];
/** Milliseconds after which the next failure is a new one. */
const lasting = 10_000;
/** Milliseconds for an attempt to bring the first packet. */
const patience = 10_000;
/** Too many users, an account that has ended: who asks often is locked out. */
const refusals = new Set([401, 403, 429, 458, 509, 513]);

/** Seconds before the server may be asked again. */
export const pauseAfter = ({ status = 0 }: StreamError, failures: number): number =>
  Math.max(refusals.has(status) ? 30 : 0, pauses[Math.min(failures, pauses.length - 1)] ?? 0);

export class NetworkTuner {
  readonly pooled: PoolTuner;
  readonly host: string;
  readonly #options: NetworkTunerOptions;
  readonly #ending = new AbortController();
  readonly #pipe: { readonly reader: number; readonly writer: Socket } | undefined;
  #attempt = { since: 0, ending: new AbortController() };
  #serviceId: number | undefined;
  #changing: NodeJS.Timeout | undefined;
  /** Rejects if the first attempt fails. */
  #begun: Promise<unknown> = Promise.resolve();

  /** `interface` is that of multicast groups; empty: by the routes. */
  constructor(source: Receive | (MulticastAddress & { readonly interface: string }), options: NetworkTunerOptions) {
    this.#options = options;
    this.host = options.host;
    const { linger } = options;
    if (typeof source === 'function') {
      const [reader, writer] = native.openPipe();
      this.#pipe = { reader, writer: new Socket({ fd: writer, readable: false, writable: true }) };
      this.#pipe.writer.on('error', () => undefined);
      this.pooled = pooled(new Tuner({ kind: 'pipe', descriptor: reader }, options), linger);
      this.#begun = this.#begin(source);
      this.#begun.catch(() => undefined);
    } else {
      this.pooled = pooled(new Tuner(source, options), linger);
    }
    const { tuner } = this.pooled;
    tuner.on('reception', () => this.#checkAttempt());
    tuner.on('multiplex', () => this.#follow(tuner.multiplex()));
    tuner.on('ended', (end) =>
      this.pooled.revokeLeases(end.reason === 'failed' ? end.message : 'the stream has ended'),
    );
  }

  /** The service id in the stream, once it is known. @throws StreamError, ReceiverError `no-signal` */
  async ready(): Promise<number> {
    const seen = this.pooled.until((multiplex) => this.#choose(multiplex) !== undefined);
    // Only a failure ends the wait.
    const failed = this.#begun.then(() => new Promise<never>(() => undefined));
    await Promise.race([seen, failed]);
    const multiplex = this.pooled.tuner.multiplex();
    this.#follow(multiplex);
    return this.#choose(multiplex) ?? 0;
  }

  /** For good; calling it again does nothing. */
  async close(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    clearTimeout(this.#changing);
    await this.pooled.close();
    if (this.#pipe === undefined) return;
    this.#pipe.writer.destroy();
    closeSync(this.#pipe.reader);
  }

  /** Resolves with the first data; goes on until it is closed. @throws StreamError */
  #begin(receive: Receive): Promise<void> {
    return new Promise((resolve, reject) => void this.#receive(receive, resolve, reject));
  }

  async #receive(receive: Receive, begun: () => void, fail: (error: Error) => void): Promise<void> {
    const { signal } = this.#ending;
    const { log, name } = this.#options;
    let failures = 0;
    let state: 'new' | 'there' | 'interrupted' = 'new';
    while (!signal.aborted) {
      let began: number | undefined;
      let trouble = new StreamError('the server has ended it');
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
      if (began !== undefined && performance.now() - began > lasting) failures = 0;
      const seconds = pauseAfter(trouble, failures++);
      // Not all of a provider's receivers at the same moment.
      await pause(seconds * 1000 * (1 + Math.random() / 4), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #newAttempt(): AbortSignal {
    this.#attempt = { since: performance.now(), ending: new AbortController() };
    return AbortSignal.any([this.#ending.signal, this.#attempt.ending.signal]);
  }

  /** Ends an attempt in which nothing comes that the tuner can use, whatever the server sends. */
  #checkAttempt(): void {
    const { since, ending } = this.#attempt;
    if (this.pooled.tuner.reception().state !== 'lost' || performance.now() - since < patience) return;
    ending.abort(new StreamError('it has carried nothing usable for some seconds'));
  }

  /** Resolves when the pipe takes more. */
  async #write(piece: Buffer): Promise<void> {
    const writer = this.#pipe?.writer;
    if (writer === undefined || writer.write(piece)) return;
    await once(writer, 'drain', { signal: this.#ending.signal });
  }

  /**
   * The service filter follows the only service of a stream, whatever its number. Any other change of the service makes
   * the stream a new one to its users, who tune to it again.
   */
  #follow(multiplex: MultiplexInformation): void {
    const serviceId = this.#choose(multiplex);
    if (serviceId === undefined || serviceId === this.#serviceId) return;
    if (this.#serviceId === undefined || present(multiplex).length === 1) {
      this.#serviceId = serviceId;
      if (this.#options.events) this.pooled.tuner.routeGuide(serviceId, this.#options.events);
      return;
    }
    // A sender that changes all the time must not keep its users changing.
    this.#changing ??= setTimeout(() => this.#change(), changeAfter).unref();
  }

  #change(): void {
    this.#changing = undefined;
    if (this.#choose(this.pooled.tuner.multiplex()) === this.#serviceId) return;
    this.#serviceId = undefined;
    void this.pooled.revokeAndStop('the stream has changed');
  }

  /** The service that is asked for, or else the first one with a picture, or at all. */
  #choose(multiplex: MultiplexInformation): number | undefined {
    const services = present(multiplex);
    const wanted = services.find(({ serviceId }) => serviceId === this.#options.serviceId);
    if (wanted) return wanted.streams.length > 0 ? wanted.serviceId : undefined;
    const picture = services.find(({ streams }) => streams.some(({ kind }) => kind === 'video'));
    const isKnown = services.every(({ streams }) => streams.length > 0);
    return picture?.serviceId ?? (isKnown ? services[0]?.serviceId : undefined);
  }
}

/** The services that the PAT lists: the SDT may name others. */
const present = ({ services }: MultiplexInformation) => services.filter(({ pmtPid }) => pmtPid !== 0);

const pooled = (tuner: Tuner, linger: number) => new PoolTuner(noNumber, tuner, { linger, aerialOf: () => undefined });
