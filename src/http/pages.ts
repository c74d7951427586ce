/**
 * The web page at `/` and its parts under `/ui/`, for people who open the receiver's address in a browser.
 *
 * The files are plain and need no build step. They stay in `src/ui/` of the package, a folder listed in package.json.
 * They are read once, when the server starts, and only the paths in the table are served. So no path of a request gets
 * near the disk, and a package that lacks a file fails at start and not later. A firmware may leave out the whole folder.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { packageRoot } from '../package.ts';
import { isFresh } from './gate/entity-tag.ts';

const folder = join(packageRoot, 'src', 'ui');

const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** All files of the page. */
const pages: readonly { readonly path: string; readonly file: string; readonly type: string }[] = [
  { path: '/', file: 'index.html', type: html },
  { path: '/ui/api.html', file: 'api.html', type: html },
  { path: '/ui/style.css', file: 'style.css', type: css },
  { path: '/ui/api.css', file: 'api.css', type: css },
  { path: '/ui/icon.svg', file: 'icon.svg', type: 'image/svg+xml' },
  ...['page', 'receiver', 'elements', 'channels', 'guide', 'search', 'events', 'login', 'messages', 'push', 'api'].map(
    (name) => ({
      path: `/ui/${name}.js`,
      file: `${name}.js`,
      type: script,
    }),
  ),
];

/**
 * Registers GET, and with it HEAD, for each file. Clients may cache the files but have to revalidate them with the
 * ETag.
 */
export function registerPages(app: FastifyInstance): void {
  if (!existsSync(folder)) return;
  for (const { path, file, type } of pages) {
    const bytes = readFileSync(join(folder, file));
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    app.get(path, async (request, reply) => {
      reply.header('Cache-Control', 'no-cache');
      if (isFresh(request, reply, tag)) return reply.code(304).send();
      return reply.type(type).send(bytes);
    });
  }
}
