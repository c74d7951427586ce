/** The guide as a file: XMLTV of a bouquet, and all of it as XMLTV or as Enigma2's epg.dat. */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Guide } from '../../epg/guide.ts';
import { exportXmltv } from '../../epg/xmltv.ts';
import { channelsOf } from '../../services/channel-matcher.ts';
import { contentTypes } from '../failures.ts';
import { documentOperation } from '../operation.ts';
import { bouquetReference, choice, text } from '../parameters.ts';
import type { ReceiverParts } from '../parts.ts';
import { noServices, servicesOf } from './guide-entries.ts';

const epgxmltv = documentOperation({
  name: 'epgxmltv',
  since: '0.1',
  tag: 'epg',
  summary: 'The guide of a bouquet as an XMLTV document.',
  description:
    'Channels are named by their service reference, times are UTC. The document is the same on both faces; that of an unknown ' +
    'bouquet has no channels.',
  parameters: {
    bRef: bouquetReference('the bouquet, or another list').required(),
    lang: text('the `lang` of texts whose language is not known, `en`'),
  },
  contentType: contentTypes.xml,
  async run(parts, { bRef, lang = '' }) {
    const { entries } = (await servicesOf(parts, bRef)) ?? noServices;
    const services = entries.flatMap(({ key, reference, sname }) =>
      key === undefined ? [] : [{ service: key, id: reference.withoutName().format(), name: sname }],
    );
    const pieces = exportXmltv(parts.guide, services, {
      from: parts.clock.now(),
      lang,
      genreNumbers: true,
      generator: generatorOf(parts),
    });
    return { contentType: contentTypes.xml, body: Readable.from(pieces, { objectMode: false }) };
  },
});

const epgexport = documentOperation({
  name: 'epgexport',
  since: '0.1',
  tag: 'epg',
  summary: 'The whole guide as a file.',
  description: 'What it takes to move a guide to another receiver; `/api/epgimport` there takes it in.',
  parameters: { format: choice('XMLTV, or the epg.dat of Enigma2', ['xmltv', 'epg.dat']) },
  contentType: 'application/octet-stream',
  async run(parts, { format }) {
    const { guide, services, clock } = parts;
    if (format === 'epg.dat')
      return { contentType: 'application/octet-stream', fileName: 'epg.dat', body: await epgDat(guide) };
    const all = (await guide.services()).map(({ service }) => service);
    const pieces = exportXmltv(guide, channelsOf(services, all), { from: clock.now(), generator: generatorOf(parts) });
    return { contentType: contentTypes.xml, fileName: 'guide.xml', body: Readable.from(pieces, { objectMode: false }) };
  },
});

function generatorOf({ device }: ReceiverParts): string {
  return `receiverd/${device.identity.version}`;
}

/** The file is written whole, since its beginning is not known before its end; it is gone once it has been read. */
async function epgDat(guide: Guide): Promise<Readable> {
  const folder = await mkdtemp(join(tmpdir(), 'receiverd-epg-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'epg.dat');
    await guide.exportEpgDat(path);
    return createReadStream(path).on('close', () => void remove());
  } catch (error) {
    await remove();
    throw error;
  }
}

export const guideFileOperations = [epgxmltv, epgexport];
