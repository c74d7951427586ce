/**
 * Runs ffmpeg on open files: it gets them as descriptors, so that no path or text of a recording is among its arguments, and
 * texts through pipes. No shell, no network.
 */
import type { SpawnOptions } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { boundToReceiver, lowerPriority, missingStatus, startProgram } from '../base/child-process.ts';
import { fail, systemReason } from '../base/errors.ts';

export interface FfmpegRun {
  /** Name or path of the program. */
  readonly program: string;
  /** `fileUrl` and `pipeUrl` name the files and the texts. */
  readonly args: readonly string[];
  readonly files: readonly FileHandle[];
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
  /** Called with what the program writes to its standard output. */
  readonly onOutput?: (text: string) => void;
}

/** Characters of the error output that are kept: the last ones. */
const maxErrorLength = 65_536;
/** Descriptors before these are standard input, output and errors. */
const firstDescriptor = 3;

const descriptors = process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd';

/** The address of the nth file. */
export const fileUrl = (file: number) => `${descriptors}/${firstDescriptor + file}`;
/** The address of the nth text, after this number of files. */
export const pipeUrl = (files: number, text: number) => `pipe:${firstDescriptor + files + text}`;

/**
 * Resolves when the program has ended, whatever its status.
 * @throws ReceiverError `unsupported` if there is no such program, `cancelled`
 */
export async function runFfmpeg({ program, args, files, texts, signal, onOutput }: FfmpegRun) {
  signal.throwIfAborted();
  const stdio: SpawnOptions['stdio'] = [
    'ignore',
    'pipe',
    'pipe',
    ...files.map(({ fd }) => fd),
    ...texts.map(() => 'pipe' as const),
  ];
  const bound = await boundToReceiver(program, ['-hide_banner', '-nostdin', ...args]);
  signal.throwIfAborted();
  const child = startProgram(...bound, { stdio });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  try {
    return await new Promise<{ readonly status: number | null; readonly errors: string }>((resolve, reject) => {
      let errors = '';
      child.once('spawn', () => {
        lowerPriority(child);
        for (const [n, text] of texts.entries()) {
          const pipe = child.stdio[firstDescriptor + files.length + n] as Writable;
          // ffmpeg may end before it has read them.
          pipe.on('error', () => undefined);
          pipe.end(text);
        }
      });
      const missing = () => fail('unsupported', 'exporting without ffmpeg');
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ENOENT' ? missing() : fail('command-failed', program, systemReason(error))),
      );
      (child.stdout as Readable).setEncoding('utf8').on('data', (text: string) => onOutput?.(text));
      (child.stderr as Readable).setEncoding('utf8').on('data', (text: string) => {
        errors = (errors + text).slice(-maxErrorLength);
      });
      child.once('close', (status) => (status === missingStatus ? reject(missing()) : resolve({ status, errors })));
    });
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}
