/** Switching the machine off and starting it anew, by the commands of the configuration. */
import { spawn } from 'node:child_process';
import { fail } from '../errors.ts';

/** Milliseconds a command may take; it hands its wish over to the system and ends. */
const patience = 10_000;

/**
 * Runs a command, program and arguments, without a shell and without what this process has open.
 * @throws ReceiverError `command-failed` when it cannot be run, takes too long or says no
 */
export function runCommand([program = '', ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'ignore', timeout: patience, killSignal: 'SIGKILL' });
    child.once('error', (error) => reject(fail('command-failed', program, error.message)));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(fail('command-failed', program, signal === null ? `status ${code}` : `ended by ${signal}`));
    });
  });
}
