/**
 * The guide as a file: that of a bouquet as XMLTV, the whole guide as XMLTV or as Enigma2's epg.dat, and the file in which
 * the guide survives restarts.
 */
import { Readable } from 'node:stream';
import { fail } from '../../../base/errors.ts';
import { exportXmltv } from '../../../epg/xmltv.ts';
import { channelsOf } from '../../../services/guide/channel-matcher.ts';
import { group } from '../../endpoint/endpoint.ts';
import { done, operation, SimpleResult } from '../../endpoint/operation.ts';
import { contentTypes } from '../../middleware/failures.ts';
import { bouquetReference, choice, text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { recordSchema } from '../../write/record.ts';
import { noServices, servicesOf } from './guide-entries.ts';

const exampleXmltv = `<?xml version="1.0" encoding="UTF-8"?>
<tv generator-info-name="receiverd/0.1.0">
<channel id="1:0:19:2B66:3F3:1:C00000:0:0:0:"><display-name>Alpha HD</display-name></channel>
<programme start="20260101180000 +0000" stop="20260101184500 +0000" channel="1:0:19:2B66:3F3:1:C00000:0:0:0:">
<title lang="en">Ships &amp; Harbours</title>
</programme>
</tv>
`;

const epgxmltv = operation({
  name: 'epgxmltv',
  summary: 'The guide of a bouquet as an XMLTV document.',
  description:
    'Channel ids are service references; times are UTC. /web and /api return the same document; that of an unknown bouquet has no ' +
    'channels.',
  parameters: {
    bRef: bouquetReference('the bouquet or another list').required(),
    lang: text('language code for texts whose language is unknown, such as `en`', { example: 'en' }),
  },
  contentType: contentTypes.xml,
  example: exampleXmltv,
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
    return { body: Readable.from(pieces, { objectMode: false }) };
  },
});

const epgexport = operation({
  name: 'epgexport',
  summary: 'The whole guide as a file.',
  description: 'For moving a guide to another receiver, where `/api/epgimport` imports it.',
  parameters: { format: choice('XMLTV, or Enigma2’s epg.dat', ['xmltv', 'epg.dat'], { wrong: 'first' }) },
  contentType: [contentTypes.xml, 'application/octet-stream'],
  example: exampleXmltv,
  async run(parts, { format }) {
    const { guide, epgDatExports, services, clock } = parts;
    if (format === 'epg.dat')
      return { contentType: 'application/octet-stream', fileName: 'epg.dat', body: await epgDatExports.open() };
    const all = (await guide.services()).map(({ service }) => service);
    const pieces = exportXmltv(guide, channelsOf(services, all), { from: clock.now(), generator: generatorOf(parts) });
    return { fileName: 'guide.xml', body: Readable.from(pieces, { objectMode: false }) };
  },
});

export function generatorOf({ device }: ReceiverParts): string {
  return `receiverd/${device.identity.version}`;
}

const SavedGuide = recordSchema({ ...SimpleResult.properties, path: '/var/lib/receiverd/guide.snapshot' });

const saveepg = operation({
  name: 'saveepg',
  summary: 'Writes the guide to the disk now.',
  description:
    'A changed guide is also written regularly (setting `guide.saveEvery`), after an import, and at shutdown.',
  result: SavedGuide,
  exampleMessage: 'EPG data saved',
  async run({ guideStore }) {
    await guideStore.save();
    return { ...done('EPG data saved'), path: guideStore.path };
  },
});

const loadepg = operation({
  name: 'loadepg',
  summary: 'Replaces the guide with the one on the disk.',
  description: 'Broadcast data is then collected again.',
  exampleMessage: 'EPG data loaded',
  async run({ guideStore }) {
    const loaded = await guideStore.load();
    if (loaded === null) throw fail('file-unreadable', guideStore.path, 'there is no saved guide');
    return done('EPG data loaded');
  },
});

const clearepg = operation({
  name: 'clearepg',
  summary: 'Deletes all events.',
  description:
    'The guide fills again from the broadcast. The copy on the disk stays until the guide is written the next time.',
  exampleMessage: 'EPG data cleared',
  async run({ guide }) {
    await guide.clear();
    return done('EPG data cleared');
  },
});

export const guideFileOperations = group('epg', [epgxmltv, epgexport, saveepg, loadepg, clearepg]);
