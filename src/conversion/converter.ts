/**
 * Converts video and audio that browsers cannot decode (MPEG-2, AC-3, Layer II) to H.264 and AAC, with the ffmpeg of
 * the machine if it is installed. ffmpeg reads a transport stream from a pipe and writes one to another: no shell, no
 * file, no network. It runs at a low priority, so that recordings come first, and is killed as soon as its reader
 * closes.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import { lowerPriority, startProgram } from '../base/child-process.ts';
import { fail } from '../base/errors.ts';
import { once } from '../base/once.ts';
import type { Configuration } from '../config/config.ts';
import { type Encoder, findEncoder } from './encoder.ts';

export interface ConversionSpec {
  /** Converts only the sound and copies the pictures, or converts both. */
  readonly what: 'sound' | 'all';
  /** PID of the audio stream; undefined: the first one. */
  readonly audio?: number | undefined;
}

export interface ConverterState {
  /** ffmpeg's name of the video encoder; undefined if nothing can be converted. */
  readonly encoder: string | undefined;
  readonly running: number;
  readonly maximum: number;
}

/** A running conversion; it ends when `output` is closed, or after `input` has ended. */
export interface Conversion {
  readonly input: Writable;
  readonly output: Readable;
}

/** Characters of ffmpeg's error output that are logged. */
const maxLoggedLength = 500;
/** Milliseconds between checks of the bytes read, and without reading after which a reader counts as stalled. */
const readCheckIntervalMs = 5000;
const stallTimeoutMs = 30_000;

type Program = ChildProcessByStdio<Writable, Readable, Readable>;

/** The client of a conversion, the bytes it has read, and when it last read any, by `performance.now()`. */
interface ReadProgress {
  readonly client: string;
  bytes: number;
  lastReadAt: number;
}

export class Converter {
  readonly #options: Configuration['conversion'];
  readonly #log: Logger;
  readonly #running = new Map<Program, ReadProgress>();
  #readCheck: NodeJS.Timeout | undefined;
  readonly #encoder: () => Promise<Encoder | undefined>;

  constructor(options: Configuration['conversion'], log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#encoder = once(async () => {
      const encoder = options.maximum > 0 ? await findEncoder(options.path) : undefined;
      if (options.maximum > 0) log.info(`conversion: ${encoder?.name ?? `no ${options.path} that encodes H.264`}`);
      return encoder;
    });
  }

  async state(): Promise<ConverterState> {
    const encoder = await this.#encoder();
    return { encoder: encoder?.name, running: this.#running.size, maximum: this.#options.maximum };
  }

  /**
   * Starts a conversion. At the maximum, it first ends one whose reader has stalled, such as that of a paused player,
   * or else the second one of a client if `client` has none. `client`: from `Peers.clientOf`.
   * @throws ReceiverError `unsupported` without ffmpeg, `too-many-conversions`, `command-failed`
   */
  async start(spec: ConversionSpec, client = ''): Promise<Conversion> {
    const encoder = await this.#encoder();
    if (encoder === undefined) throw fail('unsupported', 'converting without ffmpeg');
    const { path, maximum } = this.#options;
    if (this.#running.size >= maximum && !this.#endStalled() && !this.#endSecond(client))
      throw fail('too-many-conversions', maximum);
    const program = startProgram(path, argumentsFor(spec, encoder), { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#running.set(program, { client, bytes: 0, lastReadAt: performance.now() });
    this.#readCheck ??= setInterval(() => this.#checkReads(), readCheckIntervalMs).unref();
    this.#follow(program);
    return { input: program.stdin, output: program.stdout };
  }

  stop(): void {
    for (const program of this.#running.keys()) program.kill('SIGKILL');
  }

  #checkReads(): void {
    for (const [{ stdout }, progress] of this.#running) {
      const { bytesRead: bytes } = stdout as Socket;
      if (bytes !== progress.bytes) Object.assign(progress, { bytes, lastReadAt: performance.now() });
    }
  }

  /** Ends the conversion whose reader has stalled for the longest time. Returns whether one has. */
  #endStalled(): boolean {
    this.#checkReads();
    const [stalled] = [...this.#running].sort(([, a], [, b]) => a.lastReadAt - b.lastReadAt);
    if (stalled === undefined || performance.now() - stalled[1].lastReadAt < stallTimeoutMs) return false;
    this.#end(stalled[0]);
    return true;
  }

  /** Ends the newest conversion of a client that has several, unless `other` has one. Returns whether it ended one. */
  #endSecond(other: string): boolean {
    const seen = new Set<string>();
    let second: Program | undefined;
    for (const [program, { client }] of this.#running) {
      if (seen.has(client)) second = program;
      seen.add(client);
    }
    if (second === undefined || seen.has(other)) return false;
    this.#end(second);
    return true;
  }

  #end(program: Program): void {
    this.#forget(program);
    // With an error, so that the reader does not take it for the end of the recording.
    program.stdout.destroy(new Error('ended in favour of another conversion'));
  }

  #forget(program: Program): void {
    this.#running.delete(program);
    if (this.#running.size > 0) return;
    clearInterval(this.#readCheck);
    this.#readCheck = undefined;
  }

  #follow(program: Program): void {
    const { stdin, stdout, stderr } = program;
    lowerPriority(program, constants.priority.PRIORITY_BELOW_NORMAL);
    let errors = '';
    stderr.on('data', (piece: Buffer) => {
      errors = `${errors}${piece}`.slice(0, maxLoggedLength);
    });
    const end = () => {
      program.kill('SIGKILL');
    };
    // If ffmpeg ends first, writing to its input fails.
    stdin.on('error', end);
    stdout.once('close', end);
    const ended = (problem = '') => {
      this.#forget(program);
      stdin.destroy();
      const text = problem || errors;
      if (text !== '') this.#log.debug(`ffmpeg: ${text}`);
    };
    program.once('error', ({ message }) => ended(message));
    program.once('exit', () => ended());
  }
}

function argumentsFor({ what, audio }: ConversionSpec, encoder: Encoder): readonly string[] {
  const isCopied = what === 'sound';
  const sound = audio === undefined ? '0:a:0?' : `0:i:${audio}?`;
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error'],
    ...(isCopied ? [] : encoder.device),
    ...['-probesize', '2M', '-analyzeduration', '1500000', '-fflags', '+genpts+discardcorrupt'],
    ...['-f', 'mpegts', '-i', 'pipe:0'],
    ...['-map', '0:v:0?', '-map', sound, '-map', '0:s?', '-dn'],
    ...(isCopied ? ['-c:v', 'copy'] : videoArguments(encoder)),
    ...['-c:a', 'aac', '-b:a', '160k', '-ac', '2', '-ar', '48000', '-af', 'aresample=async=1000'],
    // Do not delay pictures until a subtitle arrives, which is rare.
    ...['-c:s', 'copy', '-max_interleave_delta', '100000'],
    ...['-f', 'mpegts', '-muxdelay', '0', '-muxpreload', '0', '-flush_packets', '1', 'pipe:1'],
  ];
}

/** Arguments that encode pictures, with a key frame at least every two seconds. */
function videoArguments({ name, filters, options }: Encoder): readonly string[] {
  return ['-vf', filters, '-c:v', name, ...options, '-g', '50', '-bf', '0'];
}
