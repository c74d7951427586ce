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
  readonly #visitors = new Map<ServerResponse, Visitor>();
  /** Runs while there are any, because nobody may ask for the accounts meanwhile. */
  #timer: NodeJS.Timeout | undefined;

  constructor(accounts: Accounts, isStillIn: (visitor: Visitor) => boolean) {
    this.#accounts = accounts;
    accounts.onChange(() => {
      for (const [response, visitor] of this.#visitors) if (!isStillIn(visitor)) response.destroy();
    });
  }

  add(response: ServerResponse, visitor: Visitor): void {
    if (response.destroyed) return;
    this.#visitors.set(response, visitor);
    response.once('close', () => this.#visitors.delete(response));
    this.#timer ??= setInterval(() => this.#look(), lookEvery).unref();
  }

  #look(): void {
    if (this.#visitors.size > 0) return void this.#accounts.refresh();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
