/** The log on stderr: readable on a terminal, one JSON object per line otherwise. */
import pino from 'pino';
import type { LogLines } from '../host/log-lines.ts';

/** Opens the log. Every line is also added to `lines`. */
export async function openLog(level: pino.Level | 'silent', lines?: LogLines): Promise<pino.Logger> {
  const options = { level, base: null };
  // Synchronous: the last lines before the process ends must not be lost.
  const destination = pino.destination({ dest: 2, sync: true });
  // The reader or the terminal is gone.
  destination.on('error', () => undefined);
  const copied = (out: { write(line: string): unknown }) => ({
    write(line: string) {
      lines?.add(line);
      out.write(line);
    },
  });
  if (!process.stderr.isTTY) return pino(options, copied(destination));
  // Loaded only here, because a receiver that runs as a service does not need it. Used as a stream, because a transport
  // is a worker thread and cannot be bundled.
  const { default: pretty } = await import('pino-pretty');
  const colorize = process.stderr.hasColors();
  return pino(options, copied(pretty({ destination, colorize, singleLine: true, translateTime: 'SYS:HH:MM:ss' })));
}
