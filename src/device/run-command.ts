/** Runs the configured commands that shut the machine down or reboot it. */
import { runProgram } from '../base/child-process.ts';
import { fail } from '../base/errors.ts';
import { withoutArguments } from '../base/secrets.ts';

/** Milliseconds that a command may take: it only passes the request to the system. */
const commandTimeoutMs = 10_000;

/**
 * Runs a command, program and arguments, without a shell and without inheriting open files.
 * @throws ReceiverError `command-failed` if it cannot be run, takes too long or fails
 */
export async function runCommand(command: readonly string[]): Promise<void> {
  const { why } = await runProgram(command, { stdio: 'ignore', timeoutMs: commandTimeoutMs, leavesOthers: true });
  if (why !== '') throw fail('command-failed', withoutArguments(command[0] ?? ''), why);
}
