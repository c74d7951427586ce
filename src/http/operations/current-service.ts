/** The current service as about, getcurrent and epgnownext show it. */
import * as Type from 'typebox';
import { tripletKey } from '../../dvb/triplet.ts';
import type { Guide, NowNext } from '../../epg/guide.ts';
import { recordedEvent } from '../../recordings/files/recorded-event.ts';
import { guideKey } from '../../services/guide/guide-key.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { blankOf, field, recordSchema, sampled } from '../write/record.ts';
import { all, leaf, leaves } from '../write/xml.ts';

const KnownNumber = Type.Unsafe<number | 'N/A'>({
  anyOf: [{ type: 'integer' }, { type: 'string', enum: ['N/A'] }],
});

/** A PID or a size; `N/A` while it is not known. */
const known = (sample: number) => sampled(KnownNumber, sample);

export const CurrentServiceRecord = recordSchema({
  result: field(true, 'true if something is playing'),
  name: 'Alpha HD',
  namespace: 12582912,
  aspect: 3,
  provider: 'Demo',
  width: known(1920),
  height: known(1080),
  apid: known(640),
  vpid: known(511),
  pcrpid: known(511),
  pmtpid: known(100),
  txtpid: known(32),
  tsid: known(1011),
  onid: known(1),
  sid: known(11110),
  ref: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  iswidescreen: true,
  bqref: '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET %22userbouquet.favourites.tv%22 ORDER BY bouquet',
  bqname: 'Favourites (TV)',
});
export type CurrentServiceRecord = Type.Static<typeof CurrentServiceRecord>;

const nothing: CurrentServiceRecord = { ...blankOf(CurrentServiceRecord), txtpid: 'N/A' };

/** Aspects (EN 300 468 table 26, component types of video) that are wide screen. */
const wideScreen: ReadonlySet<number> = new Set([3, 4, 7, 8, 11, 12, 15, 16]);

/** stream_content of video: MPEG-2, H.264 (EN 300 468 table 26). */
const videoContents: ReadonlySet<number> = new Set([1, 5]);

/**
 * The present and following event of the current service. While a recording plays, the present event is the recorded one.
 * Undefined if nothing plays or the service cannot have events.
 */
export async function currentEvents({ playback, guide, services, clock }: ReceiverParts): Promise<NowNext | undefined> {
  const { current } = playback;
  if (current?.played) return { now: recordedEvent(current.played.recording), next: null };
  const key = current && guideKey(services, current.reference);
  if (key === undefined) return undefined;
  const moment = `${clock.now()} ${guide.generation} ${tripletKey(key)}`;
  const last = lastQueries.get(guide);
  if (last?.moment === moment) return last.events;
  const events = guide.nowNext([key]).then(([found]) => found);
  lastQueries.set(guide, { moment, events });
  // Failures are not cached.
  events.catch(() => lastQueries.delete(guide));
  return events;
}

/** The last query of each guide, because many clients request the receiver's state every second. */
const lastQueries = new WeakMap<Guide, { readonly moment: string; readonly events: Promise<NowNext | undefined> }>();

/** `events`: from `currentEvents`. Their present event supplies the aspect ratio if the picture itself does not. */
export function currentServiceRecord({ playback }: ReceiverParts, events: NowNext | undefined): CurrentServiceRecord {
  const { current } = playback;
  if (current === undefined) return nothing;
  const { reference, pids, video, bouquet } = current;
  const announced = events?.now?.components.find(({ streamContent }) => videoContents.has(streamContent));
  const aspect = video?.aspect ?? announced?.componentType ?? 0;
  return {
    result: true,
    name: cleaned(current.name),
    namespace: reference.namespace,
    aspect,
    provider: current.provider,
    width: video?.width ?? 'N/A',
    height: video?.height ?? 'N/A',
    apid: pids.audio ?? 'N/A',
    vpid: pids.video ?? 'N/A',
    pcrpid: pids.pcr ?? 'N/A',
    pmtpid: pids.pmt ?? 'N/A',
    txtpid: pids.teletext ?? 'N/A',
    tsid: reference.transportStreamId,
    onid: reference.originalNetworkId,
    sid: reference.serviceId,
    ref: quoted(reference.format()),
    iswidescreen: wideScreen.has(aspect),
    bqref: quoted(bouquet?.reference ?? ''),
    bqname: bouquet?.name ?? '',
  };
}

/** Percent-encodes characters that are unsafe in a URL, including `%`. Colons, slashes and spaces stay. */
function quoted(reference: string): string {
  return reference.replace(/[^A-Za-z0-9 ~@#$&()*!+=:;,.?/'_-]+/gu, encodeURIComponent);
}

/** `1920x1080`; 0x0 while the size is unknown. */
function size({ width, height }: CurrentServiceRecord): string {
  return width === 'N/A' || height === 'N/A' ? '0x0' : `${width}x${height}`;
}

/** The elements common to about and getcurrent, in order. */
export const videoElements = all<CurrentServiceRecord>(
  leaves({ e2videowidth: 'width', e2videoheight: 'height' }),
  leaf('e2servicevideosize', size),
);

export const pidElements = leaves<CurrentServiceRecord>({
  e2apid: 'apid',
  e2vpid: 'vpid',
  e2pcrpid: 'pcrpid',
  e2pmtpid: 'pmtpid',
  e2txtpid: 'txtpid',
  e2tsid: 'tsid',
  e2onid: 'onid',
  e2sid: 'sid',
});
