/** The guide of a bouquet as an XMLTV document. */
import { Readable } from 'node:stream';
import { exportXmltv } from '../../epg/xmltv.ts';
import { contentTypes } from '../failures.ts';
import { documentOperation } from '../operation.ts';
import { bouquetReference, text } from '../parameters.ts';
import { noServices, servicesOf } from './guide-entries.ts';

export const epgxmltv = documentOperation({
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
    const generator = `receiverd/${parts.device.identity.version}`;
    const pieces = exportXmltv(parts.guide, services, {
      from: parts.clock.now(),
      lang,
      genreNumbers: true,
      generator,
    });
    return { contentType: contentTypes.xml, body: Readable.from(pieces, { objectMode: false }) };
  },
});
