/**
 * The mpv program: started when it is wanted first, started again when it has ended by itself, a little later each time.
 *
 * It is driven over a socket that it inherits, so that nobody else on the machine can, and ends with the receiver even when that is
 * killed: mpv quits when its only client has gone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { MpvConnection } from './connection.ts';

export interface MpvProgram {
  /** A name that is looked for in PATH, or a path. */
  readonly path: string;
  /** Options besides our own, `--vo=gpu`; they come last and win. */
  readonly options: readonly string[];
}

/** What is no matter of taste: it shows what it is told to, and reads no file that nobody named. */
const ownOptions = [
  '--no-config',
  '--idle=yes',
  '--input-ipc-client=fd://3',
  '--input-terminal=no',
  '--input-default-bindings=no',
  '--msg-level=all=error',
  '--load-scripts=no',
  '--ytdl=no',
  '--osc=no',
  '--sub-auto=no',
  '--audio-file-auto=no',
  '--cover-art-auto=no',
  '--sid=no',
  '--reset-on-next-file=aid,sid,pause',
  '--volume-max=100',
  '--fullscreen=yes',
  '--hwdec=auto-safe',
  // What can be read as fast as the disk gives it is not read far ahead: it would take 200 MB.
  '--demuxer-max-bytes=16MiB',
  '--demuxer-max-back-bytes=4MiB',
];

/** Milliseconds before it is started again: doubled each time up to the longest, anew when it ran for as long as that. */
const shortestPause = 500;
const longestPause = 60_000;

export class MpvProcess {
  readonly #program: MpvProgram;
  readonly #log: Logger;
  readonly #ready: (connection: MpvConnection) => void;
  #child: ChildProcess | undefined;
  #connection: MpvConnection | undefined;
  #again: NodeJS.Timeout | undefined;
  #pause = shortestPause;
  #started = 0;
  #wanted = false;
  #closed = false;

  /** `ready` is called with each mpv that was started, before it has done anything. */
  constructor(program: MpvProgram, log: Logger, ready: (connection: MpvConnection) => void) {
    this.#program = program;
    this.#log = log;
    this.#ready = ready;
  }

  /** Undefined while none runs. */
  get connection(): MpvConnection | undefined {
    return this.#connection;
  }

  /** Starts it, where it does not run and is not about to. */
  start(): void {
    if (this.#wanted || this.#closed) return;
    this.#wanted = true;
    this.#spawn();
  }

  /** Ends it for good; resolves when it has ended. */
  async close(): Promise<void> {
    this.#wanted = false;
    this.#closed = true;
    clearTimeout(this.#again);
    const child = this.#child;
    if (child === undefined) return;
    this.#connection?.command('quit').catch(() => undefined);
    const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
    const limit = setTimeout(() => child.kill('SIGKILL'), 2000);
    await ended;
    clearTimeout(limit);
  }

  #spawn(): void {
    const { path, options } = this.#program;
    const child = spawn(path, [...ownOptions, ...options], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.#started = performance.now();
    let failure = '';
    for (const output of [child.stdout, child.stderr]) {
      if (output) createInterface(output).on('line', (line) => this.#log.warn(`mpv: ${line.slice(0, 500)}`));
    }
    child.once('error', (error) => {
      failure = error.message;
    });
    child.once('close', (code, signal) => this.#ended(failure || `ended (${signal ?? code})`));
    // Without a program there is no socket, and nothing but its end.
    const socket = child.stdio[3] as Duplex | null | undefined;
    if (!socket || child.pid === undefined) return;
    const connection = new MpvConnection(socket);
    this.#connection = connection;
    this.#ready(connection);
  }

  #ended(how: string): void {
    this.#child = undefined;
    this.#connection = undefined;
    if (!this.#wanted) return;
    if (performance.now() - this.#started > longestPause) this.#pause = shortestPause;
    this.#log.error(`mpv ${how}; it is started again in ${this.#pause / 1000} s`);
    this.#again = setTimeout(() => this.#spawn(), this.#pause);
    this.#pause = Math.min(longestPause, this.#pause * 2);
  }
}
