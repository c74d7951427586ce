/**
 * The web page at `/` and its files under `/ui/`.
 *
 * The files are bundled from `src/ui/` into `dist/ui/` (scripts/bundle.mjs). Their names are read once, when the server
 * starts, and only files with these names are served: a path from a request is never used to open a file. A firmware may
 * leave out the folder. All links are relative, so the page works under any path at which a proxy serves it. All files but
 * pictures are stored compressed (FILE.gz), which saves 0.5 MB on a box and the time to compress them.
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
import { setEntityTag } from './middleware/entity-tag.ts';
import { sendError } from './middleware/failures.ts';
import { pathOf } from './middleware/query.ts';

/** The folder next to the bundled program. When run from the sources, the folder of the last build. */
const bundledFolder = fileURLToPath(new URL('ui', import.meta.url));
const defaultFolder = existsSync(bundledFolder) ? bundledFolder : join(packageRoot, 'dist', 'ui');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** A file of the page. */
interface Page {
  /** Name in the folder; ends in `.gz` if the file is stored compressed. */
  readonly stored: string;
  readonly type: string;
  readonly caching: string;
}

/**
 * Registers GET, and with it HEAD, for the files. Browsers may cache a file whose name contains a hash of its contents; they
 * must revalidate other files with the ETag. All files share one route: a route for each took 70 ms at start and 1 MB.
 */
export function registerPages(app: FastifyInstance, folder = defaultFolder): void {
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
    // The service worker also caches the page at `/`, which is above its own path.
    if (file === 'service-worker.js') reply.header('Service-Worker-Allowed', '../');
    if (setEntityTag(request, reply, tag)) return reply.code(304).send();
    reply.type(type);
    if (!stored.endsWith('.gz')) return reply.send(bytes);
    if (!acceptsGzip(request)) return reply.send(await promisify(gunzip)(bytes));
    return reply.header('Content-Encoding', 'gzip').send(bytes);
  };
  app.get('/', send);
  app.get('/ui/:file', send);
}

/** The files by their names in `/ui/`. The page at `/` has an empty name. */
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
