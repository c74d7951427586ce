/**
 * The current state of the receiver: service, stream clients, time. It is cheap enough to be polled every few seconds.
 */
import * as Type from 'typebox';
import { localTime } from '../../../base/local-time.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation } from '../../endpoint/operation.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { oneOf, recordSchema, sampled } from '../../write/record.ts';
import { element, leaves } from '../../write/xml.ts';
import { currentEvents } from '../current-service.ts';
import { streamClientsWithTitles } from '../guide/guide-entries.ts';

/** Strings, because clients compare them as such. */
export const YesNo = sampled(oneOf(['true', 'false']), 'false');

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
type Status = Type.Static<typeof Status>;

/** Maximum characters of the description in statusinfo. */
const maxDescriptionLength = 220;

const statusinfo = operation({
  name: 'statusinfo',
  summary: 'Volume, standby, the current service and stream clients; meant for polling every few seconds.',
  result: Status,
  xml: element<Status>(
    'e2statusinfo',
    leaves({
      e2volume: 'volume',
      e2ismuted: 'muted',
      e2instandby: 'inStandby',
      e2isrecording: 'isRecording',
      e2isstreaming: 'isStreaming',
      e2servicereference: 'currservice_serviceref',
      e2servicename: 'currservice_station',
      e2eventid: 'currservice_id',
      e2eventtitle: 'currservice_name',
      e2eventdescription: 'currservice_description',
    }),
  ),
  // In the order of the response, unlike the schema.
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

async function eventStatus(parts: ReceiverParts) {
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
  return characters.length <= maxDescriptionLength
    ? description
    : `${characters.slice(0, maxDescriptionLength).join('')}...`;
}

/** LF, followed by a line `Alpha HD: Ships` for each running recording; absent if there is none. */
function recordingList({ recorder: { active } }: ReceiverParts) {
  if (active.length === 0) return {};
  return {
    Recording_list: `\n${active.map(({ spec }) => `${spec.serviceName}: ${cleaned(spec.title)}\n`).join('')}`,
  };
}

/** `192.0.2.20: Alpha HD - Ships`, one line per stream client. */
async function streamLines(parts: ReceiverParts): Promise<string[]> {
  return (await streamClientsWithTitles(parts)).map(({ client: { reference, address }, title }) => {
    return `${address}: ${parts.services.nameOf(reference)}${title === '' ? '' : ` - ${title}`}`;
  });
}

const Time = recordSchema({ status: true, time: '19:10:00', result: true });

const currenttime = operation({
  name: 'currenttime',
  summary: 'The receiver’s local time.',
  result: Time,
  xml: leaves<Type.Static<typeof Time>>({ e2currenttime: 'time' }),
  run: ({ clock, config }) => ({
    status: true,
    time: localTime(config.timeZone).clockWithSeconds(clock.now()),
    result: true,
  }),
});

export const statusOperations = group('device', [statusinfo, currenttime]);
