/** Starting and ending other programs: without a shell, and named by the configuration, never by a client. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
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
/** Status of a program that `boundToReceiver` was given and that does not exist. */
export const missingStatus = 127;

/**
 * A program and its arguments, for `startProgram`: it is killed when the receiver is, even by `kill -9`, on machines with
 * setpriv(1) of util-linux. For programs that neither read from the receiver nor write to it, and would run on.
 */
export const boundToReceiver = async (program: string, args: readonly string[]): Promise<[string, string[]]> => {
  const [name, ...given] = [...((await haveSetpriv()) ? setpriv : []), program, ...args];
  return [name ?? program, given];
};

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
