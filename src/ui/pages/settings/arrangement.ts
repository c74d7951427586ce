/** Where each setting is on the page, and the control that fits it. */
import type { Texts } from './languages/en.ts';

type Name = keyof Texts['settings'];
type Group = keyof Texts['groups'];
type Card = keyof Texts['cards'];

/** The cards of each group, and the settings of each card. Settings of a newer receiver are in the last card. */
export const groups: Readonly<Record<Group, Partial<Readonly<Record<Card, readonly Name[]>>>>> = {
  recording: {
    times: ['config.recording.margin_before', 'config.recording.margin_after', 'power.wakeLead'],
    recordings: [
      'locations',
      'config.recording.filename_composition',
      'config.recording.ascii_filenames',
      'exports.names',
      'config.recording.keep_timers',
      'advertisements.whileReceiving',
    ],
    trash: [
      'config.usage.movielist_trashcan',
      'config.usage.movielist_trashcan_days',
      'config.usage.movielist_trashcan_reserve',
      'cleaning.deleteAfter',
      'cleaning.minimumFree',
      'cleaning.keepTag',
    ],
    timeshift: ['timeshift.automatic', 'timeshift.size', 'timeshift.minimumFree'],
  },
  guide: {
    guide: ['config.epgselection.grid.primetime', 'guide.history', 'guide.collectEvery', 'pictures.size'],
    region: ['languages', 'timeZone'],
  },
  tuners: {
    channels: ['tuners', 'scan', 'config.usage.alternative_number_mode', 'stream.linger'],
    iptv: ['iptv.maximumBandwidth', 'iptv.userAgent'],
    sharing: [
      'hdhomerun.server',
      'hdhomerun.bouquets',
      'satip.server.enabled',
      'satip.server.clients',
      'satip.server.satellites',
    ],
  },
  picture: {
    watching: ['stream.maximumClients', 'conversion.maximum', 'hls.maximumServices'],
    screen: ['output', 'remote.uinput'],
  },
  network: {
    receiver: ['name', 'discovery', 'power.shutdown'],
    access: ['access.localNetwork', 'access.sessionDays', 'access.ticketHours'],
    ports: ['httpPort', 'streamPort', 'tls.port', 'tls.streamPort', 'tls.hsts'],
  },
  notifications: {
    webhooks: [
      'notifications.service',
      'notifications.url',
      'notifications.token',
      'notifications.user',
      'notifications.webhooks',
      'notifications.events',
    ],
    mqtt: ['mqtt.url', 'mqtt.user', 'mqtt.password', 'mqtt.discovery', 'mqtt.prefix'],
  },
  advanced: {
    folders: [
      'dataDir',
      'enigma2Dir',
      'picons',
      'scanTables',
      'locationRoots',
      'timeshift.folder',
      'hls.folder',
      'guide.huffman',
      'guide.sources',
      'enigma2.logins',
      'tls.certificate',
      'tls.key',
    ],
    programs: [
      'conversion.path',
      'mpv.path',
      'mpv.options',
      'power.shutdownCommand',
      'power.rebootCommand',
      'power.wakeAlarm',
      'hooks.recordingStarted',
      'hooks.recordingEnded',
      'hooks.recordingFailed',
      'hooks.timerAdded',
      'hooks.conflict',
      'advertisements.command',
    ],
    addresses: [
      'bind',
      'hostNames',
      'origins',
      'access.allow',
      'access.trustedProxies',
      'hdhomerun.streamPort',
      'hdhomerun.controlPort',
      'satip.server.port',
      'satip.server.allow',
      'iptv.interface',
      'iptv.allow',
    ],
    limits: [
      'guide.maximumEvents',
      'guide.saveEvery',
      'hooks.timeout',
      'advertisements.timeout',
      'recording.sync',
      'recording.syncInterval',
      'recording.queueBound',
      'stream.clientBound',
      'hls.size',
      'push.maximumClients',
      'push.clientBound',
      'push.history',
      'push.heartbeat',
    ],
    diagnostics: ['logLevel', 'clock', 'evil'],
    others: [],
  },
};

export interface Look {
  /** Unit of `Intl.NumberFormat` in which a number is shown. */
  readonly unit?: string;
  /** How many units of the setting make one that is shown. Default: 1. */
  readonly factor?: number;
  /** Change of a shown number by one press on a button; 0: no buttons. Default: 1. */
  readonly step?: number;
  /** Default: the control of the setting's kind. */
  readonly control?: 'choices' | 'clock' | 'languages' | 'password' | 'permissions' | 'timeZone';
  /** Whether the entries of a list are recording folders. */
  readonly isFolder?: boolean;
  /** Whether the order of a list matters. */
  readonly isOrdered?: boolean;
  /** Values to choose from in a text or list, which takes others too. */
  readonly suggestions?: readonly string[];
}

const port: Look = { step: 0 };
const minutes: Look = { unit: 'minute', factor: 60 };
const megabytes: Look = { unit: 'megabyte', factor: 2 ** 20 };
/** Of settings in megabytes. */
const gigabytes: Look = { unit: 'gigabyte', factor: 1000 };

export const looks: Partial<Readonly<Record<Name, Look>>> = {
  'config.recording.margin_before': { unit: 'minute' },
  'config.recording.margin_after': { unit: 'minute' },
  'config.recording.keep_timers': { unit: 'day' },
  'config.epgselection.grid.primetime': { control: 'clock' },
  'config.usage.movielist_trashcan_days': { unit: 'day' },
  'config.usage.movielist_trashcan_reserve': { unit: 'gigabyte', step: 5 },
  locations: { isFolder: true, isOrdered: true },
  tuners: { suggestions: ['dvb:*', 'satip:*', 'hdhomerun:*', 'demo', 'none'] },
  'access.localNetwork': { control: 'permissions' },
  'access.sessionDays': { unit: 'day' },
  'access.ticketHours': { unit: 'hour' },
  'tls.port': port,
  'tls.streamPort': port,
  httpPort: port,
  streamPort: port,
  timeZone: { control: 'timeZone' },
  languages: { control: 'languages', isOrdered: true },
  'guide.history': { unit: 'hour', factor: 3600 },
  'guide.maximumEvents': { step: 100_000 },
  'guide.collectEvery': { ...minutes, step: 10 },
  'guide.saveEvery': { ...minutes, step: 10 },
  'stream.clientBound': megabytes,
  'stream.linger': { unit: 'second' },
  'hdhomerun.streamPort': port,
  'hdhomerun.controlPort': port,
  'satip.server.port': port,
  'satip.server.satellites': { isOrdered: true },
  'iptv.maximumBandwidth': { unit: 'megabit-per-second', factor: 1_000_000 },
  'recording.queueBound': megabytes,
  'recording.syncInterval': { unit: 'second' },
  'timeshift.size': gigabytes,
  'timeshift.minimumFree': gigabytes,
  'hls.size': { unit: 'megabyte', step: 16 },
  'pictures.size': { unit: 'megabyte', step: 50 },
  'cleaning.minimumFree': { unit: 'gigabyte', step: 5 },
  'cleaning.deleteAfter': { unit: 'day' },
  'power.wakeLead': minutes,
  'push.clientBound': { unit: 'kilobyte', factor: 1024 },
  'push.heartbeat': { unit: 'second' },
  'mqtt.password': { control: 'password' },
  'hooks.timeout': { unit: 'second', step: 60 },
  'advertisements.timeout': { unit: 'second', step: 3600 },
  'notifications.token': { control: 'password' },
  'notifications.user': { control: 'password' },
  'notifications.events': { control: 'choices' },
};
