/**
 * Finds the advertisements in each new recording, by a program that the configuration file names, such as comskip, and
 * marks them in its `.cuts` file. One recording at a time, at the lowest priority, and paused while a tuner records or
 * streams unless the settings allow it. No shell; time and output are limited.
 */
import { constants as fileConstants } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { killMarked, lowerPriority, markedEnvironment, runProgram, signalGroup } from '../base/child-process.ts';
import { fail, systemReason } from '../base/errors.ts';
import { readRegularFile } from '../base/files.ts';
import type { Configuration } from '../config/config.ts';
import { parseComskip, parseEdl, plausibleBreaks } from './files/break-lists.ts';
import type { Span } from './files/breaks.ts';
import type { Cut } from './files/cuts-file.ts';
import { ticksPerSecond } from './files/meta-file.ts';
import type { Recording } from './files/recording.ts';
import type { RecordingActions } from './library/actions.ts';
import type { RecordingLibrary } from './library/library.ts';
import type { Recorder } from './recorder.ts';

export interface BreakFinderParts {
  readonly recorder: Pick<Recorder, 'onChange'>;
  readonly library: Pick<RecordingLibrary, 'find'>;
  readonly actions: Pick<RecordingActions, 'edit'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Belongs to this receiver alone. */
  readonly dataDir: string;
  /** Whether a tuner records or streams. */
  readonly isBusy: () => boolean;
}

export type BreakFinderRules = Configuration['advertisements'];

const maxWaiting = 200;
const maxListBytes = 1 << 20;
/** Files in the folder of results that are looked at. */
const maxResults = 100;
/** How comskip ends if there are no advertisements. */
const noBreaksStatus = 'status 1';

export class BreakFinder {
  readonly #parts: BreakFinderParts;
  readonly #rules: BreakFinderRules;
  /** Milliseconds between checks whether the receiver is busy. */
  readonly #checkMs: number;
  readonly #waiting: string[] = [];
  readonly #ending = new AbortController();
  #cleaned: Promise<void> | undefined;
  #run: Promise<void> | undefined;

  constructor(parts: BreakFinderParts, rules: BreakFinderRules, checkMs = 5000) {
    this.#parts = parts;
    this.#rules = rules;
    this.#checkMs = checkMs;
    if (rules.command.length === 0) return;
    this.#cleaned = killMarked(parts.dataDir);
    parts.recorder.onChange(({ path, size }, change) => {
      if (change === 'stopped' && size > 0) this.#add(path);
    });
  }

  /** Kills the program; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#run;
  }

  #add(path: string): void {
    if (this.#ending.signal.aborted) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#parts.log.warn(`advertisements in ${path} are not searched for: ${maxWaiting} recordings wait`);
      return;
    }
    this.#waiting.push(path);
    this.#run ??= this.#work();
  }

  async #work(): Promise<void> {
    await this.#cleaned;
    for (let path = this.#waiting.shift(); path !== undefined; path = this.#waiting.shift()) {
      await this.#mark(path).catch((error: unknown) => {
        if (!this.#ending.signal.aborted)
          this.#parts.log.warn(`advertisements in ${path} are not marked: ${systemReason(error)}`);
      });
      if (this.#ending.signal.aborted) break;
    }
    this.#run = undefined;
  }

  get #mustPause(): boolean {
    return !this.#rules.whileReceiving && this.#parts.isBusy();
  }

  async #mark(path: string): Promise<void> {
    const { library, actions, log } = this.#parts;
    if (this.#mustPause) log.info(`advertisements in ${path} are searched for once no tuner records or streams`);
    while (this.#mustPause) await pause(this.#checkMs, undefined, { ref: false, signal: this.#ending.signal });
    if (!isMarkable(await library.find(path))) {
      log.info(`advertisements in ${path} are not searched for: it is marked already, scrambled, or has no length`);
      return;
    }
    const found = await this.#find(path);
    const recording = await library.find(path);
    const breaks = plausibleBreaks(found, recording.length ?? 0);
    // A user may have cut it in the meantime.
    if (breaks.length > 0 && isMarkable(recording))
      await actions.edit(path, { cuts: [...recording.cuts, ...cutsOf(breaks, recording.length ?? 0)] });
    log.info(`advertisements in ${path}: ${breaks.length}`);
  }

  /** Runs the program. @throws ReceiverError `command-failed` */
  async #find(path: string): Promise<readonly Span[]> {
    const folder = await mkdtemp(join(tmpdir(), 'receiverd-breaks-'));
    try {
      const [program = '', ...given] = this.#rules.command;
      const failure = await this.#execute([program, ...argumentsOf(given, path, folder)], folder);
      const list = await resultIn(folder);
      if (list === undefined && failure !== '' && failure !== noBreaksStatus)
        throw fail('command-failed', program, failure);
      return list ?? [];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Runs the program in the folder `cwd`. Resolves to the reason of a failure; '' if there is none. @throws AbortError if the receiver stops */
  async #execute(command: readonly string[], cwd: string): Promise<string> {
    const { signal } = this.#ending;
    const env = await markedEnvironment(this.#parts.dataDir);
    let watch: NodeJS.Timeout | undefined;
    const { why, reason } = await runProgram(command, {
      ...{ cwd, env, stdio: ['ignore', 'ignore', 'pipe'], signal, isBound: true },
      onStart: (child, kill) => {
        lowerPriority(child);
        let runMs = 0;
        watch = setInterval(() => {
          const isPaused = this.#mustPause;
          signalGroup(child, isPaused ? 'SIGSTOP' : 'SIGCONT');
          runMs += isPaused ? 0 : this.#checkMs;
          if (runMs > this.#rules.timeout * 1000) kill(`it took longer than ${this.#rules.timeout} s`);
        }, this.#checkMs).unref();
      },
    }).finally(() => clearInterval(watch));
    signal.throwIfAborted();
    return why === noBreaksStatus ? why : reason;
  }
}

/** Whether nobody has cut it, and it has a length. */
const isMarkable = ({ cuts, length, scrambled }: Recording) =>
  !scrambled && (length ?? 0) > 0 && !cuts.some(({ kind }) => kind < 2);

/** The arguments with `{file}` and `{output}` replaced; those of comskip without `{file}`. */
function argumentsOf(given: readonly string[], file: string, output: string): readonly string[] {
  if (!given.some((one) => one.includes('{file}'))) return [...given, `--output=${output}`, file];
  return given.map((one) => one.replace(/\{(file|output)\}/g, (_, name) => (name === 'file' ? file : output)));
}

function cutsOf(breaks: readonly Span[], length: number): readonly Cut[] {
  return breaks.flatMap(({ begin, end }): readonly Cut[] => [
    { kind: 1, position: Math.round(begin * ticksPerSecond) },
    ...(end < length ? [{ kind: 0, position: Math.round(end * ticksPerSecond) } as const] : []),
  ]);
}

/** The breaks in the first list in a folder; undefined if there is none. */
async function resultIn(folder: string): Promise<readonly Span[] | undefined> {
  const names = (await readdir(folder)).sort().slice(0, maxResults);
  const read = (name: string) =>
    readRegularFile(join(folder, name), maxListBytes, fileConstants.O_NOFOLLOW).then(String);
  for (const name of names) if (extname(name) === '.edl') return parseEdl(await read(name));
  for (const name of names) {
    const list = extname(name) === '.txt' ? parseComskip(await read(name)) : undefined;
    if (list !== undefined) return list;
  }
  return undefined;
}
