/**
 * The typed, documented configuration: defaults < file (YAML) < environment < flags.
 *
 * The schema below is the only list of settings: the types, the checks and docs/configuration.md are derived from it.
 * `expected` describes the allowed values in words where a pattern would be hard to read.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { nearest, type Problem, problemsOf, type SettingSchema, settingNames } from './configuration-check.ts';
import { ConfigurationFile, type SettingPath } from './configuration-file.ts';
import { allFrontEnds, parseTunerSpec, tunerSpecs } from './dvb/tuner-spec.ts';
import { ReceiverError } from './errors.ts';
import { once } from './once.ts';

const Port = (description: string, preset: number) =>
  Type.Integer({ minimum: 0, maximum: 65535, default: preset, description });

const Command = (description: string, preset: string[]) =>
  Type.Array(Type.String({ minLength: 1 }), { minItems: 1, default: preset, description });

export const ConfigurationSchema = Type.Object(
  {
    dataDir: Type.String({
      minLength: 1,
      description:
        'folder for state, guide and recordings, called DATA below; default `$XDG_DATA_HOME/receiverd`, or `~/.local/share/receiverd` if that variable is not set',
    }),
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
        'folders such as `/media` below which clients may add recording folders; below a recording folder they always may',
    }),
    tuners: Type.Array(Type.String({ minLength: 1, expected: tunerSpecs }), {
      default: [],
      description:
        'tuner specifications: dvb:ADAPTER, dvb:ADAPTER/FRONTEND, dvb:* (all front ends), file:PATH, demo, demo:speed=N; none: all front ends, or the demo if there are none',
    }),
    clock: Type.Unsafe<'system' | 'broadcast'>({
      type: 'string',
      enum: ['system', 'broadcast'],
      default: 'system',
      description: 'source of the time: the machine, or the TDT/TOT of the stream (for captures)',
    }),
    bind: Type.String({ minLength: 1, default: '::', description: 'address to listen on; :: means every address' }),
    origins: Type.Array(
      Type.String({
        pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^/]*)$',
        expected: '* or an origin such as https://panel.example, without a path',
      }),
      {
        minItems: 1,
        default: ['*'],
        description:
          'origins of web pages that may read responses (CORS), such as `https://panel.example`; * means every page. Pages named here may also change things, all others may not',
      },
    ),
    hostNames: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      default: [],
      description:
        'further host names under which the receiver may be controlled, such as `tv.example.org` of a proxy; addresses, names without dots, names of home networks and the machine’s own name are always allowed; * means every name (which lets a page in by DNS rebinding)',
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
        'announce the receiver on the local network (mDNS) so that apps find it; never if bind is a loopback address',
    }),
    timeZone: Type.String({
      default: '',
      description: 'IANA time zone for local times; default is that of the machine',
    }),
    languages: Type.Array(
      Type.String({ pattern: '^[a-z]{3}$', expected: 'an ISO 639-2 code of three small letters, such as deu' }),
      {
        default: [],
        description: 'ISO 639-2 codes of preferred guide languages, best first; default is the language sent first',
      },
    ),
    scan: Type.Unsafe<'new' | 'always' | 'never'>({
      type: 'string',
      enum: ['new', 'always', 'never'],
      default: 'new',
      description: 'multiplexes whose services are added to the list at start: those not in it yet, all, none',
    }),
    guide: Type.Object(
      {
        history: Type.Integer({
          minimum: 0,
          maximum: 604800,
          default: 0,
          description: 'seconds for which an ended event is kept',
        }),
        maximumEvents: Type.Integer({
          minimum: 1000,
          maximum: 10_000_000,
          default: 1_000_000,
          description: 'most events in the guide; beyond that, the events farthest ahead are refused',
        }),
        collectEvery: Type.Integer({
          minimum: 60,
          maximum: 86400,
          default: 3600,
          description: 'seconds after which the guide of a transponder is collected again, with tuners that nobody uses',
        }),
        saveEvery: Type.Integer({
          minimum: 0,
          maximum: 86400,
          default: 3600,
          description: 'seconds after which a changed guide is written to disk; 0: only when the receiver stops',
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
          description: 'bytes buffered per client; a client that falls further behind is dropped',
        }),
        maximumClients: Type.Integer({
          minimum: 1,
          maximum: 10000,
          default: 64,
          description: 'most live stream clients at a time',
        }),
        linger: Type.Integer({
          minimum: 0,
          maximum: 3600,
          default: 5,
          description: 'seconds a tuner stays on after its last user has left',
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
          description: 'bytes per recording that may wait for a slow disk; data beyond that is lost',
        }),
        sync: Type.Unsafe<'never' | 'interval' | 'always'>({
          type: 'string',
          enum: ['never', 'interval', 'always'],
          default: 'interval',
          description:
            'when recorded data is forced to disk: never (the system decides), every few seconds, or at once',
        }),
        syncInterval: Type.Integer({
          minimum: 1,
          maximum: 3600,
          default: 5,
          description: 'seconds of recording that a power cut may cost, with `sync: interval`',
        }),
      },
      { default: {} },
    ),
    timeshift: Type.Object(
      {
        folder: Type.String({
          default: '',
          description:
            'folder used for timeshift only; default is a folder below the setting config.usage.timeshift_path, else DATA/timeshift',
        }),
        size: Type.Integer({
          minimum: 64,
          maximum: 10_000_000,
          default: 4000,
          description:
            'megabytes of timeshift kept; a gigabyte holds about half an hour in standard definition, ten minutes in high definition',
        }),
        minimumFree: Type.Integer({
          minimum: 0,
          maximum: 10_000_000,
          default: 1000,
          description: 'megabytes that timeshift leaves free on the disk, keeping less if necessary',
        }),
        automatic: Type.Boolean({
          default: false,
          description: 'start timeshift by itself for every service that is watched',
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
            'gigabytes: while a disk has less free space, its oldest recordings are deleted permanently, except those of the last day; 0: never',
        }),
        deleteAfter: Type.Integer({
          minimum: 0,
          maximum: 36_500,
          default: 0,
          description: 'days after which a recording is deleted permanently; 0: never',
        }),
        keepTag: Type.String({
          minLength: 1,
          pattern: '^\\S+$',
          expected: 'a text without blanks',
          default: 'Keep',
          description: 'recordings with this tag are never deleted automatically',
        }),
      },
      { default: {} },
    ),
    power: Type.Object(
      {
        shutdown: Type.Boolean({
          default: false,
          description: 'clients may shut down and reboot the machine',
        }),
        shutdownCommand: Command('command that shuts the machine down, with its arguments', ['systemctl', 'poweroff']),
        rebootCommand: Command('command that reboots the machine, with its arguments', ['systemctl', 'reboot']),
        wakeAlarm: Type.String({
          default: 'auto',
          pattern: '^(auto|none|/.+)$',
          expected: 'auto, none or an absolute path',
          description:
            'alarm that switches the machine on for a timer after a shutdown: its file (wakealarm of a real-time clock, ' +
            'wakeup_time of a box), auto for the one the machine has, or none',
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
          description: 'also press the keys of the remote control on this machine, through /dev/uinput',
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
          description: 'most event stream clients at a time',
        }),
        clientBound: Type.Integer({
          minimum: 1024,
          maximum: 16777216,
          default: 65536,
          description:
            'bytes of events that may wait for one client; a client that falls further behind is disconnected',
        }),
        history: Type.Integer({
          minimum: 0,
          maximum: 10000,
          default: 256,
          description: 'events kept for clients that reconnect',
        }),
        heartbeat: Type.Integer({
          minimum: 1,
          maximum: 300,
          default: 20,
          description: 'seconds between heartbeats on the event stream',
        }),
      },
      { default: {} },
    ),
    output: Type.Unsafe<'none' | 'mpv'>({
      type: 'string',
      enum: ['none', 'mpv'],
      default: 'none',
      description: 'where the current service is shown: nowhere, or in the mpv player on the screen of this machine',
    }),
    mpv: Type.Object(
      {
        path: Type.String({ minLength: 1, default: 'mpv', description: 'the mpv program, searched for in PATH' }),
        options: Type.Array(Type.String({ pattern: '^--[a-z]', expected: 'an option of mpv such as --vo=gpu' }), {
          default: [],
          description: 'further options for mpv, such as `--vo=gpu`; they override those that receiverd sets',
        }),
      },
      { default: {} },
    ),
    evil: Type.Boolean({
      default: true,
      description: 'provide POST /api/evil; other receivers run code for it, this one never does',
    }),
    logLevel: Type.Unsafe<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'>({
      type: 'string',
      enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      description: 'least severity that is logged',
    }),
  },
  { additionalProperties: false },
);

export type Configuration = Static<typeof ConfigurationSchema>;

type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;
/** What a file, the environment or flags may contain: any part of the configuration. */
export type ConfigurationPart = DeepPartial<Configuration>;

/** The environment variables and the settings they give. Lists are separated by commas. */
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

/** The flags that give settings. */
export const flagNames = {
  dataDir: '--data-dir',
  enigma2Dir: '--enigma2-dir',
  tuners: '--tuner',
  clock: '--clock',
  bind: '--bind',
  httpPort: '--http-port',
  streamPort: '--stream-port',
  logLevel: '--log-level',
} as const satisfies Partial<Record<keyof Configuration, string>>;

export interface ConfigurationSources {
  /** Path of a YAML file, or undefined. */
  readonly file?: string | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  readonly flags?: ConfigurationPart;
}

/**
 * Merges the sources, fills in the defaults and checks every value.
 * @throws ReceiverError `configuration-invalid` with one line per problem: where it is, what was found, what is allowed
 */
export function loadConfiguration(sources: ConfigurationSources = {}): Configuration {
  const environment = sources.environment ?? process.env;
  const flags = definedOf(sources.flags ?? {});
  const file = sources.file === undefined ? undefined : new ConfigurationFile(sources.file);
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

const schema = ConfigurationSchema as unknown as SettingSchema;

function withDefaults(merged: ConfigurationPart, environment: NodeJS.ProcessEnv): unknown {
  const { dataDir: given = defaultDataDir(environment) } = merged;
  // A wrong value is reported as it is.
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
    timeshift: {
      ...configuration.timeshift,
      folder: configuration.timeshift.folder && resolve(configuration.timeshift.folder),
    },
    get timeZone() {
      return timeZone();
    },
  };
}

/** What the schema cannot say. */
function furtherProblems(content: unknown): Problem[] {
  const { timeZone, tuners } = content as { readonly timeZone: unknown; readonly tuners: unknown };
  const problems: Problem[] = [];
  if (typeof timeZone === 'string' && timeZone !== '' && knownTimeZone(timeZone) === undefined) {
    const text = `is ${JSON.stringify(timeZone)}; it must be an IANA time zone, such as Europe/Berlin`;
    problems.push({ path: ['timeZone'], text });
  }
  for (const [index, tuner] of (Array.isArray(tuners) ? tuners : []).entries()) {
    if (typeof tuner !== 'string' || tuner === '' || isTuner(tuner)) continue;
    const text = `is ${JSON.stringify(tuner)}; it must be ${tunerSpecs}`;
    problems.push({ path: ['tuners', index], text });
  }
  return problems;
}

function isTuner(text: string): boolean {
  if (text === allFrontEnds) return true;
  try {
    parseTunerSpec(text);
    return true;
  } catch {
    return false;
  }
}

interface NamedSources {
  readonly file: ConfigurationFile | undefined;
  readonly variables: ConfigurationPart;
  readonly flags: ConfigurationPart;
}

/** `receiverd.yaml:3: httpPort is "eighty"; it must be ...`, `RECEIVERD_HTTP_PORT is ...` */
function textOf({ path, text, isUnknown = false }: Problem, { file, variables, flags }: NamedSources): string {
  const [setting] = path;
  const flag = Object.entries(flagNames).find(([name]) => name === setting)?.[1];
  if (flag !== undefined && Object.hasOwn(flags, String(setting))) return `${flag} ${text}`;
  const variable = Object.entries(environmentNames).find(([, name]) => name === setting)?.[0];
  if (variable !== undefined && Object.hasOwn(variables, String(setting))) return `${variable} ${text}`;
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

/** A group whose settings are all commented out has the value null in YAML. */
function withoutEmptyGroups(content: Readonly<Record<string, unknown>>): ConfigurationPart {
  const isEmptyGroup = ([name, value]: readonly [string, unknown]) =>
    value === null && schema.properties?.[name]?.properties !== undefined;
  return Object.fromEntries(Object.entries(content).filter((entry) => !isEmptyGroup(entry)));
}

function fromEnvironment(environment: NodeJS.ProcessEnv): ConfigurationPart {
  const part: Record<string, unknown> = {};
  for (const [variable, setting] of Object.entries(environmentNames)) {
    const text = environment[variable];
    if (text === undefined || text === '') continue;
    const schema = ConfigurationSchema.properties[setting];
    if (Type.IsArray(schema)) part[setting] = text.split(',').map((item) => item.trim());
    else if (Type.IsInteger(schema)) part[setting] = /^\s*-?\d+\s*$/.test(text) ? Number(text) : text;
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
  const known = Object.keys(environmentNames).map((variable) => variable.slice(prefix.length));
  const settings = settingNames(schema).map((name) => ({ name, variable: variableOf(name) }));
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(prefix) && !Object.hasOwn(environmentNames, variable))
    .flatMap((variable) => {
      const setting = settings.find((one) => one.variable === variable)?.name;
      if (setting !== undefined)
        return `${variable}: the setting ${setting} has no environment variable; set it in the configuration file`;
      const meant = nearest(variable.slice(prefix.length), known);
      return meant === undefined ? [] : `unknown variable ${variable}; did you mean ${prefix}${meant}?`;
    });
}

/** RECEIVERD_GUIDE_HISTORY for guide.history. */
function variableOf(setting: string): string {
  return `RECEIVERD_${setting.replace(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`;
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

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
