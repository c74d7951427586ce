/** The subtitles of the current service. */
import Type, { type Static } from 'typebox';
import type { SubtitleTrack } from '../../playback/current-service.ts';
import { operation } from '../faces/operation.ts';
import { each, element, leaf } from '../write/xml.ts';

const Subtitles = Type.Object({
  result: Type.Boolean({ description: 'true if there are any' }),
  subtitlelist: Type.Array(
    Type.Object({
      type: Type.Integer({ description: '0 DVB, 1 teletext' }),
      pid: Type.Integer(),
      page_nr: Type.Integer({
        description: 'DVB: composition page; teletext: last two digits of the page, four bits each',
      }),
      mag_nr: Type.Integer({ description: 'DVB: ancillary page; teletext: magazine, 0 = the eighth' }),
      lang: Type.String({ description: 'ISO 639-2 code' }),
    }),
  ),
});
type Subtitle = Static<typeof Subtitles>['subtitlelist'][number];

const getsubtitles = operation({
  name: 'getsubtitles',
  since: '0.1',
  tag: 'services',
  summary: 'The subtitles of the current service.',
  parameters: {},
  result: Subtitles,
  xml: element(
    'e2subtitlelist',
    each<{ subtitlelist: Subtitle[] }, Subtitle>(
      ({ subtitlelist }) => subtitlelist,
      element(
        'e2subtitle',
        leaf('e2subtitletype', ({ type }) => type),
        leaf('e2subtitlepid', ({ pid }) => pid),
        leaf('e2subtitlepage', ({ page_nr }) => page_nr),
        leaf('e2subtitlemagazine', ({ mag_nr }) => mag_nr),
        leaf('e2subtitlelanguage', ({ lang }) => lang),
      ),
    ),
  ),
  example: { subtitlelist: [{ type: 0, pid: 701, page_nr: 1, mag_nr: 1, lang: 'deu' }], result: true },
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

export const subtitleOperations = [getsubtitles];
