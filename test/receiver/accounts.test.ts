/** Accounts of the whole program: made by commands while it runs, and asked for at both ports. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/waits.ts';
import {
  askEveryone,
  launchCommand,
  onTerminal,
  type Program,
  removeFolder,
  runProgram,
  startProgram,
  temporaryFolder,
} from './program.ts';

describe('accounts', () => {
  const folder = temporaryFolder();
  let program: Program;
  const basic = (name: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  });
  const owner = basic('anna', 'correct horse');

  beforeAll(async () => {
    askEveryone(folder);
    program = await startProgram(folder, '--tuner', 'demo:speed=8');
    await eventually(async () => {
      const { bouquets } = await program.json<{ bouquets: readonly unknown[] }>('/api/bouquets');
      return bouquets[0];
    }, 'a bouquet');
  });
  afterAll(async () => {
    await program.stop();
    removeFolder(folder);
  });

  const added = async (name: string, password: string, ...flags: readonly string[]) => {
    const { child, ended } = launchCommand('user', 'add', name, '--data-dir', folder, ...flags);
    child.stdin?.end(`${password}\n`);
    return ended;
  };
  const status = async (path: string, headers = {}) => (await program.get(path, headers)).status;
  const until = (path: string, headers: object, wanted: number) =>
    eventually(async () => ((await status(path, headers)) === wanted ? true : undefined), `${path} gives ${wanted}`);
  /** Status and first bytes of a live stream. */
  const streamed = async (url: string, headers = {}) => {
    const left = new AbortController();
    const response = await fetch(url, { headers, signal: left.signal });
    const first = await response.body?.getReader().read();
    left.abort();
    return { status: response.status, sync: first?.value?.[0] };
  };
  const playlist = async (headers: object) => {
    const text = await (await program.get('/web/services.m3u', { ...headers })).text();
    return /^http:.*$/m.exec(text)?.[0] ?? '';
  };

  it('are not asked for until there is one', async () => {
    expect(await status('/api/about')).toBe(200);
    expect(await streamed(await playlist({}))).toEqual({ status: 200, sync: 0x47 });
    expect(await playlist({})).not.toContain('ticket');
  });

  it('are refused with a short password or a bad name', async () => {
    expect(await added('anna', 'short')).toMatchObject({ code: 1, stderr: expect.stringContaining('8 to 1024') });
    expect(await added('an na', 'long enough')).toMatchObject({ code: 1, stderr: expect.stringContaining('name') });
    expect(await added('anna', 'long enough', '--rights', 'all')).toMatchObject({ code: 1 });
    expect(await status('/api/about')).toBe(200);
  });

  it('count as soon as the first is added, at both ports', async () => {
    const url = await playlist({});
    const { code, stdout } = await added('anna', 'correct horse');
    expect(code).toBe(0);
    expect(stdout).toContain('user anna: added; may admin');
    expect(stdout).toContain('administration needs a login');
    await until('/api/about', {}, 401);
    expect(await status('/api/about', owner)).toBe(200);
    expect((await streamed(url)).status).toBe(401);
    expect((await fetch(url)).headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(await streamed(url, owner)).toEqual({ status: 200, sync: 0x47 });
  });

  it('are in playlists as tickets, which end with the password', async () => {
    expect(await added('kids', 'long enough', '--rights', 'view')).toMatchObject({ code: 0 });
    const kids = basic('kids', 'long enough');
    await until('/api/about', kids, 200);
    const url = await playlist(kids);
    expect(url).toContain('?ticket=');
    expect(await streamed(url)).toEqual({ status: 200, sync: 0x47 });
    expect(await status('/api/vol?set=up', kids)).toBe(403);
    expect(await added('kids', 'another password')).toMatchObject({
      stdout: expect.stringContaining('user kids: changed; may view'),
    });
    await until('/api/about', kids, 401);
    expect((await streamed(url)).status).toBe(401);
  });

  it('let the commands of the owner in', async () => {
    const { code, stdout } = await runProgram('epg', 'search', 'a', '--limit', '1', '--data-dir', folder);
    expect(code).toBe(0);
    expect(stdout).not.toBe('');
  });

  it('of scripts are tokens with their own rights', async () => {
    const made = await runProgram('token', 'add', 'backup', '--rights', 'record', '--data-dir', folder);
    const [, token = ''] = /^(rcv_\S+)$/m.exec(made.stdout) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    await until('/api/timerlist', headers, 200);
    expect(await status('/api/timercleanup', headers)).toBe(200);
    expect(await status('/api/vol?set=up', headers)).toBe(403);
    expect(await runProgram('token', 'add', 'backup', '--data-dir', folder)).toMatchObject({ code: 1 });
    expect((await runProgram('token', 'list', '--data-dir', folder)).stdout).toBe('backup: record\n');
    expect(await runProgram('token', 'remove', 'backup', '--data-dir', folder)).toMatchObject({ code: 0 });
    await until('/api/timerlist', headers, 401);
  });

  describe('close what they have open when they lose access:', () => {
    const kids = basic('kids', 'another password');
    /** Reads until the response is aborted. A recording is read slowly, so that it does not end before. */
    const opened = async (url: string, headers = {}) => {
      const response = await fetch(url, { headers });
      const reader = response.body?.getReader();
      if (!reader) throw new Error('no body');
      const first = await reader.read();
      let isOpen = true;
      const read = async () => {
        for (;;) {
          const { done } = await reader.read();
          if (done) return;
          if (url.includes('/file')) await pause(5);
        }
      };
      const end = read()
        .catch(() => undefined)
        .finally(() => {
          isOpen = false;
        });
      return {
        status: response.status,
        hasBegun: !first.done,
        end,
        leave: () => reader.cancel(),
        get isOpen() {
          return isOpen;
        },
      };
    };
    /** A live stream, the event stream and a recording that is being loaded. */
    const openAll = async (headers: object) => {
      const [live = ''] = (await playlist(headers)).split('?');
      const others = ['/api/events', '/file?file=/media/hdd/movie/Long.ts'].map((path) => program.http + path);
      return Promise.all([live, ...others].map((url) => opened(url, headers)));
    };
    let watched: Awaited<ReturnType<typeof openAll>>;

    beforeAll(async () => {
      const path = join(folder, 'movie', 'Long.ts');
      writeFileSync(path, '');
      truncateSync(path, 2 ** 33);
      watched = await openAll(owner);
      expect(watched).toMatchObject(Array(3).fill({ status: 200, hasBegun: true }));
    });
    afterAll(async () => {
      expect(watched).toMatchObject(Array(3).fill({ isOpen: true }));
      await Promise.all(watched.map(({ leave }) => leave()));
    });

    it('a token that is removed', async () => {
      const made = await runProgram('token', 'add', 'player', '--rights', 'view', '--data-dir', folder);
      const headers = { authorization: `Bearer ${/^(rcv_\S+)$/m.exec(made.stdout)?.[1]}` };
      await until('/api/timerlist', headers, 200);
      const all = await openAll(headers);
      expect(all).toMatchObject(Array(3).fill({ status: 200, hasBegun: true, isOpen: true }));
      await runProgram('token', 'remove', 'player', '--data-dir', folder);
      await Promise.all(all.map(({ end }) => end));
    });

    it('a user with a new password, and the tickets from before', async () => {
      await until('/api/about', kids, 200);
      const all = [...(await openAll(kids)), await opened(await playlist(kids))];
      expect(all).toMatchObject(Array(4).fill({ status: 200, hasBegun: true, isOpen: true }));
      expect(await added('kids', 'yet another password')).toMatchObject({ code: 0 });
      await Promise.all(all.map(({ end }) => end));
    });

    it('a user who is removed', async () => {
      const headers = basic('kids', 'yet another password');
      await until('/api/about', headers, 200);
      const all = [...(await openAll(headers)), await opened(await playlist(headers))];
      expect(all).toMatchObject(Array(4).fill({ status: 200, hasBegun: true, isOpen: true }));
      await runProgram('user', 'remove', 'kids', '--data-dir', folder);
      await Promise.all(all.map(({ end }) => end));
      expect(await added('kids', 'another password', '--rights', 'view')).toMatchObject({ code: 0 });
    });
  });

  it('ask for a password twice on a terminal, and do not show it', async () => {
    const terminal = onTerminal(['user', 'add', 'zoe', '--data-dir', folder]);
    const shows = (text: string) => eventually(async () => terminal.output().includes(text) || undefined, text);
    await shows('Password for zoe: ');
    terminal.type('secret words\r');
    await shows('Once more: ');
    terminal.type('secret words\r');
    await terminal.ended;
    expect(terminal.output()).toContain('user zoe: added');
    expect(terminal.output()).not.toContain('secret words');
    expect((await runProgram('user', 'list', '--data-dir', folder)).stdout).toBe(
      'anna: admin\nkids: view\nzoe: view, control, record\n',
    );
  });

  it('leave nobody who may do anything once the last is removed', async () => {
    expect((await runProgram('user', 'remove', 'anna', '--data-dir', folder)).stdout).toContain(
      'nobody may administer',
    );
    expect((await runProgram('user', 'remove', 'kids', '--data-dir', folder)).stdout).toContain(
      'nobody may administer',
    );
    const { stdout } = await runProgram('user', 'remove', 'zoe', '--data-dir', folder);
    expect(stdout).toContain('that was the last account');
    expect(await runProgram('user', 'list', '--data-dir', folder)).toMatchObject({
      ...{ code: 0, stdout: '', stderr: `there are no users in ${join(folder, 'accounts.json')}\n` },
    });
    // This machine needed none before the first.
    await until('/api/about', {}, 401);
    expect(await runProgram('user', 'remove', 'zoe', '--data-dir', join(folder))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('user zoe not found'),
    });
  });
});

it('strangers get nothing from either port while there are no accounts', async () => {
  const folder = temporaryFolder();
  const configuration = join(folder, 'receiverd.yaml');
  writeFileSync(configuration, 'access:\n  allow: [192.0.2.0/24]\n');
  const program = await startProgram(folder, '--tuner', 'demo', '--config', configuration);
  for (const url of [
    `${program.http}/`,
    `${program.http}/api/about`,
    `${program.stream}/1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:`,
  ]) {
    const response = await fetch(url);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('127.0.0.1 is not on the local network');
  }
  await program.stop();
  removeFolder(folder);
});
