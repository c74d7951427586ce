/**
 * Runs the programs that the configuration file names for notices, without a shell. A hook gets the notice as JSON on its
 * standard input; its output goes into the log. Its time, its output and the number of hooks are limited.
 */
import type { Logger } from 'pino';
import { plainEnvironment, plainLine, runProgram } from '../base/child-process.ts';
import { type Configuration, noticeKinds } from '../config/config.ts';
import type { HookKind, Notice } from '../events/notice.ts';

/** Hooks that run at a time, and that wait for others to end. */
const maxRunning = 4;
const maxWaiting = 100;
/** Characters of the output of a hook that go into the log, and of a line of it. */
const maxOutputLength = 8192;
const maxLineLength = 500;

interface HooksParts {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Working directory of the hooks. */
  readonly folder: string;
}

export class Hooks {
  readonly #parts: HooksParts;
  readonly #rules: Configuration['hooks'];
  readonly #waiting: { readonly command: readonly string[]; readonly notice: Notice }[] = [];
  /** The end of each hook that runs. */
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();

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
    this.#ending.abort(new Error('the receiver stops'));
    await Promise.all(this.#running);
  }

  #next(): void {
    const first = this.#running.size < maxRunning ? this.#waiting.shift() : undefined;
    if (first === undefined) return;
    const ended = this.#execute(first.command, first.notice).then(() => {
      this.#running.delete(ended);
      this.#next();
    });
    this.#running.add(ended);
  }

  async #execute(command: readonly string[], notice: Notice): Promise<void> {
    const { log, folder } = this.#parts;
    const { event, message } = notice;
    let [output, isCut] = ['', false];
    const read = (text: string) => {
      isCut ||= output.length + text.length > maxOutputLength;
      output = (output + text).slice(0, maxOutputLength);
    };
    const { why } = await runProgram(command, {
      ...{ cwd: folder, env: plainEnvironment(), leavesOthers: true },
      ...{ signal: this.#ending.signal, timeoutMs: this.#rules.timeout * 1000 },
      onStart({ stdin, stdout, stderr }) {
        for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', read);
        // A hook need not read its input.
        stdin?.on('error', () => undefined).end(`${JSON.stringify(notice)}\n`);
      },
    }).catch(({ message }: Error) => ({ why: message }));
    for (const line of output.split('\n')) {
      const plain = plainLine(line).slice(0, maxLineLength);
      if (plain !== '') log.info(`hook ${event}: ${plain}`);
    }
    if (isCut) log.warn(`hook ${event}: the rest of its output is dropped`);
    if (why === '') log.info(`hook ${event} has ended`);
    else log.error(`hook ${event} failed: ${why} (${message})`);
  }
}
