/** Runs the configured commands that shut the machine down or reboot it. */
import { startProgram } from '../base/child-process.ts';
import { fail, systemReason } from '../base/errors.ts';
import { withoutArguments } from '../base/secrets.ts';

/** Milliseconds that a command may take: it only passes the request to the system. */
const commandTimeoutMs = 10_000;

/**
 * Runs a command, program and arguments, without a shell and without inheriting open files.
 * @throws ReceiverError `command-failed` if it cannot be run, takes too long or fails
 */
export function runCommand([program = '', ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (why: string) => reject(fail('command-failed', withoutArguments(program), why));
    const child = startProgram(program, args, { stdio: 'ignore', timeout: commandTimeoutMs, killSignal: 'SIGKILL' });
    child.once('error', (error) => failed(systemReason(error)));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else failed(signal === null ? `status ${code}` : `killed by ${signal}`);
    });
  });
}
