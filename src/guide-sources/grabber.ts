/** Runs a program that writes a guide file to its standard output, such as those of XMLTV (`tv_grab_*`). */
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { runProgram } from '../base/child-process.ts';
import { fail } from '../base/errors.ts';

/** Grabbers that fetch a page for each programme take long. */
const defaultTimeoutMs = 2 * 3_600_000;

/**
 * Yields the output of a program, which runs without a shell, with all that it has started. They are killed if it
 * takes too long, or when the reader stops. @throws ReceiverError `command-failed`; the signal's reason
 */
export async function* grabbed(
  program: string,
  args: readonly string[],
  { signal, timeoutMs = defaultTimeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  let output: Readable | null = null;
  let stop: (why: string) => void = () => undefined;
  const ended = runProgram([program, ...args], {
    ...{ stdio: ['ignore', 'pipe', 'pipe'], signal, timeoutMs },
    onStart: (child, kill) => ([output, stop] = [child.stdout, kill]),
  });
  // Awaited below, unless the reader stops before.
  ended.catch(() => undefined);
  try {
    yield* output ?? [];
    const { reason } = await ended;
    signal.throwIfAborted();
    if (reason !== '') throw fail('command-failed', basename(program), reason);
  } finally {
    stop('stopped');
  }
}
