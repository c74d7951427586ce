/**
 * Serves the picons of services at /picon/NAME.png, and the default picture. NAME is a service reference with underscores or
 * the reduced name of a service. Clients probe with HEAD, so a name without a picon is a 404.
 *
 * A picon is found under both names, whatever its file is called: by reference if the file has the service's name, and by
 * name if the file has the service's reference. Links in lists always lead to the picon of their entry.
 *
 * A service without a picon has the logo of its channel list or guide file. It is at the same path, whatever its format.
 */
import { basename, extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { fail } from '../../base/errors.ts';
import { readRegularFile } from '../../base/files.ts';
import { guideKey } from '../../services/guide/guide-key.ts';
import { type NamedService, servicesOfReducedName } from '../../services/picon-names.ts';
import { ServiceReference } from '../../services/reference.ts';
import { sendError } from '../middleware/failures.ts';
import { sendFile } from '../middleware/send-file.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import type { Document } from '../write/replies.ts';
import { defaultPicture } from './default-picture.ts';

const defaultPath = '/images/default_picon.png';

/** Path on this server of an entry's picon, or of the default picture. */
export function piconPath(parts: ReceiverParts, reference: ServiceReference, name: string): string {
  return ownPiconPath(parts, reference, name) ?? defaultPath;
}

/** Path on this server of an entry's picon; undefined if it has none. `name` is the entry's own name. */
export function ownPiconPath(parts: ReceiverParts, entry: ServiceReference, entryName: string): string | undefined {
  const { reference, name } = shownService(parts, entry, entryName);
  const path = parts.picons.find(reference, name);
  if (path === undefined) {
    return logoAddresses(parts, reference).length > 0 ? `/picon/${reference.piconName}.png` : undefined;
  }
  if (path === ofReference(parts, reference)) return `/picon/${reference.piconName}.png`;
  // The picon belongs to the entry's own name. The numbers of its reference would not find it, and many streams share them.
  return `/picon/${encodeURIComponent(basename(path, extname(path)))}.png`;
}

/** The service whose picon an entry has: for a group of alternatives, its first member under that member's own name. */
function shownService({ services }: ReceiverParts, reference: ServiceReference, name: string): NamedService {
  const [member] = reference.isAlternatives ? services.playable(reference) : [];
  return member === undefined ? { reference, name } : { reference: member, name: services.nameOf(member) };
}

/** The picon of an entry, or the default picture, as the document of an operation. */
export async function pictureOf(parts: ReceiverParts, entry: ServiceReference, entryName: string): Promise<Document> {
  const path = (await logoFileOf(parts, entry, entryName)) ?? parts.picons.fallback;
  const body = path === undefined ? undefined : await readRegularFile(path).catch(() => undefined);
  if (path === undefined || body === undefined) return { contentType: 'image/png', body: defaultPicture() };
  return { contentType: mediaTypes[extname(path).toLowerCase()] ?? 'image/png', body };
}

/** The file of the picon or the logo of an entry; undefined if it has none. */
export async function logoFileOf(
  parts: ReceiverParts,
  entry: ServiceReference,
  entryName: string,
): Promise<string | undefined> {
  const { reference, name } = shownService(parts, entry, entryName);
  return parts.picons.find(reference, name) ?? logoOf(parts, reference);
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
};

/** Looks for new picons and logos. */
export async function refreshPicons({ picons, logos }: ReceiverParts): Promise<void> {
  await Promise.all([picons.refresh(), logos.refresh()]);
}

/** One day: picons hardly ever change, and lists request hundreds of them. */
const caching = 'public, max-age=86400';

export function registerPicons(app: FastifyInstance, parts: ReceiverParts): void {
  app.get<{ Params: { file: string } }>('/picon/:file', async (request, reply) => {
    const { file } = request.params;
    await refreshPicons(parts);
    const path = await piconOf(parts, file);
    if (path === undefined) return sendError(request, reply, fail('not-found', file));
    return sendFile(request, reply, path, { caching, what: file });
  });
  app.get(defaultPath, async (request, reply) => {
    const { fallback } = parts.picons;
    if (fallback !== undefined) return sendFile(request, reply, fallback, { caching, what: 'the picture' });
    return reply.type('image/png').header('Cache-Control', caching).send(defaultPicture());
  });
}

/** Finds the file for a name: the file of that name, otherwise the picon of the service with that reference or name. */
async function piconOf(parts: ReceiverParts, file: string): Promise<string | undefined> {
  const { picons, services } = parts;
  const picon = picons.byFileName(file);
  if (picon !== undefined) return picon;
  const name = file.replace(/\.(?:png|svg)$/i, '');
  const reference = ServiceReference.tryParse(name.replaceAll('_', ':'));
  if (reference !== undefined) return ofReference(parts, reference) ?? logoOf(parts, reference);
  const named = await servicesOfReducedName(services, name);
  for (const one of named) {
    const path = picons.find(one.reference, one.name);
    if (path !== undefined) return path;
  }
  const withLogo = named.find((one) => logoAddresses(parts, one.reference).length > 0);
  return withLogo && logoOf(parts, withLogo.reference);
}

/** The addresses of a service's logo, without those that could not be fetched recently. */
function logoAddresses(
  { services, logos, webPictures }: ReceiverParts,
  reference: ServiceReference,
): readonly string[] {
  const key = logos.isEmpty ? undefined : guideKey(services, reference);
  return key === undefined ? [] : logos.addressesOf(key).filter((address) => webPictures.mayHave(address));
}

/** The file of a service's logo; undefined if there is none, or none yet. */
async function logoOf(parts: ReceiverParts, reference: ServiceReference): Promise<string | undefined> {
  for (const address of logoAddresses(parts, reference)) {
    const path = await parts.webPictures.find(address);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The picon of the service with this reference. */
function ofReference({ picons, services }: ReceiverParts, reference: ServiceReference): string | undefined {
  return picons.find(reference) ?? picons.find(reference, services.find(reference)?.name ?? '');
}
