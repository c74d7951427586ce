/**
 * Pictures of recordings: a frame some minutes in, made once by the machine's ffmpeg when a client first asks for it, and
 * kept on disk. One is made at a time, at the lowest priority. ffmpeg reads a transport stream from a pipe and writes a
 * JPEG to another: no file, no network, no format but MPEG.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { systemReason } from '../base/errors.ts';
import { limitBytes } from '../base/limit-bytes.ts';
import type { RecordingFolders } from '../recordings/folders.ts';
import { recordedStream } from '../recordings/recorded-stream.ts';
import type { Recording } from '../recordings/recording.ts';
import type { PictureStore } from './picture-store.ts';
import { RecentFailures } from './recent-failures.ts';
import { WorkQueue } from './work-queue.ts';

export interface RecordingPicturesParts {
  readonly folders: Pick<RecordingFolders, 'open' | 'inFolder'>;
  readonly store: PictureStore;
  readonly log: Logger;
}

/** The position of the picture: this part of the length, past the advertisements before the programme, up to a limit. */
const positionPart = 0.2;
const maxPositionSeconds = 600;
/** Bytes of the recording that ffmpeg gets: some seconds. */
const maxInputBytes = 12 * 2 ** 20;
const maxPictureBytes = 2 ** 19;
/** Milliseconds to make a picture. */
const timeoutMs = 30_000;
/** Milliseconds that a client waits for a picture that is being made. */
const patienceMs = 500;
const retryAfterMs = 86_400_000;

type Pictured = Pick<Recording, 'path' | 'begin' | 'length' | 'size' | 'scrambled' | 'service'>;

/** A path; `later` while the picture is being made; undefined if there is none. */
export type RecordingPicture = string | 'later' | undefined;

export class RecordingPictures {
  readonly #parts: RecordingPicturesParts;
  readonly #program: string;
  readonly #failed = new RecentFailures(retryAfterMs);
  readonly #queue = new WorkQueue<string | undefined>({ maxAtATime: 1, maxWaiting: 500 });
  #running: ChildProcess | undefined;
  /** There is no ffmpeg. */
  #isMissing = false;
  #isStopped = false;

  /** `program`: name or path of ffmpeg. */
  constructor(parts: RecordingPicturesParts, program: string) {
    this.#parts = parts;
    this.#program = program;
  }

  async find(recording: Pictured): Promise<RecordingPicture> {
    const { store } = this.#parts;
    const key = keyOf(recording);
    const stored = await store.find(key);
    if (stored !== undefined) return stored.path;
    const isImpossible = recording.scrambled || store.isOff || this.#isMissing || this.#isStopped;
    if (isImpossible || this.#failed.has(key)) return undefined;
    const made = await this.#queue.do(key, () => this.#make(recording, key), patienceMs);
    return made ?? (this.#failed.has(key) || this.#isMissing ? undefined : 'later');
  }

  stop(): void {
    this.#isStopped = true;
    this.#running?.kill('SIGKILL');
  }

  async #make(recording: Pictured, key: string): Promise<string | undefined> {
    const { store, log } = this.#parts;
    if (this.#isStopped || this.#isMissing) return undefined;
    try {
      if (await store.put(key, await this.#frameOf(recording))) return (await store.find(key))?.path;
      throw new Error('ffmpeg has found no picture');
    } catch (error) {
      this.#isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && this.#running === undefined;
      this.#failed.add(key);
      log.debug(`no picture of ${recording.path}: ${systemReason(error)}`);
      return undefined;
    } finally {
      this.#running = undefined;
    }
  }

  /** A JPEG. @throws Error if ffmpeg cannot be started, or takes too long */
  async #frameOf(recording: Pictured): Promise<Buffer> {
    const from = Math.min((recording.length ?? 0) * positionPart, maxPositionSeconds);
    const { packets } = await recordedStream(this.#parts.folders, recording, { from }, () => false);
    const program = spawn(this.#program, argumentsOfFrame, { stdio: ['pipe', 'pipe', 'ignore'] });
    const started = new Promise<void>((resolve, reject) => program.once('spawn', resolve).once('error', reject));
    await started;
    this.#running = program;
    const timer = setTimeout(() => program.kill('SIGKILL'), timeoutMs);
    try {
      if (program.pid !== undefined) setPriority(program.pid, constants.priority.PRIORITY_LOW);
      // ffmpeg closes its input as soon as it has enough.
      const input = Readable.from(beginning(packets), { objectMode: false });
      const written = pipeline(input, program.stdin).catch(() => undefined);
      const pieces: Uint8Array[] = [];
      for await (const piece of limitBytes(program.stdout, 'the picture', maxPictureBytes)) pieces.push(piece);
      await written;
      return Buffer.concat(pieces);
    } finally {
      clearTimeout(timer);
      program.kill('SIGKILL');
    }
  }
}

/** Stays the same when the recording is renamed, moved or copied. A path may be used again later, for another one. */
function keyOf({ begin, service, size, path }: Pictured): string {
  return service === undefined ? `${begin} ${path}` : `${begin} ${service.format()} ${size}`;
}

async function* beginning(packets: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of packets) {
    yield piece;
    bytes += piece.length;
    if (bytes >= maxInputBytes) return;
  }
}

/**
 * The most typical of some key frames, so that it is not a black one: 480 by 270 pixels, cut to that shape. Bounds the
 * size of the pictures that are decoded, and thereby the memory.
 */
const argumentsOfFrame = [
  ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-threads', '1', '-max_pixels', '9000000'],
  ...['-protocol_whitelist', 'pipe', '-probesize', '4M', '-analyzeduration', '3000000', '-skip_frame', 'nokey'],
  ...['-f', 'mpegts', '-i', 'pipe:0', '-map', '0:v:0', '-frames:v', '1'],
  '-vf',
  "scale='trunc(iw*sar/2)*2':ih,setsar=1,scale=480:270:force_original_aspect_ratio=increase,crop=480:270,thumbnail=6,format=yuvj420p",
  ...['-c:v', 'mjpeg', '-q:v', '5', '-f', 'image2pipe', 'pipe:1'],
];
