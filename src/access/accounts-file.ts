/**
 * Reads and writes `accounts.json` in the data folder: users, tokens, and the secret that signs sessions and tickets.
 * Only the owner of the folder can read it. Commands and the receiver may use it at the same time: it is replaced
 * atomically.
 */
import { createHash, randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { fail, systemReason } from '../base/errors.ts';
import { createFolder, exists, readRegularFile, replaceFile, unwritable } from '../base/files.ts';
import { type FileLock, native } from '../base/native.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { isHash } from './passwords.ts';
import { type Permission, permissions } from './permissions.ts';

const Permissions = Type.Array(Type.Enum([...permissions]), { minItems: 1 });

/** No colon: it ends the name in HTTP Basic (RFC 7617 §2). No blank: the names of tokens in a pass have one. */
const nameFormat = /^[^\s:\p{C}]{1,32}$/u;

const User = Type.Object({ name: Type.String(), rights: Permissions, password: Type.String() });
const Token = Type.Object({ name: Type.String(), rights: Permissions, hash: Type.String(), created: Type.Integer() });
const Content = Type.Object({
  secret: Type.String(),
  users: Type.Array(User),
  tokens: Type.Array(Token),
  /** There is or was an administrator, so programs on this machine need a login to administer. */
  hadAdmin: Type.Optional(Type.Boolean()),
});

export type User = Type.Static<typeof User>;
export type Token = Type.Static<typeof Token>;
export type AccountsContent = Type.Static<typeof Content>;

/** A user takes 200 bytes. */
const maxBytes = 1 << 20;

export const accountsPath = (dataDir: string) => join(dataDir, 'accounts.json');

/** 32 random bytes in base64url. */
const randomText = () => randomBytes(32).toString('base64url');

/** The content of a file that does not exist yet. */
export const noAccounts = (): AccountsContent => ({ secret: randomText(), users: [], tokens: [] });

/** @throws ReceiverError `parameter-invalid` */
export function checkName(name: string): void {
  if (!nameFormat.test(name))
    throw fail('parameter-invalid', 'name', 'must be 1 to 32 characters without blanks and colons');
}

export const hasAdmin = ({ users, tokens }: AccountsContent) =>
  [...users, ...tokens].some(({ rights }) => rights.includes('admin'));

/** A new token, and the hash of it that is stored. The token is too long to guess, so a fast hash suffices. */
export function newToken(): { readonly token: string; readonly hash: string } {
  const token = `rcv_${randomText()}`;
  return { token, hash: hashOfToken(token) };
}

export const hashOfToken = (token: string) => createHash('sha256').update(token).digest('base64url');

/**
 * Reads the file. A missing file means that there are no accounts.
 * @throws ReceiverError `file-unreadable`, also if the content is invalid
 */
export async function readAccounts(path: string): Promise<AccountsContent> {
  let text: string;
  try {
    text = (await readRegularFile(path, maxBytes)).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return noAccounts();
    throw fail('file-unreadable', path, systemReason(error));
  }
  return parsed(path, text);
}

function parsed(path: string, text: string): AccountsContent {
  const refuse = (why: string) => fail('file-unreadable', path, `${why}; correct it, or remove it to have no accounts`);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw refuse('is not JSON');
  }
  if (!Value.Check(Content, content)) {
    const [first] = Value.Errors(Content, content);
    throw refuse(`${first?.instancePath || '/'} ${first?.message ?? 'is wrong'}`);
  }
  const broken = content.users.find(({ password }) => !isHash(password));
  if (broken) throw refuse(`the password of ${broken.name} is not a hash`);
  if (content.secret.length < 32) throw refuse('its secret is too short');
  return content;
}

/**
 * The permissions of an account if none are given: its current ones; for a new one `admin` if it is the first,
 * otherwise all but `admin`.
 */
export function defaultPermissions(
  { users, tokens }: AccountsContent,
  before: { readonly rights: readonly Permission[] } | undefined,
): readonly Permission[] {
  const isFirst = users.length + tokens.length === 0;
  return before?.rights ?? (isFirst ? ['admin'] : permissions.filter((permission) => permission !== 'admin'));
}

/** Serialises changes within this process. The file lock is for other processes; they do not wait for it but fail. */
const serially = serialQueue();

/**
 * Reads the accounts, writes what `change` makes of them, and returns its result. The file is locked meanwhile.
 * @throws ReceiverError `file-unwritable` also if another command is changing them; what `change` throws
 */
export function changeAccounts<Result>(
  path: string,
  change: (content: AccountsContent) => readonly [next: AccountsContent, result: Result],
): Promise<Result> {
  return serially(async () => {
    await createFolder(dirname(path));
    const lock = lockOf(path);
    try {
      const before = await readAccounts(path);
      const [next, result] = change(before);
      const hadAdmin = before.hadAdmin || hasAdmin(before) || hasAdmin(next);
      await writeAccounts(path, hadAdmin ? { ...next, hadAdmin } : next);
      return result;
    } finally {
      lock.release();
    }
  });
}

/** Creates the file if it does not exist. @throws ReceiverError `file-unreadable`, `file-unwritable` */
export async function ensureAccountsFile(path: string): Promise<void> {
  if (!(await exists(path))) await changeAccounts(path, (content) => [content, undefined]);
}

function lockOf(path: string): FileLock {
  try {
    return new native.FileLock(`${path}.lock`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw fail('file-unwritable', path, code === 'BUSY' ? 'another command is changing it: try again' : message);
  }
}

/** @throws ReceiverError `file-unwritable` */
export async function writeAccounts(path: string, content: AccountsContent): Promise<void> {
  const text = `${JSON.stringify(content, undefined, 2)}\n`;
  await replaceFile(path, Buffer.from(text), 0o600).catch(unwritable(path));
}
