/** `/api/epgimport`: imports a guide file into the running receiver. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { XmltvError } from '../../../epg/xmltv.ts';
import { importGuide } from '../../../guide-sources/import-guide.ts';
import { group } from '../../endpoint/endpoint.ts';
import { errorKeys, exampleError, type RestResponse, route } from '../../endpoint/route.ts';
import { DetailedError } from '../../middleware/failures.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { address, addressFailures } from '../address.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

const xmltvKeys = {
  bytes: count('bytes of the document, after decompression'),
  programmes: count('programmes in the document'),
  imported: count('programmes now in the guide'),
  ended: count('programmes skipped because they have ended'),
  malformed: count('programmes skipped because they have no channel or no valid time'),
  programmesWithoutService: count('programmes skipped because no service is known for their channel'),
  refused: count('batches that were rejected in part because the guide is full'),
  cutTexts: count('texts that were cut because they are longer than 32 KiB'),
  brokenTexts: count('texts with bytes that are invalid in the encoding of the document'),
  unknownEntities: count('entities that XML does not define; they are left as they are'),
  channels: Type.Object({ matched: count('channels with a service'), unmatched: count('channels without a service') }),
  unmatched: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), programmes: count('its programmes') }), {
    description: 'channels without a service; channels with the most programmes first',
    maxItems: 100,
  }),
};

const epgDatKeys = {
  version: Type.Integer({ description: 'version of the format, 7 or 8' }),
  byteOrder: Type.Unsafe<'little' | 'big'>({ type: 'string', enum: ['little', 'big'] }),
  services: count('services imported'),
  events: count('events imported'),
  descriptors: count('distinct descriptors in the file'),
  missingDescriptors: count('descriptors that events refer to but the file lacks'),
  complete: Type.Boolean({ description: 'false: events were rejected because the guide is full' }),
};

const ImportSchema = Type.Object(
  {
    result: Type.Boolean(),
    format: Type.Unsafe<'xmltv' | 'epg.dat'>({ type: 'string', enum: ['xmltv', 'epg.dat'] }),
    ...Type.Partial(Type.Object({ ...xmltvKeys, ...epgDatKeys })).properties,
  },
  { $id: 'EpgImport', description: 'what was imported: counts for XMLTV, or for an epg.dat' },
);

const DamagedSchema = Type.Object(
  {
    ...errorKeys,
    line: Type.Optional(Type.Integer({ description: 'line of the damage, from 1' })),
    column: Type.Optional(Type.Integer({ description: 'column in characters, from 1' })),
    imported: Type.Optional(count('programmes before the damage; they are in the guide')),
  },
  { $id: 'EpgImportError' },
);

const example = {
  result: true,
  format: 'xmltv',
  bytes: 449,
  programmes: 2,
  imported: 1,
  ended: 0,
  malformed: 0,
  refused: 0,
  cutTexts: 0,
  brokenTexts: 0,
  unknownEntities: 0,
  programmesWithoutService: 1,
  channels: { matched: 1, unmatched: 1 },
  unmatched: [{ id: 'omega', name: 'Omega', programmes: 1 }],
};

const definition = {
  path: '/api/epgimport',
  summary: 'Imports a guide file.',
  description:
    'The body is the file: XMLTV or Enigma2’s epg.dat, uncompressed or compressed by gzip or xz. Format and compression are detected by content. ' +
    'An XMLTV channel is matched by a service reference in its id, otherwise by its name. With curl: ' +
    '`curl -u NAME -T guide.xml.gz http://receiver:8080/api/epgimport`.',
  parameters: { url: address },
  requestBody: {
    description: 'the file',
    types: ['application/xml', 'text/xml', 'application/gzip', 'application/x-xz', 'application/octet-stream'],
    example: [
      '<tv>',
      ' <channel id="alpha"><display-name>Alpha HD</display-name></channel>',
      ' <channel id="omega"><display-name>Omega</display-name></channel>',
      ' <programme start="20260103200000 +0100" stop="20260103210000 +0100" channel="alpha"><title>Film</title></programme>',
      ' <programme start="20260103200000 +0100" stop="20260103210000 +0100" channel="omega"><title>Game</title></programme>',
      '</tv>',
      '',
    ].join('\n'),
  },
  responses: {
    200: { description: 'what was imported', schema: ImportSchema, example },
    400: {
      description:
        'the file is of another kind, or damaged: of an XMLTV file, everything before the damage is in the guide; of an epg.dat, nothing',
      schema: DamagedSchema,
      example: exampleError(
        'xmltv-malformed',
        'the guide file is damaged in line 1, column 5: no document',
        { path: '/api/epgimport', method: 'POST' },
        { line: 1, column: 5, imported: 0 },
      ),
    },
  },
  failures: { ...addressFailures, 413: 'the file is too large' },
} as const;

export const epgimportRoutes = group('epg', [
  route({ ...definition, method: 'POST', name: 'epgimport', run }),
  route({ ...definition, method: 'PUT', name: 'epgimportPut', run }),
]);

async function run(
  parts: ReceiverParts,
  { url }: { readonly url: string | undefined },
  { body }: FastifyRequest,
): Promise<RestResponse> {
  // Leaving the loop early must not destroy the stream, because the response still uses its socket.
  const ofBody = body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : noPieces();
  const pieces = url === undefined ? ofBody : parts.network.download(url);
  return { body: { result: true, ...(await importGuide(parts, pieces).catch(damage)) } };
}

/** Adds the place of the damage to the response. */
function damage(error: unknown): never {
  if (!(error instanceof XmltvError)) throw error;
  const { line, column, statistics } = error;
  throw new DetailedError(error, { keys: { line, column, imported: statistics.imported } });
}

async function* noPieces(): AsyncGenerator<Uint8Array, void, undefined> {}
