/** The configuration: defaults, precedence of the sources, and error messages for wrong settings. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigurationSchema, loadConfiguration } from '../../src/config/config.ts';
import type { SettingSchema } from '../../src/config/configuration-check.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const empty = { HOME: '/nowhere' };

function file(text: string): string {
  const path = join(temporaryFolder(), 'receiverd.yaml');
  writeFileSync(path, text);
  return path;
}

describe('configuration', () => {
  it('has a default for everything, derived from the data folder', () => {
    const configuration = loadConfiguration({ environment: { XDG_DATA_HOME: '/srv' } });
    expect(configuration).toMatchObject({
      dataDir: '/srv/receiverd',
      enigma2Dir: '/srv/receiverd/enigma2',
      locations: ['/srv/receiverd/movie/'],
      tuners: [],
      httpPort: 8080,
      streamPort: 8001,
      clock: 'system',
      stream: { clientBound: 8388608 },
    });
  });

  it('prefers flags to the environment, and the environment to the file', () => {
    const path = file('httpPort: 1\nstreamPort: 2\nname: Attic\nstream:\n  linger: 9\n');
    const configuration = loadConfiguration({
      file: path,
      environment: { ...empty, RECEIVERD_STREAM_PORT: '3', RECEIVERD_NAME: 'Cellar', RECEIVERD_LANGUAGES: 'deu, fra' },
      flags: { name: 'Kitchen' },
    });
    expect(configuration).toMatchObject({ httpPort: 1, streamPort: 3, name: 'Kitchen', languages: ['deu', 'fra'] });
    expect(configuration.stream).toMatchObject({ linger: 9, maximumClients: 64 });
  });

  it('limits the length of every list and every text', () => {
    expect(unbounded(ConfigurationSchema as unknown as SettingSchema, '')).toEqual([]);
  });

  it('treats a group without settings as absent', () => {
    expect(loadConfiguration({ file: file('guide:\n  # history: 5\n'), environment: empty }).guide.history).toBe(0);
  });
});

/** The settings without a maximum size. */
function unbounded({ type, enum: words, properties = {}, items, ...bounds }: SettingSchema, name: string): string[] {
  const below = Object.entries(properties).flatMap(([last, schema]) => unbounded(schema, `${name}.${last}`));
  const isBounded =
    (type === 'array' && bounds.maxItems !== undefined) ||
    (type === 'string' && (words !== undefined || bounds.maxLength !== undefined)) ||
    ['object', 'integer', 'boolean'].includes(type ?? '');
  return [...(isBounded ? [] : [name]), ...below, ...(items ? unbounded(items, `${name}[]`) : [])];
}

/** The message of the error, with the folder of the file left out. */
function refusal(sources: Parameters<typeof loadConfiguration>[0]): string {
  try {
    loadConfiguration({ environment: empty, ...sources });
  } catch (error) {
    expect(error).toMatchObject({ code: 'configuration-invalid' });
    return (error as Error).message.replaceAll(/^\/\S*\//gm, '');
  }
  throw new Error('the configuration was accepted');
}

describe('a wrong setting in the file', () => {
  it.each([
    ['# list\n\ntunners: [demo]\n', '3: unknown setting "tunners"; did you mean "tuners"?'],
    ['guide:\n  histroy: 3\n', '2: unknown setting "guide.histroy"; did you mean "guide.history"?'],
    ['http_port: 1\n', '1: unknown setting "http_port"; did you mean "httpPort"?'],
    ['linger: 9\n', '1: unknown setting "linger"; did you mean "stream.linger"?'],
    ['"a\\eb": red\n', '1: unknown setting "a\\u001bb"; docs/configuration.md lists every setting'],
    ['wardrobe: red\n', '1: unknown setting "wardrobe"; docs/configuration.md lists every setting'],
    ['name: x\nhttpPort: eighty\n', '2: httpPort is "eighty"; it must be a whole number from 0 to 65535'],
    [
      'mqtt:\n  url: mqtt://anna:hunter22@host:1883/x\n',
      '2: mqtt.url is "mqtt://host:1883/…"; it must be an address such as mqtt://broker.lan or mqtts://broker.lan:8883',
    ],
    ['httpPort: 70000\n', '1: httpPort is 70000; it must be a whole number from 0 to 65535'],
    ['httpPort: 80.5\n', '1: httpPort is 80.5; it must be a whole number from 0 to 65535'],
    ['httpPort:\n', '1: httpPort has no value; it must be a whole number from 0 to 65535'],
    ['clock: sundial\n', '1: clock is "sundial"; it must be one of system, broadcast'],
    ['evil: "no"\n', '1: evil is "no"; it must be true or false'],
    ['dataDir: ""\n', '1: dataDir is empty; it must be a text of 1 to 1024 characters'],
    ['dataDir: [a]\n', '1: dataDir is a list; it must be a text of 1 to 1024 characters'],
    [
      'tuners: demo\n',
      '1: tuners is "demo"; it must be a list of at most 64 entries; each entry must be dvb:ADAPTER, dvb:ADAPTER/FRONTEND, dvb:*, satip:HOST, satip:*, hdhomerun:HOST, hdhomerun:*, enigma2:HOST, file:PATH, demo or none',
    ],
    [
      'locations: []\n',
      '1: locations is an empty list; it must be a list of 1 to 64 entries; each entry must be a text of 1 to 1024 characters',
    ],
    [
      'tuners:\n  - demo\n  - flie:x\n',
      '3: tuners[1] is "flie:x"; it must be dvb:ADAPTER, dvb:ADAPTER/FRONTEND, dvb:*, satip:HOST, satip:*, hdhomerun:HOST, hdhomerun:*, enigma2:HOST, file:PATH, demo or none',
    ],
    [
      'languages: [deu, german]\n',
      '1: languages[1] is "german"; it must be an ISO 639-2 code of three small letters, such as deu',
    ],
    ['remote: yes\n', '1: remote is "yes"; it must be a group of settings: uinput'],
    ['scanTables: ["a", "\\0x"]\n', '1: scanTables[1] contains a null character'],
    ['timeZone: Mars/Olympus\n', '1: timeZone is "Mars/Olympus"; it must be an IANA time zone, such as Europe/Berlin'],
    ...['10.0.0.0/33', 'example.org', '::1/129', '10.0.0.0/8/8'].map((prefix) => [
      `satip:\n  server:\n    allow: ["fd00::/8", "${prefix}"]\n`,
      `3: satip.server.allow[1] is "${prefix}"; it must be an address, or a prefix such as 192.168.0.0/16`,
    ]),
    [
      'satip: { server: { satellites: [19.2] } }\n',
      '1: satip.server.satellites[0] is 19.2; it must be a position such as 19.2E',
    ],
    ['{"name": "x",\n "httpPort": -1}', '2: httpPort is -1; it must be a whole number from 0 to 65535'],
    ['name: x\nhttpPort: 1\nhttpPort: 2\n', '3: Map keys must be unique'],
  ])('%j is named with its line and what is allowed', (text, message) => {
    expect(refusal({ file: file(text) })).toBe(`receiverd.yaml:${message}`);
  });

  it('may be a list or a text that is too long', () => {
    const [list, text] = ['demo, '.repeat(65), 'x'.repeat(1024)];
    expect(refusal({ file: file(`tuners: [${list}]\nscanTables: ["/${text}"]\n`) }).split('\n')).toEqual([
      'receiverd.yaml:1: tuners has 65 entries; at most 64 are allowed',
      'receiverd.yaml:2: scanTables[0] has 1025 characters; at most 1024 are allowed',
    ]);
  });

  it.each([
    ['httpPort: [\n', /^receiverd\.yaml:2: Flow sequence/],
    ['- 1\n', /^receiverd\.yaml: the file must be a mapping of settings/],
    ['just text', /^receiverd\.yaml: the file must be a mapping of settings/],
    ['a: *b\n', /^receiverd\.yaml: Unresolved alias/],
    ['a: &a [*a]\n', /^receiverd\.yaml: an alias refers to a value that contains it/],
    ['a: &a {b: [*a]}\n', /^receiverd\.yaml: an alias refers to a value that contains it/],
  ])('%j, which cannot be read as settings, is explained', (text, message) => {
    expect(refusal({ file: file(text) })).toMatch(message);
  });

  it.each(['[', '- ', '? ', '{a: '])('%j nested too deeply is explained', (nested) => {
    const text = `name: x\n${nested.repeat(20_000)}`;
    expect(refusal({ file: file(text) })).toBe('receiverd.yaml:2: lists or groups are nested too deeply');
  });

  it('is reported together with all others', () => {
    const text = 'tunners: [demo]\nhttpPort: eighty\nguide: {history: -1}\n';
    const environment = { ...empty, RECEIVERD_CLOCK: 'sundial' };
    expect(refusal({ file: file(text), environment }).split('\n')).toEqual([
      expect.stringMatching(/^receiverd\.yaml:1: unknown setting "tunners"/),
      expect.stringMatching(/^receiverd\.yaml:2: httpPort/),
      expect.stringMatching(/^receiverd\.yaml:3: guide\.history is -1/),
      'RECEIVERD_CLOCK is "sundial"; it must be one of system, broadcast',
    ]);
  });

  it('may be the file itself if it is too large', () => {
    expect(refusal({ file: file(`# ${'x'.repeat(2 ** 20)}\n`) })).toBe('receiverd.yaml: is larger than 1048576 bytes');
  });

  it('that makes it unreadable is reported, and the backup copy from before the last change is used', () => {
    const path = file('httpPort: [\n');
    writeFileSync(`${path}.bak`, 'httpPort: 81\n');
    const warnings: string[] = [];
    const warn = (problem: string) => warnings.push(problem);
    expect(loadConfiguration({ file: path, environment: empty, warn }).httpPort).toBe(81);
    expect(warnings).toEqual([expect.stringContaining(`${path}.bak, from before the last change: ${path}:2: Flow`)]);
    writeFileSync(`${path}.bak`, 'httpPort: [\n');
    expect(refusal({ file: path })).toMatch(/^receiverd\.yaml:2: Flow/);
    // A file that can be read but has a wrong value is not replaced by the copy.
    writeFileSync(path, 'httpPort: eighty\n');
    writeFileSync(`${path}.bak`, 'httpPort: 81\n');
    expect(refusal({ file: path })).toMatch(/^receiverd\.yaml:1: httpPort is "eighty"/);
  });

  it('may be the file itself if it is missing', () => {
    expect(refusal({ file: '/nowhere/receiverd.yaml' })).toBe('receiverd.yaml: no such file or directory');
  });
});

describe('a wrong setting elsewhere', () => {
  it('is named by its environment variable', () => {
    expect(refusal({ environment: { ...empty, RECEIVERD_HTTP_PORT: 'eighty' } })).toBe(
      'RECEIVERD_HTTP_PORT is "eighty"; it must be a whole number from 0 to 65535',
    );
    expect(refusal({ environment: { ...empty, RECEIVERD_TUNERS: 'demo,dvb:x' } })).toBe(
      'RECEIVERD_TUNERS is "dvb:x"; expected dvb:ADAPTER, dvb:ADAPTER/FRONTEND with numbers as in /dev/dvb, or dvb:* for all',
    );
  });

  it('is named by its flag, even if the file has the setting too', () => {
    const flags = { tuners: ['flie:x'] };
    expect(refusal({ file: file('tuners: [demo]\n'), flags })).toBe(
      '--tuner is "flie:x"; it must be dvb:ADAPTER, dvb:ADAPTER/FRONTEND, dvb:*, satip:HOST, satip:*, hdhomerun:HOST, hdhomerun:*, enigma2:HOST, file:PATH, demo or none',
    );
  });

  it.each([
    ['satip:h,transport=foo', "the transport 'foo' is neither udp nor tcp"],
    ['demo:speed=99', 'expected demo, demo:speed=N with N from 2 to 50, or demo:start=2026-01-14T19:00Z'],
    ['file:', 'names no file, expected file:PATH'],
  ])('names the wrong part of the tuner %s', (tuner, why) => {
    expect(refusal({ flags: { tuners: [tuner] } })).toBe(`--tuner is "${tuner}"; ${why}`);
  });

  it('may be a misspelt variable, or one for a setting that has no variable', () => {
    expect(refusal({ environment: { ...empty, RECEIVERD_TUNER: 'demo' } })).toBe(
      'unknown variable RECEIVERD_TUNER; did you mean RECEIVERD_TUNERS?',
    );
    expect(refusal({ environment: { ...empty, RECEIVERD_GUIDE_HISTORY: '5' } })).toBe(
      'RECEIVERD_GUIDE_HISTORY: the setting guide.history has no environment variable; set it in the configuration file',
    );
  });

  it('is not a variable that a container manager or a test sets', () => {
    const names = [
      'PORT',
      'SERVICE_HOST',
      'PORT_8080_TCP_ADDR',
      'TEST_DATA',
      'PREBUILD',
      'PROGRAM',
      'SKIP_APT',
      'KILLS',
    ];
    const environment = Object.fromEntries(names.map((name) => [`RECEIVERD_${name}`, 'x']));
    expect(() => loadConfiguration({ environment: { ...empty, ...environment } })).not.toThrow();
  });
});
