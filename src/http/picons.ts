/**
 * Pictures of services: /picon/NAME.png, NAME being a reference with underscores or the reduced name of a service, and the picture
 * for those that have none. Clients probe with HEAD, so a name without a picture is a plain 404.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../errors.ts';
import type { Picons } from '../services/picons.ts';
import { ServiceReference } from '../services/reference.ts';
import { defaultPicture } from './default-picture.ts';
import { sendError } from './failures.ts';
import type { ReceiverParts } from './parts.ts';

const defaultPath = '/images/default_picon.png';

/** Path on this server of a service's picon, or of the default picture. */
export function piconPath(picons: Picons, reference: ServiceReference, name: string): string {
  return picons.find(reference, name) === undefined ? defaultPath : `/picon/${reference.piconName}.png`;
}

/** A day: picons hardly ever change, and lists ask for hundreds. */
const caching = 'public, max-age=86400';

export function registerPicons(app: FastifyInstance, parts: ReceiverParts): void {
  app.get<{ Params: { file: string } }>('/picon/:file', async (request, reply) => {
    const { file } = request.params;
    const path = piconOf(parts, file);
    return path === undefined ? sendError(request, reply, fail('not-found', file)) : sendPicture(request, reply, path);
  });
  app.get(defaultPath, async (request, reply) => {
    const { fallback } = parts.picons;
    if (fallback !== undefined) return sendPicture(request, reply, fallback);
    return reply.type('image/png').header('Cache-Control', caching).send(defaultPicture());
  });
}

/** The file for a name: one of that name, else the picon of the service whose reference the name is. */
function piconOf({ picons, services }: ReceiverParts, file: string): string | undefined {
  const own = picons.byFileName(file);
  if (own !== undefined) return own;
  const reference = ServiceReference.tryParse(file.replace(/\.(png|svg)$/i, '').replaceAll('_', ':'));
  return reference && picons.find(reference, services.find(reference)?.name ?? '');
}

async function sendPicture(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
  let size: number;
  try {
    ({ size } = await stat(path));
  } catch {
    return sendError(request, reply, fail('not-found', 'the picture'));
  }
  const type = path.toLowerCase().endsWith('.svg') ? 'image/svg+xml' : 'image/png';
  reply.type(type).header('Cache-Control', caching).header('Content-Length', size);
  return request.method === 'HEAD' ? reply.send() : reply.send(createReadStream(path));
}
