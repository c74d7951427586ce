/** Credentials of requests, intact and damaged: damaged ones admit nobody. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { sessionCookies } from '../../src/access/access-control.ts';
import { accountsPath, newToken, noAccounts, writeAccounts } from '../../src/access/accounts-file.ts';
import { ReceiverError } from '../../src/base/errors.ts';
import { openAccessControl } from '../fixtures/access-control.ts';
import { cheapHashOf } from '../fixtures/cheap-hash.ts';
import { damaged, damagedRuns } from '../fixtures/damage.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** Access control with a user and a token. Passwords are not hashed; `asked` collects those that would be. */
async function openScripted() {
  const folder = temporaryFolder();
  const { token, hash } = newToken();
  const rights = ['admin' as const];
  const password = cheapHashOf('secret');
  await writeAccounts(accountsPath(folder), {
    ...noAccounts(),
    users: [{ name: 'anna', rights, password }],
    tokens: [{ name: 'script', rights, hash, created: 0 }],
  });
  const accessControl = openAccessControl(folder);
  await accessControl.accounts.refresh();
  const asked: [name: string, password: string][] = [];
  vi.spyOn(accessControl.accounts, 'findByPassword').mockImplementation(async (name, password) => {
    asked.push([name, password]);
    return undefined;
  });
  let sender = 0;
  /** Sends each request from another address, because one address has only ten attempts. */
  const admit = async (headers: IncomingMessage['headers'], ticket?: string) => {
    const remoteAddress = `10.${(++sender >> 16) & 0xff}.${(sender >> 8) & 0xff}.${sender & 0xff}`;
    const request = { headers, socket: { remoteAddress } } as IncomingMessage;
    return accessControl.admit(request, new ServerResponse(request), { ticket });
  };
  return { accessControl, token, password, asked, admit };
}

it('a user and password arrive as they were sent, in UTF-8 and in Latin-1', async () => {
  const { asked, admit } = await openScripted();
  const anything = fc.string({ unit: 'grapheme-composite' });
  const name = anything.filter((text) => text !== '' && !text.includes(':'));
  const arrives = async (pair: readonly [string, string], encoding: 'utf8' | 'latin1') => {
    const authorization = `Basic ${Buffer.from(pair.join(':'), encoding).toString('base64')}`;
    await expect(admit({ authorization })).rejects.toMatchObject({ code: 'login-needed' });
    expect(asked.pop()).toEqual(pair);
  };
  await fc.assert(
    fc.asyncProperty(name, fc.oneof(anything, fc.constant('a\ufffd')), (...pair) => arrives(pair, 'utf8')),
    damagedRuns,
  );
  await fc.assert(
    // Not valid UTF-8: a byte of an accented letter in Latin-1 stands alone.
    fc.asyncProperty(fc.stringMatching(/^[a-z]{1,9}$/), (text) => arrives([text, `${text}ü`], 'latin1')),
    damagedRuns,
  );
});

it('damaged credentials admit nobody', async () => {
  const { accessControl, token, password, asked, admit } = await openScripted();
  const account = { name: 'anna', permissions: ['admin' as const], hash: password };
  const session = accessControl.accounts.sessionFor(account, 3600);
  const ticket = accessControl.accounts.ticketFor(account, 1);
  const fields = {
    authorization: damaged(`Basic ${Buffer.from('anna:secret').toString('base64')}`, `Bearer ${token}`),
    cookie: damaged(`a=b; ${sessionCookies.http}=${session}; c=d`),
    ticket: damaged(ticket),
  };
  expect(await admit({ authorization: `Bearer ${token}` })).toMatchObject({ account: { name: 'token script' } });
  expect(await admit({ cookie: `a=b; ${sessionCookies.http}=${session}` })).toMatchObject({
    account: { name: 'anna' },
  });
  expect(await admit({}, ticket)).toMatchObject({ permissions: ['view'] });
  await fc.assert(
    fc.asyncProperty(fc.record(fields, { requiredKeys: [] }), async (sent) => {
      const [authorization, cookie, pass] = [sent.authorization, sent.cookie, sent.ticket].map((bytes) =>
        bytes?.toString('latin1'),
      );
      const headers = { ...(authorization && { authorization }), ...(cookie && { cookie }) };
      asked.length = 0;
      const client = await admit(headers, pass).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ReceiverError);
        expect((error as ReceiverError).code).toBe('login-needed');
      });
      for (const [name] of asked) expect(name).toMatch(/^[^:]+$/);
      // Only credentials that are intact in spite of the damage are accepted.
      if (client) expect([authorization, cookie, pass].join()).toSatisfy((all: string) => isWhole(all));
    }),
    damagedRuns,
  );

  function isWhole(all: string): boolean {
    return [token, session, ticket].some((secret) => all.includes(secret));
  }
});
