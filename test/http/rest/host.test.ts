/** Log, doctor and settings: the permission that they require, and changes of settings in the Enigma2 folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountsPath, noAccounts, writeAccounts } from '../../../src/access/accounts-file.ts';
import { openAccessControl } from '../../fixtures/access-control.ts';
import { cheapHashOf } from '../../fixtures/cheap-hash.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const paths = ['/api/log', '/api/doctor', '/api/configuration', '/accounts'];

/** A receiver with two users: anna has all permissions but `admin`, bert has all. */
async function withUsers(): Promise<TestReceiver> {
  const folder = join(receiver.folder, 'accounts');
  const password = cheapHashOf('correct horse');
  const users = [
    { name: 'anna', rights: ['view' as const, 'control' as const, 'record' as const], password },
    { name: 'bert', rights: ['admin' as const], password },
  ];
  await writeAccounts(accountsPath(folder), { ...noAccounts(), users });
  return openReceiver({ accessControl: openAccessControl(folder) });
}

const as = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:correct horse`).toString('base64')}` });

describe('the settings of the Enigma2 folder', () => {
  const margin = 'config.recording.margin_before';
  const listed = async (wanted: string) => {
    const { settings } = (await receiver.app.inject('/api/configuration')).json();
    return settings.find(({ name }: { name: string }) => name === wanted);
  };
  const change = async (changes: unknown) => {
    const payload = { changes: JSON.stringify(changes) };
    return (await receiver.app.inject({ method: 'POST', url: '/api/configuration', payload })).json();
  };
  const file = () => readFileSync(join(receiver.folder, 'settings'), 'utf8');

  it('are listed and changed with those of the configuration, each in its own file', async () => {
    const before = await listed(margin);
    expect(before).toMatchObject({ kind: 'integer', minimum: 0, maximum: 120, default: '3', restart: false });
    const trash = 'config.usage.movielist_trashcan';
    const done = await change({ [margin]: 15, [trash]: false, 'guide.history': 7200 });
    expect(done).toMatchObject({ result: true });
    expect(file()).toContain(`${margin}=15\n`);
    expect(file()).toContain(`${trash}=False\n`);
    expect(await listed(margin)).toMatchObject({ value: '15', source: 'file' });
    expect(await listed(trash)).toMatchObject({ value: 'false' });
    expect(await listed('guide.history')).toMatchObject({ value: '7200' });
    await change({ [margin]: null });
    expect(file()).not.toContain(margin);
    expect(await listed(margin)).toMatchObject({ value: '3', source: 'default' });
  });

  it('are rejected with a reason if one is invalid; then nothing is changed', async () => {
    const before = file();
    const name = 'config.recording.filename_composition';
    for (const wrong of [{ [margin]: 121 }, { [margin]: 'long' }, { [name]: 'odd' }, { [margin]: [1] }])
      expect(await change({ 'guide.history': 1, ...wrong })).toMatchObject({ error: 'setting-invalid' });
    expect(await change({ [margin]: 1, 'guide.history': 'long' })).toMatchObject({ error: 'setting-invalid' });
    expect(await change({ 'config.usage.default_path': '/' })).toMatchObject({ error: 'setting-unknown' });
    expect(file()).toBe(before);
  });
});

describe('what only an administrator may read', () => {
  it('is denied to other users, and to pages of other sites', async () => {
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
});
