/** Runs the program as a separate process, as a user does, and talks to it over the network. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The program for node: the one built by `npm test`, or the sources. */
export const receiverd: readonly string[] = process.env.RECEIVERD_PROGRAM
  ? [process.env.RECEIVERD_PROGRAM]
  : ['--import', 'tsx', join('src', 'program', 'cli.ts')];

export interface LogLine {
  /** pino: 30 info, 40 warn, 50 error, 60 fatal. */
  readonly level: number;
  readonly msg?: string;
  /** Path of a request, at level debug. */
  readonly path?: string;
  readonly status?: number;
}

export interface Program {
  /** Base URLs without a trailing slash. */
  readonly http: string;
  readonly stream: string;
  readonly folder: string;
  /** Lines of its standard output up to the one that says that it is ready. */
  readonly printed: readonly string[];
  readonly log: readonly LogLine[];
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  json<T = Record<string, never>>(path: string): Promise<T>;
  /** Stops it as the system would, or by another signal. Returns the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  readonly pid: number;
  /** The exit code of one that ends by itself. */
  readonly ended: Promise<number | null>;
  /** Suspends it, so that it is silent without being gone, or resumes it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void;
}

/** What a command printed, and its exit code. */
export interface Ended {
  readonly stdout: string;
  /** `stdout` before decoding. */
  readonly bytes: Buffer;
  readonly stderr: string;
  /** Null if a signal ended it. */
  readonly code: number | null;
}

/** Runs a command to its end, with its standard input closed. */
export function runProgram(...words: readonly string[]): Promise<Ended> {
  const { child, ended } = launchCommand(...words);
  child.stdin?.end();
  return ended;
}

/** Starts a command whose input and signals the caller provides. */
export function launchCommand(...words: readonly string[]): {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
} {
  const child = spawn(process.execPath, [...receiverd, ...words], { cwd: root });
  const ended = Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, 'close')]).then(
    ([stdout, stderr, [code]]) => ({ stdout: stdout.toString(), bytes: stdout, stderr: stderr.toString(), code }),
  );
  return { child, ended };
}

/** A command on its own terminal, as a user runs it. */
export interface TerminalSession {
  /** What the terminal shows so far, without colours; lines end with LF. */
  output(): string;
  type(keys: string): void;
  /** Takes the terminal away, as a lost connection does. */
  close(): void;
  readonly ended: Promise<void>;
}

/** Runs a command on a terminal, by script(1) of util-linux. */
export function onTerminal(words: readonly string[]): TerminalSession {
  const quoted = [process.execPath, ...receiverd, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const child = spawn('script', ['-qec', quoted.join(' '), '/dev/null'], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
  });
  return {
    output: () => output.replaceAll('\r\n', '\n'),
    type: (keys) => child.stdin.write(keys),
    close: () => child.kill('SIGKILL'),
    ended: once(child, 'close').then(() => undefined),
  };
}

/** A folder for the duration of a test file. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'receiverd-program-'));
}

/** Writes the configuration of a program that is started on this folder: the local network has to log in, too. */
export function askEveryone(folder: string): string {
  const path = join(folder, 'receiverd.yaml');
  writeFileSync(path, 'access:\n  localNetwork: []\n');
  return path;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** A program that may not be ready yet. */
export interface Launched {
  /** Rejects if the program ends first. */
  readonly ready: Promise<Program>;
  readonly log: readonly LogLine[];
  /** Stops it as the system would. Returns the exit code; null if the signal itself has ended it. */
  stop(): Promise<number | null>;
  /** Resolves once the program is gone. */
  kill(): Promise<void>;
}

/** A test that fails does not stop its program. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts it with its data in `folder`, on free local ports. Resolves once it reports that it is ready. */
export function startProgram(folder: string, ...flags: readonly string[]): Promise<Program> {
  return launchProgram(folder, ...flags).ready;
}

/** Like `startProgram`, of a program that may open only so many files; by prlimit(1) of util-linux. */
export function startWithFewFiles(files: number, folder: string, ...flags: readonly string[]): Promise<Program> {
  return launch(['prlimit', `--nofile=${files}:${files}`], folder, flags).ready;
}

/** Like `startProgram`, of a program in which Node runs a script of CommonJS first. */
export function startAfter(script: string, folder: string, ...flags: readonly string[]): Promise<Program> {
  return launchAfter(script, folder, ...flags).ready;
}

/** Like `startAfter`, without waiting. */
export function launchAfter(script: string, folder: string, ...flags: readonly string[]): Launched {
  return launch(['env', `NODE_OPTIONS=--require ${script}`], folder, flags);
}

/** Like `startProgram`, without waiting. */
export function launchProgram(folder: string, ...flags: readonly string[]): Launched {
  return launch([], folder, flags);
}

/** `before`: words in front of the command. */
function launch(before: readonly string[], folder: string, flags: readonly string[]): Launched {
  const own = ['--http-port', '0', '--stream-port', '0', '--bind', '127.0.0.1'];
  const folders = ['--data-dir', folder, '--enigma2-dir', join(folder, 'enigma2')];
  const [first = '', ...rest] = [...before, process.execPath, ...receiverd, 'start', ...own, ...folders, ...flags];
  const child = spawn(first, rest, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  // Later than `exit`: with everything that the program has written.
  const exit = once(child, 'close') as Promise<[number | null]>;
  const log: LogLine[] = [];
  createInterface(child.stderr).on('line', (line) => log.push(readLogLine(line)));
  const printed: string[] = [];
  const ready = new Promise<RegExpExecArray>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      printed.push(line);
      const match = /^receiverd ready http=(\S+?)\/? stream=(\S+?)\/?$/.exec(line);
      if (match) resolve(match);
    });
  });
  const ended = exit.then(([code]): never => {
    throw new Error(`the program ended with ${code} before it was ready: ${log.map(({ msg }) => msg).join('\n')}`);
  });
  ended.catch(() => undefined);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    const [code] = await exit;
    return code;
  };
  return {
    ready: Promise.race([ready, ended]).then(([, http = '', stream = '']) => ({
      http,
      stream,
      folder,
      printed,
      log,
      get: (path, headers = {}) => fetch(`${http}${path}`, { headers }),
      json: async <T>(path: string) => (await (await fetch(`${http}${path}`)).json()) as T,
      stop,
      pid: child.pid ?? 0,
      ended: exit.then(([code]) => code),
      signal: (signal) => child.kill(signal),
    })),
    log,
    stop,
    kill: async () => {
      await stop('SIGKILL');
    },
  };
}

function readLogLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { level: 60, msg: line };
  }
}
