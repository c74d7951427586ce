/** What plays now: the current service, its events and audio tracks, and zapping to another service. */
import Type, { type Static } from 'typebox';
import type { GuideEvent } from '../../epg/guide.ts';
import { fail } from '../../errors.ts';
import { once } from '../../once.ts';
import type { AudioTrack, CurrentService } from '../../playback/current-service.ts';
import { isLocked } from '../../playback/parental-control.ts';
import { done, operation, SimpleResult, simpleResult } from '../faces/operation.ts';
import { integerElse, serviceReference, text } from '../gate/parameters.ts';
import type { Parts } from '../parts/parts.ts';
import { each, element, leaf, part, type View } from '../write/xml.ts';
import {
  CurrentServiceRecord,
  currentEvents,
  currentServiceRecord,
  exampleCurrentService,
  pidElements,
  videoElements,
} from './current-service.ts';
import { EventRecord, eventRecord, exampleEvent, missingEvent } from './event-records.ts';
import { serviceListView } from './services.ts';

const since = '0.1';
const tag = 'services';

const CurrentEvent = Type.Object({
  ...EventRecord.properties,
  provider: Type.String(),
  filename: Type.Optional(Type.String({ description: 'of the recording being played' })),
});
type CurrentEvent = Static<typeof CurrentEvent>;

const Current = Type.Object({
  info: CurrentServiceRecord,
  now: CurrentEvent,
  next: CurrentEvent,
  result: Type.Boolean(),
});
type Current = Static<typeof Current>;

/** The order differs from that of the event lists. */
const currentEventView: View<CurrentEvent> = element(
  'e2event',
  leaf('e2eventservicereference', ({ sref }) => sref),
  leaf('e2eventservicename', ({ sname }) => sname),
  leaf('e2eventprovidername', ({ provider }) => provider),
  leaf('e2eventid', ({ id }) => id),
  leaf('e2eventname', ({ title }) => title),
  leaf('e2eventtitle', ({ title }) => title),
  leaf('e2eventdescription', ({ shortdesc }) => shortdesc),
  leaf('e2eventstart', (event) => event.begin_timestamp),
  leaf('e2eventduration', (event) => event.duration_sec),
  leaf('e2eventremaining', ({ remaining }) => remaining),
  leaf('e2eventcurrenttime', (event) => event.now_timestamp),
  leaf('e2eventdescriptionextended', ({ longdesc }) => longdesc),
  leaf('e2eventgenre', ({ genre }) => genre, { id: ({ genreid }) => genreid }),
);

const exampleCurrentEvent: CurrentEvent = { ...exampleEvent, provider: 'Demo' };

const getcurrent = operation({
  name: 'getcurrent',
  since,
  tag,
  summary: 'The current service with its present and following event.',
  parameters: {},
  result: Current,
  xml: element<Current>(
    'e2currentserviceinformation',
    part(
      ({ info }) => info,
      element<CurrentServiceRecord>(
        'e2service',
        leaf('e2servicereference', ({ ref }) => ref),
        leaf('e2servicename', ({ name }) => name),
        leaf('e2providername', ({ provider }) => provider),
        ...videoElements,
        leaf('e2iswidescreen', ({ iswidescreen }) => (iswidescreen ? 1 : 0)),
        ...pidElements,
      ),
    ),
    element(
      'e2eventlist',
      each(({ now, next }) => [now, next], currentEventView),
    ),
  ),
  example: { info: exampleCurrentService, now: exampleCurrentEvent, next: exampleCurrentEvent, result: true },
  async run(parts) {
    const { current } = parts.playback;
    const events = await currentEvents(parts);
    const info = currentServiceRecord(parts, events);
    const record = (found: GuideEvent | null | undefined): CurrentEvent => {
      const service = { sref: current?.reference.format() ?? '', sname: info.name };
      const shown = found ? eventRecord(found, service, parts.clock.now()) : { ...missingEvent(service), id: 0 };
      return { ...shown, provider: info.provider };
    };
    const { played } = current ?? {};
    const now = record(events?.now);
    return {
      info,
      now: played
        ? { ...now, remaining: Math.max(0, (played.length ?? 0) - played.position), filename: played.recording.path }
        : now,
      next: record(events?.next),
      result: info.result,
    };
  },
});

const SubServices = Type.Object({
  services: Type.Array(Type.Object({ servicereference: Type.String(), servicename: Type.String() })),
  result: Type.Boolean(),
});
type SubServices = Static<typeof SubServices>;

const exampleSubServices: SubServices = {
  services: [{ servicereference: '1:0:19:2B66:3F3:1:C00000:0:0:0:', servicename: 'Alpha HD' }],
  result: true,
};

const linkedOf = (current: CurrentService | undefined) =>
  (current?.subServices ?? []).map(({ reference, name }) => ({
    servicereference: reference.format(),
    servicename: name,
  }));

/** The current service and its sub-services as a list; `N/A` if nothing plays. */
function currentAsList({ playback }: Parts<'playback'>): SubServices {
  const { current } = playback;
  const service = { servicereference: current?.reference.format() ?? 'N/A', servicename: current?.name ?? 'N/A' };
  return { services: [service, ...linkedOf(current)], result: true };
}

const subservices = operation({
  name: 'subservices',
  since,
  tag,
  summary: 'The current service and its sub-services.',
  parameters: {},
  result: SubServices,
  xml: serviceListView<SubServices>(({ services }) => services),
  example: exampleSubServices,
  run: currentAsList,
});

const streamsubservices = operation({
  name: 'streamsubservices',
  since,
  tag,
  summary: 'A service and its sub-services.',
  parameters: { sRef: serviceReference('absent = the current service') },
  result: SubServices,
  xml: serviceListView<SubServices>(({ services }) => services),
  example: exampleSubServices,
  run(parts, { sRef }) {
    if (!sRef) return currentAsList(parts);
    const reference = parts.services.resolve(sRef);
    const service = { servicereference: reference.format(), servicename: parts.services.nameOf(reference) };
    const { current } = parts.playback;
    return { services: [service, ...(current?.reference.equals(reference) ? linkedOf(current) : [])], result: true };
  },
});

const zap = operation({
  name: 'zap',
  since,
  tag,
  summary: 'Zaps to a service, or plays a recording.',
  parameters: {
    sRef: serviceReference('the service or recording').required(),
    title: text('name to show while it is playing'),
  },
  changesState: true,
  result: SimpleResult,
  xml: simpleResult,
  example: { result: true, message: "Active service is now '1:0:19:2B66:3F3:1:C00000:0:0:0:'" },
  run: (parts, { sRef, title }) => zapTo(parts, sRef, title),
});

/**
 * Zaps and returns the message. @throws ReceiverError `blocked` if the parental lock forbids it, and any error of the
 * zap itself
 */
export async function zapTo(
  parts: Parts<'guide' | 'playback' | 'services' | 'settings'>,
  sRef: string,
  title = '',
): Promise<SimpleResult> {
  const reference = parts.services.resolve(sRef);
  if (await isLocked(parts, reference)) throw fail('blocked', title || sRef);
  await parts.playback.zap(reference, title === '' ? {} : { title });
  return done(`Active service is now '${title || sRef}'`);
}

const AudioTracks = Type.Object({
  result: Type.Boolean({ description: 'true if there are any' }),
  tracklist: Type.Array(
    Type.Object({
      description: Type.String(),
      index: Type.Integer(),
      pid: Type.Integer(),
      active: Type.Boolean(),
    }),
  ),
});
type Track = Static<typeof AudioTracks>['tracklist'][number];

const getaudiotracks = operation({
  name: 'getaudiotracks',
  since,
  tag,
  summary: 'The audio tracks of the current service.',
  parameters: {},
  result: AudioTracks,
  xml: element(
    'e2audiotracklist',
    each<{ tracklist: Track[] }, Track>(
      ({ tracklist }) => tracklist,
      element(
        'e2audiotrack',
        leaf('e2audiotrackdescription', ({ description }) => description),
        leaf('e2audiotrackid', ({ index }) => index),
        leaf('e2audiotrackpid', ({ pid }) => pid),
        leaf('e2audiotrackactive', ({ active }) => active),
      ),
    ),
  ),
  example: { result: true, tracklist: [{ description: 'AC3 (German)', index: 0, pid: 640, active: true }] },
  run({ playback }) {
    const tracks = playback.current?.audioTracks ?? [];
    return {
      result: tracks.length > 0,
      tracklist: tracks.map((track, index) => ({
        description: trackDescription(track),
        index,
        pid: track.pid,
        active: track.active,
      })),
    };
  },
});

const languageNames = once(() => new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }));

/** `AC3 (German)`; the broadcast code if it is not a language (`mis`, `qaa`). */
function trackDescription({ codec, language }: AudioTrack): string {
  if (language === '') return codec;
  const code = bibliographicCodes[language] ?? language;
  return `${codec} (${/^[a-z]{2,3}$/.test(code) ? (languageNames().of(code) ?? language) : language})`;
}

/** ISO 639-2/B codes, which DVB uses in addition to the terminological ones that Intl knows. */
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

/** More tracks than a service can have. */
export const trackIndexes = { minimum: 0, maximum: 8191 };

const Success = Type.Object({ result: Type.Boolean() });

const selectaudiotrack = operation({
  name: 'selectaudiotrack',
  since,
  tag,
  summary: 'Selects an audio track of the current service.',
  parameters: { id: integerElse('index of the track in getaudiotracks', -1, trackIndexes) },
  changesState: true,
  result: Success,
  xml: leaf<Static<typeof Success>>('e2result', ({ result }) => (result ? 'Success' : 'Error')),
  example: { result: true },
  run: (parts, { id }) => ({ result: selectTrack(parts, id) }),
});

/** Returns false if there is no such track. */
export function selectTrack({ playback }: Parts<'playback'>, id: number | undefined): boolean {
  return id !== undefined && id >= 0 && playback.selectAudioTrack(id);
}

/** The current service, for operations that need one. @throws ReceiverError `not-playing` */
export function playing({ playback }: Parts<'playback'>) {
  if (playback.current === undefined) throw fail('not-playing');
  return playback.current;
}

export const currentOperations = [getcurrent, subservices, streamsubservices, zap, getaudiotracks, selectaudiotrack];
