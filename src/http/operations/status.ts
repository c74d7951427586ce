/**
 * The current state of the receiver: service, stream clients, signal, time. Cheap enough to be polled every few
 * seconds.
 */
import Type, { type Static } from 'typebox';
import { localTime } from '../../local-time.ts';
import { operation } from '../faces/operation.ts';
import { integerElse } from '../gate/parameters.ts';
import type { Parts, ReceiverParts } from '../parts/parts.ts';
import { noSignal, tunerInUse } from '../parts/tuner-in-use.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { element, leaf } from '../write/xml.ts';
import { selectTrack, trackIndexes } from './current.ts';
import { currentEvents } from './current-service.ts';
import { runningOnStreams } from './guide-entries.ts';

const since = '0.1';
const tag = 'device';

/** Strings, because clients compare them as such. */
const YesNo = Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'] });

const Status = Type.Object({
  volume: Type.Integer(),
  muted: Type.Boolean(),
  transcoding: Type.Boolean(),
  currservice_filename: Type.String(),
  currservice_id: Type.Integer({ description: 'event id, -1 = no event' }),
  currservice_name: Type.String({ description: 'title of the event, N/A = none' }),
  currservice_serviceref: Type.Optional(Type.String()),
  currservice_begin: Type.String(),
  currservice_begin_timestamp: Type.Optional(Type.Integer()),
  currservice_end: Type.String(),
  currservice_end_timestamp: Type.Optional(Type.Integer()),
  currservice_description: Type.String(),
  currservice_station: Type.Optional(Type.String()),
  currservice_fulldescription: Type.String(),
  inStandby: YesNo,
  isRecording: YesNo,
  Recording_list: Type.Optional(Type.String()),
  isStreaming: YesNo,
  Streaming_list: Type.String(),
  result: Type.Boolean(),
});
type Status = Static<typeof Status>;

/** Maximum characters of the description in statusinfo. */
const maximumDescription = 220;

const statusinfo = operation({
  name: 'statusinfo',
  since,
  tag,
  summary: 'Volume, standby, the current service and stream clients; meant for polling every few seconds.',
  parameters: {},
  result: Status,
  xml: element<Status>(
    'e2statusinfo',
    leaf('e2volume', ({ volume }) => volume),
    leaf('e2ismuted', ({ muted }) => muted),
    leaf('e2instandby', ({ inStandby }) => inStandby),
    leaf('e2isrecording', ({ isRecording }) => isRecording),
    leaf('e2isstreaming', ({ isStreaming }) => isStreaming),
    leaf('e2servicereference', (status) => status.currservice_serviceref),
    leaf('e2servicename', (status) => status.currservice_station),
    leaf('e2eventid', (status) => status.currservice_id),
    leaf('e2eventtitle', (status) => status.currservice_name),
    leaf('e2eventdescription', (status) => status.currservice_description),
  ),
  example: {
    volume: 55,
    muted: false,
    transcoding: false,
    currservice_filename: '',
    currservice_id: 4711,
    currservice_name: 'Ships & Harbours',
    currservice_begin: '19:00',
    currservice_begin_timestamp: 1767290400,
    currservice_end: '19:45',
    currservice_end_timestamp: 1767293100,
    currservice_description: 'Episode 3',
    currservice_fulldescription: 'Ships & Harbours\n19:00 - 19:45\n\nThe pilot boats of a large river.',
    currservice_serviceref: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
    currservice_station: 'Alpha HD',
    inStandby: 'false',
    isRecording: 'false',
    isStreaming: 'false',
    Streaming_list: '',
    result: true,
  },
  async run(parts): Promise<Status> {
    const { device, playback } = parts;
    const { current } = playback;
    const clients = parts.streams.clients();
    return {
      volume: device.volume.level,
      muted: device.volume.muted,
      transcoding: false,
      currservice_filename: current?.played?.recording.path ?? '',
      ...(await eventStatus(parts)),
      ...(current === undefined
        ? {}
        : { currservice_serviceref: current.reference.format(), currservice_station: cleaned(current.name) }),
      inStandby: device.power.standby ? 'true' : 'false',
      isRecording: parts.recorder.active.length > 0 ? 'true' : 'false',
      ...recordingList(parts),
      isStreaming: clients.length > 0 ? 'true' : 'false',
      Streaming_list: (await streamLines(parts)).join('\n'),
      result: true,
    };
  },
});

async function eventStatus(parts: Parts<'clock' | 'config' | 'guide' | 'playback' | 'services'>) {
  const now = (await currentEvents(parts))?.now;
  if (!now) {
    return {
      currservice_id: -1,
      currservice_name: 'N/A',
      currservice_begin: '',
      currservice_end: '',
      currservice_description: '',
      currservice_fulldescription: 'N/A',
    };
  }
  const title = cleaned(now.title);
  const time = localTime(parts.config.timeZone);
  const [begin, end] = [time.clock(now.start), time.clock(now.start + now.duration)];
  return {
    currservice_id: now.id,
    currservice_name: title,
    currservice_begin: begin,
    currservice_begin_timestamp: now.start,
    currservice_end: end,
    currservice_end_timestamp: now.start + now.duration,
    currservice_description: shortened(cleaned(now.shortText)),
    currservice_fulldescription: `${title}\n${begin} - ${end}\n\n${cleaned(now.extendedText)}`,
  };
}

function shortened(description: string): string {
  const characters = [...description];
  return characters.length <= maximumDescription
    ? description
    : `${characters.slice(0, maximumDescription).join('')}...`;
}

/** LF, then `Alpha HD: Ships` and LF for each recording; absent if there is none. */
function recordingList({ recorder: { active } }: ReceiverParts) {
  if (active.length === 0) return {};
  return {
    Recording_list: `\n${active.map(({ order }) => `${order.serviceName}: ${cleaned(order.title)}\n`).join('')}`,
  };
}

/** `192.0.2.20: Alpha HD - Ships`, one line per stream client. */
async function streamLines(parts: Parts<'guide' | 'services' | 'streams'>): Promise<string[]> {
  return (await runningOnStreams(parts)).map(({ client: { reference, address }, title }) => {
    return `${address}: ${parts.services.nameOf(reference)}${title === '' ? '' : ` - ${title}`}`;
  });
}

const FrontendStatus = Type.Object({
  tunertype: Type.String(),
  tunernumber: Type.Integer({ description: 'index into the tuners of deviceinfo' }),
  snr: Type.Integer({ description: 'percent' }),
  snr_db: Type.String({ description: 'dB with two decimals' }),
  agc: Type.Integer({ description: 'percent' }),
  ber: Type.Integer(),
  inStandby: YesNo,
});
type FrontendStatus = Static<typeof FrontendStatus>;

const signal = operation({
  name: 'tunersignal',
  aliases: ['signal'],
  since,
  tag,
  summary: 'The signal of the tuner used by the current service or, without one, by the newest stream.',
  description: 'With `id` it selects an audio track and responds like selectaudiotrack.',
  parameters: { id: integerElse('select this audio track', -1, trackIndexes).outdated('use selectaudiotrack') },
  changesState: ['id'],
  result: Type.Object({
    ...Type.Partial(FrontendStatus).properties,
    result: Type.Boolean(),
  }),
  xml: {
    write(status, indent) {
      const { tunernumber } = status;
      return tunernumber === undefined
        ? selectedView.write(status, indent)
        : frontendView.write(status as FrontendStatus, indent);
    },
  },
  example: {
    tunertype: 'DVB-S2',
    tunernumber: 0,
    snr: 80,
    snr_db: '12.50',
    agc: 70,
    ber: 0,
    inStandby: 'false',
    result: true,
  },
  run(parts, { id }) {
    return id === undefined ? { ...frontendStatus(parts), result: true } : { result: selectTrack(parts, id) };
  },
});

const selectedView = leaf<{ result: boolean }>('e2result', ({ result }) => (result ? 'Success' : 'Error'));

const frontendView = element<FrontendStatus>(
  'e2frontendstatus',
  leaf('e2snrdb', (status) => `${status.snr_db} dB`),
  leaf('e2snr', ({ snr }) => `${snr} %`),
  leaf('e2ber', ({ ber }) => ber),
  leaf('e2acg', ({ agc }) => `${agc} %`),
);

function frontendStatus(parts: Parts<'device' | 'playback' | 'streams' | 'tuners'>): FrontendStatus {
  const { number, tuner } = tunerInUse(parts);
  const { quality, strength, snr, bitErrors } = tuner?.signal ?? noSignal;
  return {
    tunertype: tuner?.type ?? '',
    tunernumber: number,
    snr: Math.round(quality),
    snr_db: (snr ?? quality).toFixed(2),
    agc: Math.round(strength),
    ber: Math.round(bitErrors),
    inStandby: parts.device.power.standby ? 'true' : 'false',
  };
}

const Time = Type.Object({ status: Type.Boolean(), time: Type.String(), result: Type.Boolean() });

const currenttime = operation({
  name: 'currenttime',
  since,
  tag,
  summary: 'The receiver’s local time.',
  parameters: {},
  result: Time,
  xml: leaf<Static<typeof Time>>('e2currenttime', ({ time }) => time),
  example: { status: true, time: '19:10:00', result: true },
  run: ({ clock, config }) => ({
    status: true,
    time: localTime(config.timeZone).clockWithSeconds(clock.now()),
    result: true,
  }),
});

export const statusOperations = [statusinfo, signal, currenttime];
