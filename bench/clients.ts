/** Clients of a load, in processes of their own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Job, ReportOf } from './load-clients.ts';

/** Clients of one kind. */
export class Clients<Kind extends Job['kind']> {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when all are connected. */
  static async start<Kind extends Job['kind']>(job: Extract<Job, { kind: Kind }>): Promise<Clients<Kind>> {
    const child = fork(join(import.meta.dirname, 'load-clients.ts'), { execArgv: ['--import', 'tsx'] });
    child.send(job);
    await once(child, 'message');
    return new Clients(child);
  }

  /** What they have seen since the last report. */
  async report(): Promise<ReportOf<Kind>> {
    this.#child.send('report');
    const [report] = (await once(this.#child, 'message')) as [ReportOf<Kind>];
    return report;
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.disconnect();
    await exit;
  }
}
