/**
 * Runs the programs that the configuration file names for notices, without a shell. A hook gets the notice as JSON on its
 * standard input; its output goes into the log. Its time, its output and the number of hooks are limited.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Logger } from 'pino';
import { plainEnvironment, plainLine, signalGroup, startProgram } from '../base/child-process.ts';
import { systemReason } from '../base/errors.ts';
import { type Configuration, noticeKinds } from '../config/config.ts';
import type { HookKind, Notice } from '../events/notice.ts';

/** Hooks that run at a time, and that wait for others to end. */
const maxRunning = 4;
const maxWaiting = 100;
/** Of the output of a hook, so much goes into the log. */
const maxOutputBytes = 8192;
const maxLineLength = 500;
/** How long the output of a hook is read after its end: a program that it has started may hold it open. */
const outputTimeoutMs = 1000;

interface HooksParts {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Working directory of the hooks. */
  readonly folder: string;
}

export class Hooks {
  readonly #parts: HooksParts;
  readonly #rules: Configuration['hooks'];
  readonly #waiting: { readonly command: readonly string[]; readonly notice: Notice }[] = [];
  /** The end of each hook that runs, and what kills it. */
  readonly #running = new Map<Promise<void>, () => void>();

  constructor(parts: HooksParts, rules: Configuration['hooks']) {
    this.#parts = parts;
    this.#rules = rules;
  }

  isWanted(kind: HookKind): boolean {
    return this.#rules[kind].length > 0;
  }

  /** Runs the hook of the notice, if there is one, as soon as others have ended. */
  run(notice: Notice): void {
    const { event } = notice;
    const kind = noticeKinds.find((one) => one === event);
    const command = kind ? this.#rules[kind] : [];
    if (command.length === 0) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#parts.log.error(`hook ${event} was not run: ${maxWaiting} others wait (${notice.message})`);
      return;
    }
    this.#waiting.push({ command, notice });
    this.#next();
  }

  /** Kills the running hooks, and logs the waiting ones. */
  async stop(): Promise<void> {
    for (const { notice } of this.#waiting.splice(0))
      this.#parts.log.warn(`hook ${notice.event} was not run: the receiver stops (${notice.message})`);
    for (const kill of this.#running.values()) kill();
    await Promise.all(this.#running.keys());
  }

  #next(): void {
    const first = this.#running.size < maxRunning ? this.#waiting.shift() : undefined;
    if (first === undefined) return;
    const { end, kill } = this.#start(first.command, first.notice);
    const ended = end.then(() => {
      this.#running.delete(ended);
      this.#next();
    });
    this.#running.set(ended, kill);
  }

  #start([program = '', ...args]: readonly string[], notice: Notice) {
    const { folder } = this.#parts;
    const env = plainEnvironment();
    // In a process group of its own, so that what it has started can be killed with it.
    let child: ChildProcessWithoutNullStreams;
    try {
      child = startProgram(program, args, { cwd: folder, env, stdio: 'pipe', detached: true });
    } catch (error) {
      this.#parts.log.error(`hook ${notice.event} failed: ${(error as Error).message} (${notice.message})`);
      return { end: Promise.resolve(), kill: () => undefined };
    }
    let killed = '';
    const kill = (why: string) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      killed = why;
      signalGroup(child, 'SIGKILL');
    };
    const { timeout } = this.#rules;
    const timer = setTimeout(() => kill(`it took longer than ${timeout} s`), timeout * 1000);
    const pieces: Buffer[] = [];
    let bytes = 0;
    const read = (piece: Buffer) => {
      if (bytes < maxOutputBytes) pieces.push(piece.subarray(0, maxOutputBytes - bytes));
      bytes += piece.length;
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    // A hook need not read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify(notice)}\n`);
    const end = new Promise<void>((resolve) => {
      let failure = '';
      child.once('error', (error) => {
        failure = systemReason(error);
      });
      child.once('exit', () => {
        clearTimeout(timer);
        setTimeout(() => {
          child.stdout.destroy();
          child.stderr.destroy();
        }, outputTimeoutMs).unref();
      });
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        this.#report(notice, { output: Buffer.concat(pieces), isCut: bytes > maxOutputBytes });
        const why = failure || killed || (signal ? `killed by ${signal}` : code === 0 ? '' : `status ${code}`);
        if (why === '') this.#parts.log.info(`hook ${notice.event} has ended`);
        else this.#parts.log.error(`hook ${notice.event} failed: ${why} (${notice.message})`);
        resolve();
      });
    });
    return { end, kill: () => kill('the receiver stops') };
  }

  #report({ event }: Notice, { output, isCut }: { readonly output: Buffer; readonly isCut: boolean }): void {
    for (const line of output.toString().split('\n')) {
      const plain = plainLine(line).slice(0, maxLineLength);
      if (plain !== '') this.#parts.log.info(`hook ${event}: ${plain}`);
    }
    if (isCut) this.#parts.log.warn(`hook ${event}: the rest of its output is dropped`);
  }
}
