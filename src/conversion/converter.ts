/**
 * Converts what a browser cannot decode (MPEG-2, AC-3, Layer II) to H.264 and AAC, by the ffmpeg of the machine if there is
 * one. It reads a transport stream from a pipe and writes one into another: no shell, no file, no network. It runs at a
 * low priority, so that recordings come first, and is killed as soon as its reader is gone.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import { fail } from '../base/errors.ts';
import { once } from '../base/once.ts';
import type { Configuration } from '../config/config.ts';
import { type Encoder, findEncoder } from './encoder.ts';

export interface ConversionOrder {
  /** Only the sound, the pictures stay as they are; or both. */
  readonly what: 'sound' | 'all';
  /** PID of the sound; absent: the first. */
  readonly audio?: number | undefined;
}

export interface ConverterState {
  /** How pictures are encoded, as ffmpeg calls it; undefined if nothing can be converted. */
  readonly encoder: string | undefined;
  readonly running: number;
  readonly maximum: number;
}

/** A running one: ends when `output` is closed, or `input` has ended. */
export interface Conversion {
  readonly input: Writable;
  readonly output: Readable;
}

/** Bytes of its complaints that are logged. */
const mostSaid = 500;
/** Milliseconds between looks at what readers take, and without taking anything after which one makes room for another. */
const lookEvery = 5000;
const stalledAfter = 30_000;

type Program = ChildProcessByStdio<Writable, Readable, Readable>;

/** For whom it is; what its reader has taken, and since when it was no more: of `performance.now()`. */
interface Taken {
  readonly client: string;
  bytes: number;
  since: number;
}

export class Converter {
  readonly #options: Configuration['conversion'];
  readonly #log: Logger;
  readonly #running = new Map<Program, Taken>();
  #watch: NodeJS.Timeout | undefined;
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
   * If there is no other room, one ends whose reader stands still, such as that of a paused player, or one of a client
   * with several makes room for a client without any. `client`: as `Peers.clientOf` names it.
   * @throws ReceiverError `unsupported` without ffmpeg, `too-many-conversions`
   */
  async start(order: ConversionOrder, client = ''): Promise<Conversion> {
    const encoder = await this.#encoder();
    if (encoder === undefined) throw fail('unsupported', 'converting without ffmpeg');
    const { path, maximum } = this.#options;
    if (this.#running.size >= maximum && !this.#endStalled() && !this.#endSecond(client))
      throw fail('too-many-conversions', maximum);
    const program = spawn(path, argumentsFor(order, encoder), { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#running.set(program, { client, bytes: 0, since: performance.now() });
    this.#watch ??= setInterval(() => this.#look(), lookEvery).unref();
    this.#follow(program);
    return { input: program.stdin, output: program.stdout };
  }

  stop(): void {
    for (const program of this.#running.keys()) program.kill('SIGKILL');
  }

  #look(): void {
    for (const [{ stdout }, taken] of this.#running) {
      const { bytesRead: bytes } = stdout as Socket;
      if (bytes !== taken.bytes) Object.assign(taken, { bytes, since: performance.now() });
    }
  }

  /** Ends the one that has stood still for longest, if that is long. Returns whether there was one. */
  #endStalled(): boolean {
    this.#look();
    const [longest] = [...this.#running].sort(([, a], [, b]) => a.since - b.since);
    if (longest === undefined || performance.now() - longest[1].since < stalledAfter) return false;
    this.#end(longest[0]);
    return true;
  }

  /** Ends the newest one of a client that has several, unless the other has one itself. Returns whether there was one. */
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
    // Its reader is told that this is not the end of the recording.
    program.stdout.destroy(new Error('another conversion needs the room'));
  }

  #forget(program: Program): void {
    this.#running.delete(program);
    if (this.#running.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #follow(program: Program): void {
    const { stdin, stdout, stderr, pid } = program;
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let said = '';
    stderr.on('data', (piece: Buffer) => {
      said = `${said}${piece}`.slice(0, mostSaid);
    });
    const end = () => {
      program.kill('SIGKILL');
    };
    // It may end first, which its input finds out by writing.
    stdin.on('error', end);
    stdout.once('close', end);
    const ended = (problem = '') => {
      this.#forget(program);
      stdin.destroy();
      const trouble = problem || said;
      if (trouble !== '') this.#log.debug(`ffmpeg: ${trouble}`);
    };
    program.once('error', ({ message }) => ended(message));
    program.once('exit', () => ended());
  }
}

function argumentsFor({ what, audio }: ConversionOrder, encoder: Encoder): readonly string[] {
  const isCopied = what === 'sound';
  const sound = audio === undefined ? '0:a:0?' : `0:i:${audio}?`;
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error'],
    ...(isCopied ? [] : encoder.device),
    ...['-probesize', '2M', '-analyzeduration', '1500000', '-fflags', '+genpts+discardcorrupt'],
    ...['-f', 'mpegts', '-i', 'pipe:0'],
    ...['-map', '0:v:0?', '-map', sound, '-map', '0:s?', '-dn'],
    ...(isCopied ? ['-c:v', 'copy'] : pictures(encoder)),
    ...['-c:a', 'aac', '-b:a', '160k', '-ac', '2', '-ar', '48000', '-af', 'aresample=async=1000'],
    // Pictures do not wait for subtitles, which are rare.
    ...['-c:s', 'copy', '-max_interleave_delta', '100000'],
    ...['-f', 'mpegts', '-muxdelay', '0', '-muxpreload', '0', '-flush_packets', '1', 'pipe:1'],
  ];
}

/** A key frame at least every two seconds. */
function pictures({ name, filters, options }: Encoder): readonly string[] {
  return ['-vf', filters, '-c:v', name, ...options, '-g', '50', '-bf', '0'];
}
