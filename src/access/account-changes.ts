/** Adds, changes and removes users and tokens, by command and over the network. */
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
import type { Permission } from './permissions.ts';

export const accountKinds = ['user', 'token'] as const;
export type AccountKind = (typeof accountKinds)[number];

export interface WantedAccount {
  readonly kind: AccountKind;
  readonly name: string;
  /** Default: what the account had; of the first one everything, of others all but `admin`. */
  readonly permissions?: readonly Permission[] | undefined;
  /** Of a user; default: the one before. */
  readonly password?: string | undefined;
  /** Of a user who changes their own password: refused if somebody else has changed or removed it meanwhile. */
  readonly hashBefore?: string;
  /** Refused if there is an administrator already. */
  readonly isFirstAdmin?: boolean;
  /** Unix seconds. */
  readonly now: number;
}

export interface PutAccount {
  readonly permissions: readonly Permission[];
  /** Of a new token: it is not kept, only its hash is. */
  readonly token: string | undefined;
  readonly isNew: boolean;
  /** From now on everybody has to log in. */
  readonly isFirst: boolean;
}

interface Rule {
  /** Refuse to leave nobody who may administer, as long as there are accounts. */
  readonly keepsAdmin?: boolean;
}

/** Adds an account, or changes a user. @throws ReceiverError `parameter-invalid`, `parameter-missing`, `login-needed`, `file-unwritable` */
export async function putAccount(
  path: string,
  { kind, name, permissions: given, password, hashBefore, isFirstAdmin = false, now }: WantedAccount,
  { keepsAdmin = false }: Rule = {},
): Promise<PutAccount> {
  checkName(name);
  if (password !== undefined) checkPassword(password);
  if (given?.length === 0) throw fail('parameter-invalid', 'rights', 'must name at least one');
  const passwordHash = password === undefined ? undefined : await hashOf(password);
  const { token, hash } = newToken();
  return changeAccounts(path, (content) => {
    const before = accountsIn(content, kind).find((one) => one.name === name);
    if (hashBefore !== undefined && content.users.find((one) => one.name === name)?.password !== hashBefore)
      throw fail('login-needed', 'user or password is wrong');
    if (isFirstAdmin && before) throw fail('parameter-invalid', 'user', `must be new; there is a user ${name}`);
    if (isFirstAdmin && hasAdmin(content))
      throw fail('login-needed', 'there is an administrator already: log in as one to add others');
    const permissions = [...(given ?? defaultPermissions(content, before))];
    const isToken = kind === 'token';
    if (isToken && before) throw fail('parameter-invalid', 'name', `must be new; there is a token ${name}`);
    const next = isToken
      ? { ...content, tokens: [...content.tokens, { name, rights: permissions, hash, created: now }] }
      : withUser(content, { name, rights: permissions, password: passwordHash });
    if (keepsAdmin && (given !== undefined || before === undefined)) checkAdmin(next);
    const isFirst = countOf(content) === 0;
    return [next, { permissions, token: isToken ? token : undefined, isNew: before === undefined, isFirst }];
  });
}

/** In its place in the list. @throws ReceiverError `parameter-missing` if a new one has no password */
function withUser(
  content: AccountsContent,
  { name, rights, password: given }: Omit<User, 'password'> & { readonly password: string | undefined },
): AccountsContent {
  const password = given ?? content.users.find((one) => one.name === name)?.password;
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
    throw fail('parameter-invalid', 'rights', 'must leave somebody who may administer');
}
