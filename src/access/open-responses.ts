/**
 * The HTTP responses that are being sent, such as live streams, the event stream and files. They may take hours; one is
 * closed when its client would no longer be admitted.
 */
import type { ServerResponse } from 'node:http';
import type { Accounts } from './accounts.ts';

const checkIntervalMs = 1000;

export class OpenResponses<Client> {
  readonly #accounts: Accounts;
  readonly #isStillAdmitted: (client: Client) => boolean;
  readonly #clients = new Map<ServerResponse, Client>();
  /** Runs while there are responses: without further requests, nothing else refreshes the accounts. */
  #timer: NodeJS.Timeout | undefined;

  constructor(accounts: Accounts, isStillAdmitted: (client: Client) => boolean) {
    this.#accounts = accounts;
    this.#isStillAdmitted = isStillAdmitted;
    accounts.onChange(() => this.#closeRefused());
  }

  add(response: ServerResponse, client: Client): void {
    if (response.destroyed) return;
    this.#clients.set(response, client);
    response.once('close', () => this.#clients.delete(response));
    this.#timer ??= setInterval(() => this.#check(), checkIntervalMs).unref();
  }

  /**
   * Closes responses that are being sent, and requests that are still arriving, such as an upload. A request that is being
   * processed gets its response, and a response that has been written reaches its client: one that sets the first
   * password, or removes its own account, receives the result.
   */
  #closeRefused(): void {
    for (const [response, client] of this.#clients) {
      const isUnderWay = (response.headersSent && !response.writableEnded) || !response.req.complete;
      if (isUnderWay && !this.#isStillAdmitted(client)) response.destroy();
    }
  }

  #check(): void {
    if (this.#clients.size > 0) {
      this.#closeRefused();
      return void this.#accounts.refresh();
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
