/** Starting and ending other programs: without a shell, and named by the configuration, never by a client. */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { promisify } from 'node:util';
import { fail, systemReason } from './errors.ts';
import { once } from './once.ts';
import { withoutArguments, withoutSecrets } from './secrets.ts';

const passedVariables = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/** The environment of a program that is not part of the receiver. Other variables may contain secrets. */
export const plainEnvironment = () => Object.fromEntries(passedVariables.map((name) => [name, process.env[name]]));

const mark = 'RECEIVERD_PROGRAM_OF';

/** Identifies a folder by its inode: that of a container may have the same path. */
const markOf = async (folder: string) => {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
};

/** Like `plainEnvironment`, for a program that `killMarked` finds, with all that it has started. */
export const markedEnvironment = async (folder: string) => ({ ...plainEnvironment(), [mark]: await markOf(folder) });

/** Kills what has the environment `markedEnvironment(folder)`, on Linux: an earlier run, killed itself, has left it. */
export async function killMarked(folder: string): Promise<void> {
  const own = await markOf(folder).catch(() => undefined);
  if (own === undefined) return;
  const names = await readdir('/proc').catch(() => []);
  for (const pid of names.map(Number).filter((one) => one > 0 && one !== process.pid)) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(`${mark}=${own}`)) signal(pid, 'SIGKILL');
  }
}

/**
 * Like spawn(). Some programs that cannot be started, such as a missing one, are reported by the event `error`, others at
 * once: Node throws ENOTDIR, ETXTBSY and others of execve(2). @throws ReceiverError `command-failed`
 */
export const startProgram: typeof spawn = (program: string, ...rest: readonly unknown[]) => {
  try {
    return (spawn as (...given: readonly unknown[]) => never)(program, ...rest);
  } catch (error) {
    throw fail('command-failed', withoutArguments(program), systemReason(error));
  }
};

const setpriv = ['setpriv', '--pdeathsig', 'KILL'] as const;
const haveSetpriv = once(async () => {
  const [program, ...args] = setpriv;
  return promisify(execFile)(program, [...args, 'true']).then(
    () => true,
    () => false,
  );
});
/** Status of setpriv if the program does not exist. */
const missingStatus = 127;

/** Characters of the end of the error output that are kept. */
const maxErrorLength = 65_536;
/** Characters of an error message. */
const maxReasonLength = 300;
/** How long output is read after the end of a program: one that it has started may hold it open. */
const outputTimeoutMs = 1000;

export interface RunOptions extends SpawnOptions {
  /** Kills the program. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /**
   * It is killed when the receiver is, even by `kill -9`, on machines with setpriv(1) of util-linux. For programs that
   * neither read from the receiver nor write to it, and would run on.
   */
  readonly isBound?: boolean;
  /** What it has started may run on after its end. */
  readonly leavesOthers?: boolean;
  /** Called once it is being started: at once unless `isBound`. */
  readonly onStart?: (child: ChildProcess, kill: (why: string) => void) => void;
}

export interface ProgramEnd {
  /** Why it has failed; '' if it has not. */
  readonly why: string;
  /** The same, with the last line of its error output. */
  readonly reason: string;
  readonly errors: string;
  readonly isMissing: boolean;
}

/**
 * Runs a program, with its arguments, in a process group of its own, so that it is killed with what it has started.
 * Resolves when it has ended, however. @throws ReceiverError like `startProgram`; the reason of `signal` if that is aborted before
 */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { signal, timeoutMs, isBound = false, leavesOthers = false, onStart, ...options }: RunOptions,
): Promise<ProgramEnd> {
  const isWrapped = isBound && (await haveSetpriv());
  signal?.throwIfAborted();
  const [name = program, ...given] = isWrapped ? [...setpriv, program, ...args] : [program, ...args];
  const child = startProgram(name, given, { ...options, detached: true }) as ChildProcess;
  let [why, errors, isMissing] = ['', '', false];
  const kill = (reason: string) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    why ||= reason;
    signalGroup(child, 'SIGKILL');
  };
  const abort = () => kill('the receiver stops');
  signal?.addEventListener('abort', abort);
  const timer = timeoutMs && setTimeout(() => kill(`it took longer than ${timeoutMs / 1000} s`), timeoutMs);
  // Read to the end, because a full pipe would block the program.
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrorLength);
  });
  onStart?.(child, kill);
  const [status, by] = await new Promise<readonly [number | null, string | null]>((resolve) => {
    child.once('exit', () => {
      if (!leavesOthers) signalGroup(child, 'SIGKILL');
      setTimeout(() => {
        child.stderr?.destroy();
        // One that is read piece by piece may be read slowly.
        if (child.stdout?.readableFlowing) child.stdout.destroy();
      }, outputTimeoutMs).unref();
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      why ||= systemReason(error);
      isMissing = error.code === 'ENOENT';
      resolve([null, null]);
    });
    child.once('close', (...end) => resolve(end));
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', abort);
  if (why === '' && status !== 0) why = by === null ? `status ${status}` : `killed by ${by}`;
  // Shortened last, because addresses are recognised in whole lines only.
  const last = lastLine(errors).slice(-maxReasonLength);
  return {
    why,
    reason: why && last ? `${why}: ${last}` : why,
    errors,
    isMissing: isMissing || (isWrapped && status === missingStatus),
  };
}

/** Sends a signal to a program that was started with `detached`, and to all that it has started. */
export function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined) signal(-pid, name);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** Lets everything else go first, at the lowest priority or another one of `constants.priority` (os). */
export function lowerPriority({ pid }: ChildProcess, priority: number = constants.priority.PRIORITY_LOW): void {
  try {
    if (pid !== undefined) setPriority(pid, priority);
  } catch {
    // It has ended.
  }
}

/** Text of another program for one line of the log: without secrets and without what could change a terminal. */
export const plainLine = (line: string) => withoutSecrets(line.replace(/[\p{Cc}\p{Cf}]/gu, ' ')).trim();

/** The last line of what a program has written, which usually says why it failed. */
export const lastLine = (output: string) => plainLine(output.trim().split('\n').at(-1) ?? '');
