/** The web page: its files, its headers, and what it may load. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerPages } from '../../src/http/pages.ts';
import { openReceiver, type TestReceiver } from './receiver.ts';
import { get } from './reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

const folder = new URL('../../dist/ui/', import.meta.url);
const sources = new URL('../../src/ui/', import.meta.url);
const stored = readdirSync(folder);
const files = stored.map((file) => file.replace(/\.gz$/, ''));
const bytesOf = (file: string) =>
  stored.includes(file) ? readFileSync(new URL(file, folder)) : gunzipSync(readFileSync(new URL(`${file}.gz`, folder)));
const read = (file: string) => bytesOf(file).toString();
const documents = files.filter((file) => file.endsWith('.html'));
const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
};
const pages = files.map((file) => ({
  file,
  path: file === 'index.html' ? '/' : `/ui/${file}`,
  type: types[file.replace(/.*\./, '')] ?? '',
}));

/** True for the file with mpegts.js, which is loaded when a user starts to watch. */
const isPlayer = (file: string) => file.endsWith('.js') && read(file).includes('mpegts');

it('a build without the page returns 404 with a message', async () => {
  const app = fastify();
  registerPages(app, '/nowhere');
  expect(await app.inject('/')).toMatchObject({ statusCode: 404, body: 'This build has no web page.\n' });
});

describe.each(pages)('$path', ({ file, path, type }) => {
  it('returns the file with its type', async () => {
    expect(await get(receiver, path)).toMatchObject({ status: 200, type, body: read(file) });
  });

  it('answers HEAD without a body', async () => {
    const head = await get(receiver, path, {}, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, type, body: '' });
    expect(head.headers.etag).toBe((await get(receiver, path)).headers.etag);
  });

  it('allows only our own files', async () => {
    const { headers } = await get(receiver, path);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy.split('; ')).toEqual(expect.arrayContaining(["default-src 'self'", "object-src 'none'"]));
    expect(policy).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('is revalidated, with a 304 while unchanged', async () => {
    const { headers } = await get(receiver, path);
    const cached = /-[A-Z0-9]{8}\.js$/.test(file) ? 'max-age=31536000, immutable' : 'no-cache';
    expect(headers['cache-control']).toBe(cached);
    const tag = headers.etag ?? '';
    for (const known of [tag, `"other", ${tag}`, '*']) {
      const again = await get(receiver, path, {}, { headers: { 'if-none-match': known } });
      expect(again).toMatchObject({ status: 304, body: '' });
      expect(again.headers.vary).toBe('Accept-Encoding');
      expect(again.headers).toMatchObject({ etag: tag, 'cache-control': cached });
    }
    expect((await get(receiver, path, {}, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('is compressed', async () => {
    if (file.endsWith('.png')) return;
    for (const accepted of ['gzip', 'br, gzip;q=0.5', '*']) {
      const { headers, bytes } = await get(receiver, path, {}, { headers: { 'accept-encoding': accepted } });
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(gunzipSync(bytes).equals(bytesOf(file))).toBe(true);
    }
  });

  it('is sent uncompressed to clients that do not accept gzip', async () => {
    for (const accepted of ['identity', 'gzip;q=0', 'identity, gzip; q=0.0', 'gzip;q=0, deflate']) {
      const { headers, body } = await get(receiver, path, {}, { headers: { 'accept-encoding': accepted } });
      expect(headers['content-encoding']).toBeUndefined();
      expect(body).toBe(read(file));
    }
  });
});

describe('the page', () => {
  it('refers only to existing files', () => {
    const wanted = documents.flatMap((file) =>
      [...read(file).matchAll(/(?:src|href)="\/ui\/([^"]+)"/g)].map(([, name]) => String(name)),
    );
    expect(wanted.filter((name) => !files.includes(name))).toEqual([]);
  });

  it('is at most 156 kB compressed, all parts together, without the player', () => {
    // A first visit loads about half of it; the rest comes with the pages that need it.
    // Icons are for the installation as an app. A browser loads at most one language of 9 kB in addition to English.
    const languages = readdirSync(new URL('languages/', sources)).map((file) => file.replace('.ts', '-'));
    const isOther = (file: string) => file.endsWith('.png') || languages.some((language) => file.startsWith(language));
    const scripts = files.filter((file) => !isPlayer(file) && !isOther(file));
    const size = scripts.reduce((sum, file) => sum + gzipSync(read(file), { level: 6 }).length, 0);
    expect(size).toBeLessThan(156_000);
  });

  it('has no inline script or style, which the policy would block', () => {
    for (const file of documents) {
      expect(read(file)).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|javascript:|https?:/);
    }
  });

  it('inserts guide texts only as text', () => {
    for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|tsx?)$/.test(file)) continue;
      expect(readFileSync(new URL(file, sources), 'utf8')).not.toMatch(
        /innerHTML|InnerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/,
      );
    }
  });
});

describe('other paths', () => {
  it.each([
    '/ui',
    '/ui/index.html',
    '/index.html',
    '/ui/none.js',
    '/ui/..%2f..%2fpackage.json',
    '/ui/%2e%2e/%2e%2e/package.json',
    '/ui/../../package.json',
    '/ui//etc/passwd',
    '/ui/style.css%00.js',
  ])('%s is not found', async (path) => {
    const reply = await get(receiver, path);
    expect(reply.status).toBe(404);
    expect(reply.type).toBe('application/json; charset=utf-8');
    expect(JSON.parse(reply.body)).toMatchObject({ result: false, error: 'not-found' });
  });

  it('is read-only', async () => {
    expect((await get(receiver, '/', {}, { method: 'POST' })).status).toBe(405);
  });
});
