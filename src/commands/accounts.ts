/** `receiverd user` and `receiverd token`: change the accounts. A running receiver applies changes within a second. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type AccountKind,
  accountKinds,
  accountsIn,
  putAccount,
  removeAccount as remove,
} from '../access/account-changes.ts';
import { accountsPath, checkName, readAccounts } from '../access/accounts-file.ts';
import { maxPasswordLength } from '../access/passwords.ts';
import { type Permission, permissionMeanings } from '../access/permissions.ts';
import { systemClock } from '../base/clock.ts';
import { fail, ReceiverError } from '../base/errors.ts';
import { limitBytes } from '../base/limit-bytes.ts';
import { ownCommand } from '../base/own-command.ts';
import type { Configuration } from '../config/config.ts';
import { DataFolder } from '../host/data-folder.ts';

export interface AddOptions {
  /** Default: see `WantedAccount.permissions`. */
  readonly rights?: readonly Permission[];
}

/** @throws ReceiverError */
export async function addAccount(
  { dataDir }: Configuration,
  kind: AccountKind,
  name: string,
  { rights }: AddOptions,
): Promise<void> {
  checkName(name);
  const password = kind === 'user' ? await passwordFor(name) : undefined;
  const account = await putAccount(accountsPath(dataDir), {
    kind,
    name,
    permissions: rights,
    password,
    now: systemClock.now(),
  });
  console.log(`${kind} ${name}: ${account.isNew ? 'added' : 'changed'}; may ${textOf(account.permissions)}`);
  warnIfUnused(dataDir);
  if (account.token) console.log(`${account.token}\n(shown only now; sent as "Authorization: Bearer TOKEN")`);
  if (account.isFirst)
    console.log(
      'from now on administration needs a login; access.localNetwork says what the local network may do without',
    );
  await warnWithoutAdmin(dataDir);
}

/** @throws ReceiverError */
export async function listAccounts({ dataDir }: Configuration, kind: AccountKind): Promise<void> {
  const accounts = accountsIn(await readAccounts(accountsPath(dataDir)), kind);
  for (const { name, rights } of accounts) console.log(`${name}: ${rights.join(', ')}`);
  if (accounts.length === 0) console.error(`there are no ${kind}s in ${accountsPath(dataDir)}`);
}

/** @throws ReceiverError `not-found` */
export async function removeAccount({ dataDir }: Configuration, kind: AccountKind, name: string): Promise<void> {
  const left = await remove(accountsPath(dataDir), kind, name);
  console.log(`${kind} ${name}: removed`);
  warnIfUnused(dataDir);
  if (left === 0)
    console.log(
      `that was the last account: nobody may administer the receiver before \`${ownCommand('user add NAME')}\` has added one`,
    );
  await warnWithoutAdmin(dataDir);
}

/** Warns if no receiver uses this data folder: that of an installed package is named in its configuration. */
function warnIfUnused(dataDir: string): void {
  if (DataFolder.owner(dataDir) === undefined)
    console.error(`no receiver runs with the data folder ${dataDir}; --config or --data-dir names another one`);
}

/**
 * Warns if no account may administer any more. Over the network such a change is refused; at a terminal it can be
 * corrected.
 */
async function warnWithoutAdmin(dataDir: string): Promise<void> {
  const content = await readAccounts(accountsPath(dataDir));
  const all = accountKinds.flatMap((kind) => [...accountsIn(content, kind)]);
  if (all.length === 0 || all.some(({ rights }) => rights.includes('admin'))) return;
  const { name, rights } = accountsIn(content, 'user')[0] ?? { name: 'admin', rights: [] };
  console.log(
    `nobody may administer now; to change that: ${ownCommand(`user add ${name} --rights ${[...rights, 'admin'].join()}`)}`,
  );
}

const textOf = (own: readonly Permission[]) => own.map((one) => `${one} (${permissionMeanings[one]})`).join(', ');

const passwordFor = (name: string) => (process.stdin.isTTY ? typedPassword(name) : firstLineOfInput());

/** The first line of standard input. */
async function firstLineOfInput(): Promise<string> {
  const text = (await buffer(limitBytes(process.stdin, 'the password', 4 * maxPasswordLength))).toString('utf8');
  return text.split(/\r?\n/, 1)[0] ?? '';
}

/** Asks for a password twice, without an echo. */
async function typedPassword(name: string): Promise<string> {
  const discarded = new Writable({ write: (_bytes, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: discarded, terminal: true });
  const interrupted = new AbortController();
  terminal.once('SIGINT', () => interrupted.abort());
  try {
    const answers: string[] = [];
    for (const question of [`Password for ${name}: `, 'Once more: ']) {
      process.stderr.write(question);
      answers.push(await terminal.question('', { signal: interrupted.signal }));
      process.stderr.write('\n');
    }
    if (answers[0] !== answers[1]) throw fail('parameter-invalid', 'password', 'must be the same both times');
    return answers[0] ?? '';
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new ReceiverError('cancelled', 'nothing was changed');
  } finally {
    terminal.close();
  }
}
