/**
 * The web page at `/` and its files under `/ui/`, for people who open the receiver's address in a browser.
 *
 * The files are bundled from `src/ui/` into `dist/ui/` (scripts/bundle.mjs). Their names are read once, when the server
 * starts, and only these paths are served, so no path of a request gets near the disk. A firmware may leave out the folder.
 * All but pictures lie there compressed (FILE.gz): 0.5 MB less on a box, which does not compress them again either.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { packageRoot } from '../package.ts';
import { acceptsGzip } from './gate/compression.ts';
import { isFresh } from './gate/entity-tag.ts';

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

/**
 * Registers GET, and with it HEAD, for each file. Browsers may keep a file whose name changes with its contents; others
 * have to be revalidated with the ETag.
 */
export function registerPages(app: FastifyInstance, folder = built): void {
  if (!existsSync(folder)) {
    app.get('/', (_request, reply) => reply.code(404).type('text/plain').send('This build has no web page.\n'));
    return;
  }
  for (const stored of readdirSync(folder)) {
    const file = stored.replace(/\.gz$/, '');
    const type = types[extname(file)];
    if (type === undefined) continue;
    const cached = /-[A-Z0-9]{8}\.js$/.test(file) ? 'max-age=31536000, immutable' : 'no-cache';
    app.get(file === 'index.html' ? '/' : `/ui/${file}`, async (request, reply) => {
      const bytes = await readFile(join(folder, stored));
      const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
      reply.header('Cache-Control', cached);
      // It keeps the page at `/` too, not only what is below itself.
      if (file === 'service-worker.js') reply.header('Service-Worker-Allowed', '/');
      if (isFresh(request, reply, tag)) return reply.code(304).send();
      reply.type(type);
      if (file === stored) return reply.send(bytes);
      if (!acceptsGzip(request)) return reply.send(await promisify(gunzip)(bytes));
      return reply.header('Content-Encoding', 'gzip').send(bytes);
    });
  }
}
