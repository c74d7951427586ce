/** Reads how long the event loop of a program with event-loop-probe.mjs is blocked. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export interface Delay {
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

export function told({ median, p99, max }: Delay): string {
  return `${median.toFixed(1)} ms (p99 ${p99.toFixed(1)}, maximum ${max.toFixed(1)})`;
}

/** How long the event loop of a process was blocked since the last call. */
export async function held(child: ChildProcess, file: string): Promise<Delay> {
  // Only whole lines: the process may still be writing the last one.
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);
  const before = lines().length;
  child.kill('SIGUSR2');
  const deadline = performance.now() + 10_000;
  while (lines().length === before) {
    if (performance.now() > deadline) throw new Error(`process ${child.pid} does not report its event loop`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return JSON.parse(lines().at(-1) as string) as Delay;
}
