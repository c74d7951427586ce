/**
 * The accounts of a running receiver. Changes to the file, such as those of `receiverd user add`, take effect within a
 * second. While the file cannot be read, nobody can log in, and it counts as having an administrator.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { Listeners } from '../base/listeners.ts';
import { serialQueue } from '../base/serial-queue.ts';
import {
  type AccountKind,
  accountKinds,
  accountsIn,
  type PutAccount,
  putAccount,
  removeAccount,
  type WantedAccount,
} from './account-changes.ts';
import {
  type AccountsContent,
  accountsPath,
  ensureAccountsFile,
  hasAdmin,
  hashOfToken,
  noAccounts,
  readAccounts,
} from './accounts-file.ts';
import { isValid, nameIn, type PassHolder, type PassKind, passFor } from './passes.ts';
import { matches } from './passwords.ts';
import type { Permission } from './permissions.ts';
import { Visits } from './visits.ts';

/** A user or a token. */
export interface Account extends PassHolder {
  readonly permissions: readonly Permission[];
}

const hour = 3600;

/** The hash for a user who does not exist, so that guessing names takes as long as guessing passwords. */
const unknownUserHash = '$scrypt$';

/** A household has fewer devices. When there are more passwords, all are forgotten. */
const maxRememberedPasswords = 64;

/** The file is checked for changes no more often than this. */
const checkIntervalMs = 1000;

/**
 * The token with which commands on this machine log in. It is derived from the secret, so only users who can read the
 * file know it.
 */
export const commandKey = (secret: string) => createHmac('sha256', secret).update('command').digest('base64url');

export class Accounts {
  readonly visits: Visits;
  readonly #path: string;
  readonly #clock: Clock;
  readonly log: Logger;
  #content: AccountsContent = noAccounts();
  #holders: ReadonlyMap<string, Account> = new Map();
  #hasAccounts = false;
  #isUnreadable = false;
  #hasAdmin = false;
  #hadAdmin = false;
  /** Inode, size and time of the file as last read; its error code if it could not be read. */
  #version = '';
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | undefined;
  readonly #changed = new Listeners<[]>();
  /** Calls `listener` whenever the file has been reread. */
  readonly onChange = this.#changed.add;
  /**
   * Keyed hashes of passwords that were right, each with the client that sent it. Clients send their password with
   * every request, and scrypt is too slow for that. A password is remembered only for its client, because for others a
   * fast answer would make guessing faster.
   */
  readonly #remembered = new Set<string>();
  readonly #rememberKey = randomBytes(32);
  readonly #reading = serialQueue();
  /** One scrypt at a time: each takes 16 MiB. */
  readonly #hashing = serialQueue();

  constructor(dataDir: string, clock: Clock, log: Logger) {
    this.#path = accountsPath(dataDir);
    this.#clock = clock;
    this.visits = new Visits(clock);
    this.log = log;
  }

  /** Whether there are accounts. As of the last `refresh`. */
  get hasAccounts(): boolean {
    return this.#hasAccounts;
  }

  /** Whether an account may administer. As of the last `refresh`. */
  get hasAdmin(): boolean {
    return this.#hasAdmin;
  }

  /** Whether an account may administer, or one did before it was removed. As of the last `refresh`. */
  get hadAdmin(): boolean {
    return this.#hadAdmin;
  }

  /** Reads the file. Creates it if there is none, because commands on this machine need its secret. */
  async open(): Promise<void> {
    await ensureAccountsFile(this.#path).catch((error: Error) => this.log.error(error.message));
    await this.#read();
  }

  /** Reads the file if it has changed. Undefined if it was checked within the last second. */
  refresh(): Promise<void> | undefined {
    if (this.#checking) return this.#checking;
    if (performance.now() - this.#checkedAt < checkIntervalMs) return undefined;
    this.#checking = this.#read().finally(() => {
      this.#checkedAt = performance.now();
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Reads are serialised, so that a caller that has changed the file waits until the change has been read. */
  #read(): Promise<void> {
    return this.#reading(() => this.#reread());
  }

  async #reread(): Promise<void> {
    const version = await stat(this.#path).then(
      ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
      (error: NodeJS.ErrnoException) => error.code ?? '',
    );
    if (version === this.#version) return;
    const isComparable = this.#version !== '' && !this.#isUnreadable;
    this.#version = version;
    const before = this.#holders;
    try {
      this.#apply(await readAccounts(this.#path));
      if (isComparable) for (const change of changesBetween(before, this.#holders)) this.log.info(change);
    } catch (error) {
      this.log.error(`nobody can log in: ${(error as Error).message}`);
      this.#apply(noAccounts(), true);
    }
  }

  #apply(content: AccountsContent, isUnreadable = false): void {
    this.#content = content;
    this.#isUnreadable = isUnreadable;
    const users = content.users.map(
      ({ name, rights, password }): Account => ({ name, permissions: rights, hash: password }),
    );
    // A user's name has no blank.
    const tokens = content.tokens.map(
      ({ name, rights, hash }): Account => ({ name: `token ${name}`, permissions: rights, hash }),
    );
    const hash = hashOfToken(commandKey(content.secret));
    const commands: Account = { name: 'command line', permissions: ['admin'], hash };
    this.#holders = new Map([...users, ...tokens, commands].map((account) => [account.name, account]));
    this.#hasAccounts = isUnreadable || users.length + tokens.length > 0;
    this.#hasAdmin = isUnreadable || hasAdmin(content);
    this.#hadAdmin = this.#hasAdmin || content.hadAdmin === true;
    this.#changed.call();
  }

  /** Users and tokens, in the order in which they were added. */
  get all(): readonly {
    readonly kind: AccountKind;
    readonly name: string;
    readonly permissions: readonly Permission[];
  }[] {
    return accountKinds.flatMap((kind) =>
      accountsIn(this.#content, kind).map(({ name, rights }) => ({ kind, name, permissions: rights })),
    );
  }

  hasUser(name: string): boolean {
    return isUser(name) && this.#holders.has(name);
  }

  /** Adds an account, or changes a user. @throws ReceiverError like putAccount */
  async put(wanted: Omit<WantedAccount, 'now'>): Promise<PutAccount> {
    const done = await putAccount(this.#path, { ...wanted, now: this.#clock.now() }, { keepsAdmin: true });
    await this.#read();
    return done;
  }

  /** @throws ReceiverError like removeAccount */
  async remove(kind: AccountKind, name: string): Promise<void> {
    await removeAccount(this.#path, kind, name, { keepsAdmin: true });
    await this.#read();
  }

  /** The account of this name, if the password was right before from the same client. */
  findByRememberedPassword(name: string, password: string, from: string): Account | undefined {
    const account = this.#holders.get(name);
    return account && this.#remembered.has(this.#rememberedKey(account, password, from)) ? account : undefined;
  }

  /** The account of a user name and password. */
  async findByPassword(name: string, password: string, from: string): Promise<Account | undefined> {
    const account = isUser(name) ? this.#holders.get(name) : undefined;
    const isRight = await this.#hashing(() => matches(password, account?.hash ?? unknownUserHash));
    const current = this.#holders.get(name);
    if (!isRight || account === undefined || current?.hash !== account.hash) return undefined;
    if (this.#remembered.size >= maxRememberedPasswords) this.#remembered.clear();
    this.#remembered.add(this.#rememberedKey(current, password, from));
    return current;
  }

  /** The key of a remembered password. It depends on the stored hash, so a new password makes it invalid. */
  #rememberedKey({ name, hash }: Account, password: string, from: string): string {
    return createHmac('sha256', this.#rememberKey)
      .update(JSON.stringify([name, hash, password, from]))
      .digest('base64');
  }

  /** The account of a token. */
  findByToken(token: string): Account | undefined {
    const hash = hashOfToken(token);
    for (const account of this.#holders.values()) if (account.hash === hash) return account;
    return undefined;
  }

  /** Whether an account has the same password or token as before. As of the last `refresh`. */
  isCurrent({ name, hash }: Account): boolean {
    return this.#holders.get(name)?.hash === hash;
  }

  /** Whether an account has the same password or token and the same permissions as before. As of the last `refresh`. */
  isUnchanged(account: Account): boolean {
    return (
      this.isCurrent(account) && isDeepStrictEqual(this.#holders.get(account.name)?.permissions, account.permissions)
    );
  }

  /** The account of a valid session or ticket. */
  findByPass(pass: string, kind: PassKind): Account | undefined {
    const account = this.#holders.get(nameIn(pass) ?? '');
    const isGenuine = account && isValid(pass, kind, account, this.#clock.now(), this.#content.secret);
    return isGenuine ? account : undefined;
  }

  /** Creates a session that ends after `seconds`. */
  sessionFor(account: Account, seconds: number): string {
    return passFor(account, 'session', this.#clock.now() + seconds, this.#content.secret);
  }

  /**
   * Creates a ticket that is valid for at least `hours`. It ends on a full hour, so calls within an hour return the
   * same one.
   */
  ticketFor(account: Account, hours: number): string {
    const end = (Math.ceil(this.#clock.now() / hour) + hours) * hour;
    return passFor(account, 'ticket', end, this.#content.secret);
  }
}

const isUser = (name: string) => !name.includes(' ');

/** Log lines about the accounts that were added, changed or removed, over the network or by a command. */
function* changesBetween(before: ReadonlyMap<string, Account>, after: ReadonlyMap<string, Account>): Generator<string> {
  const title = (name: string) => (isUser(name) ? `user ${name}` : name);
  for (const [name, { permissions, hash }] of after) {
    const old = before.get(name);
    if (old === undefined) yield `${title(name)} added with the permissions ${permissions.join(', ')}`;
    else if (!isDeepStrictEqual(old.permissions, permissions))
      yield `${title(name)} now has the permissions ${permissions.join(', ')}`;
    else if (old.hash !== hash && isUser(name)) yield `${title(name)} has a new password`;
  }
  for (const name of before.keys()) if (!after.has(name)) yield `${title(name)} removed`;
}
