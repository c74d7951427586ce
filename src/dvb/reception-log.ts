/**
 * Logs why tuners do not receive, and when they receive again. Users of a tuner try again every second or two, so a reason is
 * logged once, until the tuner receives or has another reason.
 */
import type { Logger } from 'pino';
import type { PoolTuner } from './pool-tuner.ts';
import { frequencyText } from './transponder.ts';

type LoggedTuner = Pick<PoolTuner, 'name' | 'source' | 'tuned'>;

export class ReceptionLog {
  readonly #log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** The last message of each level, by the name of the tuner. */
  readonly #last = { warn: new Map<string, string>(), error: new Map<string, string>() };

  constructor(log: Pick<Logger, 'info' | 'warn' | 'error'>) {
    this.#log = log;
  }

  lost({ name, source, tuned }: LoggedTuner, level: 'warn' | 'error', reason: string): void {
    const where = tuned === undefined ? '' : ` at ${frequencyText(tuned.parameters)}`;
    const text = `${name} (${source})${where}: ${reason}`;
    if (this.#last[level].get(name) !== text) this.#log[level](text);
    this.#last[level].set(name, text);
  }

  found({ name, source }: LoggedTuner): void {
    const [hadWarning, hadError] = [this.#last.warn.delete(name), this.#last.error.delete(name)];
    if (hadWarning || hadError) this.#log.info(`${name} (${source}) receives again`);
  }
}
