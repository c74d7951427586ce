/**
 * The typed, documented configuration: defaults < file (YAML) < environment < flags.
 *
 * The schema below is the only list of settings: the types, the checks and docs/configuration.md are derived from it.
 * `expected` describes the allowed values in words, for patterns that are hard to read.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { ReceiverError } from '../base/errors.ts';
import { isPrefix } from '../base/ip-prefixes.ts';
import { once } from '../base/once.ts';
import {
  isMapping,
  nearest,
  type Problem,
  problemsOf,
  type SettingSchema,
  settingNames,
} from './configuration-check.ts';
import { ConfigurationFile, type SettingPath } from './configuration-file.ts';
import { InvalidTunerSpec } from './invalid-tuner-spec.ts';
import { checkTunerSpec, tunerSpecs } from './tuner-spec.ts';

type Range = readonly [minimum: number, maximum: number];

const Whole = ([minimum, maximum]: Range, defaultValue: number, description: string) =>
  Type.Integer({ minimum, maximum, default: defaultValue, description });

const Switch = (defaultValue: boolean, description: string) => Type.Boolean({ default: defaultValue, description });

const Word = <const Words extends readonly string[]>(words: Words, defaultValue: Words[number], description: string) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: words, default: defaultValue, description });

const maxPrefixes = 256;

const Prefixes = (defaultValue: string[], description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 64, expected: 'an address, or a prefix such as 192.168.0.0/16' }), {
    maxItems: maxPrefixes,
    default: defaultValue,
    description,
  });

/** Characters of a path or of an argument of a command. */
const maxPathLength = 1024;
/** Of a list of folders, tuners, names or arguments. */
const maxEntries = 64;

/**
 * Settings that only the file can change, not an administrator over the network: an administrator of the receiver need
 * not be one of the machine.
 */
const program = { fileOnly: 'names a program to run' };
const place = { fileOnly: 'names a place on this machine' };

const Path = () => Type.String({ minLength: 1, maxLength: maxPathLength });

const Paths = (options: {
  readonly default?: string[];
  readonly minItems?: number;
  readonly fileOnly?: string;
  readonly description: string;
}) => Type.Array(Path(), { maxItems: maxEntries, ...options });

/** A path; empty means the default. */
const OptionalPath = (description: string) =>
  Type.String({ ...place, maxLength: maxPathLength, default: '', description });

/** Private and loopback addresses. */
const privateAddresses = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
];
/** Permissions that clients on the local network may have without a login: all but administration. */
export const localPermissions = ['view', 'control', 'record'] as const;
/** What hooks and webhooks report. */
export const noticeKinds = ['recordingStarted', 'recordingEnded', 'recordingFailed', 'timerAdded', 'conflict'] as const;
/** Failed recordings are always reported. */
export const optionalNoticeKinds = noticeKinds.filter((kind) => kind !== 'recordingFailed');
/** Rules for the names of exports. */
export const exportNames = ['recording', 'media'] as const;
/** The messaging services whose requests we know. */
export const noticeServices = ['none', 'ntfy', 'gotify', 'pushover', 'apprise'] as const;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A group of settings, which may be absent, because all of them have a default. */
const Group = <Settings extends Type.TProperties>(settings: Settings) => Type.Object(settings, { default: {} });

const Command = (description: string, defaultValue: string[]) =>
  Paths({ ...program, minItems: 1, default: defaultValue, description });

const Hook = (when: string) =>
  Paths({ ...program, default: [], description: `program to run ${when}, with its arguments; default is none` });

const webAddress = {
  pattern: '^(https?://[^\\s]+)?$',
  maxLength: maxPathLength,
  expected: 'an address such as https://home.example/hook',
};

export const ConfigurationSchema = Type.Object({
  dataDir: Type.String({
    ...place,
    minLength: 1,
    maxLength: maxPathLength,
    description:
      'folder for state, guide and recordings, called DATA below; default `$XDG_DATA_HOME/receiverd`, or `~/.local/share/receiverd` if that variable is not set',
  }),
  enigma2Dir: Type.String({
    ...place,
    minLength: 1,
    maxLength: maxPathLength,
    description: 'Enigma2 folder: lamedb, bouquets, settings; default DATA/enigma2',
  }),
  picons: Paths({
    ...place,
    description: 'folders searched for picons; default DATA/picon',
  }),
  scanTables: Paths({
    ...place,
    default: ['/usr/share/dvb', '/etc/tuxbox'],
    description:
      'folders with transponder tables for scans (dtv-scan-tables, satellites.xml, cables.xml, terrestrial.xml), searched after the Enigma2 folder',
  }),
  locations: Paths({
    minItems: 1,
    description: 'folders for recordings; new ones go into the first unless a timer names another; default DATA/movie',
  }),
  locationRoots: Paths({
    ...place,
    default: [],
    description:
      'folders, such as `/media`, below which recording folders may be added over the network; they may always be added below an existing recording folder',
  }),
  tuners: Type.Array(Type.String({ minLength: 1, maxLength: maxPathLength, expected: tunerSpecs }), {
    maxItems: maxEntries,
    default: [],
    description:
      'tuner specifications: dvb:ADAPTER, dvb:ADAPTER/FRONTEND, dvb:* (all front ends), satip:HOST (a SAT>IP server; satip.md), satip:* (all SAT>IP servers of the local network), hdhomerun:HOST or hdhomerun:HOST:PORT (an HDHomeRun; hdhomerun.md), hdhomerun:* (all HDHomeRuns of the local network), enigma2:HOST (an Enigma2 box, or another receiver; enigma2.md), file:PATH, demo, demo:speed=N, demo:start=TIME, none (IPTV only; iptv.md); an empty list means all front ends, or the demo if there are none',
  }),
  clock: Word(
    ['system', 'broadcast'],
    'system',
    'source of the time: the clock of the machine, or the TDT/TOT of the stream (for captures)',
  ),
  bind: Type.String({
    minLength: 1,
    maxLength: 253,
    default: '::',
    description: 'address to listen on; :: means every address',
  }),
  origins: Type.Array(
    Type.String({
      pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^/]*)$',
      maxLength: 300,
      expected: '* or an origin such as https://panel.example, without a path',
    }),
    {
      minItems: 1,
      maxItems: maxEntries,
      default: ['*'],
      description:
        'origins of web pages that may read responses (CORS), such as `https://panel.example`; * means every page. Only pages that are listed here by name may also change things',
    },
  ),
  hostNames: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    maxItems: maxEntries,
    default: [],
    description:
      'further host names under which the receiver may be controlled, such as `tv.example.org` of a proxy; addresses, names without dots, names of local networks and the machine’s own name are always allowed; * means every name, which permits attacks by DNS rebinding',
  }),
  access: Group({
    allow: Prefixes(
      privateAddresses,
      'addresses and prefixes of the local network; the IPv6 networks of this machine are added to them. All other clients need an account',
    ),
    localNetwork: Type.Array(Word(localPermissions, 'view', ''), {
      maxItems: localPermissions.length,
      default: [...localPermissions],
      uniqueItems: true,
      description:
        'what clients on the local network may do without a login (security.md); an empty list means that everyone has to log in. Administration always needs a login',
    }),
    trustedProxies: Prefixes(
      [],
      'addresses of reverse proxies whose X-Forwarded-For, -Proto, -Host and -Prefix are trusted (security.md)',
    ),
    sessionDays: Whole([1, 365], 30, 'days after which a browser has to log in again'),
    ticketHours: Whole([1, 8760], 72, 'hours for which the stream URLs in a playlist can be played without a login'),
  }),
  tls: Group({
    port: Whole([0, 65535], 0, 'HTTPS port of the web interface, such as 8443, in addition to `httpPort`; 0: none'),
    streamPort: Whole(
      [0, 65535],
      0,
      'HTTPS port of the live streams, such as 8444, in addition to `streamPort`; 0: none',
    ),
    certificate: OptionalPath(
      'PEM file of the certificate and its chain, reread when it changes; default is a self-signed certificate in DATA/tls, which the receiver creates and renews',
    ),
    key: OptionalPath('PEM file of the private key of `tls.certificate`'),
    hsts: Switch(false, 'make browsers use only HTTPS for this host name for a year (HSTS)'),
  }),
  httpPort: Whole([0, 65535], 8080, 'HTTP port of the web interface; 0: any free port'),
  streamPort: Whole([0, 65535], 8001, 'HTTP port of the live streams; 0: any free port'),
  name: Type.String({
    minLength: 1,
    maxLength: 60,
    default: 'receiverd',
    description: 'name of the receiver, as clients show it',
  }),
  discovery: Switch(
    true,
    'announce the receiver on the local network (mDNS) so that apps find it; never done if `bind` is a loopback address',
  ),
  timeZone: Type.String({
    maxLength: 64,
    default: '',
    description: 'IANA time zone for local times; default is that of the machine',
  }),
  languages: Type.Array(
    Type.String({
      pattern: '^[a-z]{3}$',
      maxLength: 3,
      expected: 'an ISO 639-2 code of three small letters, such as deu',
    }),
    {
      maxItems: maxEntries,
      default: [],
      description:
        'ISO 639-2 codes of the preferred languages of guide texts, most preferred first; default is the language that is broadcast first',
    },
  ),
  scan: Word(
    ['new', 'always', 'never'],
    'new',
    'multiplexes whose services are added to the service list at the start: `new` only those that are not in the list yet, `always` all, `never` none',
  ),
  guide: Group({
    sources: Type.Array(
      Type.Object({
        url: Type.Optional(
          Type.String({ pattern: '^https?://.', maxLength: 2000, expected: 'an address with http or https' }),
        ),
        file: Type.Optional(Path()),
        command: Type.Optional(Paths({ minItems: 1, description: '' })),
        every: Whole([900, 2_592_000], 86_400, ''),
        priority: Whole([-9, 9], 0, ''),
        numbers: Switch(false, ''),
        channels: Type.Optional(Path()),
        times: Type.Array(
          Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', maxLength: 5, expected: 'a local time such as 06:15' }),
          { maxItems: 24, default: [] },
        ),
      }),
      {
        ...place,
        maxItems: maxEntries,
        default: [],
        description:
          'guide files that are imported regularly: `url`, `file` or `command` of each, `every` (seconds) or `times` of the day, `priority` over the broadcast, `numbers`, `channels` (guide.md#sources)',
      },
    ),
    history: Whole([0, 604800], 0, 'seconds for which past events are kept'),
    maximumEvents: Whole(
      [1000, 10_000_000],
      1_000_000,
      'maximum number of events in the guide; beyond it, the events farthest in the future are refused',
    ),
    collectEvery: Whole(
      [60, 86400],
      3600,
      'seconds after which the guide of a transponder is collected again; only idle tuners are used for this',
    ),
    saveEvery: Whole([0, 86400], 3600, 'seconds between saves of a changed guide; 0: only when the receiver stops'),
    huffman: OptionalPath(
      'folder with the Huffman tables freesat.t1 and freesat.t2, which decode the texts of Freesat; default is none',
    ),
  }),
  stream: Group({
    clientBound: Whole(
      [262144, 268435456],
      8388608,
      'bytes buffered per client; a client that falls further behind is dropped',
    ),
    maximumClients: Whole(
      [1, 10000],
      64,
      'maximum number of live stream clients at a time; one address may use three quarters of them',
    ),
    linger: Whole([0, 3600], 5, 'seconds for which a tuner stays on after its last user has left'),
  }),
  enigma2: Group({
    logins: Type.Array(
      Type.Object({
        host: Type.String({ minLength: 1, maxLength: 253, expected: 'the host of a tuner enigma2:HOST' }),
        user: Type.String({ minLength: 1, maxLength: 200, default: 'root' }),
        password: Type.String({ maxLength: 200, default: '' }),
      }),
      {
        fileOnly: 'contains passwords',
        maxItems: maxEntries,
        default: [],
        description: '`host`, `user` and `password` of Enigma2 boxes that require a login (enigma2.md)',
      },
    ),
  }),
  hdhomerun: Group({
    server: Switch(false, 'offer the channels to Plex, Jellyfin, Emby and others as an HDHomeRun (hdhomerun.md)'),
    bouquets: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: 100,
      default: [],
      description: 'names of the television bouquets whose channels are offered, such as Favourites; default is all',
    }),
    streamPort: Whole([0, 65535], 5004, 'port of the streams; clients expect 5004'),
    controlPort: Whole([0, 65535], 65001, 'TCP and UDP port of control and discovery; clients expect 65001'),
  }),
  satip: Group({
    server: Group({
      enabled: Switch(false, 'share the tuners with other devices by SAT>IP (EN 50585)'),
      port: Whole(
        [0, 65535],
        554,
        'RTSP port; TVs support only 554, and ports below 1024 require a system privilege (satip.md)',
      ),
      clients: Whole(
        [1, 64],
        8,
        'maximum number of SAT>IP clients at a time; one address may use three quarters of them',
      ),
      allow: Prefixes(privateAddresses, 'addresses and prefixes of clients that may use the SAT>IP server'),
      satellites: Type.Array(
        Type.String({ pattern: '^\\d{1,3}(\\.\\d)?[EW]$', maxLength: 6, expected: 'a position such as 19.2E' }),
        {
          // EN 50585 §3.5.11: clients count from 1 to 255.
          maxItems: 255,
          default: [],
          description:
            'orbital positions, such as 19.2E, of the sources that SAT>IP clients number from 1; default is those of the service list, in its order',
        },
      ),
    }),
  }),
  iptv: Group({
    interface: Type.String({
      maxLength: 64,
      default: '',
      description:
        'network interface such as `eth0` for multicast streams; default is the one that the routing table selects',
    }),
    userAgent: Type.String({
      pattern: '^[ -~]*$',
      maxLength: 200,
      expected: 'at most 200 ASCII characters',
      default: '',
      description:
        'User-Agent of requests for streams, for providers that accept only certain players; default is that of receiverd',
    }),
    maximumBandwidth: Whole(
      [0, 1_000_000_000],
      0,
      'maximum bits per second; of an HLS stream with several qualities, the best one within it is chosen; 0: no limit',
    ),
    allow: Prefixes(
      [],
      'addresses and prefixes of stream servers that would otherwise be refused, such as those on this machine (iptv.md)',
    ),
  }),
  recording: Group({
    queueBound: Whole(
      [1048576, 1073741824],
      33554432,
      'bytes buffered per recording while the disk is slow; when the buffer is full, data is lost',
    ),
    sync: Word(
      ['never', 'interval', 'always'],
      'interval',
      'when recorded data is forced to disk: never (the system decides), at an interval (`recording.syncInterval`), or always after each write',
    ),
    syncInterval: Whole(
      [1, 3600],
      5,
      'with `sync: interval`, seconds between writes to disk: how much of a recording a power cut may cost',
    ),
  }),
  exports: Group({
    names: Word(
      exportNames,
      'recording',
      'names of exports: `recording` is that of the recording, `media` is for Plex, Jellyfin and Kodi (library.md)',
    ),
  }),
  timeshift: Group({
    folder: OptionalPath(
      'folder used only for timeshift; default is a folder below config.usage.timeshift_path of the Enigma2 settings, or DATA/timeshift if that is not set',
    ),
    size: Whole(
      [64, 10_000_000],
      4000,
      'maximum megabytes of timeshift; a gigabyte holds about half an hour in standard definition or ten minutes in high definition',
    ),
    minimumFree: Whole([0, 10_000_000], 1000, 'megabytes to leave free on the disk; timeshift keeps less if necessary'),
    automatic: Switch(false, 'start timeshift automatically for every service that is watched'),
  }),
  hls: Group({
    folder: OptionalPath(
      'folder, such as /dev/shm/receiverd, in which the subfolder `hls` holds the segments of HTTP Live Streaming; default DATA',
    ),
    size: Whole(
      [16, 1000],
      128,
      'maximum megabytes of segments for each service that is watched by HTTP Live Streaming',
    ),
    maximumServices: Whole(
      [0, 64],
      4,
      'maximum number of services watched by HTTP Live Streaming at a time; one address may start three quarters of them; 0: none',
    ),
  }),
  conversion: Group({
    path: Type.String({
      ...program,
      minLength: 1,
      maxLength: maxPathLength,
      default: 'ffmpeg',
      description:
        'name or path of the program ffmpeg, which converts what browsers cannot decode, and makes the pictures of recordings; a name is searched for in PATH',
    }),
    maximum: Whole(
      [0, 16],
      2,
      'maximum number of conversions at a time; if all are in use, a client without one takes the place of one that has several; 0: none',
    ),
  }),
  pictures: Group({
    size: Whole(
      [0, 100_000],
      100,
      'maximum megabytes of pictures in DATA/pictures: half for logos and pictures of programmes, which are fetched from the addresses in lists and guide files, half for pictures of recordings; 0: none are fetched or made',
    ),
  }),
  cleaning: Group({
    minimumFree: Whole(
      [0, 1_000_000],
      0,
      'gigabytes to keep free on each disk: while less is free, its oldest recordings are deleted permanently, except those of the last day; 0: never',
    ),
    deleteAfter: Whole([0, 36_500], 0, 'days after which a recording is deleted permanently; 0: never'),
    keepTag: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^\\S+$',
      expected: 'a text without blanks',
      default: 'Keep',
      description: 'recordings with this tag are never deleted automatically',
    }),
  }),
  power: Group({
    shutdown: Switch(false, 'allow clients to shut down and reboot the machine'),
    shutdownCommand: Command('command that shuts the machine down, with its arguments', ['systemctl', 'poweroff']),
    rebootCommand: Command('command that reboots the machine, with its arguments', ['systemctl', 'reboot']),
    wakeAlarm: Type.String({
      ...place,
      default: 'auto',
      pattern: '^(auto|none|/.+)$',
      maxLength: maxPathLength,
      expected: 'auto, none or an absolute path',
      description:
        'alarm that switches the machine on for a timer after a shutdown: the path of its file (wakealarm of a real-time ' +
        'clock, wakeup_time of a box), auto to find the file, or none',
    }),
    wakeLead: Whole([0, 3600], 240, 'how many seconds before a timer the machine is switched on'),
  }),
  remote: Group({
    uinput: Switch(false, 'also press the keys of the remote control on this machine, through /dev/uinput'),
  }),
  push: Group({
    maximumClients: Whole(
      [1, 10000],
      64,
      'maximum number of event stream clients at a time; one address may use three quarters of them',
    ),
    clientBound: Whole(
      [1024, 16777216],
      65536,
      'bytes of events buffered per client; a client that falls further behind is disconnected',
    ),
    history: Whole([0, 10000], 256, 'number of events kept for clients that reconnect'),
    heartbeat: Whole([1, 300], 20, 'seconds between heartbeats on the event stream'),
  }),
  mqtt: Group({
    url: Type.String({
      pattern: '^(mqtts?://[^/\\s]+/?)?$',
      maxLength: 300,
      expected: 'an address such as mqtt://broker.lan or mqtts://broker.lan:8883',
      default: '',
      description: 'MQTT broker to publish states to and to receive commands from; default is none',
    }),
    user: Type.String({ maxLength: 200, default: '', description: 'user name for the broker' }),
    password: Type.String({ maxLength: 200, default: '', description: 'password for the broker' }),
    prefix: Type.String({
      pattern: '^[^/#+\\s]+(/[^/#+\\s]+)*$',
      expected: 'a topic without # and +',
      maxLength: 100,
      default: 'receiverd',
      description: 'first part of all topics; each receiver at the same broker needs a different one',
    }),
    discovery: Type.String({
      pattern: '^([^/#+\\s]+(/[^/#+\\s]+)*)?$',
      expected: 'a topic without # and +, or nothing',
      maxLength: 100,
      default: 'homeassistant',
      description: 'first part of the topics of Home Assistant’s discovery; empty: no announcement to Home Assistant',
    }),
  }),
  hooks: Group({
    recordingStarted: Hook('when a recording has started'),
    recordingEnded: Hook('when a recording has ended'),
    recordingFailed: Hook('when a recording has failed, or is failing'),
    timerAdded: Hook('when a timer was added'),
    conflict: Hook('when there is no tuner for a timer'),
    timeout: Whole([1, 86400], 300, 'seconds that a hook may run; it is killed after that'),
  }),
  advertisements: Group({
    command: Paths({
      ...program,
      default: [],
      description:
        'program that finds the advertisements in each new recording, with its arguments, such as comskip (library.md); default is none',
    }),
    whileReceiving: Switch(false, 'run the program even while a tuner records or streams'),
    timeout: Whole([60, 604_800], 21_600, 'seconds that it may run for a recording; it is killed after that'),
  }),
  notifications: Group({
    webhooks: Type.Array(Type.String({ ...webAddress, minLength: 1 }), {
      maxItems: 16,
      default: [],
      description: 'addresses that get each notice as JSON, by POST (notifications.md)',
    }),
    service: Word(noticeServices, 'none', 'messaging service that gets each notice as a text for people'),
    url: Type.String({
      ...webAddress,
      default: '',
      description:
        'address at the messaging service: of the topic (ntfy), of the server (gotify), of the key (apprise); for pushover, default is its own',
    }),
    token: Type.String({
      maxLength: 300,
      default: '',
      description: 'access token or application token for the messaging service',
    }),
    user: Type.String({ maxLength: 300, default: '', description: 'user key at Pushover' }),
    events: Type.Array(Word(optionalNoticeKinds, 'conflict', ''), {
      maxItems: optionalNoticeKinds.length,
      default: ['recordingEnded', 'conflict'],
      uniqueItems: true,
      description: 'optional notices; failed and resumed recordings are always sent',
    }),
  }),
  output: Word(
    ['none', 'mpv'],
    'none',
    'where to show the current service: nowhere, or on the screen of this machine in the player mpv',
  ),
  mpv: Group({
    path: Type.String({
      ...program,
      minLength: 1,
      maxLength: maxPathLength,
      default: 'mpv',
      description: 'name or path of the program mpv; a name is searched for in PATH',
    }),
    options: Type.Array(
      Type.String({ pattern: '^--[a-z]', maxLength: maxPathLength, expected: 'an option of mpv such as --vo=gpu' }),
      {
        ...program,
        maxItems: maxEntries,
        default: [],
        description: 'further options for mpv, such as `--vo=gpu`; they override those that receiverd sets',
      },
    ),
  }),
  evil: Switch(true, 'provide POST /api/evil; on other receivers this runs code, on this one it never does'),
  logLevel: Word(logLevels, 'info', 'minimum severity of messages that are logged'),
});

export type Configuration = Type.Static<typeof ConfigurationSchema>;

/** Matches the settings that take effect without a restart: see `Receiver.reload`. */
const liveSettings = /^(?:logLevel$|cleaning\.|notifications\.|enigma2\.)/;

export const isLive = (name: string) => liveSettings.test(name);

/** The names of changed settings, such as `cleaning.keepTag`: `live` ones need no restart, `later` ones do. */
export function changedSettings(before: Configuration, after: Configuration) {
  const changed = settingNames(schema).filter((name) => {
    const [old, next] = [before, after].map((one) => valueAt(one, name));
    return !isMapping(next) && !isDeepStrictEqual(old, next);
  });
  return { live: changed.filter(isLive), later: changed.filter((name) => !isLive(name)) };
}

/** The value of the setting with a name such as `guide.history`. */
export const valueAt = (settings: unknown, name: string) =>
  name.split('.').reduce<unknown>((group, key) => (group as Readonly<Record<string, unknown>>)[key], settings);

type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;
/** What a file, the environment or flags may contain: any part of the configuration. */
export type ConfigurationPart = DeepPartial<Configuration>;

export interface ConfigurationSources {
  /** A YAML file or its path. Default: receiverd.yaml in the data folder, if it exists. */
  readonly file?: string | ConfigurationFile | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  readonly flags?: ConfigurationPart;
  /** Called with problems that do not prevent loading. */
  readonly warn?: (problem: string) => void;
}

/**
 * Merges the sources, fills in the defaults and checks every value.
 * @throws ReceiverError `configuration-invalid` with one line per problem: where it is, what was found, what is allowed
 */
export function loadConfiguration(sources: ConfigurationSources = {}): Configuration {
  const environment = sources.environment ?? process.env;
  const flags = definedOf(sources.flags ?? {});
  const file = fileOf(sources);
  if (file && file.trouble !== '')
    sources.warn?.(`the settings are those of ${file.path}, from before the last change: ${file.trouble}`);
  const variables = fromEnvironment(environment);
  const merged = merge(merge(withoutEmptyGroups(file?.content ?? {}), variables), flags);
  const complete = withDefaults(merged, environment);
  const named: NamedSources = { file, variables, flags };
  const problems = [
    ...unknownVariables(environment),
    ...[...problemsOf(schema, complete), ...furtherProblems(complete)].map((problem) => textOf(problem, named)),
  ];
  if (problems.length > 0) throw new ReceiverError('configuration-invalid', problems.join('\n'));
  return resolved(complete as Configuration);
}

/** The path of the configuration file if none is named: receiverd.yaml in the data folder. */
export function defaultFile({ environment = process.env, flags = {} }: ConfigurationSources): string {
  const { dataDir = fromEnvironment(environment).dataDir ?? defaultDataDir(environment) } = flags;
  return join(resolve(dataDir), 'receiverd.yaml');
}

function fileOf(sources: ConfigurationSources): ConfigurationFile | undefined {
  const { file } = sources;
  if (file instanceof ConfigurationFile) return file;
  if (file !== undefined) return ConfigurationFile.open(file);
  const path = defaultFile(sources);
  return existsSync(path) ? ConfigurationFile.open(path) : undefined;
}

/** The source that gives the value of a setting. */
export function settingSource(
  name: string,
  {
    file,
    environment = process.env,
    flags = {},
  }: Omit<ConfigurationSources, 'file'> & { readonly file: ConfigurationFile },
): 'default' | 'file' | 'environment' | 'flag' {
  const path = name.split('.');
  const valueIn = (part: unknown) =>
    path.reduce((group, key) => (isMapping(group) ? valueAt(group, key) : undefined), part);
  if (valueIn(flags) !== undefined) return 'flag';
  if (valueIn(fromEnvironment(environment)) !== undefined) return 'environment';
  return file.has(path) ? 'file' : 'default';
}

const schema = ConfigurationSchema as unknown as SettingSchema;

/** Environment variables and the names of their settings: all settings outside groups except switches. */
export const environmentNames: ReadonlyMap<string, string> = new Map(
  Object.entries(schema.properties ?? {})
    .filter(([, { type }]) => type !== 'object' && type !== 'boolean')
    .map(([name]) => [variableOf(name), name]),
);

function withDefaults(merged: ConfigurationPart, environment: NodeJS.ProcessEnv): unknown {
  const { dataDir: given = defaultDataDir(environment) } = merged;
  // A wrong value is left as it is, so that it is reported.
  const dataDir = typeof given === 'string' && given !== '' ? resolve(given) : given;
  const below = (name: string) => join(String(dataDir), name);
  return Value.Default(ConfigurationSchema, {
    enigma2Dir: below('enigma2'),
    picons: [below('picon')],
    locations: [`${below('movie')}/`],
    ...merged,
    dataDir,
  });
}

function resolved(configuration: Configuration): Configuration {
  const timeZone = once(() => knownTimeZone(configuration.timeZone) ?? machineTimeZone());
  return {
    ...configuration,
    enigma2Dir: resolve(configuration.enigma2Dir),
    picons: configuration.picons.map((folder) => resolve(folder)),
    locations: configuration.locations.map((folder) => `${resolve(folder)}/`),
    locationRoots: configuration.locationRoots.map((folder) => resolve(folder)),
    guide: { ...configuration.guide, sources: configuration.guide.sources.map(resolvedSource) },
    timeshift: {
      ...configuration.timeshift,
      folder: configuration.timeshift.folder && resolve(configuration.timeshift.folder),
    },
    hls: { ...configuration.hls, folder: configuration.hls.folder && resolve(configuration.hls.folder) },
    get timeZone() {
      return timeZone();
    },
  };
}

const resolvedSource = <Source extends { file?: string; channels?: string }>(source: Source): Source => ({
  ...source,
  ...(source.file !== undefined && { file: resolve(source.file) }),
  ...(source.channels !== undefined && { channels: resolve(source.channels) }),
});

/** Problems that the schema cannot express. */
function furtherProblems(content: unknown): Problem[] {
  const { timeZone, tuners } = content as { readonly timeZone: unknown; readonly tuners: unknown };
  const problems = [
    ...nullCharacters(content, []),
    ...prefixProblems(content),
    ...keyProblems(content),
    ...sourceProblems(content),
  ];
  if (typeof timeZone === 'string' && timeZone !== '' && knownTimeZone(timeZone) === undefined) {
    const text = `is ${JSON.stringify(timeZone)}; it must be an IANA time zone, such as Europe/Berlin`;
    problems.push({ path: ['timeZone'], text });
  }
  for (const [index, tuner] of (Array.isArray(tuners) ? tuners.slice(0, maxEntries) : []).entries()) {
    const why = typeof tuner === 'string' && tuner !== '' ? tunerProblem(tuner) : undefined;
    if (why !== undefined) problems.push({ path: ['tuners', index], text: `is ${JSON.stringify(tuner)}; ${why}` });
  }
  return problems;
}

function prefixProblems(content: unknown): Problem[] {
  return [
    ['satip', 'server', 'allow'],
    ['iptv', 'allow'],
    ['access', 'allow'],
    ['access', 'trustedProxies'],
  ].flatMap((path) => {
    const prefixes = path.reduce<unknown>(
      (group, name) => (isMapping(group) ? (group as Readonly<Record<string, unknown>>)[name] : undefined),
      content,
    );
    return (Array.isArray(prefixes) ? prefixes.slice(0, maxPrefixes) : []).flatMap(
      (text: unknown, index): Problem[] => {
        if (typeof text !== 'string' || text === '' || isPrefix(text)) return [];
        const problem = `is ${JSON.stringify(text)}; it must be an address, or a prefix such as 192.168.0.0/16`;
        return [{ path: [...path, index], text: problem }];
      },
    );
  });
}

function keyProblems(content: unknown): Problem[] {
  const { certificate = '', key = '' } = (content as { readonly tls?: Partial<Configuration['tls']> }).tls ?? {};
  if ((certificate === '') === (key === '')) return [];
  const missing = key === '' ? 'key' : 'certificate';
  return [{ path: ['tls', missing], text: 'is missing; certificate and key belong together' }];
}

function sourceProblems(content: unknown): Problem[] {
  const sources: unknown = (content as { readonly guide?: { readonly sources?: unknown } }).guide?.sources;
  return (Array.isArray(sources) ? sources.slice(0, maxEntries) : []).flatMap((source: unknown, index): Problem[] => {
    const named = sourceNames.filter((name) => isMapping(source) && Object.hasOwn(source, name));
    if (!isMapping(source) || named.length === 1) return [];
    return [{ path: ['guide', 'sources', index], text: `needs one of ${sourceNames.join(', ')}` }];
  });
}

/** Settings of a guide source that say where it is. */
const sourceNames = ['url', 'file', 'command'];

/** Null characters, which no path, address or name may contain. */
function nullCharacters(value: unknown, path: SettingPath): Problem[] {
  if (typeof value === 'string') return value.includes('\0') ? [{ path, text: 'contains a null character' }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    nullCharacters(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** What is wrong with a tuner specification, and what is allowed; undefined if it is valid. */
function tunerProblem(text: string): string | undefined {
  try {
    checkTunerSpec(text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidTunerSpec) return error.why;
    throw error;
  }
}

interface NamedSources {
  readonly file: ConfigurationFile | undefined;
  readonly variables: ConfigurationPart;
  readonly flags: ConfigurationPart;
}

/** `receiverd.yaml:3: httpPort is "eighty"; it must be ...`, `RECEIVERD_HTTP_PORT is ...` */
function textOf({ path, text, isUnknown = false }: Problem, { file, variables, flags }: NamedSources): string {
  const setting = String(path[0]);
  if (Object.hasOwn(flags, setting)) return `${flagOf(setting)} ${text}`;
  if (Object.hasOwn(variables, setting)) return `${variableOf(setting)} ${text}`;
  const sentence = isUnknown ? text : `${shown(path)} ${text}`;
  return file?.has(path) ? `${file.place(path)}: ${sentence}` : sentence;
}

/** `guide.history`, `tuners[1]` */
function shown(path: SettingPath): string {
  return path.map((part, depth) => (typeof part === 'number' ? `[${part}]` : depth > 0 ? `.${part}` : part)).join('');
}

/** XDG_DATA_HOME/receiverd, or ~/.local/share/receiverd. */
function defaultDataDir(environment: NodeJS.ProcessEnv): string {
  const base = environment.XDG_DATA_HOME;
  return join(base !== undefined && base !== '' ? base : join(homedir(), '.local', 'share'), 'receiverd');
}

/** Removes groups whose settings are all commented out: YAML gives them the value null. */
function withoutEmptyGroups(content: Readonly<Record<string, unknown>>): ConfigurationPart {
  const isEmptyGroup = ([name, value]: readonly [string, unknown]) =>
    value === null && schema.properties?.[name]?.properties !== undefined;
  return Object.fromEntries(Object.entries(content).filter((entry) => !isEmptyGroup(entry)));
}

/** The settings in environment variables. Entries of lists are separated by commas. */
function fromEnvironment(environment: NodeJS.ProcessEnv): ConfigurationPart {
  const part: Record<string, unknown> = {};
  for (const [variable, setting] of environmentNames) {
    const text = environment[variable];
    if (text === undefined || text === '') continue;
    const type = schema.properties?.[setting]?.type;
    if (type === 'array') part[setting] = text.split(',').map((item) => item.trim());
    else if (type === 'integer') part[setting] = /^\s*-?\d+\s*$/.test(text) ? Number(text) : text;
    else part[setting] = text;
  }
  return part as ConfigurationPart;
}

/**
 * Reports variables that look misspelt, or that would name a setting without a variable. Others are ignored: container
 * managers set variables such as RECEIVERD_PORT for a service of this name.
 */
function unknownVariables(environment: NodeJS.ProcessEnv): string[] {
  const prefix = 'RECEIVERD_';
  const known = [...environmentNames.keys()].map((variable) => variable.slice(prefix.length));
  const settings = settingNames(schema).map((name) => ({ name, variable: variableOf(name) }));
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(prefix) && !environmentNames.has(variable))
    .flatMap((variable) => {
      const setting = settings.find((one) => one.variable === variable)?.name;
      if (setting !== undefined)
        return `${variable}: the setting ${setting} has no environment variable; set it in the configuration file`;
      const meant = nearest(variable.slice(prefix.length), known);
      return meant === undefined ? [] : `unknown variable ${variable}; did you mean ${prefix}${meant}?`;
    });
}

/** The environment variable of a setting: RECEIVERD_GUIDE_HISTORY for guide.history. */
function variableOf(setting: string): string {
  return `RECEIVERD_${setting.replace(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`;
}

function flagOf(setting: string): string {
  return setting === 'tuners' ? '--tuner' : `--${setting.replace(/[A-Z]/g, '-$&').toLowerCase()}`;
}

function definedOf(part: ConfigurationPart): ConfigurationPart {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
}

function merge(low: ConfigurationPart, high: ConfigurationPart): ConfigurationPart {
  const result: Record<string, unknown> = { ...low };
  for (const [key, value] of Object.entries(high)) {
    const before = result[key];
    const nested = isMapping(before) && isMapping(value);
    result[key] = nested ? merge(before as ConfigurationPart, value as ConfigurationPart) : value;
  }
  return result as ConfigurationPart;
}

const machineTimeZone = once(() => Intl.DateTimeFormat().resolvedOptions().timeZone);

function knownTimeZone(zone: string): string | undefined {
  if (zone === '') return undefined;
  try {
    return Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
