/**
 * Runs ffmpeg on open files: it gets them as descriptors, so that no path or text of a recording is among its arguments, and
 * texts through pipes. No shell, no network.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { lowerPriority, type ProgramEnd, runProgram } from '../base/child-process.ts';
import { fail } from '../base/errors.ts';

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
export async function runFfmpeg({ program, args, files, texts, signal, onOutput }: FfmpegRun): Promise<ProgramEnd> {
  const end = await runProgram([program, '-hide_banner', '-nostdin', ...args], {
    ...{ signal, isBound: true },
    stdio: ['ignore', 'pipe', 'pipe', ...files.map(({ fd }) => fd), ...texts.map(() => 'pipe' as const)],
    onStart: (child) =>
      child.once('spawn', () => {
        lowerPriority(child);
        for (const [n, text] of texts.entries()) {
          const pipe = child.stdio[firstDescriptor + files.length + n] as Writable;
          // ffmpeg may end before it has read them.
          pipe.on('error', () => undefined);
          pipe.end(text);
        }
        child.stdout?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text));
      }),
  });
  if (end.isMissing) throw fail('unsupported', 'exporting without ffmpeg');
  return end;
}
