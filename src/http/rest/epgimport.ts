/** `/api/epgimport`: a guide file into the guide of the running receiver. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { importGuideFile } from '../../epg/guide-file.ts';
import { XmltvError } from '../../epg/xmltv.ts';
import { channelMatcher } from '../../services/channel-matcher.ts';
import type { ReceiverParts } from '../parts.ts';
import { errorKeys, exampleError, Refusal, type RestAnswer, route } from './route.ts';

/** Bytes of a document, after decompression. */
const maximumBytes = 4 * 2 ** 30;

const count = (description: string) => Type.Integer({ minimum: 0, description });

const xmltvKeys = {
  bytes: count('bytes of the document, after decompression'),
  programmes: count('programmes in the document'),
  imported: count('programmes that are in the guide now'),
  ended: count('left out: over already'),
  malformed: count('left out: without a channel or a time that can be read'),
  programmesWithoutService: count('left out: no service is known for their channel'),
  refused: count('batches that a bound of the guide kept out in part'),
  cutTexts: count('texts longer than 32 KiB'),
  brokenTexts: count('texts with bytes that are not in the encoding of the document'),
  unknownEntities: count('entities that XML does not have, shown as they stand'),
  channels: Type.Object({ matched: count('channels with a service'), unmatched: count('channels without one') }),
  unmatched: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), programmes: count('its programmes') }), {
    description: 'channels without a service, those with most programmes first',
    maxItems: 100,
  }),
};

const epgDatKeys = {
  version: Type.Integer({ description: '7 or 8, of the format' }),
  byteOrder: Type.Unsafe<'little' | 'big'>({ type: 'string', enum: ['little', 'big'] }),
  services: count('services taken'),
  events: count('events taken'),
  descriptors: count('distinct descriptors in the file'),
  missingDescriptors: count('descriptors that events refer to and the file does not have'),
  complete: Type.Boolean({ description: 'false: a bound of the guide kept events out' }),
};

const ImportSchema = Type.Object(
  {
    result: Type.Boolean(),
    format: Type.Unsafe<'xmltv' | 'epg.dat'>({ type: 'string', enum: ['xmltv', 'epg.dat'] }),
    ...Type.Partial(Type.Object({ ...xmltvKeys, ...epgDatKeys })).properties,
  },
  { $id: 'EpgImport', description: 'what was read and done: counts of XMLTV, or those of an epg.dat' },
);

const DamagedSchema = Type.Object(
  {
    ...errorKeys,
    line: Type.Optional(Type.Integer({ description: 'where the document is damaged, from 1' })),
    column: Type.Optional(Type.Integer({ description: 'in characters, from 1' })),
    imported: Type.Optional(count('programmes from before that place: they are in the guide')),
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
  tag: 'epg',
  summary: 'Puts a guide file into the guide.',
  description:
    'The body is the file: XMLTV, plain or gzip-coded, or the epg.dat of Enigma2; what it is shows in its content. It is read as fast ' +
    'as the guide takes it. Channels of XMLTV are matched by service references in their ids, else by their names. With curl: ' +
    '`curl -T guide.xml.gz http://box/api/epgimport`.',
  caching: 'no-store',
  requestBody: {
    description: 'the file',
    types: ['application/xml', 'text/xml', 'application/gzip', 'application/octet-stream'],
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
    200: { description: 'what was read and done', schema: ImportSchema, example },
    400: {
      description: 'the file is damaged; what stands before the place is in the guide',
      schema: DamagedSchema,
      example: exampleError(
        'xmltv-malformed',
        'the guide file is damaged in line 1, column 5: no document',
        { path: '/api/epgimport', method: 'POST' },
        { line: 1, column: 5, imported: 0 },
      ),
    },
  },
  failures: { 413: 'the file is too large' },
} as const;

export const epgimport = route({ ...definition, method: 'POST', name: 'epgimport', run });
export const epgimportPut = route({ ...definition, method: 'PUT', name: 'epgimportPut', run });

async function run(
  { guide, guideStore, services }: ReceiverParts,
  _values: object,
  { body }: FastifyRequest,
): Promise<RestAnswer> {
  // A stream that is left early must not be destroyed: the socket below it still has to carry the answer.
  const pieces = body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : nothing();
  try {
    const imported = await importGuideFile(guide, pieces, { servicesOf: channelMatcher(services), maximumBytes });
    return { body: { result: true, ...imported } };
  } catch (error) {
    if (!(error instanceof XmltvError)) throw error;
    const { line, column, statistics } = error;
    throw new Refusal(error, { line, column, imported: statistics.imported });
  } finally {
    guideStore.saveSoon();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}
