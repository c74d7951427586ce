/**
 * Access control of both ports. Clients on the local network have the permissions of `access.localNetwork` without a
 * login, and those of an account with one; all others need an account.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ClientSlots } from '../base/client-slots.ts';
import { fail, tooManyRequests } from '../base/errors.ts';
import { networkOf } from '../base/ip-prefixes.ts';
import type { Configuration } from '../config/config.ts';
import type { Account, Accounts } from './accounts.ts';
import { OpenAnswers } from './open-answers.ts';
import { Peers, unnamedProxy } from './peers.ts';
import type { Permission } from './permissions.ts';
import type { SetupCode } from './setup-code.ts';

/** Who sends a request. */
export interface Client {
  readonly permissions: readonly Permission[];
  /** Absent: a player with a ticket, or a client that has not logged in. */
  readonly account?: Account;
  /** What the request itself came with, and whose it is. */
  readonly ticket?: { readonly text: string; readonly holder: Account };
}

export type AuthenticatedClient = Client & { readonly account: Account };

/** At the machine itself, everything is allowed until there has been an administrator. */
const first: Client = { permissions: ['admin'] };

/** What a request may say about its sender. */
interface Credentials {
  readonly basic?: { readonly name: string; readonly password: string };
  readonly bearer?: string;
  /** Those of HTTPS and of HTTP. */
  readonly sessions: readonly string[];
  readonly ticket?: string;
}

/** dreamDroid and openwebifpy send an empty name and password where the user has given none. */
const namesAccount = ({ basic, bearer }: Credentials) => bearer !== undefined || (basic?.name ?? '') !== '';

/**
 * Wrong passwords from one client until it has to wait, those from all clients of a /64 of IPv6, in which a device chooses
 * its addresses, and seconds for which they count.
 */
const mostFailures = 10;
const mostFailuresOfNetwork = 100;
const failuresLast = 900;

/**
 * Different passwords that may wait for their hash: of the local network, where each address is a client of its own; and
 * of all others, where a whole network is one.
 */
const maxWaiting = 32;
const maxWaitingOfClient = 4;
/** Milliseconds in which some of them have got it. */
const busyFor = 1000;

/** A browser does not let HTTP replace a cookie of HTTPS (RFC 6265bis §5.7), so that has a name of its own. */
export const sessionCookies = { http: 'receiverd-session', https: '__Secure-receiverd-session' } as const;

export class AccessControl {
  readonly accounts: Accounts;
  readonly peers: Peers;
  readonly rules: Configuration['access'];
  readonly #failures = new RateLimiterMemory({ points: mostFailures, duration: failuresLast });
  readonly #failuresOfNetworks = new RateLimiterMemory({ points: mostFailuresOfNetwork, duration: failuresLast });
  /** Passwords that wait for their hash: apps begin with many requests at once. */
  readonly #waiting = new Map<string, Promise<AuthenticatedClient>>();
  readonly #nearPlaces = new ClientSlots(maxWaiting, maxWaitingOfClient);
  readonly #farPlaces = new ClientSlots(maxWaiting, maxWaitingOfClient);
  readonly #setupCode: SetupCode | undefined;
  readonly #open: OpenAnswers<Client>;
  readonly #local: Client;

  /** @param setupCode with which the first administrator is added over the network; absent: with none */
  constructor(accounts: Accounts, rules: Configuration['access'], setupCode?: SetupCode) {
    this.#setupCode = setupCode;
    this.accounts = accounts;
    this.rules = rules;
    this.peers = new Peers(rules);
    this.#open = new OpenAnswers(accounts, (client) => this.#isStillIn(client));
    this.#local = { permissions: rules.localNetwork };
    let hadAdmin = false;
    accounts.onChange(() => {
      if (hadAdmin && !accounts.hasAdmin) setupCode?.renew();
      hadAdmin = accounts.hasAdmin;
    });
  }

  /**
   * Authenticates a request. A promise only while something has to be looked up. `response` is aborted as soon as its
   * client would no longer be admitted.
   * @param ticket from the address of the request
   * @param isFromPage whether a browser may have sent it on behalf of a page
   * @throws ReceiverError `login-needed`, `outside`, `too-many-requests`
   */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    { ticket, isFromPage = true }: { readonly ticket?: string | undefined; readonly isFromPage?: boolean } = {},
  ): Client | Promise<Client> {
    const enter = (client: Client) => {
      this.#open.add(response, client);
      if (client.account) this.#note(client.account, request);
      return client;
    };
    const admit = () => this.#admit(request, ticket, isFromPage);
    const refreshing = this.accounts.refresh();
    if (refreshing) return refreshing.then(admit).then(enter);
    const client = admit();
    return client instanceof Promise ? client.then(enter) : enter(client);
  }

  #note({ name }: Account, request: IncomingMessage): void {
    this.accounts.visits.note(name, this.peers.addressOf(request) ?? '', request.headers['user-agent'] ?? '');
  }

  #admit(request: IncomingMessage, ticket: string | undefined, isFromPage: boolean): Client | Promise<Client> {
    const { accounts, peers } = this;
    const address = peers.addressOf(request);
    const isLocal = address !== undefined && peers.isNear(address);
    if (!accounts.isOn && !isLocal) throw fail('outside', address);
    const credentials = { ...credentialsOf(request), ...(ticket !== undefined && { ticket }) };
    const from = address ?? unnamedProxy;
    const known = this.#known(credentials, this.#clientAt(from));
    if (known !== undefined) return known;
    if (isLocal && !(accounts.isOn && namesAccount(credentials))) {
      if (!accounts.hadAdmin && !isFromPage && peers.isThisMachine(request)) return first;
      if (this.#local.permissions.length > 0) return this.#local;
    }
    return this.#proven(credentials, from);
  }

  /** Whether a client still has what it had at the head of its request: its body may have taken minutes. */
  isCurrent(client: Client): boolean {
    if (client === first) return !this.accounts.hadAdmin;
    const { account } = client;
    return account === undefined ? this.#isStillIn(client) : this.accounts.isUnchanged(account);
  }

  /** Also after the end of a session or ticket: what has begun may end. */
  #isStillIn({ account, ticket }: Client): boolean {
    const holder = account ?? ticket?.holder;
    if (holder !== undefined) return this.accounts.isCurrent(holder);
    return this.#local.permissions.length > 0 || !this.accounts.hadAdmin;
  }

  /** What needs no slow hash. */
  #known({ sessions, ticket, basic, bearer }: Credentials, key: string): Client | undefined {
    const { accounts } = this;
    const account =
      firstOf(sessions, (session) => accounts.byPass(session, 'session')) ||
      (bearer && accounts.byToken(bearer)) ||
      (basic && accounts.remembered(basic.name, basic.password, key));
    if (account) return { permissions: account.permissions, account };
    const holder = ticket === undefined ? undefined : accounts.byPass(ticket, 'ticket');
    return ticket !== undefined && holder ? { permissions: ['view'], ticket: { text: ticket, holder } } : undefined;
  }

  async #proven({ basic, bearer }: Credentials, from: string): Promise<Client> {
    // Nobody can guess one, so it does not count.
    if (bearer !== undefined) throw fail('login-needed', 'the token is wrong');
    if (basic === undefined || basic.name === '')
      throw fail('login-needed', 'this receiver asks for a user and password');
    return this.logIn(basic.name, basic.password, from);
  }

  /**
   * `from`: the address of the client, as `addressOf` returns it.
   * @throws ReceiverError `login-needed`, `too-many-requests`
   */
  async logIn(name: string, password: string, from: string): Promise<AuthenticatedClient> {
    const attempt = JSON.stringify([name, password, this.#clientAt(from)]);
    const known = this.#waiting.get(attempt);
    if (known !== undefined) return known;
    const leave = this.#waitingPlace(from);
    const verified = this.#verified(name, password, from).finally(() => {
      leave();
      this.#waiting.delete(attempt);
    });
    this.#waiting.set(attempt, verified);
    return verified;
  }

  /**
   * Adds the first administrator, for a client at this address that knows the code.
   * @throws ReceiverError `login-needed`, `too-many-requests`, like `Accounts.put`
   */
  async addFirst(code: string, name: string, password: string, from: string): Promise<AuthenticatedClient> {
    await this.#countAttempt(from);
    if (this.accounts.hasAdmin)
      throw fail('login-needed', 'there is an administrator already: log in as one to add others');
    if (!this.#setupCode?.is(code)) {
      this.accounts.log.warn(`a wrong set-up code from ${from}`);
      throw fail('login-needed', 'the code is wrong: the receiver prints a new one at each start');
    }
    await this.accounts.put({ kind: 'user', name, password, permissions: ['admin'], isFirstAdmin: true });
    this.#setupCode.end();
    await this.#forgetAttempt(from);
    return this.logIn(name, password, from);
  }

  /** For the addresses in the playlists of an account; undefined for clients without one. */
  ticketFor({ account, ticket }: Client): string | undefined {
    // A ticket does not renew itself.
    return ticket?.text ?? (account && this.accounts.ticketFor(account, this.rules.ticketHours));
  }

  /** The address from which a request logs in. */
  addressOf(request: IncomingMessage): string {
    return this.peers.addressOf(request) ?? unnamedProxy;
  }

  /** @throws ReceiverError `too-many-requests` */
  #waitingPlace(from: string): () => void {
    const isNear = from !== unnamedProxy && this.peers.isNear(from);
    const places = isNear ? this.#nearPlaces : this.#farPlaces;
    const client = isNear ? from : networkOf(from, 48).replace(/\.\d+$/, '');
    if (places.refusal(client) !== undefined) throw tooManyRequests(busyFor);
    return places.take(client);
  }

  async #verified(name: string, password: string, from: string): Promise<AuthenticatedClient> {
    await this.#countAttempt(from);
    const account = await this.accounts.byPassword(name, password, this.#clientAt(from));
    if (account === undefined) {
      // Somebody may have typed the password in place of the name.
      const whose = this.accounts.hasUser(name) ? `the user ${name}` : 'an unknown user';
      this.accounts.log.warn(`a wrong password for ${whose} from ${from}`);
      throw fail('login-needed', 'user or password is wrong');
    }
    await this.#forgetAttempt(from);
    return { permissions: account.permissions, account };
  }

  /** Under which failures and passwords count: on the local network each address, outside each /64 of IPv6. */
  #clientAt(from: string): string {
    return from === unnamedProxy ? from : this.peers.clientAt(from);
  }

  /** Beforehand, or many at once would all be tried. @throws ReceiverError `too-many-requests` */
  async #countAttempt(from: string): Promise<void> {
    const own = await this.#failures.penalty(this.#clientAt(from));
    const all = await this.#failuresOfNetworks.penalty(networkOf(from, 64));
    const over = own.consumedPoints > mostFailures ? own : all.consumedPoints > mostFailuresOfNetwork ? all : undefined;
    if (over === undefined) return;
    if ([mostFailures, mostFailuresOfNetwork].includes(over.consumedPoints - 1))
      this.accounts.log.warn(
        `${from} is locked out for ${Math.ceil(over.msBeforeNext / 60_000)} min: too many wrong passwords or codes`,
      );
    throw tooManyRequests(over.msBeforeNext);
  }

  async #forgetAttempt(from: string): Promise<void> {
    await this.#failures.reward(this.#clientAt(from));
    await this.#failuresOfNetworks.reward(networkOf(from, 64));
  }
}

function credentialsOf({ headers: { authorization = '', cookie } }: IncomingMessage): Credentials {
  const [, scheme = '', value = ''] = /^(basic|bearer) +([\w.~+/=-]+) *$/i.exec(authorization) ?? [];
  return {
    sessions: cookie === undefined ? [] : sessionsIn(cookie),
    ...(scheme.toLowerCase() === 'basic' && { basic: userAndPassword(value) }),
    ...(scheme.toLowerCase() === 'bearer' && { bearer: value }),
  };
}

/** RFC 6265 §5.4. */
function sessionsIn(field: string): string[] {
  const pairs = field.split(/; */);
  return [sessionCookies.https, sessionCookies.http].flatMap((name) => {
    const pair = pairs.find((one) => one.startsWith(`${name}=`));
    return pair === undefined ? [] : [pair.slice(name.length + 1)];
  });
}

function firstOf<Given, Found>(all: readonly Given[], find: (one: Given) => Found | undefined): Found | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** RFC 7617: UTF-8, from older clients Latin-1. */
function userAndPassword(base64: string) {
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  const colon = text.indexOf(':');
  return colon < 0 ? { name: text, password: '' } : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
