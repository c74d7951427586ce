/** `receiverd user` and `receiverd token`: who may use the receiver. A running one knows within a second. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type AccountsContent,
  accountsPath,
  changeAccounts,
  checkName,
  newToken,
  readAccounts,
  rightsFor,
} from '../access/accounts-file.ts';
import { checkPassword, hashOf, passwordLength } from '../access/passwords.ts';
import { meanings, type Right } from '../access/rights.ts';
import { bounded } from '../bounded.ts';
import { systemClock } from '../clock.ts';
import type { Configuration } from '../config.ts';
import { fail, ReceiverError } from '../errors.ts';

export type AccountKind = 'user' | 'token';

export interface AddOptions {
  /** Default: what the account had; of the first one everything, of others all but `admin`. */
  readonly rights?: readonly Right[];
}

/** @throws ReceiverError */
export async function addAccount(
  { dataDir }: Configuration,
  kind: AccountKind,
  name: string,
  { rights: given }: AddOptions,
): Promise<void> {
  checkName(name);
  const path = accountsPath(dataDir);
  const before = listOf(await readAccounts(path), kind).find((one) => one.name === name);
  if (kind === 'token' && before) throw fail('parameter-invalid', 'name', `must be new; there is a token ${name}`);
  const secret = kind === 'user' ? await passwordFor(name) : newToken();
  let isFirst = false;
  let own: readonly Right[] = [];
  await changeAccounts(path, (content) => {
    isFirst = countOf(content) === 0;
    own = given ?? rightsFor(content, before);
    const common = { name, rights: [...own] };
    const others = content.users.filter((one) => one.name !== name);
    return 'password' in secret
      ? { ...content, users: [...others, { ...common, password: secret.password }] }
      : { ...content, tokens: [...content.tokens, { ...common, hash: secret.hash, created: systemClock.now() }] };
  });
  console.log(`${kind} ${name}: ${before ? 'changed' : 'added'}; may ${meaningOf(own)}`);
  if ('token' in secret) console.log(`${secret.token}\n(shown only now; sent as "Authorization: Bearer TOKEN")`);
  if (isFirst) console.log('from now on everybody has to log in, except as access.webLogin and access.streamLogin say');
}

/** @throws ReceiverError */
export async function listAccounts({ dataDir }: Configuration, kind: AccountKind): Promise<void> {
  for (const { name, rights } of listOf(await readAccounts(accountsPath(dataDir)), kind)) {
    console.log(`${name}: ${rights.join(', ')}`);
  }
}

/** @throws ReceiverError `not-found` */
export async function removeAccount({ dataDir }: Configuration, kind: AccountKind, name: string): Promise<void> {
  let left = 0;
  await changeAccounts(accountsPath(dataDir), (content) => {
    const list = listOf(content, kind);
    if (!list.some((one) => one.name === name)) throw fail('not-found', `${kind} ${name}`);
    const next = { ...content, [`${kind}s`]: list.filter((one) => one.name !== name) };
    left = countOf(next);
    return next;
  });
  console.log(`${kind} ${name}: removed`);
  if (left === 0) console.log('that was the last account: whoever is at home may do everything, without logging in');
}

const countOf = ({ users, tokens }: AccountsContent) => users.length + tokens.length;

const listOf = ({ users, tokens }: AccountsContent, kind: AccountKind) => (kind === 'user' ? users : tokens);

const meaningOf = (own: readonly Right[]) => own.map((right) => `${right} (${meanings[right]})`).join(', ');

/** @throws ReceiverError `parameter-invalid` */
async function passwordFor(name: string): Promise<{ readonly password: string }> {
  const given = process.stdin.isTTY ? await typed(name) : await firstLine();
  checkPassword(given);
  return { password: await hashOf(given) };
}

async function firstLine(): Promise<string> {
  const text = (await buffer(bounded(process.stdin, 'the password', 4 * passwordLength.most))).toString('utf8');
  return text.split(/\r?\n/, 1)[0] ?? '';
}

/** Asks twice, without showing what is typed. */
async function typed(name: string): Promise<string> {
  const silent = new Writable({ write: (_bytes, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  const stopped = new AbortController();
  terminal.once('SIGINT', () => stopped.abort());
  try {
    const answers: string[] = [];
    for (const question of [`Password for ${name}: `, 'Once more: ']) {
      process.stderr.write(question);
      answers.push(await terminal.question('', { signal: stopped.signal }));
      process.stderr.write('\n');
    }
    if (answers[0] !== answers[1]) throw fail('parameter-invalid', 'password', 'must be the same both times');
    return answers[0] ?? '';
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    throw new ReceiverError('cancelled', 'nothing was changed');
  } finally {
    terminal.close();
  }
}
