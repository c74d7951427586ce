/** Runs a program that writes a guide file to its standard output, such as those of XMLTV (`tv_grab_*`). */
import { once } from 'node:events';
import { basename } from 'node:path';
import { lastLine, signalGroup, startProgram } from '../base/child-process.ts';
import { fail, systemReason } from '../base/errors.ts';

/** Grabbers that fetch a page for each programme take long. */
const defaultTimeoutMs = 2 * 3_600_000;
/** Characters of the end of its error output that are kept, and that a message may have. */
const keptLength = 8192;
const maxMessageLength = 200;

/**
 * Yields the output of a program, which runs without a shell, in a process group of its own. The group is killed if it
 * takes too long, or when the reader stops. @throws ReceiverError `command-failed`; the signal's reason
 */
export async function* grabbed(
  program: string,
  args: readonly string[],
  { signal, timeoutMs = defaultTimeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const failed = (why: string) => fail('command-failed', basename(program), why);
  signal.throwIfAborted();
  const child = startProgram(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let [messages, killedFor] = ['', ''];
  const kill = (why: string) => {
    killedFor ||= why;
    signalGroup(child, 'SIGKILL');
  };
  const abort = () => kill('stopped');
  signal.addEventListener('abort', abort);
  const timer = setTimeout(() => kill('it takes too long'), timeoutMs);
  // Read to the end, because a full pipe would block the program.
  child.stderr.on('data', (piece: Buffer) => {
    messages = (messages + piece.toString()).slice(-keptLength);
  });
  const ended = once(child, 'close').catch((error: unknown) => {
    throw failed(systemReason(error));
  });
  // Awaited below, unless the reader stops before.
  ended.catch(() => undefined);
  try {
    yield* child.stdout;
    const [status, by] = (await ended) as [number | null, string | null];
    signal.throwIfAborted();
    if (killedFor !== '') throw failed(killedFor);
    if (status === 0) return;
    // Shortened last, because addresses are recognised in whole lines only.
    const last = lastLine(messages).slice(-maxMessageLength);
    throw failed(`${by === null ? `status ${status}` : `killed by ${by}`}${last && `: ${last}`}`);
  } finally {
    signal.removeEventListener('abort', abort);
    clearTimeout(timer);
    kill('stopped');
  }
}
