/**
 * The mpv program: started on first use, and restarted if it ends by itself, with growing delays.
 *
 * It is driven over an inherited socket, so that nobody else on the machine can drive it. It ends with the receiver
 * even if that is killed: mpv quits when its only client disconnects.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { withoutSecrets } from '../../base/secrets.ts';
import type { Configuration } from '../../config/config.ts';
import { MpvConnection } from './connection.ts';

export type MpvProgram = Configuration['mpv'];

/** Required options: mpv plays only on command, and reads no file that was not named. */
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
  // A file that is a playlist, whatever its name, would have other files and addresses opened.
  '--demuxer=lavf',
  '--demuxer-lavf-o=protocol_whitelist=[unix]',
  '--sub-auto=no',
  '--audio-file-auto=no',
  '--cover-art-auto=no',
  '--sid=no',
  '--reset-on-next-file=aid,sid,pause',
  '--volume-max=100',
  '--fullscreen=yes',
  '--hwdec=auto-safe',
  // Sources as fast as the disk would otherwise be read far ahead, which takes 200 MB.
  '--demuxer-max-bytes=16MiB',
  '--demuxer-max-back-bytes=4MiB',
];

/** Milliseconds before a restart: doubled each time up to the longest, and reset after a run of that length. */
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

  /** `ready` is called with each new mpv before it has done anything. */
  constructor(program: MpvProgram, log: Logger, ready: (connection: MpvConnection) => void) {
    this.#program = program;
    this.#log = log;
    this.#ready = ready;
  }

  /** Undefined while mpv is not running. */
  get connection(): MpvConnection | undefined {
    return this.#connection;
  }

  /** Starts mpv, unless it runs or is about to. */
  start(): void {
    if (this.#wanted || this.#closed) return;
    this.#wanted = true;
    this.#spawn();
  }

  /** Ends mpv for good; resolves when it has exited. */
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
      if (output)
        createInterface(output).on('line', (line) => this.#log.warn(`mpv: ${withoutSecrets(line.slice(0, 500))}`));
    }
    child.once('error', (error) => {
      failure = error.message;
    });
    child.once('close', (code, signal) => this.#ended(failure || `ended (${signal ?? code})`));
    // If the program could not be started there is no socket, only its end.
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
    this.#log.error(`mpv ${how}; restarting in ${this.#pause / 1000} s; its own lines and receiverd doctor say more`);
    this.#again = setTimeout(() => this.#spawn(), this.#pause);
    this.#pause = Math.min(longestPause, this.#pause * 2);
  }
}
