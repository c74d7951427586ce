/** The page and the interfaces behind nginx, as docs/reverse-proxy.md configures it, below a path. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedDemo } from '../fixtures/fixed-demo.ts';
import { freePort } from '../fixtures/free-port.ts';
import { eventually, untilTrue } from '../fixtures/waits.ts';
import { launchCommand, type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { aldermoorOne, browser, openPage } from '../ui/open-page.ts';

const nginx = '/usr/sbin/nginx';

interface Manifest {
  readonly start_url: string;
  readonly icons: readonly { readonly src: string }[];
}

/** The blocks of docs/reverse-proxy.md that are nginx's: the server, the map, and the location below the path. */
function documented(): readonly string[] {
  const blocks = [...readFileSync('docs/reverse-proxy.md', 'utf8').matchAll(/^```\w*\n(.*?)^```$/gms)];
  const ofNginx = blocks.map(([, block = '']) => block).filter((block) => /\$request_uri|proxy_pass/.test(block));
  if (ofNginx.length !== 3)
    throw new Error(`docs/reverse-proxy.md has ${ofNginx.length} blocks for nginx instead of 3`);
  return ofNginx;
}

/** As documented, but on free ports, without a certificate, and with everything it writes in one folder. */
function configuration(folder: string, port: number, receiver: string): string {
  const [server = '', map = '', below = ''] = documented();
  const common = /location \/ \{\n(.*?)^ {4}\}/ms.exec(server)?.[1] ?? '';
  const lines = common.replace(/^ *proxy_pass .*\n/m, '');
  const whole = server
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace(/^ *ssl_certificate.*\n/gm, '')
    .replace(/location \/ \{.*?^ {4}\}\n/ms, below.replace(/^ *# and the other lines.*\n/m, lines));
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  ${folders.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
${map}${whole}}
`.replaceAll('http://127.0.0.1:8080', receiver);
}

describe.skipIf(!existsSync(nginx) || !browser)('nginx, below a path', () => {
  const folder = temporaryFolder();
  let program: Program;
  let proxy: ChildProcess;
  let site: string;
  /** The receiver as its clients see it. */
  let proxied: Program;

  beforeAll(async () => {
    const port = await freePort();
    const trust = 'access:\n  trustedProxies: [127.0.0.1]\n';
    writeFileSync(join(folder, 'receiverd.yaml'), `hostNames: [tv.example.org]\n${trust}`);
    mkdirSync(join(folder, 'picon'));
    copyFileSync('src/ui/icon-192.png', join(folder, 'picon', `${aldermoorOne.replaceAll(':', '_').slice(0, -1)}.png`));
    program = await startProgram(folder, ...fixedDemo, '--config', join(folder, 'receiverd.yaml'));
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, configuration(folder, port, program.http));
    proxy = spawn(nginx, ['-c', file, '-p', folder, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    proxy.stderr?.on('data', (text) => {
      said += text;
    });
    process.once('exit', () => proxy.kill());
    site = `http://127.0.0.1:${port}/tv`;
    proxied = {
      ...program,
      http: site,
      get: (path, headers = {}) => fetch(`${site}${path}`, { headers, redirect: 'manual' }),
    };
    await eventually(async () => {
      if (proxy.exitCode !== null || proxy.signalCode !== null)
        throw new Error(`nginx has ended (${proxy.exitCode ?? proxy.signalCode}): ${said}`);
      return proxied.get('/health').catch(() => undefined);
    }, 'nginx');
    await eventually(async () => {
      const answer = await proxied.get(`/api/epgservicenow?sRef=${encodeURIComponent(aldermoorOne)}`);
      const { events } = (await answer.json()) as { readonly events: readonly { readonly title: string | null }[] };
      return events[0]?.title ?? undefined;
    }, 'the guide');
  });
  afterAll(async () => {
    if (proxy?.exitCode === null) {
      proxy.kill();
      await once(proxy, 'exit');
    }
    await program?.stop();
    removeFolder(folder);
  });

  it('shows the page, which asks for nothing outside the path', async () => {
    const opened = await openPage(proxied, '', {
      ...{ screen: 'a desktop', width: 1280, height: 900, colorScheme: 'light' },
      serviceWorker: true,
    });
    const { page, complaints } = opened;
    const paths: string[] = [];
    page.context().on('request', (request) => paths.push(new URL(request.url()).pathname));
    await page.getByText('Aldermoor One').first().waitFor();
    const hasLogo = () => page.evaluate('document.querySelector(".picon img")?.naturalWidth === 192');
    await untilTrue(hasLogo);
    await page.reload();
    await untilTrue(hasLogo);
    for (const of of ['guide', 'timers', 'recordings', 'series', 'search', 'remote', 'box', 'api']) {
      await page.goto(`${site}/#/${of}`);
      await page.locator('main h1').waitFor({ state: 'attached' });
    }
    expect(paths.filter((path) => !path.startsWith('/tv/'))).toEqual([]);
    expect(paths).toContain('/tv/ui/page.js');
    expect(complaints()).toEqual([]);
    expect(await page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)')).toBe(`${site}/`);
    const manifest = await page.evaluate('document.querySelector("link[rel=manifest]").href');
    const { start_url: start, icons } = (await (await fetch(String(manifest))).json()) as Manifest;
    expect(new URL(start, String(manifest)).href).toBe(`${site}/`);
    for (const { src } of icons) expect((await fetch(new URL(src, String(manifest)))).status).toBe(200);
  });

  it('plays in the page', async () => {
    const { page } = await openPage(proxied, `#/watch?service=${aldermoorOne}&name=Aldermoor+One`);
    await untilTrue(() => page.evaluate('document.querySelector("video")?.currentTime > 0.2'));
  });

  it('names the path in addresses', async () => {
    const text = async (path: string) => (await proxied.get(path)).text();
    expect(await text('/web/epgsearchrss?search=x')).toContain(`${site}/`);
    const { servers } = JSON.parse(await text('/api/openapi.json'));
    expect(servers).toEqual([{ url: '/tv' }]);
    expect(JSON.parse(await text('/api/'))).toMatchObject({ basePath: '/tv' });
    expect(JSON.parse(await (await program.get('/api/')).text())).not.toHaveProperty('basePath');
  });

  it('passes on references that are escaped twice', async () => {
    const reference = '4097:0:1:1:0:0:0:0:0:0:http%3a//127.0.0.1%3a9/a%252fb:Name';
    const path = `/hls/${encodeURIComponent(reference)}/index.m3u8`;
    const [here, there] = await Promise.all([program.get(path), proxied.get(path)]);
    expect(await there.text()).toBe(await here.text());
    expect(there.status).toBe(here.status);
  });

  it('logs a person in, for the path only', async () => {
    const { child, ended } = launchCommand('user', 'add', 'anna', '--rights', 'view', '--data-dir', folder);
    child.stdin?.end('correct horse\n');
    expect((await ended).code).toBe(0);
    // The receiver looks at the file from time to time, and the page asks once.
    await untilTrue(async () => ((await (await proxied.get('/login')).json()) as { accounts: boolean }).accounts);
    // The footer of a long page moves when that has loaded.
    const { page } = await openPage(proxied, '#/timers');
    await page.getByRole('contentinfo').getByRole('button', { name: 'Log in' }).click();
    const dialog = page.getByRole('dialog', { name: 'Log in' });
    await dialog.getByLabel('User').fill('anna');
    await dialog.getByLabel('Password').fill('correct horse');
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('contentinfo').getByRole('button', { name: 'Log out' }).waitFor();
    expect((await page.context().cookies()).map(({ name, path }) => [name, path])).toEqual([
      ['receiverd-session', '/tv/'],
    ]);
    await page.getByRole('contentinfo').getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('contentinfo').getByRole('button', { name: 'Log in' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });
});
