/** `/accounts`: which clients may change accounts, which changes are rejected, and the permissions of new accounts. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAccessControl } from '../../fixtures/access-control.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
let home: TestReceiver;
beforeEach(async () => {
  home = await openReceiver();
  receiver = await openReceiver({ accessControl: openAccessControl(join(home.folder, 'accounts')) });
});
afterEach(async () => {
  await receiver.close();
  await home.close();
});

type Headers = Readonly<Record<string, string>>;

const as = (user: string, password = 'correct horse'): Headers => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const ask = async (method: 'GET' | 'PUT' | 'DELETE', url: string, headers: Headers = {}, payload?: object) => {
  const answer = await receiver.app.inject({ method, url, headers, ...(payload && { payload }) });
  return { status: answer.statusCode, ...answer.json() };
};
const put = (path: string, payload: object, headers?: Headers) => ask('PUT', `/accounts/${path}`, headers, payload);
const password = 'correct horse';

describe('accounts', () => {
  it('begin with an administrator; from then on, changes require the permission `admin`', async () => {
    expect(await ask('GET', '/accounts')).toMatchObject({ status: 200, accounts: [] });
    expect(await put('user/anna', { password })).toMatchObject({ status: 200, rights: ['admin'], token: null });
    expect(await put('user/bert', { password }, as('anna'))).toMatchObject({ rights: ['view', 'control', 'record'] });
    const statuses = [await put('user/carl', { password }), await put('user/carl', { password }, as('bert'))];
    expect(statuses.map(({ status }) => status)).toEqual([401, 403]);
    expect((await ask('GET', '/accounts', as('bert'))).status).toBe(403);
    expect(await ask('GET', '/accounts', as('anna'))).toMatchObject({
      accounts: [
        { kind: 'user', name: 'anna', rights: ['admin'] },
        { kind: 'user', name: 'bert', rights: ['view', 'control', 'record'] },
      ],
    });
  });

  it('keep their password when their permissions change, and the other way round', async () => {
    await put('user/anna', { password });
    await put('user/bert', { password, rights: ['view'] }, as('anna'));
    expect(await put('user/bert', { rights: ['view', 'record'] }, as('anna'))).toMatchObject({ status: 200 });
    expect(await ask('GET', '/login', as('bert'))).toMatchObject({ rights: ['view', 'record'] });
    await put('user/bert', { password: 'battery staple' }, as('anna'));
    expect((await ask('GET', '/api/vol', as('bert'))).status).toBe(401);
    expect(await ask('GET', '/login', as('bert', 'battery staple'))).toMatchObject({ rights: ['view', 'record'] });
    for (const wrong of [{ rights: [] }, { rights: ['fly'] }, { password: 'short' }])
      expect(await put('user/bert', wrong, as('anna'))).toMatchObject({ error: 'parameter-invalid' });
    expect(await put('user/new', {}, as('anna'))).toMatchObject({ error: 'parameter-missing' });
  });

  it('can change their own password with any permissions', async () => {
    await put('user/anna', { password });
    await put('user/bert', { password, rights: ['view'] }, as('anna'));
    const change = (before: string, next: string, user = 'bert') =>
      ask('PUT', '/login', {}, { user, password: before, new_password: next });
    expect(await change('wrong', 'battery staple')).toMatchObject({ status: 401 });
    expect(await change(password, 'battery staple', 'nobody')).toMatchObject({ status: 401 });
    expect(await change(password, 'short')).toMatchObject({
      message: "The parameter 'new_password' must have 8 to 1024 characters",
    });
    expect(await ask('GET', '/login', as('bert'))).toMatchObject({ status: 200 });
    expect(await change(password, 'battery staple')).toMatchObject({ status: 200, user: 'bert', rights: ['view'] });
    expect((await ask('GET', '/api/vol', as('bert'))).status).toBe(401);
    expect(await ask('GET', '/login', as('bert', 'battery staple'))).toMatchObject({ rights: ['view'] });
  });

  it('stay removed when their password is changed at the same time', async () => {
    await put('user/anna', { password });
    await put('user/bert', { password, rights: ['admin'] }, as('anna'));
    const { accessControl } = receiver.parts;
    const { account } = await accessControl.logIn('bert', password, '127.0.0.1');
    await ask('DELETE', '/accounts/user/bert', as('anna'));
    const late = accessControl.accounts.put({ kind: 'user', name: 'bert', password, hashBefore: account.hash });
    await expect(late).rejects.toMatchObject({ code: 'login-needed' });
    expect(await ask('GET', '/accounts', as('anna'))).toMatchObject({ accounts: [{ name: 'anna' }] });
  });

  it('may be tokens, which are returned only once', async () => {
    await put('user/anna', { password });
    const made = await put('token/backup', { rights: ['view'] }, as('anna'));
    const bearer = { authorization: `Bearer ${made.token}` };
    expect(await ask('GET', '/login', bearer)).toMatchObject({ user: 'token backup', rights: ['view'] });
    expect(await put('token/backup', {}, as('anna'))).toMatchObject({ error: 'parameter-invalid' });
    expect(await ask('DELETE', '/accounts/token/backup', as('anna'))).toMatchObject({ status: 200 });
    expect((await ask('GET', '/api/vol', bearer)).status).toBe(401);
    expect((await ask('DELETE', '/accounts/token/backup', as('anna'))).status).toBe(404);
  });

  it('are listed with the apps that have used them', async () => {
    await put('user/anna', { password });
    const { token } = await put('token/backup', {}, as('anna'));
    const headers = { authorization: `Bearer ${token}`, 'user-agent': 'Kodi/20.5' };
    await ask('GET', '/api/vol', headers);
    await ask('GET', '/api/vol', headers);
    const { visits } = await ask('GET', '/accounts', as('anna'));
    expect(visits.map(({ account, agent }: Record<string, string>) => [account, agent])).toEqual([
      ['anna', 'lightMyRequest'],
      ['token backup', 'Kodi/20.5'],
    ]);
    for (let n = 0; n < 100; n++) await ask('GET', '/api/vol', { ...headers, 'user-agent': `App/${n}` });
    expect((await ask('GET', '/accounts', as('anna'))).visits).toHaveLength(64);
  });

  it('keep their last administrator, until the last account is removed', async () => {
    await put('user/anna', { password });
    await put('user/bert', { password }, as('anna'));
    expect(await put('user/anna', { rights: ['view'] }, as('anna'))).toMatchObject({ error: 'parameter-invalid' });
    expect(await ask('DELETE', '/accounts/user/anna', as('anna'))).toMatchObject({ error: 'parameter-invalid' });
    await ask('DELETE', '/accounts/user/bert', as('anna'));
    expect(await ask('DELETE', '/accounts/user/anna', as('anna'))).toMatchObject({ status: 200 });
    expect(await ask('GET', '/login')).toMatchObject({ accounts: false, rights: ['view', 'control', 'record'] });
  });
});
