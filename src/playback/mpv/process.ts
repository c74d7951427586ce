/**
 * The mpv program: started on first use, and restarted with growing delays if it ends unexpectedly.
 *
 * It is controlled over an inherited socket, which no other program can use. It ends with the receiver, even if that is
 * killed: mpv quits when its only client disconnects.
 */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { startProgram } from '../../base/child-process.ts';
import { ownCommand } from '../../base/own-command.ts';
import { withoutSecrets } from '../../base/secrets.ts';
import type { Configuration } from '../../config/config.ts';
import { MpvConnection } from './connection.ts';

export type MpvProgram = Configuration['mpv'];

/** Required options: mpv plays only on command, and reads no other file than the one to be played. */
const requiredOptions = [
  '--no-config',
  '--idle=yes',
  '--input-ipc-client=fd://3',
  '--input-terminal=no',
  '--input-default-bindings=no',
  '--msg-level=all=error',
  '--load-scripts=no',
  '--ytdl=no',
  '--osc=no',
  // Other demuxers would accept playlists, which could open other files and addresses.
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
  // Otherwise mpv reads files far ahead, which takes 200 MB.
  '--demuxer-max-bytes=16MiB',
  '--demuxer-max-back-bytes=4MiB',
];

/** Milliseconds before a restart: at first, doubled each time, and at most. Reset after a run of the maximum. */
const minRestartDelayMs = 500;
const maxRestartDelayMs = 60_000;

export class MpvProcess {
  readonly #program: MpvProgram;
  readonly #log: Logger;
  readonly #onStart: (connection: MpvConnection) => void;
  #child: ChildProcess | undefined;
  #connection: MpvConnection | undefined;
  #restartTimer: NodeJS.Timeout | undefined;
  #restartDelayMs = minRestartDelayMs;
  #startedAt = 0;
  #isWanted = false;
  #closed = false;

  /** `onStart` is called with the connection to each new mpv, before any other command. */
  constructor(program: MpvProgram, log: Logger, onStart: (connection: MpvConnection) => void) {
    this.#program = program;
    this.#log = log;
    this.#onStart = onStart;
  }

  /** The connection to mpv; undefined while it is not running. */
  get connection(): MpvConnection | undefined {
    return this.#connection;
  }

  /** Starts mpv unless it is running or about to be restarted. */
  start(): void {
    if (this.#isWanted || this.#closed) return;
    this.#isWanted = true;
    this.#spawn();
  }

  /** Ends mpv for good; resolves when it has exited. */
  async close(): Promise<void> {
    this.#isWanted = false;
    this.#closed = true;
    clearTimeout(this.#restartTimer);
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
    this.#startedAt = performance.now();
    let child: ChildProcess;
    try {
      child = startProgram(path, [...requiredOptions, ...options], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    } catch (error) {
      this.#onExit((error as Error).message);
      return;
    }
    this.#child = child;
    let failure = '';
    for (const output of [child.stdout, child.stderr]) {
      if (output)
        createInterface(output).on('line', (line) => this.#log.warn(`mpv: ${withoutSecrets(line.slice(0, 500))}`));
    }
    child.once('error', (error) => {
      failure = error.message;
    });
    child.once('close', (code, signal) => this.#onExit(failure || `ended (${signal ?? code})`));
    // If the program cannot be started, there is no socket, only the event `close`.
    const socket = child.stdio[3] as Duplex | null | undefined;
    if (!socket || child.pid === undefined) return;
    const connection = new MpvConnection(socket);
    this.#connection = connection;
    this.#onStart(connection);
  }

  #onExit(how: string): void {
    this.#child = undefined;
    this.#connection = undefined;
    if (!this.#isWanted) return;
    if (performance.now() - this.#startedAt > maxRestartDelayMs) this.#restartDelayMs = minRestartDelayMs;
    this.#log.error(
      `mpv ${how}; restarting in ${this.#restartDelayMs / 1000} s; see the lines of mpv in the log, and ${ownCommand('doctor')}`,
    );
    this.#restartTimer = setTimeout(() => this.#spawn(), this.#restartDelayMs);
    this.#restartDelayMs = Math.min(maxRestartDelayMs, this.#restartDelayMs * 2);
  }
}
