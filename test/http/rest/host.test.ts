/** Log, doctor and settings: who may read them, and who may add users. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountsPath, noAccounts, writeAccounts } from '../../../src/access/accounts-file.ts';
import { hashOf } from '../../../src/access/passwords.ts';
import { openDoor } from '../../fixtures/doorkeeper.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const paths = ['/api/log', '/api/doctor', '/api/configuration'];

/** A receiver on which anna may do all but administer, and bert everything. */
async function withUsers(): Promise<TestReceiver> {
  const folder = join(receiver.folder, 'accounts');
  const password = await hashOf('correct horse');
  const users = [
    { name: 'anna', rights: ['view' as const, 'control' as const, 'record' as const], password },
    { name: 'bert', rights: ['admin' as const], password },
  ];
  await writeAccounts(accountsPath(folder), { ...noAccounts(), users });
  return openReceiver({ doorkeeper: openDoor(folder) });
}

const as = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:correct horse`).toString('base64')}` });

describe('what only an administrator may see', () => {
  it('is refused to everybody else, and to pages of other sites', async () => {
    const guarded = await withUsers();
    const statusOf = async (url: string, headers: Readonly<Record<string, string>>) =>
      (await guarded.app.inject({ url, headers })).statusCode;
    for (const path of paths) {
      expect(await statusOf(path, {})).toBe(401);
      expect(await statusOf(path, as('anna'))).toBe(403);
      expect(
        await statusOf(path, { ...as('bert'), 'sec-fetch-site': 'cross-site', origin: 'http://other.example' }),
      ).toBe(403);
      expect(await statusOf(path, as('bert'))).toBe(200);
    }
    await guarded.close();
  });

  it('lets an administrator add users, and nobody else', async () => {
    const guarded = await withUsers();
    const add = async (headers: Readonly<Record<string, string>>) => {
      const payload = { user: 'carl', password: 'battery staple' };
      return (await guarded.app.inject({ method: 'PUT', url: '/login', headers, payload })).statusCode;
    };
    expect([await add({}), await add(as('anna')), await add(as('bert'))]).toEqual([401, 403, 200]);
    const payload = { user: 'carl', password: 'battery staple' };
    const { rights } = (await guarded.app.inject({ method: 'POST', url: '/login', payload })).json();
    expect(rights).toEqual(['view', 'control', 'record']);
    await guarded.close();
  });
});
