/**
 * Stills of services that are received anyway, by a tuner or as a stream: nothing is tuned or kept on for them. A still is made when a
 * client asks for it and the last one is too old, so only while a page shows it. At most one in some tens of seconds is made
 * of each service; each takes ffmpeg 0.1 s of processor time for 1920 by 1080 (H.264, on a desktop computer).
 */
import type { Logger } from 'pino';
import { systemReason } from '../base/errors.ts';
import type { FoundService, TunerPool } from '../dvb/tuner-pool.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { FrameMaker, FrameShape } from './frame-maker.ts';
import { pictureFormatOf } from './picture-format.ts';
import { RecentFailures } from './recent-failures.ts';
import { WorkQueue } from './work-queue.ts';

export interface LiveStillsParts {
  readonly pool: Pick<TunerPool, 'receiving'>;
  readonly network: Pick<NetworkStreams, 'receiving'>;
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

  async find(service: ServiceReference): Promise<LiveStill> {
    const key = service.format();
    const { frames, isOff } = this.#parts;
    if (isOff || !frames.isAble || this.#failed.has(key) || this.#receiving(service) === undefined) return undefined;
    const { picture, madeAt } = this.#stills.get(key) ?? { madeAt: Number.NEGATIVE_INFINITY };
    if (performance.now() - madeAt < maxAgeMs) return picture;
    const made = await this.#queue.do(key, () => this.#make(service, key), patienceMs);
    return made ?? (frames.isAble && !this.#failed.has(key) ? 'later' : undefined);
  }

  async #make(service: ServiceReference, key: string): Promise<Buffer | undefined> {
    const { frames, log } = this.#parts;
    const { tuner, broadcast } = this.#receiving(service) ?? {};
    if (tuner === undefined || broadcast === undefined) return undefined;
    try {
      const packets = await beginningOf(tuner.tuner.openStream(broadcast.serviceId));
      const picture = await frames.frameOf(packets, shape);
      if (pictureFormatOf(picture) === undefined) throw new Error('ffmpeg has found no picture');
      this.#remember(key, picture);
      return picture;
    } catch (error) {
      this.#failed.add(key);
      log.debug(`no still of '${broadcast.name || service.name}': ${systemReason(error)}`);
      return undefined;
    }
  }

  /** The service as it is received now, if it has pictures. */
  #receiving(service: ServiceReference): FoundService | undefined {
    const { pool, network } = this.#parts;
    const { isStream, placed } = service;
    const found = isStream ? network.receiving(service) : placed && pool.receiving(placed);
    const { scrambled, streams = [] } = found?.broadcast ?? {};
    return scrambled === false && streams.some(({ kind }) => kind === 'video') ? found : undefined;
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
