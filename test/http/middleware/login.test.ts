/** Access control of the web port: by address, password, token, session, ticket and setup code. */
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { removeAccount } from '../../../src/access/account-changes.ts';
import { accountsPath, newToken, noAccounts, writeAccounts } from '../../../src/access/accounts-file.ts';
import { hashOf } from '../../../src/access/passwords.ts';
import { SetupCode } from '../../../src/access/setup-code.ts';
import { openAccessControl } from '../../fixtures/access-control.ts';
import { cheapHashOf } from '../../fixtures/cheap-hash.ts';
import { until } from '../../fixtures/waits.ts';
import { alpha, openReceiver, type TestReceiver } from '../receiver.ts';

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  readonly from?: string;
  readonly payload?: object;
}

const ask = ({ app }: TestReceiver, url: string, { headers = {}, method = 'GET', from, payload }: Asked = {}) =>
  app.inject({
    url,
    method,
    headers: { host: 'box:8080', ...headers },
    ...(from !== undefined && { remoteAddress: from }),
    ...(payload && { payload }),
  });

async function openWithAccounts(
  folder: string,
  rules: Parameters<typeof openAccessControl>[1] = {},
): Promise<TestReceiver> {
  return openReceiver({ accessControl: openAccessControl(folder, rules) });
}

describe('without accounts', () => {
  let receiver: TestReceiver;
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  afterAll(() => receiver.close());

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '192.168.1.20', 'fe80::1'])('%s is answered', async (from) => {
    expect((await ask(receiver, '/api/vol?set=set55', { from })).statusCode).toBe(200);
  });

  it.each(['/', '/ui/page.js', '/api/vol', '/web/zap', '/timers', '/nothing', '/picon/x.png'])(
    'refuses clients outside the local network at %s',
    async (url) => {
      for (const from of ['203.0.113.9', '2001:db8::9']) {
        const { statusCode, body, headers } = await ask(receiver, url, { from });
        expect(statusCode).toBe(403);
        expect(body).toContain('receiverd user add');
        expect(headers['access-control-allow-origin']).toBe('*');
      }
    },
  );

  it.each(['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'x-real-ip'])(
    'refuses an untrusted proxy (%s)',
    async (field) => {
      const { statusCode, body } = await ask(receiver, '/api/vol', { headers: { [field]: '192.168.1.20' } });
      expect(statusCode).toBe(403);
      expect(body).toContain('access.trustedProxies');
    },
  );

  it('lists the permissions without a login', async () => {
    const { statusCode, body } = await ask(receiver, '/login');
    const rights = ['view', 'control', 'record'];
    expect([statusCode, JSON.parse(body)]).toEqual([
      200,
      { result: true, accounts: false, administrator: false, user: null, rights },
    ]);
  });

  it('ignores credentials that an app has saved for another receiver', async () => {
    for (const authorization of [`Basic ${Buffer.from('root:dreambox').toString('base64')}`, 'Bearer old'])
      expect((await ask(receiver, '/api/vol', { headers: { authorization } })).statusCode).toBe(200);
  });
});

describe('the first administrator', () => {
  const administration = '/web/servicelistreload?mode=0';
  const localhost = { host: 'localhost:8080' };
  const code = 'K7QM-3XPA';
  const open = async () => {
    const { folder } = await openReceiver();
    return openWithAccounts(folder, { setupCode: code });
  };
  const set = (receiver: TestReceiver, payload: object, more: Asked = {}) =>
    ask(receiver, '/administrator', { method: 'POST', payload, ...more });

  it('may be any client on the machine itself, without a login', async () => {
    const receiver = await open();
    for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080', '127.0.0.2'])
      expect([host, (await ask(receiver, administration, { headers: { host } })).statusCode]).toEqual([host, 200]);
    const page = { ...localhost, origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' };
    expect((await ask(receiver, administration, { headers: page })).statusCode).toBe(200);
    await receiver.close();
  });

  it.each<[string, Asked]>([
    ['another address', { headers: localhost, from: '192.168.1.20' }],
    ['another host name', { headers: { host: 'box:8080' } }],
    ['a name that a page may have pointed here', { headers: { host: '127.0.0.1.evil.example' } }],
    ['a proxy', { headers: { ...localhost, 'x-forwarded-for': '127.0.0.1' } }],
    ['a proxy that names no client', { headers: { ...localhost, 'x-forwarded-host': 'localhost' } }],
    ['a proxy of a provider', { headers: { ...localhost, 'cf-connecting-ip': '203.0.113.9' } }],
    ['a proxy that names only itself', { headers: { ...localhost, via: '1.1 proxy' } }],
    ['a page of another site', { headers: { ...localhost, origin: 'http://evil.example' } }],
    ['a page of another port', { headers: { ...localhost, referer: 'http://localhost:3000/' } }],
    ['a sandboxed page', { headers: { ...localhost, origin: 'null' } }],
    ['a link of another site', { headers: { ...localhost, 'sec-fetch-site': 'cross-site' } }],
  ])('cannot be %s', async (_, asked) => {
    const receiver = await open();
    const { statusCode } = await ask(receiver, administration, asked);
    expect([401, 403]).toContain(statusCode);
    await receiver.close();
  });

  it('cannot be a proxy that speaks HTTP/1.0, as nginx does by default', async () => {
    const receiver = await open();
    await receiver.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = receiver.app.server.address() as AddressInfo;
    const statusBy = async (version: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${administration} HTTP/${version}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
      return (await text(socket)).split(' ')[1];
    };
    expect([await statusBy('1.0'), await statusBy('1.1')]).toEqual(['401', '200']);
    await receiver.close();
  });

  it('may reboot and restart; other clients on the local network may only switch to standby', async () => {
    const receiver = await open();
    const from = '192.168.1.20';
    const { power } = receiver.parts.device;
    for (const newstate of ['2', '3', '3.0', '03', '2%20'])
      for (const family of ['api', 'web']) {
        const { statusCode, body } = await ask(receiver, `/${family}/powerstate?newstate=${newstate}`, { from });
        expect([newstate, statusCode]).toEqual([newstate, body.includes('admin') ? 401 : 200]);
      }
    expect((await ask(receiver, '/api/powerstate?newstate=3', { from })).statusCode).toBe(401);
    expect((await ask(receiver, '/api/powerstate?newstate=5', { from })).json()).toMatchObject({ instandby: true });
    expect(power.standby).toBe(true);
    expect((await ask(receiver, '/api/powerstate?newstate=3', { headers: localhost })).statusCode).toBe(200);
    await receiver.close();
  });

  it('sets a password with the setup code, once, and is logged in then', async () => {
    const receiver = await open();
    const from = '192.168.1.20';
    const password = 'correct horse';
    const entered = await set(receiver, { code: 'k7qm 3xpa', password }, { from });
    expect(JSON.parse(entered.body)).toMatchObject({ administrator: true, user: 'admin', rights: ['admin'] });
    const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? '';
    expect((await ask(receiver, administration, { headers: { cookie }, from })).statusCode).toBe(200);
    const again = await set(receiver, { code, password: 'another one' }, { from });
    expect([again.statusCode, again.body]).toEqual([401, expect.stringContaining('already an administrator')]);
    // The exception for the machine itself has ended. Nothing has changed for the local network.
    expect((await ask(receiver, administration, { headers: localhost })).statusCode).toBe(401);
    expect((await ask(receiver, '/api/vol?set=set55', { from })).statusCode).toBe(200);
    await receiver.close();
  });

  it('cannot take the name of an existing user', async () => {
    const { folder } = await openReceiver();
    const kids = { name: 'kids', rights: ['view' as const], password: cheapHashOf('password') };
    await writeAccounts(accountsPath(folder), { ...noAccounts(), users: [kids] });
    const receiver = await openWithAccounts(folder, { setupCode: code });
    const taken = await set(receiver, { code, user: 'kids', password: 'correct horse' });
    expect([taken.statusCode, taken.body]).toEqual([400, expect.stringContaining('there is already a user kids')]);
    expect((await set(receiver, { code, user: 'anna', password: 'correct horse' })).statusCode).toBe(200);
    await receiver.close();
  });

  it('cannot be added by a request whose body arrives after another administrator was added', async () => {
    const receiver = await open();
    await receiver.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = receiver.app.server.address() as AddressInfo;
    const admitted = vi.spyOn(receiver.parts.accessControl, 'admit');
    const socket = connect(port, '127.0.0.1');
    const body = 'password=evil+horse&rights=admin';
    socket.write(
      `PUT /accounts/user/evil HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\npas`,
    );
    await until(() => expect(admitted).toHaveReturned());
    expect(await admitted.mock.results[0]?.value).toMatchObject({ permissions: ['admin'] });
    expect((await set(receiver, { code, password: 'correct horse' })).statusCode).toBe(200);
    socket.write(body.slice(3));
    expect((await text(socket)).split(' ')[1]).toBe('401');
    expect(receiver.parts.accessControl.accounts.all.map(({ name }) => name)).toEqual(['admin']);
    await receiver.close();
  });

  it('cannot use the setup code again; a new code is printed when there is no administrator any longer', async () => {
    const { folder } = await openReceiver();
    const printed: string[] = [];
    const receiver = await openWithAccounts(folder, { setupCode: new SetupCode(code, (next) => printed.push(next)) });
    expect((await set(receiver, { code, password: 'correct horse' })).statusCode).toBe(200);
    await receiver.parts.accessControl.accounts.remove('user', 'admin');
    expect((await set(receiver, { code, password: 'correct horse' })).statusCode).toBe(401);
    expect(printed).toHaveLength(1);
    expect((await ask(receiver, administration, { headers: localhost })).statusCode).toBe(401);
    expect((await set(receiver, { code: printed[0], password: 'correct horse' })).statusCode).toBe(200);
    await receiver.close();
  });

  it('is remembered after its removal, also after a restart', async () => {
    const { folder } = await openReceiver();
    const anna = { name: 'anna', rights: ['admin' as const], password: cheapHashOf('password') };
    await writeAccounts(accountsPath(folder), { ...noAccounts(), users: [anna] });
    await removeAccount(accountsPath(folder), 'user', 'anna');
    const receiver = await openWithAccounts(folder, { setupCode: code });
    expect((await ask(receiver, administration, { headers: localhost })).statusCode).toBe(401);
    expect((await ask(receiver, '/api/about', { headers: localhost })).statusCode).toBe(200);
    expect((await set(receiver, { code, password: 'correct horse' })).statusCode).toBe(200);
    await receiver.close();
  });

  it('loses a running upload when the account is removed', async () => {
    const receiver = await open();
    const { headers } = await set(receiver, { code, password: 'correct horse' });
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    await receiver.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = receiver.app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    const ended = text(socket).catch(() => '');
    socket.write(
      `POST /api/epgimport HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nContent-Length: 1000\r\n\r\n<tv>`,
    );
    const { accounts } = receiver.parts.accessControl;
    await until(() => expect(accounts.visits.all.some(({ address }) => address === '127.0.0.1')).toBe(true));
    await accounts.put({ kind: 'user', name: 'other', password: 'correct horse', permissions: ['admin'] });
    await accounts.remove('user', 'admin');
    // There is no response: the connection is closed.
    expect(await ended).toBe('');
    await receiver.close();
  });

  it('may try ten wrong codes', async () => {
    const receiver = await open();
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++)
      statuses.push((await set(receiver, { code: 'AAAA-AAAA', password: 'correct horse' })).statusCode);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await set(receiver, { code, password: 'correct horse' })).statusCode).toBe(429);
    expect(receiver.parts.accessControl.accounts.hasAdmin).toBe(false);
    await receiver.close();
  });

  it.each<[string, object, Asked, number]>([
    ['without a code', { password: 'correct horse' }, {}, 400],
    ['with a short password', { code, password: 'short' }, {}, 400],
    ['from outside', { code, password: 'correct horse' }, { from: '203.0.113.9' }, 403],
    [
      'by a page of another site',
      { code, password: 'correct horse' },
      { headers: { origin: 'http://evil.example' } },
      403,
    ],
  ])('is not added %s', async (_, payload, asked, status) => {
    const receiver = await open();
    expect((await set(receiver, payload, asked)).statusCode).toBe(status);
    expect(receiver.parts.accessControl.accounts.hasAdmin).toBe(false);
    await receiver.close();
  });

  it('cannot be added without a setup code', async () => {
    const receiver = await openReceiver();
    for (const text of ['undefined', ''])
      expect((await set(receiver, { code: text, password: 'correct horse' })).statusCode).not.toBe(200);
    await receiver.close();
  });
});

describe('behind a trusted proxy', () => {
  let receiver: TestReceiver;
  beforeAll(async () => {
    const { folder } = await openReceiver();
    receiver = await openWithAccounts(folder, { trustedProxies: ['127.0.0.1', '10.9.0.0/16'] });
  });
  afterAll(() => receiver.close());

  it('the client is the one that the proxy names', async () => {
    const by = (...clients: string[]) =>
      ask(receiver, '/api/vol', { headers: { 'x-forwarded-for': clients.join(', ') } });
    expect((await by('192.168.1.20')).statusCode).toBe(200);
    expect((await by('192.168.1.20', '10.9.1.1')).statusCode).toBe(200);
    expect((await by('203.0.113.9')).statusCode).toBe(403);
    // Addresses that the client itself has sent in that field are ignored.
    expect((await by('192.168.1.20', '203.0.113.9')).statusCode).toBe(403);
    expect((await by('unknown')).statusCode).toBe(403);
  });

  it.each([
    ['forwarded', 'for=203.0.113.9'],
    ['x-real-ip', '203.0.113.9'],
    ['x-forwarded-for', ''],
    ['x-forwarded-for', ' , '],
  ])('a request without the client in X-Forwarded-For is refused (%s: %s)', async (field, value) => {
    const { statusCode, body } = await ask(receiver, '/api/vol', { headers: { [field]: value } });
    expect(statusCode).toBe(403);
    expect(body).toContain('X-Forwarded-For');
  });

  it.each([
    ['/tv', '/tv'],
    ['/home/tv/', '/home/tv'],
    ['/', ''],
    ['tv', ''],
    ['//evil.example', ''],
    ['/tv, /other', ''],
    ['/t"v', ''],
    ['/..', ''],
    ['/a/./b', ''],
    ['/.tv', '/.tv'],
    [`/${'a'.repeat(101)}`, ''],
  ])('URLs begin with the path that the proxy names (%s)', async (named, prefix) => {
    const headers = { 'x-forwarded-for': '192.168.1.20', 'x-forwarded-host': 'tv.lan', 'x-forwarded-prefix': named };
    const { body } = await ask(receiver, '/web/epgsearchrss?search=x', { headers });
    expect(body).toContain(`<link>http://tv.lan${prefix}/</link>`);
    const rule = { payload: { name: 'News', match: 'title:News' }, method: 'POST' } as const;
    const { headers: added } = await ask(receiver, '/autotimers', { ...rule, headers });
    expect(added.location).toMatch(new RegExp(`^${prefix.replaceAll('.', '\\.')}/autotimers/\\d+$`));
  });

  it('a path from other clients is ignored', async () => {
    const headers = { 'x-forwarded-prefix': '/tv', host: 'tv.lan' };
    const { body } = await ask(receiver, '/web/epgsearchrss?search=x', { headers, from: '192.168.1.20' });
    expect(body).toContain('<link>http://tv.lan/</link>');
  });

  it('URLs have the address under which the client reaches the receiver', async () => {
    const forwarded = { 'x-forwarded-for': '192.168.1.20', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'tv.lan' };
    expect((await ask(receiver, '/timeshift', { headers: forwarded })).statusCode).toBe(200);
    const { body } = await ask(receiver, `/web/epgsearchrss?search=x`, { headers: forwarded });
    expect(body).toContain('https://tv.lan/');
  });
});

describe('with accounts, where everyone has to log in', () => {
  let receiver: TestReceiver;
  /** The folder of the accounts. */
  let folder: string;
  const { token, hash } = newToken();
  const basic = (name: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  });
  const owner = basic('owner', 'Pässword 1');
  const viewer = basic('viewer', 'Password 2');
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', 'accept-language': 'de' };

  beforeAll(async () => {
    ({ folder } = await openReceiver());
    await writeAccounts(accountsPath(folder), {
      ...noAccounts(),
      users: [
        { name: 'owner', rights: ['admin'], password: cheapHashOf('Pässword 1') },
        // A slow hash: many requests arrive while the first password is being checked.
        { name: 'viewer', rights: ['view'], password: await hashOf('Password 2') },
      ],
      tokens: [{ name: 'timers', rights: ['record'], hash, created: 0 }],
    });
    receiver = await openWithAccounts(folder, { localNetwork: [] });
  });
  afterAll(() => receiver.close());

  it.each(['/api/vol', '/web/about', '/timers', '/nothing', '/picon/x.png', '/api/', '/api/events', '/file?file=/x'])(
    '%s needs a login',
    async (url) => {
      for (const headers of [{}, basic('', ''), basic('owner', 'wrong password'), { authorization: 'nonsense' }]) {
        const reply = await ask(receiver, url, { headers });
        expect(reply.statusCode).toBe(401);
        expect(reply.headers['www-authenticate']).toBe('Basic realm="receiverd", charset="UTF-8"');
      }
    },
  );

  it.each(['/', '/ui/page.js', '/ui/style.css', '/health/live'])(
    '%s, which contains nothing private, needs no login',
    async (url) => {
      expect((await ask(receiver, url, { from: '203.0.113.9' })).statusCode).toBe(200);
    },
  );

  it('a preflight is answered without credentials', async () => {
    const { statusCode, headers } = await ask(receiver, '/api/vol', { method: 'OPTIONS' });
    expect([statusCode, headers['access-control-allow-credentials']]).toEqual([200, 'true']);
  });

  it('apps log in with each request, from everywhere', async () => {
    expect((await ask(receiver, '/web/vol?set=set55', { headers: owner, from: '203.0.113.9' })).statusCode).toBe(200);
    const latin1 = `Basic ${Buffer.from('owner:Pässword 1', 'latin1').toString('base64')}`;
    expect((await ask(receiver, '/api/vol', { headers: { authorization: latin1 } })).statusCode).toBe(200);
  });

  it.each([
    ['/api/vol?set=up', 'GET', 'control'],
    ['/web/zap?sRef=x', 'GET', 'control'],
    ['/web/timeradd?sRef=x&begin=1&end=2', 'GET', 'record'],
    ['/autotimer/remove?id=1', 'GET', 'record'],
    ['/autotimers/1', 'DELETE', 'record'],
    ['/web/addlocation?dirname=/x', 'GET', 'admin'],
    ['/web/servicelistreload?mode=0', 'GET', 'admin'],
    ['/web/scanstart', 'GET', 'admin'],
    ['/web/clearepg', 'GET', 'admin'],
    ['/web/saveconfig?key=x&value=1', 'POST', 'admin'],
    ['/api/epgimport', 'POST', 'admin'],
  ] as const)('%s %s needs the permission %s', async (url, method, permission) => {
    const { statusCode, body } = await ask(receiver, url, { method, headers: viewer });
    expect(statusCode).toBe(403);
    expect(body).toContain(`needs the permission '${permission}'`);
    const tokens = await ask(receiver, url, { method, headers: { authorization: `Bearer ${token}` } });
    expect(tokens.statusCode === 403).toBe(permission !== 'record');
  });

  it('a viewer may read', async () => {
    for (const url of ['/api/vol', '/web/getservices', '/timers', '/api/']) {
      expect((await ask(receiver, url, { headers: viewer })).statusCode).toBe(200);
    }
  });

  it('a browser is not asked for a password by HTTP Basic, and shows the page instead of an error', async () => {
    const fetched = await ask(receiver, '/api/vol', { headers: browser });
    expect([fetched.statusCode, fetched.headers['www-authenticate']]).toEqual([401, undefined]);
    const opened = await ask(receiver, '/web/about', { headers: { ...browser, accept: 'text/html,*/*' } });
    expect([opened.statusCode, opened.headers.location]).toEqual([303, '/']);
  });

  it('a browser keeps a session until it logs out', async () => {
    const payload = { user: 'owner', password: 'Pässword 1' };
    const entered = await ask(receiver, '/login', { method: 'POST', payload });
    expect(JSON.parse(entered.body)).toEqual({
      result: true,
      accounts: true,
      administrator: true,
      user: 'owner',
      rights: ['admin'],
    });
    const field = String(entered.headers['set-cookie']);
    expect(field).toMatch(/^receiverd-session=[^;]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
    const cookie = `other=1; ${field.split(';')[0]}`;
    expect((await ask(receiver, '/api/vol?set=set55', { headers: { cookie } })).statusCode).toBe(200);
    const known = await ask(receiver, '/login', { headers: { cookie } });
    expect(JSON.parse(known.body)).toMatchObject({ user: 'owner' });
    const left = await ask(receiver, '/login', { method: 'DELETE', headers: { cookie } });
    expect(left.headers['set-cookie']).toContain('receiverd-session=; Path=/; Max-Age=0');
    expect(JSON.parse((await ask(receiver, '/login')).body)).toMatchObject({ user: null, rights: [] });
  });

  it('a browser may log in by HTTP and by HTTPS, although HTTP may not replace a cookie of HTTPS', async () => {
    const proxied = await openWithAccounts(folder, { trustedProxies: ['127.0.0.1'], localNetwork: [] });
    const payload = { user: 'owner', password: 'Pässword 1' };
    const headers = { 'x-forwarded-for': '192.168.1.20', 'x-forwarded-proto': 'https' };
    const entered = await ask(proxied, '/login', { method: 'POST', payload, headers });
    const field = String(entered.headers['set-cookie']);
    expect(field).toMatch(/^__Secure-receiverd-session=[^;]+; .*; Secure$/);
    const userOf = async (cookie: string) =>
      JSON.parse((await ask(proxied, '/login', { headers: { ...headers, cookie } })).body).user;
    const own = String(field.split(';')[0]);
    for (const cookie of [own, `receiverd-session=old; ${own}`, `${own}; receiverd-session=old`])
      expect(await userOf(cookie)).toBe('owner');
    expect(await userOf(own.replace('__Secure-', ''))).toBe('owner');
    const below = { ...headers, 'x-forwarded-prefix': '/tv' };
    const there = await ask(proxied, '/login', { method: 'POST', payload, headers: below });
    expect(String(there.headers['set-cookie'])).toContain('; Path=/tv/; ');
    const navigation = { ...below, ...browser, accept: 'text/html' };
    const { statusCode, headers: sent } = await ask(proxied, '/web/about', { headers: navigation });
    expect([statusCode, sent.location]).toEqual([303, '/tv/']);
    const left = await ask(proxied, '/login', { method: 'DELETE', headers: { ...headers, cookie: own } });
    expect(left.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Secure-receiverd-session=; .*Max-Age=0; .*Secure$/),
      expect.stringMatching(/^receiverd-session=; .*Max-Age=0; /),
    ]);
    await proxied.close();
  });

  it('a page of another site cannot log in', async () => {
    const payload = { user: 'owner', password: 'Pässword 1' };
    const headers = { origin: 'http://evil.example' };
    expect((await ask(receiver, '/login', { method: 'POST', payload, headers })).statusCode).toBe(403);
  });

  it('playlists contain a ticket, which is valid only for playback', async () => {
    const { body } = await ask(receiver, '/web/services.m3u', { headers: viewer });
    const ticket = /^http:\/\/box:8001\/.*\?ticket=([\w.-]+)$/m.exec(body)?.[1];
    expect(ticket).toBeDefined();
    expect((await ask(receiver, `/file?file=/none.ts&ticket=${ticket}`)).statusCode).toBe(403);
    expect((await ask(receiver, `/picon/none.png?ticket=${ticket}`)).statusCode).not.toBe(401);
    expect((await ask(receiver, `/api/vol?ticket=${ticket}`)).statusCode).toBe(401);
    expect((await ask(receiver, `/recordings/x?ticket=${ticket}`, { method: 'DELETE' })).statusCode).toBe(401);
    expect((await ask(receiver, `/file?file=/none.ts&ticket=${ticket}x`)).statusCode).toBe(401);
    for (const url of [
      '/file?dir=/media/hdd/movie',
      '/file?file=/etc/enigma2/lamedb',
      '/recordings?',
      '/recording/?',
      '/recording/x.ts?',
    ])
      expect((await ask(receiver, `${url}&ticket=${ticket}`)).statusCode).toBe(401);
    writeFileSync(join(receiver.folder, 'movie', 'Ships.ts'), 'GGGG');
    for (const url of ['/file?file=/media/hdd/movie/Ships.ts', '/recording/Ships.ts?stream=1']) {
      const { statusCode, body } = await ask(receiver, `${url}&ticket=${ticket}`);
      expect([statusCode, body]).toEqual([200, 'GGGG']);
    }
    const other = await ask(receiver, '/web/services.m3u', { headers: owner });
    expect(other.body).not.toContain(ticket);
    const stream = await ask(receiver, `/web/stream.m3u?ref=${encodeURIComponent(alpha)}`, { headers: viewer });
    expect(stream.body).toContain(`?ticket=${ticket}`);
  });

  it('a playlist that is fetched by HTTPS has its ticket in no plain HTTP address', async () => {
    const proxied = await openWithAccounts(folder, { trustedProxies: ['127.0.0.1'], localNetwork: [] });
    const by = {
      ...viewer,
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'tv.lan',
    };
    const headers = { ...by, 'x-forwarded-prefix': '/tv' };
    const ref = encodeURIComponent(alpha);
    for (const path of ['services.m3u', 'services.xspf', `stream.m3u?ref=${ref}`, `stream.m3u?ref=${ref}&port=8002`]) {
      const { body } = await ask(proxied, `/web/${path}`, { headers });
      expect(body).not.toMatch(/http:[^\s<]*ticket=/);
    }
    const { body } = await ask(proxied, '/web/services.m3u', { headers });
    const [, address = ''] = /^https:\/\/tv\.lan\/tv(\/live\/\S+\?ticket=\S+)$/m.exec(body) ?? [];
    expect(address).toContain(alpha);
    const open = { 'x-forwarded-for': '203.0.113.9' };
    expect((await ask(proxied, address, { headers: open, method: 'HEAD' })).statusCode).toBe(200);
    expect((await ask(proxied, `${address}x`, { headers: open, method: 'HEAD' })).statusCode).toBe(401);
    await proxied.close();
  });

  it('the OpenAPI document shows which paths need no login', async () => {
    const reply = await ask(receiver, '/api/openapi.json', { headers: owner });
    const { paths } = reply.json<{ paths: Record<string, { get?: { security?: object[]; servers?: object[] } }> }>();
    const gets = Object.entries(paths).flatMap(([path, { get }]) =>
      get === undefined || get.servers !== undefined ? [] : [{ path, isOpen: get.security?.length === 0 }],
    );
    expect(gets.length).toBeGreaterThan(200);
    for (const { path, isOpen } of gets) {
      const { statusCode } = await ask(receiver, path.replace(/[{}]/g, ''));
      expect([path, statusCode === 401]).toEqual([path, !isOpen]);
    }
  });

  describe('too many wrong passwords', () => {
    const wrong = (n: number, from: string) =>
      ask(receiver, '/api/vol', { headers: basic('owner', `wrong one ${n}`), from });
    const tooMany = async (from: string) => {
      const statuses: number[] = [];
      for (let n = 0; n < 12; n++) statuses.push((await wrong(n, from)).statusCode);
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
      const { 'retry-after': seconds } = (await wrong(12, from)).headers;
      expect(Number(seconds)).toBeGreaterThan(0);
      expect(Number(seconds)).toBeLessThanOrEqual(900);
    };

    it('block their sender for a while, and nobody else', async () => {
      await tooMany('198.51.100.7');
      expect((await ask(receiver, '/api/vol', { headers: viewer, from: '198.51.100.8' })).statusCode).toBe(200);
    });

    it('count for all addresses of an IPv6 network', async () => {
      for (let n = 0; n < 10; n++) expect((await wrong(n, `2001:db8:0:7::${n + 1}`)).statusCode).toBe(401);
      expect((await wrong(10, '2001:db8:0:7:9:8:7:6')).statusCode).toBe(429);
      expect((await wrong(11, '2001:db8:0:8::1')).statusCode).toBe(401);
    });

    it('count per address on the local network, also within one IPv6 network', async () => {
      for (let n = 0; n < 11; n++) await wrong(n, 'fe80:0:0:7::1');
      expect((await wrong(11, 'fe80:0:0:7::1')).statusCode).toBe(429);
      expect((await wrong(0, 'fe80:0:0:7::2')).statusCode).toBe(401);
    });

    it('have a limit for a whole local IPv6 network too, in which one device can choose its addresses', async () => {
      const door = openAccessControl(folder);
      await door.accounts.refresh();
      // Setup codes, because they are not hashed, which would take long.
      const code = (address: string) => door.addFirst('WRONG', 'owner', 'correct horse', `fe80:0:0:9::${address}`);
      for (let n = 0; n < 100; n++) await expect(code(`${n + 1}`)).rejects.toMatchObject({ code: 'login-needed' });
      await expect(code('ffff')).rejects.toMatchObject({ code: 'too-many-requests' });
    });

    it('do not affect passwords already accepted from that address', async () => {
      const from = '198.51.100.9';
      expect((await ask(receiver, '/api/vol', { headers: owner, from })).statusCode).toBe(200);
      await tooMany(from);
      expect((await ask(receiver, '/api/vol', { headers: owner, from })).statusCode).toBe(200);
    });

    it('block an address even for a password that is in use at another address', async () => {
      const from = '198.51.100.10';
      expect((await ask(receiver, '/api/vol', { headers: owner, from: '198.51.100.11' })).statusCode).toBe(200);
      await tooMany(from);
      expect((await ask(receiver, '/api/vol', { headers: owner, from })).statusCode).toBe(429);
      const payload = { user: 'owner', password: 'Pässword 1' };
      expect((await ask(receiver, '/login', { method: 'POST', payload, from })).statusCode).toBe(429);
    });

    it('do not affect tokens, which cannot be guessed', async () => {
      const from = '198.51.100.12';
      await tooMany(from);
      const headers = { authorization: `Bearer ${token}` };
      const all = await Promise.all(Array.from({ length: 24 }, () => ask(receiver, '/api/vol', { headers, from })));
      expect(new Set(all.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
      expect((await ask(receiver, '/api/vol', { headers: { authorization: 'Bearer x' }, from })).statusCode).toBe(401);
    });

    it('are limited also when they come all at once', async () => {
      const door = openAccessControl(folder);
      await door.accounts.refresh();
      const attempts = Array.from({ length: 15 }, (_, n) => door.logIn('owner', `wrong one ${n}`, '198.51.100.13'));
      const codes = (await Promise.allSettled(attempts)).map((one) => one.status === 'rejected' && one.reason.code);
      expect(codes).toEqual([...Array(4).fill('login-needed'), ...Array(11).fill('too-many-requests')]);
    });
  });

  it('an app may send many requests at once before its password is checked', async () => {
    const from = '198.51.100.20';
    const all = await Promise.all(
      Array.from({ length: 40 }, () => ask(receiver, '/api/vol', { headers: viewer, from })),
    );
    expect(new Set(all.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });
});

describe('with an administrator', () => {
  let receiver: TestReceiver;
  const owner = { name: 'owner', rights: ['admin' as const], password: cheapHashOf('password') };
  const near = { from: '192.168.1.20' };
  beforeAll(async () => {
    const { folder } = await openReceiver();
    await writeAccounts(accountsPath(folder), { ...noAccounts(), users: [owner] });
    receiver = await openWithAccounts(folder);
  });
  afterAll(() => receiver.close());

  it('the local network watches, controls and records without a login', async () => {
    for (const url of ['/api/vol', '/api/vol?set=set55', '/web/timercleanup?cleanup=1'])
      expect([url, (await ask(receiver, url, near)).statusCode]).toEqual([url, 200]);
    const basic = `Basic ${Buffer.from(':').toString('base64')}`;
    expect((await ask(receiver, '/api/vol', { ...near, headers: { authorization: basic } })).statusCode).toBe(200);
    expect((await ask(receiver, '/web/services.m3u', near)).body).not.toContain('ticket=');
  });

  it('administration needs a login, for which apps are asked by HTTP Basic', async () => {
    for (const from of ['192.168.1.20', '127.0.0.1']) {
      const { statusCode, headers, body } = await ask(receiver, '/web/clearepg', {
        from,
        headers: { host: 'localhost' },
      });
      expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Basic realm="receiverd", charset="UTF-8"']);
      expect(body).toContain("needs a login with the permission 'admin'");
    }
    const own = { authorization: `Basic ${Buffer.from('owner:password').toString('base64')}` };
    expect((await ask(receiver, '/web/clearepg', { ...near, headers: own })).statusCode).toBe(200);
  });

  it('a wrong password is refused, also on the local network', async () => {
    for (const authorization of [`Basic ${Buffer.from('owner:wrong one').toString('base64')}`, 'Bearer wrong'])
      expect((await ask(receiver, '/api/vol', { ...near, headers: { authorization } })).statusCode).toBe(401);
  });

  it('clients outside the local network need an account', async () => {
    for (const url of ['/api/vol', '/file?file=/x', '/timers'])
      expect((await ask(receiver, url, { from: '203.0.113.9' })).statusCode).toBe(401);
  });
});
