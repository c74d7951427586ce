/**
 * One typed, documented configuration: defaults < file (YAML) < environment < flags.
 *
 * The schema below is the only list of settings; the types, the checks and docs/configuration.md follow it.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { parse as parseYaml } from 'yaml';
import { ReceiverError } from './errors.ts';
import { once } from './once.ts';

const Port = (description: string, preset: number) =>
  Type.Integer({ minimum: 0, maximum: 65535, default: preset, description });

const Command = (description: string, preset: string[]) =>
  Type.Array(Type.String({ minLength: 1 }), { minItems: 1, default: preset, description });

export const ConfigurationSchema = Type.Object(
  {
    dataDir: Type.String({ minLength: 1, description: 'folder for state, guide and recordings' }),
    enigma2Dir: Type.String({
      minLength: 1,
      description: 'Enigma2 folder: lamedb, bouquets, settings; default DATA/enigma2',
    }),
    picons: Type.Array(Type.String({ minLength: 1 }), {
      description: 'folders searched for picons; default DATA/picon',
    }),
    locations: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'recording folders, the first is the default; default DATA/movie',
    }),
    locationRoots: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'folders, `/media`, below which clients may add recording folders; those in a recording folder they may always',
    }),
    tuners: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      default: ['demo'],
      description: 'tuner specifications: demo, file:PATH',
    }),
    clock: Type.Unsafe<'system' | 'broadcast'>({
      type: 'string',
      enum: ['system', 'broadcast'],
      default: 'system',
      description: 'whose time counts: the machine, or the TDT/TOT of the stream (captures)',
    }),
    bind: Type.String({ minLength: 1, default: '::', description: 'address to listen on; :: is every address' }),
    origins: Type.Array(Type.String({ pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^/]*)$' }), {
      minItems: 1,
      default: ['*'],
      description:
        'web pages that may read answers (CORS), by origin, `https://panel.example`; * is every page. Pages that are named may change things too, every other page may not',
    }),
    hostNames: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      default: [],
      description:
        'further host names by which the receiver may be controlled, `tv.example.org` of a proxy; addresses, names without dots, those of home networks and the machine’s own are always good; * is every name (a page can then get in by DNS rebinding)',
    }),
    httpPort: Port('port of the web interface; 0 takes a free one', 8080),
    streamPort: Port('port of the live streams; 0 takes a free one', 8001),
    name: Type.String({
      minLength: 1,
      maxLength: 60,
      default: 'receiverd',
      description: 'device name that clients show',
    }),
    discovery: Type.Boolean({
      default: true,
      description:
        'announce the receiver on the local network (mDNS), so that apps find it; never when bind is a loopback address',
    }),
    timeZone: Type.String({ default: '', description: 'IANA zone for local times; default is the machine’s' }),
    languages: Type.Array(Type.String({ pattern: '^[a-z]{3}$' }), {
      default: [],
      description: 'ISO 639-2 codes of preferred guide languages, best first; default takes what is sent first',
    }),
    scan: Type.Unsafe<'new' | 'always' | 'never'>({
      type: 'string',
      enum: ['new', 'always', 'never'],
      default: 'new',
      description: 'at start take services into the list: of multiplexes it does not know, of all, of none',
    }),
    guide: Type.Object(
      {
        history: Type.Integer({
          minimum: 0,
          maximum: 604800,
          default: 0,
          description: 'seconds an ended event is kept',
        }),
        maximumEvents: Type.Integer({
          minimum: 1000,
          maximum: 10_000_000,
          default: 1_000_000,
          description: 'bound of the guide; the events farthest ahead are refused beyond it',
        }),
        collectEvery: Type.Integer({
          minimum: 60,
          maximum: 86400,
          default: 3600,
          description: 'seconds between two rounds of guide collection on idle tuners',
        }),
        saveEvery: Type.Integer({
          minimum: 0,
          maximum: 86400,
          default: 3600,
          description: 'seconds after which a changed guide is written to the disk; 0: at the end only',
        }),
        huffman: Type.String({ default: '', description: 'folder with freesat.t1 and freesat.t2 (optional)' }),
      },
      { default: {} },
    ),
    stream: Type.Object(
      {
        clientBound: Type.Integer({
          minimum: 262144,
          maximum: 268435456,
          default: 8388608,
          description: 'bytes buffered for one client; a client that lags further behind is dropped',
        }),
        maximumClients: Type.Integer({
          minimum: 1,
          maximum: 10000,
          default: 64,
          description: 'live stream clients at a time',
        }),
        linger: Type.Integer({
          minimum: 0,
          maximum: 3600,
          default: 5,
          description: 'seconds a tuner stays on after its last user has gone',
        }),
      },
      { default: {} },
    ),
    recording: Type.Object(
      {
        queueBound: Type.Integer({
          minimum: 1048576,
          maximum: 1073741824,
          default: 33554432,
          description: 'bytes of one recording that may wait for a slow disk; what has no room is lost',
        }),
        sync: Type.Unsafe<'never' | 'interval' | 'always'>({
          type: 'string',
          enum: ['never', 'interval', 'always'],
          default: 'interval',
          description: 'when the disk must have what is recorded: as the system pleases, every few seconds, at once',
        }),
        syncInterval: Type.Integer({
          minimum: 1,
          maximum: 3600,
          default: 5,
          description: 'seconds of recording that a power cut may cost, with sync: interval',
        }),
      },
      { default: {} },
    ),
    timeshift: Type.Object(
      {
        folder: Type.String({
          default: '',
          description:
            'folder of the timeshift, for it alone; default is one in that of the setting config.usage.timeshift_path, else DATA/timeshift',
        }),
        size: Type.Integer({
          minimum: 64,
          maximum: 10_000_000,
          default: 4000,
          description:
            'megabytes that it keeps; a gigabyte is about half an hour of standard definition, or ten minutes of high',
        }),
        minimumFree: Type.Integer({
          minimum: 0,
          maximum: 10_000_000,
          default: 1000,
          description: 'megabytes that it leaves free on the disk; it keeps less then',
        }),
        automatic: Type.Boolean({
          default: false,
          description: 'keep every service that is watched, without being asked',
        }),
      },
      { default: {} },
    ),
    cleaning: Type.Object(
      {
        minimumFree: Type.Integer({
          minimum: 0,
          maximum: 1_000_000,
          default: 0,
          description:
            'gigabytes: while a disk has less room, its oldest recordings are deleted for good, none of the last day; 0: never',
        }),
        deleteAfter: Type.Integer({
          minimum: 0,
          maximum: 36_500,
          default: 0,
          description: 'days after which a recording is deleted for good; 0: never',
        }),
        keepTag: Type.String({
          minLength: 1,
          pattern: '^\\S+$',
          default: 'Keep',
          description: 'recordings with this tag are never deleted by themselves',
        }),
      },
      { default: {} },
    ),
    power: Type.Object(
      {
        shutdown: Type.Boolean({
          default: false,
          description: 'clients may shut the machine down and reboot it',
        }),
        shutdownCommand: Command('command that shuts the machine down, with its arguments', ['systemctl', 'poweroff']),
        rebootCommand: Command('command that reboots the machine, with its arguments', ['systemctl', 'reboot']),
        wakeAlarm: Type.String({
          default: 'auto',
          pattern: '^(auto|none|/.+)$',
          description:
            'what switches the machine on for a timer, where it is shut down: the file of its alarm (wakealarm of a real-time clock, ' +
            'wakeup_time of a box), auto = the one that there is, none',
        }),
        wakeLead: Type.Integer({
          minimum: 0,
          maximum: 3600,
          default: 240,
          description: 'seconds before a timer at which the machine is switched on',
        }),
      },
      { default: {} },
    ),
    remote: Type.Object(
      {
        uinput: Type.Boolean({
          default: false,
          description: 'keys of the remote control are pressed on this machine too, through /dev/uinput',
        }),
      },
      { default: {} },
    ),
    push: Type.Object(
      {
        maximumClients: Type.Integer({
          minimum: 1,
          maximum: 10000,
          default: 64,
          description: 'clients of the event stream at a time',
        }),
        clientBound: Type.Integer({
          minimum: 1024,
          maximum: 16777216,
          default: 65536,
          description: 'bytes of events that may wait for one client; one that lags further behind is disconnected',
        }),
        history: Type.Integer({
          minimum: 0,
          maximum: 10000,
          default: 256,
          description: 'events kept for clients that come back',
        }),
        heartbeat: Type.Integer({
          minimum: 1,
          maximum: 300,
          default: 20,
          description: 'seconds between two signs of life on the event stream',
        }),
      },
      { default: {} },
    ),
    output: Type.Unsafe<'none' | 'mpv'>({
      type: 'string',
      enum: ['none', 'mpv'],
      default: 'none',
      description: 'what shows the current service here: nothing, or the mpv player on this machine’s screen',
    }),
    mpv: Type.Object(
      {
        path: Type.String({ minLength: 1, default: 'mpv', description: 'the mpv program, looked for in PATH' }),
        options: Type.Array(Type.String({ pattern: '^--[a-z]' }), {
          default: [],
          description: 'further options of mpv, `--vo=gpu`; they win over those that receiverd gives it',
        }),
      },
      { default: {} },
    ),
    evil: Type.Boolean({
      default: true,
      description: 'whether POST /api/evil is there; other receivers run code for it, this one never does',
    }),
    logLevel: Type.Unsafe<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'>({
      type: 'string',
      enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      description: 'how much is logged',
    }),
  },
  { additionalProperties: false },
);

export type Configuration = Static<typeof ConfigurationSchema>;

type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;
/** What a file, the environment or flags may say: any part of the whole. */
export type ConfigurationPart = DeepPartial<Configuration>;

/** The environment variables that are read, and the settings they give. Lists are separated by commas. */
export const environmentNames = {
  RECEIVERD_DATA_DIR: 'dataDir',
  RECEIVERD_ENIGMA2_DIR: 'enigma2Dir',
  RECEIVERD_PICONS: 'picons',
  RECEIVERD_LOCATIONS: 'locations',
  RECEIVERD_LOCATION_ROOTS: 'locationRoots',
  RECEIVERD_TUNERS: 'tuners',
  RECEIVERD_CLOCK: 'clock',
  RECEIVERD_BIND: 'bind',
  RECEIVERD_ORIGINS: 'origins',
  RECEIVERD_HOST_NAMES: 'hostNames',
  RECEIVERD_HTTP_PORT: 'httpPort',
  RECEIVERD_STREAM_PORT: 'streamPort',
  RECEIVERD_NAME: 'name',
  RECEIVERD_TIME_ZONE: 'timeZone',
  RECEIVERD_LANGUAGES: 'languages',
  RECEIVERD_SCAN: 'scan',
  RECEIVERD_OUTPUT: 'output',
  RECEIVERD_LOG_LEVEL: 'logLevel',
} as const satisfies Record<string, keyof Configuration>;

export interface ConfigurationSources {
  /** Path of a YAML file, or undefined. */
  readonly file?: string | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  readonly flags?: ConfigurationPart;
}

/**
 * Merges the sources, fills the defaults and checks every value.
 * @throws ReceiverError `configuration-invalid` that names the setting and the source.
 */
export function loadConfiguration(sources: ConfigurationSources = {}): Configuration {
  const environment = sources.environment ?? process.env;
  const merged = merge(
    merge(sources.file === undefined ? {} : readConfigurationFile(sources.file), fromEnvironment(environment)),
    sources.flags ?? {},
  );
  const dataDir = resolve(merged.dataDir ?? defaultDataDir(environment));
  const complete = Value.Default(ConfigurationSchema, {
    enigma2Dir: join(dataDir, 'enigma2'),
    picons: [join(dataDir, 'picon')],
    locations: [`${join(dataDir, 'movie')}/`],
    ...merged,
    dataDir,
  });
  const [first] = Value.Errors(ConfigurationSchema, complete);
  if (first !== undefined) {
    const setting = first.instancePath.replaceAll('/', '.').slice(1) || 'the configuration';
    throw new ReceiverError('configuration-invalid', `${setting}: ${first.message}${explain(first)}`);
  }
  const configuration = complete as Configuration;
  const timeZone = configuration.timeZone && checkedTimeZone(configuration.timeZone);
  return {
    ...configuration,
    enigma2Dir: resolve(configuration.enigma2Dir),
    picons: configuration.picons.map((folder) => resolve(folder)),
    locations: configuration.locations.map((folder) => `${resolve(folder)}/`),
    locationRoots: configuration.locationRoots.map((folder) => resolve(folder)),
    timeshift: {
      ...configuration.timeshift,
      folder: configuration.timeshift.folder && resolve(configuration.timeshift.folder),
    },
    get timeZone() {
      return timeZone || machineTimeZone();
    },
  };
}

function explain(error: { keyword: string; params: object }): string {
  if ('allowedValues' in error.params) return ` (${(error.params.allowedValues as string[]).join(', ')})`;
  if ('additionalProperties' in error.params) return ` (unknown: ${String(error.params.additionalProperties)})`;
  return '';
}

/** XDG_DATA_HOME/receiverd, or ~/.local/share/receiverd. */
function defaultDataDir(environment: NodeJS.ProcessEnv): string {
  const base = environment.XDG_DATA_HOME;
  return join(base !== undefined && base !== '' ? base : join(homedir(), '.local', 'share'), 'receiverd');
}

function readConfigurationFile(path: string): ConfigurationPart {
  try {
    const content: unknown = parseYaml(readFileSync(path, 'utf8')) ?? {};
    if (typeof content !== 'object' || Array.isArray(content)) throw new Error('is not a mapping of settings');
    return content as ConfigurationPart;
  } catch (error) {
    throw new ReceiverError('configuration-invalid', `${path}: ${(error as Error).message}`);
  }
}

function fromEnvironment(environment: NodeJS.ProcessEnv): ConfigurationPart {
  const part: Record<string, unknown> = {};
  for (const [variable, setting] of Object.entries(environmentNames)) {
    const text = environment[variable];
    if (text === undefined || text === '') continue;
    const schema = ConfigurationSchema.properties[setting];
    if (Type.IsArray(schema)) part[setting] = text.split(',').map((item) => item.trim());
    else if (Type.IsInteger(schema)) part[setting] = Number(text);
    else part[setting] = text;
  }
  return part as ConfigurationPart;
}

function merge(low: ConfigurationPart, high: ConfigurationPart): ConfigurationPart {
  const result: Record<string, unknown> = { ...low };
  for (const [key, value] of Object.entries(high)) {
    if (value === undefined) continue;
    const before = result[key];
    const nested = isMapping(before) && isMapping(value);
    result[key] = nested ? merge(before as ConfigurationPart, value as ConfigurationPart) : value;
  }
  return result as ConfigurationPart;
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const machineTimeZone = once(() => Intl.DateTimeFormat().resolvedOptions().timeZone);

function checkedTimeZone(zone: string): string {
  try {
    return Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw new ReceiverError('configuration-invalid', `timeZone: '${zone}' is not an IANA time zone`);
  }
}
