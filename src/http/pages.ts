/**
 * The web page at `/` and its parts below `/ui/`: a person who opens the receiver's address in a browser.
 *
 * The files are plain, without a build step, and lie in `src/ui/` of the package; nothing is copied, and package.json lists the
 * folder. They are read once, when the server starts: only the paths of the table are served, no path of a
 * request ever gets near the disk, and a package that lacks one fails at start instead of at night.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { packageRoot } from '../package.ts';
import { isFresh } from './entity-tag.ts';

const folder = join(packageRoot, 'src', 'ui');

const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** Everything the page consists of. */
const pages: readonly { readonly path: string; readonly file: string; readonly type: string }[] = [
  { path: '/', file: 'index.html', type: html },
  { path: '/ui/api.html', file: 'api.html', type: html },
  { path: '/ui/style.css', file: 'style.css', type: css },
  { path: '/ui/api.css', file: 'api.css', type: css },
  { path: '/ui/icon.svg', file: 'icon.svg', type: 'image/svg+xml' },
  ...[
    'page.js',
    'receiver.js',
    'elements.js',
    'channels.js',
    'guide.js',
    'search.js',
    'events.js',
    'messages.js',
    'push.js',
    'api.js',
  ].map((file) => ({
    path: `/ui/${file}`,
    file,
    type: script,
  })),
];

/**
 * Guide texts come from the air and are shown by this page: whatever one of them may hold, nothing but our own files is run or
 * loaded, nothing is sent elsewhere, and no other site can put the page into a frame and lead a click to a zap.
 */
const securityHeaders = {
  'Content-Security-Policy':
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; object-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Registers GET, and with it HEAD, for each file. They may be kept, but are asked for again with their ETag. */
export function registerPages(app: FastifyInstance): void {
  for (const { path, file, type } of pages) {
    const bytes = readFileSync(join(folder, file));
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    app.get(path, async (request, reply) => {
      reply.headers(securityHeaders).header('Cache-Control', 'no-cache');
      if (isFresh(request, reply, tag)) return reply.code(304).send();
      return reply.type(type).send(bytes);
    });
  }
}
