/** The subtitles of the current service. */
import Type, { type Static } from 'typebox';
import type { SubtitleTrack } from '../../playback/current-service.ts';
import { area, operation } from '../faces/operation.ts';
import { exampleOf, field, record } from '../write/record.ts';
import { each, element, leaves } from '../write/xml.ts';

const Subtitle = record({
  type: field(0, '0 DVB, 1 teletext'),
  pid: 701,
  page_nr: field(1, 'DVB: composition page; teletext: last two digits of the page, four bits each'),
  mag_nr: field(1, 'DVB: ancillary page; teletext: magazine, 0 = the eighth'),
  lang: field('deu', 'ISO 639-2 code'),
});
type Subtitle = Static<typeof Subtitle>;

const Subtitles = record({ result: field(true, 'true if there are any'), subtitlelist: Type.Array(Subtitle) });

const getsubtitles = operation({
  name: 'getsubtitles',
  summary: 'The subtitles of the current service.',
  result: Subtitles,
  xml: element<Static<typeof Subtitles>>(
    'e2subtitlelist',
    each(
      ({ subtitlelist }) => subtitlelist,
      element(
        'e2subtitle',
        leaves<Subtitle>({
          e2subtitletype: 'type',
          e2subtitlepid: 'pid',
          e2subtitlepage: 'page_nr',
          e2subtitlemagazine: 'mag_nr',
          e2subtitlelanguage: 'lang',
        }),
      ),
    ),
  ),
  // In the order of the response, unlike the schema.
  example: { subtitlelist: [exampleOf(Subtitle)], result: true },
  run({ playback }) {
    const subtitlelist = (playback.current?.subtitles ?? []).map(subtitle);
    return { subtitlelist, result: subtitlelist.length > 0 };
  },
});

/** A teletext page has its broadcast form (EN 300 706 §3.1): page 777 in magazine 7 is 0x77, and magazine 8 is 0. */
function subtitle({ kind, pid, page, ancillary, language }: SubtitleTrack): Subtitle {
  return kind === 'dvb'
    ? { type: 0, pid, page_nr: page, mag_nr: ancillary, lang: language }
    : {
        type: 1,
        pid,
        page_nr: Number.parseInt(String(page % 100), 16),
        mag_nr: Math.floor(page / 100) % 8,
        lang: language,
      };
}

export const subtitleOperations = area('services', [getsubtitles]);
