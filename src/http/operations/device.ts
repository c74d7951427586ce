/** The receiver itself: what it is, how it is, its signal, volume, power and settings. */
import { randomUUID } from 'node:crypto';
import Type, { type Static } from 'typebox';
import type { PowerChange } from '../../device/power.ts';
import { ReceiverError } from '../../errors.ts';
import { localTime } from '../local-time.ts';
import { documentOperation, operation } from '../operation.ts';
import { integer, strictInteger, text } from '../parameters.ts';
import type { ReceiverParts, Signal, TunerState } from '../parts.ts';
import { each, element, leaf, part, type View } from '../xml.ts';
import { selectTrack } from './current.ts';
import {
  CurrentServiceRecord,
  currentEvents,
  currentServiceRecord,
  exampleCurrentService,
  pidElements,
  videoElements,
} from './current-service.ts';
import { exampleInformation, Information, informationOf } from './information.ts';

const since = '0.1';
const tag = 'device';

const versionElements: readonly View<Information>[] = [
  leaf('e2oeversion', ({ oever }) => oever),
  leaf('e2enigmaversion', ({ enigmaver }) => enigmaver),
  leaf('e2distroversion', ({ imagedistro }) => imagedistro),
  leaf('e2imageversion', ({ imagever }) => imagever),
  leaf('e2driverdate', ({ driverdate }) => driverdate),
  leaf('e2webifversion', ({ webifver }) => webifver),
  leaf('e2fpversion', (info) => info.fp_version ?? 'None'),
];

type Interface = Information['ifaces'][number];
type Disk = Information['hdd'][number];
type Nim = Information['tuners'][number];

const About = Type.Object({ info: Information, service: CurrentServiceRecord, result: Type.Boolean() });
type About = Static<typeof About>;

export const about = operation({
  name: 'about',
  since,
  tag,
  summary: 'The device, its network, disks and tuners, and the current service.',
  parameters: {},
  result: About,
  xml: element<About>(
    'e2abouts',
    element(
      'e2about',
      part(
        ({ info }) => info,
        rows(
          ...versionElements,
          leaf('e2model', ({ model }) => model),
        ),
      ),
      part(
        ({ info }) => info.ifaces[0],
        rows<Interface>(
          leaf('e2lanmac', ({ mac }) => mac),
          leaf('e2landhcp', ({ dhcp }) => dhcp),
          leaf('e2lanip', ({ ip }) => ip),
          leaf('e2lanmask', ({ mask }) => mask),
          leaf('e2langw', ({ gw }) => gw),
        ),
      ),
      part(
        ({ info }) => info.hdd[0],
        element<Disk>(
          'e2hddinfo',
          leaf('model', ({ model }) => model),
          leaf('capacity', ({ capacity }) => capacity),
          leaf('free', ({ free }) => free),
          leaf('mount', ({ mount }) => mount),
        ),
      ),
      part(
        ({ info }) => (info.tuners.length > 0 ? info : undefined),
        element<Information>(
          'e2tunerinfo',
          each(
            ({ tuners }) => tuners,
            element<Nim>(
              'e2nim',
              leaf('name', ({ name }) => name),
              leaf('type', ({ type }) => type),
              leaf('live', ({ live }) => live),
              leaf('rec', ({ rec }) => rec),
            ),
          ),
        ),
      ),
      part(
        ({ service }) => service,
        rows<CurrentServiceRecord>(
          leaf('e2servicename', ({ name }) => name),
          leaf('e2servicenamespace', ({ namespace }) => namespace),
          leaf('e2serviceaspect', ({ aspect }) => aspect),
          leaf('e2serviceprovider', ({ provider }) => provider),
          ...videoElements,
          ...pidElements,
        ),
      ),
    ),
  ),
  example: { info: exampleInformation, service: exampleCurrentService, result: true },
  run: async (parts) => ({
    info: await informationOf(parts),
    service: currentServiceRecord(parts, await currentEvents(parts)),
    result: true,
  }),
});

const DeviceInformation = Type.Object({ ...Information.properties, result: Type.Boolean() });

export const deviceinfo = operation({
  name: 'deviceinfo',
  since,
  tag,
  summary: 'The device, its tuners, network and disks.',
  parameters: {},
  result: DeviceInformation,
  xml: element<Information>(
    'e2deviceinfo',
    ...versionElements,
    leaf('e2devicename', ({ model }) => model),
    element(
      'e2frontends',
      each(
        ({ tuners }) => tuners,
        element<Nim>(
          'e2frontend',
          leaf('e2name', ({ name }) => name),
          leaf('e2model', ({ type }) => type),
        ),
      ),
    ),
    element(
      'e2network',
      each(
        ({ ifaces }) => ifaces,
        element<Interface>(
          'e2interface',
          leaf('e2name', ({ name }) => name),
          leaf('e2mac', ({ mac }) => mac),
          leaf('e2dhcp', ({ dhcp }) => dhcp),
          leaf('e2ip', ({ ip }) => ip),
          leaf('e2gateway', ({ gw }) => gw),
          leaf('e2netmask', ({ mask }) => mask),
        ),
      ),
    ),
    element(
      'e2hdds',
      each(
        ({ hdd }) => hdd,
        element<Disk>(
          'e2hdd',
          leaf('e2model', ({ model }) => model),
          leaf('e2capacity', ({ capacity }) => capacity),
          leaf('e2free', ({ free }) => free),
          leaf('e2mount', ({ mount }) => mount),
        ),
      ),
    ),
  ),
  example: { ...exampleInformation, result: true },
  run: async (parts) => ({ ...(await informationOf(parts)), result: true }),
});

/** Several views of one value, one after the other. */
function rows<T>(...views: readonly View<T>[]): View<T> {
  return {
    *write(value, indent) {
      for (const view of views) yield* view.write(value, indent);
    },
  };
}

/** Strings, because clients compare them so. */
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

/** Characters of the description in statusinfo. */
const maximumDescription = 220;

export const statusinfo = operation({
  name: 'statusinfo',
  since,
  tag,
  summary: 'Volume, standby, what plays, who streams: made to be asked for every few seconds.',
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
    currservice_serviceref: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
    currservice_begin: '19:00',
    currservice_begin_timestamp: 1767290400,
    currservice_end: '19:45',
    currservice_end_timestamp: 1767293100,
    currservice_description: 'Episode 3',
    currservice_station: 'Alpha HD',
    currservice_fulldescription: 'Ships & Harbours\n19:00 - 19:45\n\nThe pilot boats of a large river.',
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
      currservice_filename: '',
      ...(await eventStatus(parts)),
      ...(current === undefined
        ? {}
        : { currservice_serviceref: current.reference.format(), currservice_station: current.name }),
      inStandby: device.power.standby ? 'true' : 'false',
      isRecording: 'false',
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
  const time = localTime(parts.config.timeZone);
  const [begin, end] = [time.clock(now.start), time.clock(now.start + now.duration)];
  return {
    currservice_id: now.id,
    currservice_name: now.title,
    currservice_begin: begin,
    currservice_begin_timestamp: now.start,
    currservice_end: end,
    currservice_end_timestamp: now.start + now.duration,
    currservice_description: shortened(now.shortText),
    currservice_fulldescription: `${now.title}\n${begin} - ${end}\n\n${now.extendedText}`,
  };
}

function shortened(description: string): string {
  const characters = [...description];
  return characters.length <= maximumDescription
    ? description
    : `${characters.slice(0, maximumDescription).join('')}...`;
}

/** `192.0.2.20: Alpha HD - Ships`, one line a stream client. */
async function streamLines({ streams, services, guide }: ReceiverParts): Promise<string[]> {
  const clients = streams.clients();
  const keys = clients.map(
    ({ reference }) => reference.dvb ?? { originalNetworkId: 0, transportStreamId: 0, serviceId: 0 },
  );
  const running = keys.length === 0 ? [] : await guide.nowNext(keys);
  return clients.map(({ reference, address }, index) => {
    const title = running[index]?.now?.title ?? '';
    return `${address}: ${services.nameOf(reference)}${title === '' ? '' : ` - ${title}`}`;
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

const noSignal: Signal = { locked: false, quality: 0, strength: 0, snr: 0, bitErrors: 0 };

export const signal = operation({
  name: 'tunersignal',
  aliases: ['signal'],
  since,
  tag,
  summary: 'The signal of the tuner that carries the current service, or else the youngest stream.',
  description: 'With `id` it selects an audio track, as selectaudiotrack does, and answers as that.',
  parameters: { id: integer('selects this audio track') },
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

function frontendStatus(parts: ReceiverParts): FrontendStatus {
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

function tunerInUse({ tuners, playback, streams }: ReceiverParts): { number: number; tuner: TunerState | undefined } {
  const number = playback.current?.tuner ?? streams.clients().findLast(({ tuner }) => tuner !== undefined)?.tuner ?? 0;
  return { number, tuner: tuners.list()[number] };
}

const Time = Type.Object({ status: Type.Boolean(), time: Type.String(), result: Type.Boolean() });

export const currenttime = operation({
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

const VolumeState = Type.Object({
  result: Type.Boolean(),
  message: Type.String(),
  current: Type.Integer({ minimum: 0, maximum: 100 }),
  ismute: Type.Boolean(),
});
type VolumeState = Static<typeof VolumeState>;

export const vol = operation({
  name: 'vol',
  since,
  tag,
  summary: 'Shows or changes the volume.',
  parameters: { set: text('`up`, `down`, `mute` (toggles), `setNN` (0 to 100); absent or `state` = show') },
  changesState: ['set'],
  result: VolumeState,
  xml: element<VolumeState>(
    'e2volume',
    leaf('e2result', ({ result }) => result),
    leaf('e2resulttext', ({ message }) => message),
    leaf('e2current', ({ current }) => current),
    leaf('e2ismuted', ({ ismute }) => ismute),
  ),
  example: { result: true, message: 'Status', current: 55, ismute: false },
  run({ device: { volume } }, { set = 'state' }) {
    const [result, message] = changeVolume(volume, set);
    return { result, message, current: volume.level, ismute: volume.muted };
  },
});

function changeVolume(volume: ReceiverParts['device']['volume'], set: string): [result: boolean, message: string] {
  switch (set) {
    case '':
    case 'state':
      return [true, 'Status'];
    case 'up':
      volume.step('up');
      return [true, 'Volume changed'];
    case 'down':
      volume.step('down');
      return [true, 'Volume changed'];
    case 'mute':
      volume.toggleMute();
      return [true, 'Mute toggled'];
  }
  const level = /^set(-?\d{1,9})$/.exec(set)?.[1];
  if (level !== undefined) {
    volume.set(Number(level));
    return [true, `Volume set to ${volume.level}`];
  }
  return [
    false,
    set.startsWith('set') ? `Wrong parameter format 'set=${set}'. Use set=set15` : `Unknown Volume command ${set}`,
  ];
}

const PowerState = Type.Object({ result: Type.Boolean(), instandby: Type.Boolean() });

export const powerstate = operation({
  name: 'powerstate',
  since,
  tag,
  summary: 'Shows or changes whether the receiver is in standby.',
  description:
    'Shutting down, rebooting and restarting (1, 2, 3) are refused: `result` is false and the answer shows the unchanged state.',
  parameters: {
    newstate: strictInteger(
      '0 = toggle standby, 4 = wake up, 5 = standby, 1 shut down, 2 reboot, 3 restart; absent = show',
    ),
  },
  changesState: ['newstate'],
  result: PowerState,
  xml: element<Static<typeof PowerState>>(
    'e2powerstate',
    leaf('e2instandby', ({ instandby }) => (instandby ? 'true' : 'false')),
  ),
  example: { result: true, instandby: false },
  async run({ device: { power } }, { newstate = -1 }) {
    const change = powerChanges[newstate];
    let result = true;
    try {
      if (change !== undefined) await power.change(change);
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      result = false;
    }
    return { result, instandby: power.standby };
  },
});

/** What the numbers of newstate mean; others change nothing. */
const powerChanges: Readonly<Record<number, PowerChange>> = {
  0: 'toggle-standby',
  1: 'deep-standby',
  2: 'reboot',
  3: 'restart',
  4: 'wake',
  5: 'standby',
};

const SettingList = Type.Object({
  result: Type.Boolean(),
  settings: Type.Array(Type.Unsafe<readonly [string, string]>({ type: 'array', items: { type: 'string' } }), {
    description: 'pairs of key and stored text',
  }),
});
type SettingList = Static<typeof SettingList>;

export const settings = operation({
  name: 'settings',
  since,
  tag,
  summary: 'The settings that are stored, and those that clients rely on.',
  parameters: {},
  result: SettingList,
  xml: element<SettingList>(
    'e2settings',
    each(
      (list) => list.settings,
      element<readonly [string, string]>(
        'e2setting',
        leaf('e2settingname', ([key]) => key),
        leaf('e2settingvalue', ([, value]) => value),
      ),
    ),
  ),
  example: { result: true, settings: [['config.recording.margin_before', '3']] },
  run(parts) {
    const values = new Map<string, string>(parts.settings.stored);
    for (const [key, value] of settingsInForce(parts)) values.set(key, value);
    const shown = [...values].filter(([key, value]) => value !== '' && !secret.test(key));
    return { result: true, settings: shown };
  },
});

/** Keys whose values are for nobody: servicepin.0, setuppin, password, ... */
const secret = /pin(\.|$)|passw|secret|token/i;

/** What clients look for, whether stored or not. */
function settingsInForce({ settings, locations, config }: ReceiverParts): [key: string, value: string][] {
  const folders = locations.all.map((folder) => `'${folder.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`);
  return [
    ['config.recording.margin_before', String(settings.number('config.recording.margin_before'))],
    ['config.recording.margin_after', String(settings.number('config.recording.margin_after'))],
    ['config.usage.default_path', locations.default],
    ['config.movielist.videodirs', `[${folders.join(', ')}]`],
    ['config.OpenWebif.port', String(config.httpPort)],
    ['config.OpenWebif.streamport', String(config.streamPort)],
  ];
}

const Plugins = Type.Object({ plugins: Type.Array(Type.Array(Type.String())), result: Type.Boolean() });
type Plugins = Static<typeof Plugins>;

export const external = operation({
  name: 'external',
  since,
  tag: 'system',
  summary: 'Web pages of plug-ins: there are none.',
  parameters: {},
  result: Plugins,
  xml: element<Plugins>(
    'e2webifexternals',
    each(
      ({ plugins }) => plugins,
      element<string[]>(
        'e2webifexternal',
        leaf('e2path', ([path]) => path),
        leaf('e2name', ([, , name]) => name),
        leaf('e2externalversion', ([, , , version]) => version),
      ),
    ),
  ),
  example: { plugins: [], result: true },
  run: () => ({ plugins: [], result: true }),
});

const PictureInPicture = Type.Object({ pip: Type.Integer(), result: Type.Boolean() });

export const pipinfo = operation({
  name: 'pipinfo',
  since,
  tag,
  summary: 'Whether a second picture is shown: never, there is no video output.',
  parameters: {},
  result: PictureInPicture,
  xml: leaf<Static<typeof PictureInPicture>>('e2pip', ({ pip }) => pip),
  example: { pip: 0, result: true },
  run: () => ({ pip: 0, result: true }),
});

export const getip = documentOperation({
  name: 'getip',
  since,
  tag,
  summary: 'One line with the receiver’s IPv4 address.',
  parameters: {},
  contentType: 'text/html; charset=utf-8',
  run: async ({ device }) => addressLine((await device.interfaces()).find(({ ipv4 }) => ipv4)?.ipv4?.address),
});

export const getipv6 = documentOperation({
  name: 'getipv6',
  since,
  tag,
  summary: 'One line with the receiver’s IPv6 address.',
  parameters: {},
  contentType: 'text/html; charset=utf-8',
  run: async ({ device }) => addressLine((await device.interfaces()).flatMap(({ ipv6 }) => ipv6)[0]),
});

function addressLine(address = '') {
  return { contentType: 'text/html; charset=utf-8', body: `My IP address is: ${address}\n` };
}

const Session = Type.Object({ sessionid: Type.String(), result: Type.Boolean() });

/** There are no sessions to tell apart; one id serves all who ask. */
const sessionId = randomUUID();

export const session = operation({
  name: 'session',
  since,
  tag: 'system',
  summary: 'A session id, for clients that want one before they change anything. It is never asked for.',
  parameters: {},
  result: Session,
  xml: leaf<Static<typeof Session>>('e2sessionid', ({ sessionid }) => sessionid),
  example: { sessionid: '6f0e3a52-5a3c-4f0e-9a53-0d1c5b1f5b1e', result: true },
  run: () => ({ sessionid: sessionId, result: true }),
});

export const deviceOperations = [
  about,
  deviceinfo,
  statusinfo,
  signal,
  currenttime,
  vol,
  powerstate,
  settings,
  external,
  pipinfo,
  getip,
  getipv6,
  session,
];
