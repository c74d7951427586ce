/**
 * Searches for the servers in the network that the configuration names, again and again while one of them is missing, with
 * growing pauses.
 */
import { lookup } from 'node:dns/promises';
import type { Logger } from 'pino';

/** Milliseconds before the next search: after a change, and while a server is missing (doubled each time). */
const changeDelayMs = 3000;
const initialRetryDelayMs = 10_000;
const maxRetryDelayMs = 300_000;

export abstract class ServerSearch<Spec extends { readonly text: string }> {
  readonly #kind: string;
  protected readonly specs: readonly Spec[];
  readonly #log: Pick<Logger, 'warn'>;
  readonly #troubles = new Map<string, string>();
  readonly #stopped = new AbortController();
  #search: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** True while a delayed search is pending. */
  #isSearchDue = false;
  #retryDelayMs = initialRetryDelayMs;

  /** `kind`: such as `satip`. */
  constructor(kind: string, specs: readonly Spec[], log: Pick<Logger, 'warn'>) {
    this.#kind = kind;
    this.specs = specs;
    this.#log = log;
  }

  /** Adds the servers of a specification. @throws Error with the reason why they are missing as text for users */
  protected abstract find(spec: Spec): Promise<void>;

  /** Called after each specification that a search has found, or not found. */
  protected settled(): void {}

  /** Aborted by `stop()`. */
  protected get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /** Why servers are missing, as text for users, by their specification. */
  get troubles(): ReadonlyMap<string, string> {
    return this.#troubles;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#search;
  }

  /** Searches again soon. Call it when a tuner of a server has failed: the server may have a new address. */
  lookAgain(): void {
    if (this.#isSearchDue || this.#search !== undefined) return;
    this.#isSearchDue = true;
    this.#lookAfter(changeDelayMs);
  }

  /** Searches for all servers once. Resolves when all have had time to answer. */
  look(): Promise<void> {
    this.#isSearchDue = false;
    this.#search ??= this.#look().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  /** Searches at once, and if a search is running, after it: it may have begun before a change. */
  protected async lookOnceMore(): Promise<void> {
    await this.#search;
    if (!this.signal.aborted) await this.look();
  }

  async #look(): Promise<void> {
    await Promise.all(
      this.specs.map(async (spec) => {
        try {
          await this.find(spec);
          this.#troubles.delete(spec.text);
        } catch (error) {
          this.#miss(spec, (error as Error).message);
        }
        this.settled();
      }),
    );
    if (this.#troubles.size === 0) this.#retryDelayMs = initialRetryDelayMs;
    else this.#lookAfter(this.#retryDelayMs);
    if (this.#troubles.size > 0) this.#retryDelayMs = Math.min(this.#retryDelayMs * 2, maxRetryDelayMs);
  }

  #lookAfter(delayMs: number): void {
    if (this.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), delayMs).unref();
  }

  #miss({ text }: Spec, why: string): void {
    if (this.signal.aborted) return;
    if (this.#troubles.get(text) !== why) this.#log.warn(`${this.#kind}:${text}: ${why}`);
    this.#troubles.set(text, why);
  }
}

/** Searches once, for a command. Returns why servers are missing, by their specification. */
export async function searchOnce(
  search: ServerSearch<{ readonly text: string }>,
): Promise<ReadonlyMap<string, string>> {
  await search.look();
  const troubles = new Map(search.troubles);
  await search.stop();
  return troubles;
}

/** The address of a host. @throws Error with the reason as text for users */
export async function addressOf(host: string, family: 0 | 4 = 0): Promise<string> {
  try {
    return (await lookup(host, { family })).address;
  } catch (error) {
    const isUnknown = (error as NodeJS.ErrnoException).code === 'ENOTFOUND';
    throw new Error(isUnknown ? 'there is no such host' : 'the name of the host cannot be looked up');
  }
}
