/**
 * Terminal support for long commands: a status line, and a clean stop on Ctrl-C. Libraries such as cli-progress draw
 * bars, which need a total; data from a pipe has none.
 */
import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';

const redrawIntervalMs = 100;

/** One line on stderr that is redrawn in place. Shows nothing if stderr is not a terminal. */
export class StatusLine {
  readonly #terminal = process.stderr;
  readonly #isWanted: boolean;
  #shownAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(isWanted = true) {
    this.#isWanted = isWanted && this.#terminal.isTTY;
  }

  /** Replaces the text. `text` is called only when the line is redrawn: at most every 100 ms, or with `force`. */
  show(text: () => string, { force = false }: { readonly force?: boolean } = {}): void {
    if (!this.#isWanted) return;
    const now = performance.now();
    if (!force && now - this.#shownAt < redrawIntervalMs) return;
    this.#shownAt = now;
    this.#isShown = true;
    // A longer line would wrap and could not be redrawn.
    const line = stripVTControlCharacters(text()).slice(0, Math.max(1, (this.#terminal.columns || 80) - 1));
    this.#terminal.write(`\r\x1b[K${line}`);
  }

  clear(): void {
    if (this.#isShown) this.#terminal.write('\r\x1b[K');
    this.#isShown = false;
  }
}

/** A command was stopped by a signal. The message says in which state it has left things. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** 128 + signal number, as shells report it. */
  readonly exitCode: number;

  constructor(signal: StoppingSignal, message: string) {
    super(message);
    this.exitCode = 128 + constants.signals[signal];
  }
}

type StoppingSignal = (typeof stoppingSignals)[number];
const stoppingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that Ctrl-C can stop. The first signal aborts the work, which then cleans up; a second one ends the process
 * at once. `left` describes the state after an abort.
 * @throws Interrupted
 */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  left: () => string,
): Promise<Result> {
  const controller = new AbortController();
  let received: StoppingSignal | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (received !== undefined) process.exit(128 + constants.signals[signal]);
    received = signal as StoppingSignal;
    controller.abort();
  };
  for (const signal of stoppingSignals) process.on(signal, stop);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (received === undefined) throw error;
    throw new Interrupted(received, `interrupted; ${left()}`);
  } finally {
    for (const signal of stoppingSignals) process.off(signal, stop);
  }
}
