/** Runs a program that writes a guide file to its standard output, such as those of XMLTV (`tv_grab_*`). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fail, systemReason } from '../base/errors.ts';
import { withoutSecrets } from '../base/secrets.ts';

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
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let [messages, killedFor] = ['', ''];
  const kill = (why: string) => {
    killedFor ||= why;
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of its processes have ended.
    }
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
    // Addresses are recognised in whole lines only.
    const line = messages.trim().split('\n').at(-1) ?? '';
    const last = withoutSecrets(line.replace(/[\p{Cc}\p{Cf}]/gu, ' ')).slice(-maxMessageLength);
    throw failed(`${by === null ? `status ${status}` : `killed by ${by}`}${last && `: ${last}`}`);
  } finally {
    signal.removeEventListener('abort', abort);
    clearTimeout(timer);
    kill('stopped');
  }
}
