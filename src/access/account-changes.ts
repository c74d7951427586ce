/** Adds, changes and removes users and tokens. Used by the commands and over HTTP. */
import { fail } from '../base/errors.ts';
import {
  type AccountsContent,
  changeAccounts,
  checkName,
  defaultPermissions,
  hasAdmin,
  newToken,
  type Token,
  type User,
} from './accounts-file.ts';
import { checkPassword, hashOf } from './passwords.ts';
import { permissions as allPermissions, type Permission } from './permissions.ts';

export const accountKinds = ['user', 'token'] as const;
export type AccountKind = (typeof accountKinds)[number];

/** An account to add, or the changes to a user. */
export interface WantedAccount {
  readonly kind: AccountKind;
  readonly name: string;
  /** Default: those that the account has; for a new one `admin` if it is the first, otherwise all but `admin`. */
  readonly permissions?: readonly Permission[] | undefined;
  /** Only for a user. Default: the user's current password. */
  readonly password?: string | undefined;
  /**
   * Hash of the current password, if users change their own. The change is refused if it is no longer the current one.
   */
  readonly hashBefore?: string;
  /** The change is refused if there is already an administrator. */
  readonly isFirstAdmin?: boolean;
  /** Unix seconds. */
  readonly now: number;
}

/** An account that has been added or changed. */
export interface PutAccount {
  readonly permissions: readonly Permission[];
  /** The new token; undefined for a user. Only its hash is stored. */
  readonly token: string | undefined;
  readonly isNew: boolean;
  /** It is the first account: from now on administration needs a login. */
  readonly isFirst: boolean;
}

interface Rule {
  /** Refuse a change that leaves accounts but no administrator. */
  readonly keepsAdmin?: boolean;
}

/**
 * Adds an account, or changes a user.
 * @throws ReceiverError `parameter-invalid`, `parameter-missing`, `login-needed`, `file-unwritable`
 */
export async function putAccount(
  path: string,
  { kind, name, permissions: given, password, hashBefore, isFirstAdmin = false, now }: WantedAccount,
  { keepsAdmin = false }: Rule = {},
): Promise<PutAccount> {
  checkName(name);
  if (password !== undefined) checkPassword(password);
  if (given?.length === 0)
    throw fail('parameter-invalid', 'rights', `must name at least one of ${allPermissions.join(', ')}`);
  const passwordHash = password === undefined ? undefined : await hashOf(password);
  const { token, hash } = newToken();
  return changeAccounts(path, (content) => {
    const before = accountsIn(content, kind).find((one) => one.name === name);
    if (hashBefore !== undefined && content.users.find((user) => user.name === name)?.password !== hashBefore)
      throw fail('login-needed', 'user or password is wrong');
    if (isFirstAdmin && before) throw fail('parameter-invalid', 'user', `must be new: there is already a user ${name}`);
    if (isFirstAdmin && hasAdmin(content))
      throw fail('login-needed', 'there is already an administrator: log in as one to add others');
    const permissions = [...(given ?? defaultPermissions(content, before))];
    const isToken = kind === 'token';
    if (isToken && before) throw fail('parameter-invalid', 'name', `must be new: there is already a token ${name}`);
    const next = isToken
      ? { ...content, tokens: [...content.tokens, { name, rights: permissions, hash, created: now }] }
      : withUser(content, { name, rights: permissions, password: passwordHash });
    if (keepsAdmin && (given !== undefined || before === undefined)) checkAdmin(next);
    const isFirst = countOf(content) === 0;
    return [next, { permissions, token: isToken ? token : undefined, isNew: before === undefined, isFirst }];
  });
}

/**
 * Adds a user at the end of the list, or replaces the one of this name.
 * @throws ReceiverError `parameter-missing` if a new user has no password
 */
function withUser(
  content: AccountsContent,
  { name, rights, password: given }: Omit<User, 'password'> & { readonly password: string | undefined },
): AccountsContent {
  const password = given ?? content.users.find((user) => user.name === name)?.password;
  if (password === undefined) throw fail('parameter-missing', 'password');
  const user = { name, rights, password };
  const isKnown = content.users.some((one) => one.name === name);
  const users = isKnown ? content.users.map((one) => (one.name === name ? user : one)) : [...content.users, user];
  return { ...content, users };
}

/** Returns how many accounts are left. @throws ReceiverError `not-found`, `parameter-invalid`, `file-unwritable` */
export function removeAccount(
  path: string,
  kind: AccountKind,
  name: string,
  { keepsAdmin = false }: Rule = {},
): Promise<number> {
  return changeAccounts(path, (content) => {
    const list = accountsIn(content, kind);
    if (!list.some((one) => one.name === name)) throw fail('not-found', `${kind} ${name}`);
    const next = { ...content, [`${kind}s`]: list.filter((one) => one.name !== name) };
    if (keepsAdmin) checkAdmin(next);
    return [next, countOf(next)];
  });
}

export const accountsIn = ({ users, tokens }: AccountsContent, kind: AccountKind): readonly (User | Token)[] =>
  kind === 'user' ? users : tokens;

const countOf = ({ users, tokens }: AccountsContent) => users.length + tokens.length;

function checkAdmin(content: AccountsContent): void {
  if (countOf(content) > 0 && !hasAdmin(content))
    throw fail('parameter-invalid', 'rights', 'must leave at least one account with the permission admin');
}
