/** Passwords, passes and permissions, the accounts file, and the accounts of a running receiver. */
import { statSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import pino from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Account, Accounts, commandKey } from '../../src/access/accounts.ts';
import {
  type AccountsContent,
  accountsPath,
  changeAccounts,
  checkName,
  newToken,
  noAccounts,
  readAccounts,
  writeAccounts,
} from '../../src/access/accounts-file.ts';
import { isValid, nameIn, type PassKind, passFor } from '../../src/access/passes.ts';
import { hashOf, isHash, matches } from '../../src/access/passwords.ts';
import { permissions, permits } from '../../src/access/permissions.ts';
import { native } from '../../src/base/native.ts';
import { cheapHashOf } from '../fixtures/cheap-hash.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { eventually } from '../fixtures/waits.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('passwords', () => {
  it('match their hash and no other', async () => {
    const hash = await hashOf('correct horse');
    expect(isHash(hash)).toBe(true);
    expect(await matches('correct horse', hash)).toBe(true);
    expect(await matches('correct horsf', hash)).toBe(false);
    expect(await hashOf('correct horse')).not.toBe(hash);
  });

  it.each([
    { ln: 1, r: 1, p: 1 },
    { ln: 1, r: 8, p: 99 },
    { ln: 10, r: 99, p: 1 },
  ])('match hashes of every cost that the file may contain: %j', async (cost) => {
    const hash = cheapHashOf('correct horse', cost);
    expect(isHash(hash)).toBe(true);
    expect(await matches('correct horse', hash)).toBe(true);
    expect(await matches('correct horsf', hash)).toBe(false);
  });

  it('match in composed and decomposed characters', async () => {
    expect(await matches('Gru\u0308n und blau', await hashOf('Gr\u00fcn und blau'))).toBe(true);
  });

  it('never match if they are longer than allowed, because normalising them could take seconds', async () => {
    for (const [length, isRight] of [
      [1024, true],
      [1025, false],
    ] as const) {
      const password = 'x'.repeat(length);
      expect(await matches(password, await hashOf(password))).toBe(isRight);
    }
  });

  it('match nothing that is not a hash', async () => {
    for (const text of [
      '',
      '$scrypt$',
      cheapHashOf('').replace('ln=1', 'ln=0'),
      cheapHashOf('').replace('r=1', 'r=0'),
      '$scrypt$ln=99,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA',
      'plain',
    ]) {
      expect(isHash(text)).toBe(false);
      expect(await matches('', text)).toBe(false);
    }
  });
});

describe('passes', () => {
  const holder = { name: 'Zoë', hash: 'hash' };
  const pass = passFor(holder, 'session', 1000, 'secret');

  it('are valid for their holder until they expire', () => {
    expect(nameIn(pass)).toBe('Zoë');
    expect(isValid(pass, 'session', holder, 999, 'secret')).toBe(true);
    expect(isValid(pass, 'session', holder, 1000, 'secret')).toBe(false);
  });

  it.each([
    ['another kind', 'ticket', holder, 'secret'],
    ['another password', 'session', { ...holder, hash: 'other' }, 'secret'],
    ['another receiver', 'session', holder, 'other'],
  ] as const)('are invalid for %s', (_, kind: PassKind, other, secret) => {
    expect(isValid(pass, kind, other, 0, secret)).toBe(false);
  });

  it('are invalid if a character was changed', () => {
    const [name, , signature] = pass.split('.');
    expect(isValid(`${name}.zzzzzz.${signature}`, 'session', holder, 0, 'secret')).toBe(false);
    for (let at = 0; at < pass.length; at++) {
      const other = `${pass.slice(0, at)}${pass[at] === 'A' ? 'B' : 'A'}${pass.slice(at + 1)}`;
      expect(isValid(other, 'session', holder, 0, 'secret')).toBe(false);
    }
  });

  it('never throw for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(isValid(text, 'session', holder, 0, 'secret')).toBe(false);
        nameIn(text);
      }),
    );
  });
});

describe('permissions', () => {
  it('include all others for admin, and view for everybody', () => {
    for (const permission of permissions) {
      expect(permits(['admin'], permission)).toBe(true);
      expect(permits([permission], 'view')).toBe(true);
      expect(permits([], permission)).toBe(false);
    }
    expect(permits(['view', 'control'], 'record')).toBe(false);
    expect(permits(['record'], 'control')).toBe(false);
  });
});

describe('the file', () => {
  it('is read as it was written, and readable only by its owner', async () => {
    const name = fc.stringMatching(/^[^\s:\p{C}]{1,16}$/u);
    const own = fc.uniqueArray(fc.constantFrom(...permissions), { minLength: 1 });
    const user = fc.record({ name, rights: own, password: fc.constant(cheapHashOf('password')) });
    const token = fc.record({ name, rights: own, hash: fc.base64String(), created: fc.nat() });
    const path = accountsPath(folder);
    await fc.assert(
      fc.asyncProperty(fc.array(user, { maxLength: 4 }), fc.array(token, { maxLength: 4 }), async (users, tokens) => {
        const content: AccountsContent = { ...noAccounts(), users, tokens };
        await writeAccounts(path, content);
        expect(await readAccounts(path)).toEqual(content);
      }),
      { numRuns: 25 },
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['cut', '{"secret": "'],
    ['of another kind', '{"users": []}'],
    [
      'with an unknown permission',
      JSON.stringify({ ...noAccounts(), users: [{ name: 'a', rights: ['all'], password: '' }] }),
    ],
    [
      'with a plain password',
      JSON.stringify({ ...noAccounts(), users: [{ name: 'a', rights: ['view'], password: 'x' }] }),
    ],
    ['without a secret', JSON.stringify({ ...noAccounts(), secret: '' })],
  ])('is refused if it is %s', async (_, text) => {
    writeFileSync(accountsPath(folder), text);
    await expect(readAccounts(accountsPath(folder))).rejects.toMatchObject({ code: 'file-unreadable' });
  });

  it('keeps all of several concurrent changes, and refuses one while another process holds the lock', async () => {
    const path = accountsPath(folder);
    const adding = (name: string) =>
      changeAccounts(path, (content) => {
        const token = { name, rights: ['view' as const], hash: name, created: 0 };
        return [{ ...content, tokens: [...content.tokens, token] }, undefined];
      });
    await Promise.all(['a', 'b', 'c'].map(adding));
    expect((await readAccounts(path)).tokens).toHaveLength(3);
    // As if another process held it.
    const lock = new native.FileLock(`${path}.lock`);
    await expect(adding('d')).rejects.toThrow('try again');
    lock.release();
    await adding('d');
    expect((await readAccounts(path)).tokens).toHaveLength(4);
  });

  it('accepts no name that HTTP Basic cannot carry', () => {
    for (const name of ['anna', 'Zoë', 'a@b.example']) expect(() => checkName(name)).not.toThrow();
    for (const name of ['', 'a b', 'a:b', 'a\n', 'x'.repeat(33)]) expect(() => checkName(name)).toThrow(/name/);
  });
});

describe('the accounts of a running receiver', () => {
  const clock = { time: 1_000_000, now: () => clock.time, synchronised: true };
  const errors: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
  let accounts: Accounts;
  beforeEach(() => {
    accounts = new Accounts(folder, clock, log);
    errors.length = 0;
  });
  const path = () => accountsPath(folder);
  const from = '192.168.1.20';

  const anna = async (password = 'password', hash = cheapHashOf(password)) =>
    writeAccounts(path(), {
      ...(await readAccounts(path())),
      users: [{ name: 'anna', rights: ['view'], password: hash }],
    });

  it('are none without a file, and are noticed as soon as one is added', async () => {
    await accounts.refresh();
    expect(accounts.hasAccounts).toBe(false);
    await anna();
    await eventually(async () => {
      await accounts.refresh();
      return accounts.hasAccounts || undefined;
    }, 'the accounts are on');
    expect(await accounts.findByPassword('anna', 'password', from)).toMatchObject({
      name: 'anna',
      permissions: ['view'],
    });
    expect(await accounts.findByPassword('anna', 'Password', from)).toBeUndefined();
    expect(await accounts.findByPassword('bert', 'password', from)).toBeUndefined();
    expect(accounts.findByRememberedPassword('anna', 'password', from)?.name).toBe('anna');
    expect(accounts.findByRememberedPassword('anna', 'Password', from)).toBeUndefined();
    expect(accounts.findByRememberedPassword('anna', 'password', '192.168.1.21')).toBeUndefined();
    await accounts.put({ kind: 'user', name: 'bert', password: 'battery staple', permissions: ['admin'] });
    expect(accounts.findByRememberedPassword('anna', 'password', from)?.name).toBe('anna');
    await accounts.put({ kind: 'user', name: 'anna', password: 'battery staple' });
    expect(accounts.findByRememberedPassword('anna', 'password', from)).toBeUndefined();
  });

  it('admit a user while another account is changed', async () => {
    await anna('password', await hashOf('password'));
    await accounts.put({ kind: 'user', name: 'bert', password: 'battery staple', permissions: ['admin'] });
    const entering = accounts.findByPassword('anna', 'password', from);
    // The change is read long before the slow hash is done.
    await accounts.put({ kind: 'user', name: 'bert', permissions: ['admin', 'view'] });
    expect(await entering).toMatchObject({ name: 'anna' });
    expect(accounts.all.find(({ name }) => name === 'bert')).toMatchObject({ permissions: ['admin', 'view'] });
  });

  it('admit nobody while the file cannot be read, and log why', async () => {
    await anna();
    writeFileSync(path(), '{"users":');
    await accounts.refresh();
    expect(accounts.hasAccounts).toBe(true);
    expect(await accounts.findByPassword('anna', 'password', from)).toBeUndefined();
    expect(errors.join()).toContain('accounts.json');
  });

  it('accept no session or ticket after a new password, or after its expiry', async () => {
    await anna();
    await accounts.refresh();
    const account = await accounts.findByPassword('anna', 'password', from);
    if (!account) throw new Error('no account');
    const session = accounts.sessionFor(account, 60);
    const ticket = accounts.ticketFor(account, 1);
    expect(accounts.findByPass(session, 'session')?.name).toBe('anna');
    expect(accounts.findByPass(ticket, 'ticket')?.name).toBe('anna');
    expect(accounts.findByPass(ticket, 'session')).toBeUndefined();
    clock.time += 60;
    expect(accounts.findByPass(session, 'session')).toBeUndefined();
    expect(accounts.findByPass(ticket, 'ticket')?.name).toBe('anna');
    await anna('another one');
    await eventually(async () => {
      await accounts.refresh();
      return accounts.findByRememberedPassword('anna', 'password', from) === undefined || undefined;
    }, 'the new password counts');
    expect(accounts.findByPass(ticket, 'ticket')).toBeUndefined();
  });

  it('issue only invalid tickets to an account that has been removed meanwhile', async () => {
    await anna();
    await accounts.refresh();
    const account = await accounts.findByPassword('anna', 'password', from);
    if (!account) throw new Error('no account');
    await writeAccounts(path(), noAccounts());
    await eventually(async () => {
      await accounts.refresh();
      return !accounts.hasAccounts || undefined;
    }, 'she is removed');
    expect(accounts.findByPass(accounts.ticketFor(account, 1), 'ticket')).toBeUndefined();
  });

  it('issue a valid ticket to the command line', async () => {
    await anna();
    await accounts.refresh();
    const { secret } = await readAccounts(path());
    const account = accounts.findByToken(commandKey(secret)) as Account;
    expect(account).toMatchObject({ name: 'command line', permissions: ['admin'] });
    expect(accounts.findByPass(accounts.ticketFor(account, 1), 'ticket')).toBe(account);
  });

  it('log changes, also those that a command has made in the file', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) });
    const accounts = new Accounts(folder, { now: () => 0, synchronised: true }, log);
    await accounts.open();
    const path = accountsPath(folder);
    const write = async (content: Partial<AccountsContent>) => {
      await changeAccounts(path, (before) => [{ ...before, ...content }, undefined]);
      await eventually(async () => {
        await accounts.refresh();
        return accounts.all.length === (content.users?.length ?? 0) + (content.tokens?.length ?? 0) || undefined;
      }, 'the change is known');
    };
    const anna = { name: 'anna', rights: ['admin' as const], password: cheapHashOf('one') };
    await write({ users: [anna] });
    await accounts.put({ kind: 'user', name: 'kids', password: 'correct horse', permissions: ['view'] });
    await accounts.put({ kind: 'user', name: 'kids', permissions: ['view', 'control'] });
    await accounts.put({ kind: 'user', name: 'kids', password: 'battery staple' });
    await accounts.put({ kind: 'token', name: 'script', permissions: ['view'] });
    await accounts.remove('token', 'script');
    await accounts.remove('user', 'kids');
    expect(lines).toEqual([
      'user anna added with the permissions admin',
      'user kids added with the permissions view',
      'user kids now has the permissions view, control',
      'user kids has a new password',
      'token script added with the permissions view',
      'token script removed',
      'user kids removed',
    ]);
  });

  it('accept a token until it is removed', async () => {
    const { token, hash } = newToken();
    const entry = { name: 'backup', rights: ['record' as const], hash, created: 0 };
    await writeAccounts(path(), { ...noAccounts(), tokens: [entry] });
    await accounts.refresh();
    expect(accounts.findByToken(token)).toMatchObject({ permissions: ['record'] });
    expect(accounts.findByToken(`${token}x`)).toBeUndefined();
    expect(accounts.findByToken(hash)).toBeUndefined();
    expect(await accounts.findByPassword('token backup', token, from)).toBeUndefined();
  });
});
