/** The current service: its events, audio tracks and subtitles, and zapping to another service. */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { once } from '../../../base/once.ts';
import type { GuideEvent } from '../../../epg/guide.ts';
import type { AudioTrack, CurrentService, SubtitleTrack } from '../../../playback/current-service.ts';
import { isLocked } from '../../../playback/parental-control.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import { unknownName } from '../../../services/services.ts';
import { group } from '../../endpoint/endpoint.ts';
import { done, operation, type SimpleResult } from '../../endpoint/operation.ts';
import { integer, serviceReference, text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { exampleOf, field, recordSchema } from '../../write/record.ts';
import { each, element, leaf, leaves, part, rows, type View } from '../../write/xml.ts';
import {
  CurrentServiceRecord,
  currentEvents,
  currentServiceRecord,
  pidElements,
  videoElements,
} from '../current-service.ts';
import { EventRecord, eventRecord, missingEvent } from '../guide/event-records.ts';
import { ListedService, listedService, serviceListView } from '../lists.ts';

const CurrentEvent = recordSchema({
  ...EventRecord.properties,
  provider: 'Demo',
  filename: Type.Optional(Type.String({ description: 'path of the recording being played' })),
});
type CurrentEvent = Type.Static<typeof CurrentEvent>;

const Current = recordSchema({ info: CurrentServiceRecord, now: CurrentEvent, next: CurrentEvent, result: true });

/** The order differs from that of the event lists. */
const currentEventView: View<CurrentEvent> = element(
  'e2event',
  leaves({
    e2eventservicereference: 'sref',
    e2eventservicename: 'sname',
    e2eventprovidername: 'provider',
    e2eventid: 'id',
    e2eventname: 'title',
    e2eventtitle: 'title',
    e2eventdescription: 'shortdesc',
    e2eventstart: 'begin_timestamp',
    e2eventduration: 'duration_sec',
    e2eventremaining: 'remaining',
    e2eventcurrenttime: 'now_timestamp',
    e2eventdescriptionextended: 'longdesc',
  }),
  leaf('e2eventgenre', ({ genre }) => genre, { id: ({ genreid }) => genreid }),
);

const getcurrent = operation({
  name: 'getcurrent',
  summary: 'The current service with its present and following event.',
  result: Current,
  xml: element<Type.Static<typeof Current>>(
    'e2currentserviceinformation',
    part(
      ({ info }) => info,
      element<CurrentServiceRecord>(
        'e2service',
        leaves({ e2servicereference: 'ref', e2servicename: 'name', e2providername: 'provider' }),
        videoElements,
        leaf('e2iswidescreen', ({ iswidescreen }) => (iswidescreen ? 1 : 0)),
        pidElements,
      ),
    ),
    element(
      'e2eventlist',
      each(({ now, next }) => [now, next], currentEventView),
    ),
  ),
  async run(parts) {
    const { current } = parts.playback;
    const events = await currentEvents(parts);
    const info = currentServiceRecord(parts, events);
    const shown = (found: GuideEvent | null | undefined): CurrentEvent => {
      const service = { sref: current?.reference.format() ?? '', sname: info.name };
      const event = found ? eventRecord(found, service, parts.clock.now()) : { ...missingEvent(service), id: 0 };
      return { ...event, provider: info.provider };
    };
    const { played } = current ?? {};
    const now = shown(events?.now);
    return {
      info,
      now: played
        ? { ...now, remaining: Math.max(0, (played.length ?? 0) - played.position), filename: played.recording.path }
        : now,
      next: shown(events?.next),
      result: info.result,
    };
  },
});

const SubServices = recordSchema({ services: Type.Array(ListedService), result: true });
type SubServices = Type.Static<typeof SubServices>;

const subServicesOf = (current: CurrentService | undefined) => (current?.subServices ?? []).map(listedService);

/** The current service and its sub-services as a list; `N/A` if nothing is playing. */
function currentAsList({ playback }: ReceiverParts): SubServices {
  const { current } = playback;
  const service = current ? listedService(current) : { servicereference: 'N/A', servicename: 'N/A' };
  return { services: [service, ...subServicesOf(current)], result: true };
}

const subservices = operation({
  name: 'subservices',
  summary: 'The current service and its sub-services.',
  result: SubServices,
  xml: serviceListView<SubServices>(({ services }) => services),
  run: currentAsList,
});

const streamsubservices = operation({
  name: 'streamsubservices',
  summary: 'A service and its sub-services.',
  parameters: { sRef: serviceReference('absent = the current service') },
  result: SubServices,
  xml: serviceListView<SubServices>(({ services }) => services),
  run(parts, { sRef }) {
    if (!sRef) return currentAsList(parts);
    const reference = parts.services.resolve(sRef);
    const service = listedService({ reference, name: parts.services.nameOf(reference) });
    const { current } = parts.playback;
    return {
      services: [service, ...(current?.reference.equals(reference) ? subServicesOf(current) : [])],
      result: true,
    };
  },
});

const zap = operation({
  name: 'zap',
  summary: 'Zaps to a service, or plays a recording.',
  parameters: {
    sRef: serviceReference('the service or recording').required(),
    title: text('name to show while it is playing', { example: 'Ships' }),
    pin: text('PIN of the parental lock, for a locked service', { example: '1234' }),
  },
  exampleMessage: "Active service is now '1:0:19:2B66:3F3:1:C00000:0:0:0:'",
  run: (parts, { sRef, title, pin }, { client }) =>
    zapTo(parts, sRef, title, pin ? { code: pin, client: client() } : undefined),
});

/**
 * Zaps and returns the message. `pin`: the PIN of the parental lock, and the client (account or address) against which wrong PINs are counted.
 * @throws ReceiverError `blocked` if the parental lock forbids it, `pin-wrong`, and any error of the zap itself
 */
export async function zapTo(
  parts: ReceiverParts,
  sRef: string,
  title = '',
  pin?: { readonly code: string; readonly client: string },
): Promise<SimpleResult> {
  const reference = parts.services.resolve(sRef);
  const shown = title || nameOfStream(parts, reference) || sRef;
  if (await isLocked(parts, reference)) {
    if (!pin || !parts.parentalLock.isSet) throw fail('blocked', shown);
    await parts.parentalLock.check(pin.code, pin.client);
  }
  await parts.playback.zap(reference, title === '' ? {} : { title });
  return done(`Active service is now '${shown}'`);
}

/** The name of a network stream, whose reference is long and may contain a password; empty for anything else. */
function nameOfStream({ services }: ReceiverParts, reference: ServiceReference): string {
  if (!reference.isStream) return '';
  const name = services.nameOf(reference);
  return name === unknownName ? reference.streamName : name;
}

const Track = recordSchema({ description: 'AC3 (German)', index: 0, pid: 640, active: true });
const AudioTracks = recordSchema({
  result: field(true, 'true if there is at least one'),
  tracklist: Type.Array(Track),
});

const getaudiotracks = operation({
  name: 'getaudiotracks',
  summary: 'The audio tracks of the current service.',
  result: AudioTracks,
  xml: element<Type.Static<typeof AudioTracks>>(
    'e2audiotracklist',
    rows(({ tracklist }) => tracklist, 'e2audiotrack', {
      e2audiotrackdescription: 'description',
      e2audiotrackid: 'index',
      e2audiotrackpid: 'pid',
      e2audiotrackactive: 'active',
    }),
  ),
  run({ playback }) {
    const tracks = playback.current?.audioTracks ?? [];
    return {
      result: tracks.length > 0,
      tracklist: tracks.map((track, index) => {
        return { description: describeTrack(track), index, pid: track.pid, active: track.active };
      }),
    };
  },
});

const languageNames = once(() => new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }));

/** `AC3 (German)`; with the code itself if that is not a language Intl knows (`mis`, `qaa`). */
function describeTrack({ codec, language }: AudioTrack): string {
  if (language === '') return codec;
  const code = bibliographicCodes[language] ?? language;
  return `${codec} (${/^[a-z]{2,3}$/.test(code) ? (languageNames().of(code) ?? language) : language})`;
}

/** ISO 639-2/B codes. DVB allows them in addition to the terminological codes (639-2/T), the only ones that Intl knows. */
const bibliographicCodes: Readonly<Record<string, string>> = {
  alb: 'sqi',
  arm: 'hye',
  baq: 'eus',
  bur: 'mya',
  chi: 'zho',
  cze: 'ces',
  dut: 'nld',
  fre: 'fra',
  geo: 'kat',
  ger: 'deu',
  gre: 'ell',
  ice: 'isl',
  mac: 'mkd',
  may: 'msa',
  mao: 'mri',
  per: 'fas',
  rum: 'ron',
  slo: 'slk',
  tib: 'bod',
  wel: 'cym',
};

/** Allowed track indexes; no service has that many tracks. */
export const trackIndexes = { minimum: 0, maximum: 8191 };

const Success = recordSchema({ result: true });

export const successView = leaf<Type.Static<typeof Success>>('e2result', ({ result }) =>
  result ? 'Success' : 'Error',
);

const selectaudiotrack = operation({
  name: 'selectaudiotrack',
  summary: 'Selects an audio track of the current service.',
  parameters: { id: integer('index of the track in getaudiotracks', { ...trackIndexes, wrong: -1, example: 1 }) },
  changesState: true,
  result: Success,
  xml: successView,
  run: (parts, { id }) => ({ result: selectTrack(parts, id) }),
});

/** Returns false if there is no such track. */
export function selectTrack({ playback }: ReceiverParts, id: number | undefined): boolean {
  return id !== undefined && id >= 0 && playback.selectAudioTrack(id);
}

/** The current service, for operations that need one. @throws ReceiverError `not-playing` */
export function playing({ playback }: ReceiverParts) {
  if (playback.current === undefined) throw fail('not-playing');
  return playback.current;
}

const Subtitle = recordSchema({
  type: field(0, '0 DVB, 1 teletext'),
  pid: 701,
  page_nr: field(1, 'DVB: composition page; teletext: last two digits of the page, four bits each'),
  mag_nr: field(1, 'DVB: ancillary page; teletext: magazine, 0 = magazine 8'),
  lang: field('deu', 'ISO 639-2 code'),
});
type Subtitle = Type.Static<typeof Subtitle>;

const Subtitles = recordSchema({
  result: field(true, 'true if there is at least one'),
  subtitlelist: Type.Array(Subtitle),
});

const getsubtitles = operation({
  name: 'getsubtitles',
  summary: 'The subtitles of the current service.',
  result: Subtitles,
  xml: element<Type.Static<typeof Subtitles>>(
    'e2subtitlelist',
    rows(({ subtitlelist }) => subtitlelist, 'e2subtitle', {
      e2subtitletype: 'type',
      e2subtitlepid: 'pid',
      e2subtitlepage: 'page_nr',
      e2subtitlemagazine: 'mag_nr',
      e2subtitlelanguage: 'lang',
    }),
  ),
  // In the order of the response, unlike the schema.
  example: { subtitlelist: [exampleOf(Subtitle)], result: true },
  run({ playback }) {
    const subtitlelist = (playback.current?.subtitles ?? []).map(subtitle);
    return { subtitlelist, result: subtitlelist.length > 0 };
  },
});

/** A teletext page is written as broadcast (EN 300 706 §3.1): page 777 is 0x77 of magazine 7, and magazine 8 is 0. */
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

export const currentOperations = group('services', [
  getcurrent,
  subservices,
  streamsubservices,
  zap,
  getaudiotracks,
  selectaudiotrack,
  getsubtitles,
]);
