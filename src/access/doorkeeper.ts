/** Decides who may in, for both ports: by address while there are no accounts, by account when there are. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Configuration } from '../config.ts';
import { fail } from '../errors.ts';
import { Places } from '../places.ts';
import type { Account, Accounts } from './accounts.ts';
import { OpenAnswers } from './open-answers.ts';
import { networkOf, Peers, unnamedProxy } from './peers.ts';
import type { Right } from './rights.ts';

/** Who sends a request. */
export interface Visitor {
  readonly rights: readonly Right[];
  /** Absent: a player with a ticket, or somebody at home, who need not say. */
  readonly account?: Account;
  /** What the request itself came with, and whose it is. */
  readonly ticket?: { readonly text: string; readonly holder: Account };
}

type Port = 'web' | 'stream';

export type KnownVisitor = Visitor & { readonly account: Account };

const atHome: Visitor = { rights: ['admin'] };

const unnamed = 'a client of a proxy that access.trustedProxies does not name, or that sends no X-Forwarded-For,';

/** What a request may say about its sender. */
interface Credentials {
  readonly basic?: { readonly name: string; readonly password: string };
  readonly bearer?: string;
  /** Those of HTTPS and of HTTP. */
  readonly sessions: readonly string[];
  readonly ticket?: string;
}

/** Wrong passwords from one address until it has to wait, and seconds for which they count. */
const mostFailures = 10;
const failuresLast = 900;

/**
 * Different passwords that may wait for their hash: of the local network, where each address is a client of its own; and
 * of all others, where a whole network is one.
 */
const maxWaiting = 32;
const maxWaitingOfClient = 4;

/** A browser does not let HTTP replace a cookie of HTTPS (RFC 6265bis §5.7), so that has a name of its own. */
export const sessionCookies = { http: 'receiverd-session', https: '__Secure-receiverd-session' } as const;

export class Doorkeeper {
  readonly accounts: Accounts;
  readonly peers: Peers;
  readonly rules: Configuration['access'];
  readonly #failures = new RateLimiterMemory({ points: mostFailures, duration: failuresLast });
  /** Passwords that wait for their hash: apps begin with many requests at once. */
  readonly #waiting = new Map<string, Promise<KnownVisitor>>();
  readonly #nearPlaces = new Places(maxWaiting, maxWaitingOfClient);
  readonly #farPlaces = new Places(maxWaiting, maxWaitingOfClient);
  readonly #open: Readonly<Record<Port, OpenAnswers<Visitor>>>;

  constructor(accounts: Accounts, rules: Configuration['access']) {
    this.accounts = accounts;
    this.rules = rules;
    this.peers = new Peers(rules);
    const openAt = (port: Port) => new OpenAnswers(accounts, (visitor: Visitor) => this.#isStillIn(visitor, port));
    this.#open = { web: openAt('web'), stream: openAt('stream') };
  }

  /**
   * Who sends a request to a port. A promise only while something has to be looked up. `response` is broken off as soon
   * as the visitor would no longer be let in. `ticket`: from its address.
   * @throws ReceiverError `login-needed`, `outside`, `too-many-requests`
   */
  admit(request: IncomingMessage, response: ServerResponse, port: Port, ticket?: string): Visitor | Promise<Visitor> {
    const enter = (visitor: Visitor) => {
      this.#open[port].add(response, visitor);
      if (visitor.account) this.#note(visitor.account, request);
      return visitor;
    };
    const refreshing = this.accounts.refresh();
    if (refreshing) return refreshing.then(() => this.#admit(request, port, ticket)).then(enter);
    const visitor = this.#admit(request, port, ticket);
    return visitor instanceof Promise ? visitor.then(enter) : enter(visitor);
  }

  #note({ name }: Account, request: IncomingMessage): void {
    this.accounts.visits.note(name, this.peers.addressOf(request) ?? '', request.headers['user-agent'] ?? '');
  }

  #admit(request: IncomingMessage, port: Port, ticket: string | undefined): Visitor | Promise<Visitor> {
    const address = this.peers.addressOf(request);
    const isNear = address !== undefined && this.peers.isNear(address);
    if (!this.accounts.isOn) {
      if (isNear) return atHome;
      throw fail('outside', address ?? unnamed);
    }
    if (isNear && !this.#asksAtHome(port)) return atHome;
    const credentials = { ...credentialsOf(request), ...(ticket !== undefined && { ticket }) };
    const from = address ?? unnamedProxy;
    return this.#known(credentials, keyOf(from)) ?? this.#proven(credentials, from);
  }

  /** Also after the end of a session or ticket: whoever watches may watch to the end. */
  #isStillIn({ account, ticket }: Visitor, port: Port): boolean {
    const holder = account ?? ticket?.holder;
    if (holder !== undefined) return this.accounts.isCurrent(holder);
    return !this.accounts.isOn || !this.#asksAtHome(port);
  }

  #asksAtHome(port: Port): boolean {
    return (port === 'web' ? this.rules.webLogin : this.rules.streamLogin) === 'always';
  }

  /** What needs no slow hash. */
  #known({ sessions, ticket, basic, bearer }: Credentials, key: string): Visitor | undefined {
    const { accounts } = this;
    const account =
      firstOf(sessions, (session) => accounts.byPass(session, 'session')) ||
      (bearer && accounts.byToken(bearer)) ||
      (basic && accounts.remembered(basic.name, basic.password, key));
    if (account) return { rights: account.rights, account };
    const holder = ticket === undefined ? undefined : accounts.byPass(ticket, 'ticket');
    return ticket !== undefined && holder ? { rights: ['view'], ticket: { text: ticket, holder } } : undefined;
  }

  async #proven({ basic, bearer }: Credentials, from: string): Promise<Visitor> {
    // Nobody can guess one, so it does not count.
    if (bearer !== undefined) throw fail('login-needed', 'the token is wrong');
    // dreamDroid and openwebifpy send an empty name and password where the user has given none.
    if (basic === undefined || basic.name === '')
      throw fail('login-needed', 'this receiver asks for a user and password');
    return this.logIn(basic.name, basic.password, from);
  }

  /**
   * `from`: the address of the client, as `addressOf` returns it.
   * @throws ReceiverError `login-needed`, `too-many-requests`
   */
  async logIn(name: string, password: string, from: string): Promise<KnownVisitor> {
    const attempt = JSON.stringify([name, password, keyOf(from)]);
    const known = this.#waiting.get(attempt);
    if (known !== undefined) return known;
    const leave = this.#waitingPlace(from);
    const verified = this.#verified(name, password, keyOf(from)).finally(() => {
      leave();
      this.#waiting.delete(attempt);
    });
    this.#waiting.set(attempt, verified);
    return verified;
  }

  /** For the addresses in playlists of a visitor; undefined while there are no accounts. */
  ticketFor(visitor: Visitor | undefined): string | undefined {
    if (!this.accounts.isOn || visitor === undefined) return undefined;
    // A ticket does not renew itself.
    return visitor.ticket?.text ?? this.accounts.ticketFor(visitor.account, this.rules.ticketHours);
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
    if (places.refusal(client) !== undefined) throw fail('too-many-requests');
    return places.take(client);
  }

  /** `key`: the address under which a failure counts. */
  async #verified(name: string, password: string, key: string): Promise<KnownVisitor> {
    // Counted beforehand, or many at once would all be tried.
    const { consumedPoints } = await this.#failures.penalty(key);
    if (consumedPoints > mostFailures) throw fail('too-many-requests');
    const account = await this.accounts.byPassword(name, password, key);
    if (account === undefined) throw fail('login-needed', 'user or password is wrong');
    await this.#failures.reward(key);
    return { rights: account.rights, account };
  }
}

/** The address under which failures and passwords count. */
const keyOf = (address: string) => networkOf(address, 64);

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
