/** Shuts the machine down and reboots it, using the configured commands. */
import { spawn } from 'node:child_process';
import { fail } from '../base/errors.ts';

/** Milliseconds a command may take: it only passes the request to the system. */
const patience = 10_000;

/**
 * Runs a command, program and arguments, without a shell and without inheriting open files.
 * @throws ReceiverError `command-failed` if it cannot be run, takes too long or fails
 */
export function runCommand([program = '', ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'ignore', timeout: patience, killSignal: 'SIGKILL' });
    child.once('error', (error) => reject(fail('command-failed', program, error.message)));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(fail('command-failed', program, signal === null ? `status ${code}` : `killed by ${signal}`));
    });
  });
}
