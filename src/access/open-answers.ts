/**
 * Answers on their way to a visitor: live streams, the event stream, files. One that goes on for hours ends when its
 * visitor would no longer be let in.
 */
import type { ServerResponse } from 'node:http';
import type { Accounts } from './accounts.ts';

/** Milliseconds. */
const lookEvery = 1000;

export class OpenAnswers<Visitor> {
  readonly #accounts: Accounts;
  readonly #isStillIn: (visitor: Visitor) => boolean;
  readonly #visitors = new Map<ServerResponse, Visitor>();
  /** Runs while there are any, because nobody may ask for the accounts meanwhile. */
  #timer: NodeJS.Timeout | undefined;

  constructor(accounts: Accounts, isStillIn: (visitor: Visitor) => boolean) {
    this.#accounts = accounts;
    this.#isStillIn = isStillIn;
    accounts.onChange(() => this.#end());
  }

  add(response: ServerResponse, visitor: Visitor): void {
    if (response.destroyed) return;
    this.#visitors.set(response, visitor);
    response.once('close', () => this.#visitors.delete(response));
    this.#timer ??= setInterval(() => this.#look(), lookEvery).unref();
  }

  /**
   * Closes responses that have begun, and requests that are still arriving, such as an upload. A request that is being
   * processed gets its response: the client that sets the first password receives the result.
   */
  #end(): void {
    for (const [response, visitor] of this.#visitors) {
      const isUnderWay = response.headersSent || !response.req.complete;
      if (isUnderWay && !this.#isStillIn(visitor)) response.destroy();
    }
  }

  #look(): void {
    if (this.#visitors.size > 0) {
      this.#end();
      return void this.#accounts.refresh();
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
