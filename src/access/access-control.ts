/**
 * Access control of both HTTP ports. Clients on the local network have the permissions in `access.localNetwork` without
 * a login, and those of their account with one. All other clients need an account.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ClientSlots } from '../base/client-slots.ts';
import { fail, tooManyRequests } from '../base/errors.ts';
import { networkOf } from '../base/ip-prefixes.ts';
import type { Configuration } from '../config/config.ts';
import type { Account, Accounts } from './accounts.ts';
import { OpenResponses } from './open-responses.ts';
import { Peers, unnamedProxy } from './peers.ts';
import { type Permission, permits } from './permissions.ts';
import type { SetupCode } from './setup-code.ts';

/** The sender of a request, and what it may do. */
export interface Client {
  readonly permissions: readonly Permission[];
  /** Undefined for a player with a ticket, and for a client that has not logged in. */
  readonly account?: Account;
  /** The ticket of the request, and the account that it was issued for. */
  readonly ticket?: { readonly text: string; readonly holder: Account };
}

export type AuthenticatedClient = Client & { readonly account: Account };

/** Programs on this machine may do everything until an administrator has been added for the first time. */
const localAdministrator: Client = { permissions: ['admin'] };

/** The credentials that a request may contain. */
interface Credentials {
  readonly basic?: { readonly name: string; readonly password: string };
  readonly bearer?: string;
  /** Values of the session cookies: that of HTTPS, then that of HTTP. */
  readonly sessions: readonly string[];
  readonly ticket?: string;
}

/**
 * Whether a request tries to log in. dreamDroid and openwebifpy send an empty name and password if none are configured.
 */
const hasCredentials = ({ basic, bearer }: Credentials) => bearer !== undefined || (basic?.name ?? '') !== '';

/** Wrong passwords from one client within the window after which it has to wait. */
const maxClientFailures = 10;
/** Wrong passwords from one IPv6 /64 within the window: a device chooses its addresses there. */
const maxNetworkFailures = 100;
const failureWindowSeconds = 900;

/** Passwords whose hash may be pending at once, for the local network and for all other addresses separately. */
const maxPendingHashes = 32;
/** Of one client: an address on the local network, a whole network elsewhere. */
const maxPendingHashesPerClient = 4;
/** After this time, some of the pending hashes are done. */
const pendingRetryMs = 1000;

/**
 * Browsers do not let HTTP replace a Secure cookie (RFC 6265bis §5.7), so the session of HTTPS has a name of its own.
 */
export const sessionCookies = { http: 'receiverd-session', https: '__Secure-receiverd-session' } as const;

export class AccessControl {
  readonly accounts: Accounts;
  readonly peers: Peers;
  readonly rules: Configuration['access'];
  readonly #failures = new RateLimiterMemory({ points: maxClientFailures, duration: failureWindowSeconds });
  readonly #failuresOfNetworks = new RateLimiterMemory({ points: maxNetworkFailures, duration: failureWindowSeconds });
  /** Logins whose hash is pending, so that the many requests with which apps begin share one hash. */
  readonly #pendingLogins = new Map<string, Promise<AuthenticatedClient>>();
  readonly #localHashSlots = new ClientSlots(maxPendingHashes, maxPendingHashesPerClient);
  readonly #remoteHashSlots = new ClientSlots(maxPendingHashes, maxPendingHashesPerClient);
  readonly #setupCode: SetupCode | undefined;
  readonly #open: OpenResponses<Client>;
  readonly #local: Client;

  /** @param setupCode adds the first administrator over the network; without it that is impossible */
  constructor(accounts: Accounts, rules: Configuration['access'], setupCode?: SetupCode) {
    this.#setupCode = setupCode;
    this.accounts = accounts;
    this.rules = rules;
    this.peers = new Peers(rules);
    this.#open = new OpenResponses(accounts, (client) => this.#isStillAdmitted(client));
    this.#local = { permissions: rules.localNetwork };
    let hadAdmin = false;
    accounts.onChange(() => {
      if (hadAdmin && !accounts.hasAdmin) setupCode?.renew();
      hadAdmin = accounts.hasAdmin;
    });
  }

  /**
   * Authenticates a request. Returns a promise only if the accounts have to be read or a password hashed. Later, when
   * the client would no longer be admitted, `response` is aborted.
   * @param ticket that of the request's URL
   * @param isFromPage whether a browser may have sent the request on behalf of a page
   * @throws ReceiverError `login-needed`, `outside`, `too-many-requests`
   */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    { ticket, isFromPage = true }: { readonly ticket?: string | undefined; readonly isFromPage?: boolean } = {},
  ): Client | Promise<Client> {
    const register = (client: Client) => {
      this.#open.add(response, client);
      if (client.account) this.#noteVisit(client.account, request);
      return client;
    };
    const admit = () => this.#admit(request, ticket, isFromPage);
    const refreshing = this.accounts.refresh();
    if (refreshing) return refreshing.then(admit).then(register);
    const client = admit();
    return client instanceof Promise ? client.then(register) : register(client);
  }

  #noteVisit({ name }: Account, request: IncomingMessage): void {
    this.accounts.visits.note(name, this.peers.addressOf(request) ?? '', request.headers['user-agent'] ?? '');
  }

  #admit(request: IncomingMessage, ticket: string | undefined, isFromPage: boolean): Client | Promise<Client> {
    const { accounts, peers } = this;
    const address = peers.addressOf(request);
    const isLocal = address !== undefined && peers.isLocal(address);
    if (!accounts.hasAccounts && !isLocal) throw fail('outside', address);
    const credentials = { ...credentialsOf(request), ...(ticket !== undefined && { ticket }) };
    const from = address ?? unnamedProxy;
    const known = this.#authenticateAtOnce(credentials, this.#clientAt(from));
    if (known !== undefined) return known;
    if (isLocal && !(accounts.hasAccounts && hasCredentials(credentials))) {
      if (!accounts.hadAdmin && !isFromPage && peers.isThisMachine(request)) return localAdministrator;
      if (this.#local.permissions.length > 0) return this.#local;
    }
    return this.#authenticateByPassword(credentials, from);
  }

  /** Whether clients at this address have a permission without a login, for interfaces that know none. */
  permitsWithoutLogin(address: string, permission: Permission): boolean {
    return this.peers.isLocal(address) && permits(this.#local.permissions, permission);
  }

  /**
   * Whether the permissions of a client are the same as when the head of its request arrived. The body may have taken
   * minutes.
   */
  isCurrent(client: Client): boolean {
    if (client === localAdministrator) return !this.accounts.hadAdmin;
    const { account } = client;
    return account === undefined ? this.#isStillAdmitted(client) : this.accounts.isUnchanged(account);
  }

  /** Whether an open response may continue. The end of a session or ticket does not end responses that have begun. */
  #isStillAdmitted({ account, ticket }: Client): boolean {
    const holder = account ?? ticket?.holder;
    if (holder !== undefined) return this.accounts.isCurrent(holder);
    return this.#local.permissions.length > 0 || !this.accounts.hadAdmin;
  }

  /** Authenticates by a session, token, ticket or remembered password, which need no slow hash. */
  #authenticateAtOnce({ sessions, ticket, basic, bearer }: Credentials, key: string): Client | undefined {
    const { accounts } = this;
    const account =
      firstOf(sessions, (session) => accounts.findByPass(session, 'session')) ||
      (bearer && accounts.findByToken(bearer)) ||
      (basic && accounts.findByRememberedPassword(basic.name, basic.password, key));
    if (account) return { permissions: account.permissions, account };
    const holder = ticket === undefined ? undefined : accounts.findByPass(ticket, 'ticket');
    return ticket !== undefined && holder ? { permissions: ['view'], ticket: { text: ticket, holder } } : undefined;
  }

  async #authenticateByPassword({ basic, bearer }: Credentials, from: string): Promise<Client> {
    // Tokens are too long to guess, so failures do not count.
    if (bearer !== undefined) throw fail('login-needed', 'the token is wrong');
    if (basic === undefined || basic.name === '')
      throw fail('login-needed', 'this receiver asks for a user and password');
    return this.logIn(basic.name, basic.password, from);
  }

  /**
   * Logs in with a user name and password.
   * @param from the address of the client, as `addressOf` returns it
   * @throws ReceiverError `login-needed`, `too-many-requests`
   */
  async logIn(name: string, password: string, from: string): Promise<AuthenticatedClient> {
    const attempt = JSON.stringify([name, password, this.#clientAt(from)]);
    const known = this.#pendingLogins.get(attempt);
    if (known !== undefined) return known;
    const release = this.#takeHashSlot(from);
    const verified = this.#verifyPassword(name, password, from).finally(() => {
      release();
      this.#pendingLogins.delete(attempt);
    });
    this.#pendingLogins.set(attempt, verified);
    return verified;
  }

  /**
   * Adds the first administrator and logs in, if the code is right. `from` as for `logIn`.
   * @throws ReceiverError `login-needed`, `too-many-requests`, and those of `Accounts.put`
   */
  async addFirst(code: string, name: string, password: string, from: string): Promise<AuthenticatedClient> {
    await this.#countAttempt(from);
    if (this.accounts.hasAdmin)
      throw fail('login-needed', 'there is already an administrator: log in as one to add others');
    if (!this.#setupCode?.matches(code)) {
      this.accounts.log.warn(`wrong set-up code from ${from}`);
      throw fail('login-needed', 'the code is wrong: the receiver prints a new one at each start');
    }
    await this.accounts.put({ kind: 'user', name, password, permissions: ['admin'], isFirstAdmin: true });
    this.#setupCode.markUsed();
    await this.#forgetAttempt(from);
    return this.logIn(name, password, from);
  }

  /** The ticket for the URLs in a playlist that an account requests; undefined for clients without an account. */
  ticketFor({ account, ticket }: Client): string | undefined {
    // A request with a ticket gets the same one, so that a ticket cannot be renewed for ever.
    return ticket?.text ?? (account && this.accounts.ticketFor(account, this.rules.ticketHours));
  }

  /** The address that failed logins of a request count for. */
  addressOf(request: IncomingMessage): string {
    return this.peers.addressOf(request) ?? unnamedProxy;
  }

  /** @throws ReceiverError `too-many-requests` */
  #takeHashSlot(from: string): () => void {
    const isLocal = from !== unnamedProxy && this.peers.isLocal(from);
    const slots = isLocal ? this.#localHashSlots : this.#remoteHashSlots;
    const client = isLocal ? from : networkOf(from, 48).replace(/\.\d+$/, '');
    if (slots.refusal(client) !== undefined) throw tooManyRequests(pendingRetryMs);
    return slots.take(client);
  }

  async #verifyPassword(name: string, password: string, from: string): Promise<AuthenticatedClient> {
    await this.#countAttempt(from);
    const account = await this.accounts.findByPassword(name, password, this.#clientAt(from));
    if (account === undefined) {
      // A name that is not a user's is not logged: it may be a password typed into the wrong field.
      const whose = this.accounts.hasUser(name) ? `the user ${name}` : 'an unknown user';
      this.accounts.log.warn(`wrong password for ${whose} from ${from}`);
      throw fail('login-needed', 'user or password is wrong');
    }
    await this.#forgetAttempt(from);
    return { permissions: account.permissions, account };
  }

  /**
   * The key under which failures and remembered passwords are kept: an address on the local network, elsewhere an IPv6
   * /64.
   */
  #clientAt(from: string): string {
    return from === unnamedProxy ? from : this.peers.clientAt(from);
  }

  /**
   * Counts an attempt as failed before it is checked; otherwise many at once would all be tried.
   * @throws ReceiverError `too-many-requests`
   */
  async #countAttempt(from: string): Promise<void> {
    const ofClient = await this.#failures.penalty(this.#clientAt(from));
    const ofNetwork = await this.#failuresOfNetworks.penalty(networkOf(from, 64));
    const exceeded =
      ofClient.consumedPoints > maxClientFailures
        ? ofClient
        : ofNetwork.consumedPoints > maxNetworkFailures
          ? ofNetwork
          : undefined;
    if (exceeded === undefined) return;
    if ([maxClientFailures, maxNetworkFailures].includes(exceeded.consumedPoints - 1))
      this.accounts.log.warn(
        `${from} is locked out for ${Math.ceil(exceeded.msBeforeNext / 60_000)} min: too many wrong passwords or codes`,
      );
    throw tooManyRequests(exceeded.msBeforeNext);
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

/** The values of our session cookies in a Cookie header field (RFC 6265 §5.4). */
function sessionsIn(field: string): string[] {
  const pairs = field.split(/; */);
  return [sessionCookies.https, sessionCookies.http].flatMap((name) => {
    const pair = pairs.find((one) => one.startsWith(`${name}=`));
    return pair === undefined ? [] : [pair.slice(name.length + 1)];
  });
}

/** The first result of `find` that is not undefined. */
function firstOf<Given, Found>(all: readonly Given[], find: (one: Given) => Found | undefined): Found | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Decodes the credentials of HTTP Basic (RFC 7617): UTF-8, or Latin-1 from older clients. */
function userAndPassword(base64: string) {
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  const colon = text.indexOf(':');
  return colon < 0 ? { name: text, password: '' } : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
