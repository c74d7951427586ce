/**
 * Makes a JPEG of a frame in a transport stream, by the machine's ffmpeg: one at a time, at the lowest priority. ffmpeg reads
 * the stream from a pipe and writes the JPEG to another: no file, no network, no format but MPEG.
 */
import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { lowerPriority, startProgram } from '../base/child-process.ts';
import { limitBytes } from '../base/limit-bytes.ts';
import { serialQueue } from '../base/serial-queue.ts';

/** The stream from which a frame is taken. */
export type Packets = AsyncIterable<Buffer> | Iterable<Buffer>;

export interface FrameShape {
  readonly width: number;
  readonly height: number;
  /** Number of key frames to choose the most typical one from, which is hardly ever black. Default: 1. */
  readonly candidates?: number;
}

/** Bytes of the stream that ffmpeg gets: some seconds. */
const maxInputBytes = 12 * 2 ** 20;
const maxPictureBytes = 2 ** 19;
/** Milliseconds to make a picture, which takes 0.2 s of processor time: a busy machine gives little to the lowest priority. */
const defaultTimeoutMs = 120_000;

/** The time limit was reached: another attempt may succeed. */
export class FrameTimeout extends Error {}

export class FrameMaker {
  readonly #program: string;
  readonly #timeoutMs: number;
  readonly #inTurn = serialQueue();
  #running: ChildProcess | undefined;
  #isMissing = false;
  #isStopped = false;

  /** `program`: name or path of ffmpeg. */
  constructor(program: string, timeoutMs = defaultTimeoutMs) {
    this.#program = program;
    this.#timeoutMs = timeoutMs;
  }

  /** False without ffmpeg, and after `stop`. */
  get isAble(): boolean {
    return !this.#isMissing && !this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
    this.#running?.kill('SIGKILL');
  }

  /** Empty if there is no frame. @throws FrameTimeout if it takes too long; Error if ffmpeg cannot be started */
  frameOf(packets: Packets, shape: FrameShape): Promise<Buffer> {
    return this.#inTurn(() => (this.isAble ? this.#make(packets, shape) : Buffer.alloc(0)));
  }

  async #make(packets: Packets, shape: FrameShape): Promise<Buffer> {
    const program = startProgram(this.#program, argumentsOf(shape), { stdio: ['pipe', 'pipe', 'ignore'] });
    await new Promise<void>((resolve, reject) => program.once('spawn', resolve).once('error', reject)).catch(
      (error) => {
        this.#isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        throw error;
      },
    );
    this.#running = program;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      program.kill('SIGKILL');
    }, this.#timeoutMs);
    try {
      lowerPriority(program);
      // ffmpeg closes its input as soon as it has enough.
      const input = Readable.from(beginning(packets), { objectMode: false });
      const written = pipeline(input, program.stdin).catch(() => undefined);
      const pieces: Uint8Array[] = [];
      for await (const piece of limitBytes(program.stdout, 'the picture', maxPictureBytes)) pieces.push(piece);
      await written;
      if (isLate) throw new FrameTimeout(`ffmpeg took longer than ${this.#timeoutMs} ms`);
      return Buffer.concat(pieces);
    } finally {
      clearTimeout(timer);
      program.kill('SIGKILL');
      this.#running = undefined;
    }
  }
}

async function* beginning(packets: Packets): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of packets) {
    yield piece;
    bytes += piece.length;
    if (bytes >= maxInputBytes) return;
  }
}

/** Cuts the frame to the shape. Bounds the size of the pictures that are decoded, and thereby the memory. */
const argumentsOf = ({ width, height, candidates = 1 }: FrameShape): readonly string[] => [
  ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-threads', '1', '-max_pixels', '9000000'],
  ...['-protocol_whitelist', 'pipe', '-probesize', '4M', '-analyzeduration', '3000000', '-skip_frame', 'nokey'],
  ...['-f', 'mpegts', '-i', 'pipe:0', '-map', '0:v:0', '-frames:v', '1'],
  '-vf',
  [
    "scale='trunc(iw*sar/2)*2':ih,setsar=1",
    `scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height}`,
    ...(candidates > 1 ? [`thumbnail=${candidates}`] : []),
    'format=yuvj420p',
  ].join(),
  ...['-c:v', 'mjpeg', '-q:v', '5', '-f', 'image2pipe', 'pipe:1'],
];
