/** A receiver that nobody uses: its processor sleeps. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../fixtures/waits.ts';
import { removeFolder, startProgram, temporaryFolder } from './program.ts';

/** Milliseconds for which it is watched. */
const watched = 10_000;

it.skipIf(!existsSync('/proc/self/status'))('wakes up less than once a second', async () => {
  const folder = temporaryFolder();
  const program = await startProgram(folder, '--tuner', 'none');
  onTestFinished(async () => {
    await program.stop();
    removeFolder(folder);
  });
  /** How often its main thread has given the processor up: it has slept as often. */
  const sleeps = () => {
    const status = readFileSync(`/proc/${program.pid}/task/${program.pid}/status`, 'utf8');
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
  };
  // What a start leaves to do ends at some time.
  await until(async () => {
    const before = sleeps();
    await pause(watched);
    expect(sleeps() - before).toBeLessThan(watched / 1000);
  });
});
