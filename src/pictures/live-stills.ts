/**
 * Stills of services that a tuner receives anyway: a tuner is neither tuned nor kept on for them. A still is made when a
 * client asks for it and the last one is too old, so only while a page shows it. At most one in some tens of seconds is made
 * of each service; each takes ffmpeg 0.1 s of processor time for 1920 by 1080 (H.264, on a desktop computer).
 */
import type { Logger } from 'pino';
import { systemReason } from '../base/errors.ts';
import { type PlacedService, tripletText } from '../dvb/triplet.ts';
import type { Tuner } from '../dvb/tuner.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { FrameMaker, FrameShape } from './frame-maker.ts';
import { pictureFormat } from './picture-format.ts';
import { RecentFailures } from './recent-failures.ts';
import { WorkQueue } from './work-queue.ts';

export interface LiveStillsParts {
  readonly pool: Pick<TunerPool, 'receiving'>;
  readonly frames: FrameMaker;
  readonly log: Logger;
  /** No pictures are wanted. */
  readonly isOff?: boolean;
}

const shape: FrameShape = { width: 480, height: 270 };
/** Age at which a still is replaced. */
const maxAgeMs = 25_000;
/** Stills in memory, of 10 to 40 kB. The oldest are forgotten first. */
const maxStills = 32;
/** What is read for a still: it begins with a picture at which a decoder can start. */
const maxBytes = 3 * 2 ** 20;
const maxReadMs = 5000;
/** Milliseconds that a client waits for a still that is being made. */
const patienceMs = 500;
const retryAfterMs = 60_000;

interface Still {
  readonly picture: Buffer;
  /** By `performance.now()`. */
  readonly madeAt: number;
}

/** A JPEG; `later` while it is being made; undefined if there is none. */
export type LiveStill = Buffer | 'later' | undefined;

export class LiveStills {
  readonly #parts: LiveStillsParts;
  readonly #stills = new Map<string, Still>();
  readonly #failed = new RecentFailures(retryAfterMs);
  readonly #queue = new WorkQueue<Buffer | undefined>({ maxAtATime: 1, maxWaiting: maxStills });

  constructor(parts: LiveStillsParts) {
    this.#parts = parts;
  }

  async find(service: PlacedService): Promise<LiveStill> {
    const key = tripletText(service);
    const { frames, isOff } = this.#parts;
    if (isOff || !frames.isAble || this.#failed.has(key) || this.#receiving(service) === undefined) return undefined;
    const { picture, madeAt } = this.#stills.get(key) ?? { madeAt: Number.NEGATIVE_INFINITY };
    if (performance.now() - madeAt < maxAgeMs) return picture;
    const made = await this.#queue.do(key, () => this.#make(service, key), patienceMs);
    return made ?? (frames.isAble && !this.#failed.has(key) ? 'later' : undefined);
  }

  async #make(service: PlacedService, key: string): Promise<Buffer | undefined> {
    const { frames, log } = this.#parts;
    const tuner = this.#receiving(service);
    if (tuner === undefined) return undefined;
    try {
      const packets = await beginningOf(tuner.openStream(service.serviceId));
      const picture = await frames.frameOf(packets, shape);
      if (pictureFormat(picture) === undefined) throw new Error('ffmpeg has found no picture');
      this.#remember(key, picture);
      return picture;
    } catch (error) {
      this.#failed.add(key);
      log.debug(`no still of ${key}: ${systemReason(error)}`);
      return undefined;
    }
  }

  /** The tuner that receives the service, if that has pictures. */
  #receiving(service: PlacedService): Tuner | undefined {
    const { broadcast, tuner } = this.#parts.pool.receiving(service) ?? {};
    const hasPictures = broadcast?.scrambled === false && broadcast.streams.some(({ kind }) => kind === 'video');
    return hasPictures ? tuner?.tuner : undefined;
  }

  #remember(key: string, picture: Buffer): void {
    this.#stills.delete(key);
    this.#stills.set(key, { picture, madeAt: performance.now() });
    const [oldest] = this.#stills.size > maxStills ? this.#stills.keys() : [];
    if (oldest !== undefined) this.#stills.delete(oldest);
  }
}

/** Some seconds of a stream. */
async function beginningOf(stream: AsyncIterable<Buffer> & { close(): void }): Promise<Buffer[]> {
  const timer = setTimeout(() => stream.close(), maxReadMs);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= maxBytes) break;
  }
  clearTimeout(timer);
  return pieces;
}
