/**
 * Attacks by pages of another site in a real browser, which try to change something at a receiver in the network. Both are
 * reached at plain http addresses, for which browsers send the fewest headers about the origin of a request.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, waitTimeoutMs } from '../fixtures/waits.ts';
import {
  askEveryone,
  launchCommand,
  type Program,
  removeFolder,
  startProgram,
  temporaryFolder,
} from '../receiver/program.ts';
import { browser, startBrowser } from '../ui/open-page.ts';

/** The attacks by the name of their page. Dots in names of operations do not matter: only the pages write `v.ol`. */
const attacks: Readonly<Record<string, { readonly path: string; readonly html: (url: string) => string }>> = {
  'an image that changes the volume': { path: '/api/v.ol?set=set7', html: image },
  'an image that adds a timer': {
    path: '/web/timeradd?sRef=1:0:1:1:1:1:FFFF0000:0:0:0:&begin=4000000000&end=4000003600&name=x',
    html: image,
  },
  'an image that switches to standby': { path: '/web/powerstate?newstate=5', html: image },
  'a script': { path: '/api/v.ol?set=set7', html: (url) => `<script src="${url}"></script>` },
  'a frame': { path: '/api/v.ol?set=set7', html: (url) => `<iframe src="${url}"></iframe>` },
  'a navigation': { path: '/api/v.ol?set=set7', html: (url) => script(`location = ${JSON.stringify(url)}`) },
  'a fetch that reads nothing': {
    path: '/api/v.ol?set=set7',
    html: (url) => script(`fetch(${JSON.stringify(url)}, { mode: 'no-cors', method: 'POST' })`),
  },
  'a fetch that reads': {
    path: '/api/v.ol?set=set7',
    html: (url) => script(`fetch(${JSON.stringify(url)}, { method: 'POST' })`),
  },
  'a GET form': { path: '/api/v.ol', html: (url) => form('get', url) },
  'a POST form': { path: '/api/v.ol', html: (url) => form('post', url) },
  'a POST form in a sandboxed frame': {
    path: '/api/v.ol',
    html: (url) => `<iframe sandbox="allow-forms allow-scripts" srcdoc="${quoted(form('post', url))}"></iframe>`,
  },
};

const noReferrer = 'an image of a page without a referrer';
const neighbour = 'an image of a page without a referrer, at another port of this machine';

const quoted = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const script = (code: string) => `<script>${code}</script>`;
function image(url: string): string {
  return `<img src="${quoted(url)}" alt="">`;
}
function form(method: string, url: string): string {
  return `<form method="${method}" action="${url}"><input name="set" value="set7"></form>${script('document.forms[0].submit()')}`;
}

describe.skipIf(!browser)('a page of another site', () => {
  const folder = temporaryFolder();
  let program: Program;
  let started: Browser;
  let page: Page;
  let site: Server;
  let receiver: string;
  let evil: string;

  const start = async () => {
    program = await startProgram(folder, '--tuner', 'none', '--log-level', 'debug');
    receiver = program.http.replace('127.0.0.1', 'receiver.lan').replace('localhost', 'receiver.lan');
  };

  beforeAll(async () => {
    await start();
    site = createServer((request, response) => {
      const name = decodeURIComponent((request.url ?? '/').slice(1));
      const hidesReferrer = name === noReferrer || name === neighbour;
      const attack = hidesReferrer ? { path: '/api/v.ol?set=set7', html: image } : attacks[name];
      const target = name === neighbour ? program.http.replace('127.0.0.1', 'localhost') : receiver;
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      if (hidesReferrer) response.setHeader('Referrer-Policy', 'no-referrer');
      response.end(`<!doctype html><title>x</title>${attack?.html(`${target}${attack.path}`) ?? ''}`);
    }).listen(0, '127.0.0.1');
    await eventually(async () => site.address() ?? undefined, 'the other site is there');
    evil = `http://evil.example:${(site.address() as AddressInfo).port}`;
    started = await startBrowser(['--host-resolver-rules=MAP * 127.0.0.1']);
    const context = await started.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(waitTimeoutMs);
  });

  afterAll(async () => {
    await started?.close();
    site?.close();
    await program?.stop();
    removeFolder(folder);
  });

  /** Opens a page of the other site, and returns the status of the request that it made. */
  const attacked = async (name: string, path: string, from = evil) => {
    const requests = () => program.log.filter((line) => line.path === path);
    const before = requests().length;
    // In a tab of its own, which shares the login: its navigation must not disturb that of the next test.
    const other = await page.context().newPage();
    // A page that navigates away at once never finishes loading.
    void other.goto(`${from}/${encodeURIComponent(name)}`).catch(() => undefined);
    const made = await eventually(async () => requests()[before], `the request of ${name}`);
    // Not awaited: the browser may never confirm that a page has closed while it navigates.
    void other.close().catch(() => undefined);
    return made.status;
  };
  const volume = async (headers = {}) => {
    const { current } = (await (await program.get('/api/vol', headers)).json()) as { readonly current: number };
    return current;
  };
  const setting = (level: number) => program.get(`/api/vol?set=set${level}`);

  it.each(Object.entries(attacks))('changes nothing by %s', async (name, { path }) => {
    await setting(55);
    expect(await attacked(name, path.replace(/\?.*/, ''))).toBe(403);
    expect(await volume()).toBe(55);
    expect(await program.json('/api/timerlist')).toMatchObject({ timers: [] });
    expect(await program.json('/api/powerstate')).toMatchObject({ instandby: false });
  });

  it('includes pages of the same machine at another port', async () => {
    await setting(55);
    expect(await attacked(neighbour, '/api/v.ol', evil.replace('evil.example', 'localhost'))).toBe(403);
    expect(await volume()).toBe(55);
  });

  it("is not the receiver's own page", async () => {
    await page.goto(`${receiver}/`);
    await page.evaluate("fetch('/api/vol?set=set21', { method: 'POST' }).then((response) => response.text())");
    expect(await volume()).toBe(21);
  });

  it('cannot be recognised without a referrer while the receiver has no accounts', async () => {
    await setting(55);
    expect(await attacked(noReferrer, '/api/v.ol')).toBe(200);
    expect(await volume()).toBe(7);
  });

  it('cannot use the login of a user of the browser', async () => {
    await program.stop();
    askEveryone(folder);
    await start();
    const { child, ended } = launchCommand('user', 'add', 'anna', '--data-dir', folder);
    child.stdin?.end('correct horse\n');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    const headers = { authorization: `Basic ${Buffer.from('anna:correct horse').toString('base64')}` };
    await eventually(
      async () => ((await program.get('/api/vol')).status === 401 ? true : undefined),
      'the accounts count',
    );
    await page.goto(`${receiver}/`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User').fill('anna');
    await dialog.getByLabel('Password').fill('correct horse');
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    await page.evaluate("fetch('/api/vol?set=set33', { method: 'POST' }).then((response) => response.text())");
    expect(await volume(headers)).toBe(33);
    expect(await attacked(noReferrer, '/api/v.ol')).toBe(401);
    expect(await volume(headers)).toBe(33);
  });
});
