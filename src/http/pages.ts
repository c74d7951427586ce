/**
 * The web page at `/` and its files under `/ui/`, for people who open the receiver's address in a browser.
 *
 * The files are bundled from `src/ui/` into `dist/ui/` (scripts/bundle.mjs). Their names are read once, when the server
 * starts, and only these are served, so no path of a request gets near the disk. A firmware may leave out the folder.
 * All their links are relative: the page works below any path at which a proxy serves it.
 * All but pictures lie there compressed (FILE.gz): 0.5 MB less on a box, which does not compress them again either.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../base/errors.ts';
import { packageRoot } from '../base/package.ts';
import { acceptsGzip } from './middleware/compression.ts';
import { isFresh } from './middleware/entity-tag.ts';
import { sendError } from './middleware/failures.ts';
import { pathOf } from './middleware/query.ts';

/** Beside the bundled program; the sources, run as they are, use that of the last build. */
const beside = fileURLToPath(new URL('ui', import.meta.url));
const built = existsSync(beside) ? beside : join(packageRoot, 'dist', 'ui');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** How a file is sent. */
interface Page {
  /** Its name in the folder; ends in `.gz` if it lies there compressed. */
  readonly stored: string;
  readonly type: string;
  readonly caching: string;
}

/**
 * Registers GET, and with it HEAD, for the files. Browsers may keep a file whose name changes with its contents; others
 * have to be revalidated with the ETag. All share a handler: a route for each took 70 ms of a start and 1 MB.
 */
export function registerPages(app: FastifyInstance, folder = built): void {
  if (!existsSync(folder)) {
    app.get('/', (_request, reply) => reply.code(404).type('text/plain').send('This build has no web page.\n'));
    return;
  }
  const pages = pagesIn(folder);
  const send = async (request: FastifyRequest<{ Params: { file?: string } }>, reply: FastifyReply) => {
    const { file = '' } = request.params;
    const page = pages.get(file);
    if (page === undefined) return sendError(request, reply, fail('not-found', pathOf(request)));
    const { stored, type, caching } = page;
    const bytes = await readFile(join(folder, stored));
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    reply.header('Cache-Control', caching);
    // It keeps the page at `/` too, not only what is below itself.
    if (file === 'service-worker.js') reply.header('Service-Worker-Allowed', '../');
    if (isFresh(request, reply, tag)) return reply.code(304).send();
    reply.type(type);
    if (!stored.endsWith('.gz')) return reply.send(bytes);
    if (!acceptsGzip(request)) return reply.send(await promisify(gunzip)(bytes));
    return reply.header('Content-Encoding', 'gzip').send(bytes);
  };
  app.get('/', send);
  app.get('/ui/:file', send);
}

/** By their names in `/ui/`; that of `/` is empty. */
function pagesIn(folder: string): ReadonlyMap<string, Page> {
  const pages = new Map<string, Page>();
  for (const stored of readdirSync(folder)) {
    const file = stored.replace(/\.gz$/, '');
    const type = types[extname(file)];
    const caching = /-[A-Z0-9]{8}\.js$/.test(file) ? 'max-age=31536000, immutable' : 'no-cache';
    if (type !== undefined) pages.set(file === 'index.html' ? '' : file, { stored, type, caching });
  }
  return pages;
}
