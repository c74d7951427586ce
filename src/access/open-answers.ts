/**
 * Answers on their way to a client: live streams, the event stream, files. One that goes on for hours ends when its
 * client would no longer be let in.
 */
import type { ServerResponse } from 'node:http';
import type { Accounts } from './accounts.ts';

/** Milliseconds. */
const lookEvery = 1000;

export class OpenAnswers<Client> {
  readonly #accounts: Accounts;
  readonly #isStillIn: (client: Client) => boolean;
  readonly #clients = new Map<ServerResponse, Client>();
  /** Runs while there are any, because nobody may ask for the accounts meanwhile. */
  #timer: NodeJS.Timeout | undefined;

  constructor(accounts: Accounts, isStillIn: (client: Client) => boolean) {
    this.#accounts = accounts;
    this.#isStillIn = isStillIn;
    accounts.onChange(() => this.#end());
  }

  add(response: ServerResponse, client: Client): void {
    if (response.destroyed) return;
    this.#clients.set(response, client);
    response.once('close', () => this.#clients.delete(response));
    this.#timer ??= setInterval(() => this.#look(), lookEvery).unref();
  }

  /**
   * Closes responses that have begun, and requests that are still arriving, such as an upload. A request that is being
   * processed gets its response: the client that sets the first password receives the result.
   */
  #end(): void {
    for (const [response, client] of this.#clients) {
      const isUnderWay = response.headersSent || !response.req.complete;
      if (isUnderWay && !this.#isStillIn(client)) response.destroy();
    }
  }

  #look(): void {
    if (this.#clients.size > 0) {
      this.#end();
      return void this.#accounts.refresh();
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
