/**
 * Reads the tables of transponders with which a scan begins:
 *
 * - dtv-scan-tables (DVBv5 format of v4l-utils): one file per region or satellite; the name of the latter ends with its
 *   position
 * - satellites.xml, cables.xml, terrestrial.xml, atsc.xml of Enigma2: many networks per file
 * - the rasters of countries with ATSC, by names such as `us-atsc`
 * - the European channel raster, if nothing is known
 */
import { basename } from 'node:path';
import { fail } from '../base/errors.ts';
import { readRegularFile } from '../base/files.ts';
import { positionIn } from '../base/orbital-position.ts';
import { elementsOf, parseXml, type XmlElement, XmlError } from '../base/xml.ts';
import { automaticBut, numberOf, type TransponderParameters, words } from '../dvb/transponder.ts';
import { rasters, series } from './american-rasters.ts';

/** Bytes of a table, and number of its transponders. A worldwide satellites.xml has about 1.5 MB. */
const maxTableBytes = 4 * 2 ** 20;
export const maxTransponders = 5000;
/** Networks of a table that are listed. */
const maxNetworks = 5000;
/** Networks that an error message lists. */
const maxNamedNetworks = 20;

/**
 * Reads a table: a file, or a raster by its name. `network` names one of several in a file: its name, or the position of a satellite (`19.2E`).
 * @throws ReceiverError `file-unreadable`, `parameter-invalid`
 */
export async function readInitialTable(path: string, network?: string): Promise<readonly TransponderParameters[]> {
  const named = rasters[path];
  if (named !== undefined) return named;
  const { text, isXml } = await readTable(path);
  const found = isXml
    ? selectNetworks(path, await networksOf(path, text), network).flatMap((one) => transpondersOf(path, one))
    : fromIni(path, text);
  if (found.length === 0) throw fail('file-unreadable', path, 'has no transponders');
  return found;
}

async function readTable(path: string): Promise<{ readonly text: string; readonly isXml: boolean }> {
  const bytes = await readRegularFile(path, maxTableBytes).catch((error: Error) => {
    throw fail('file-unreadable', path, error.message);
  });
  const start = bytes.toString('latin1', 0, 200);
  const encoding = /^\s*<\?xml[^>]*encoding=["']([\w-]+)["']/.exec(start)?.[1] ?? 'utf-8';
  const isXml = start.trimStart().startsWith('<') || start.startsWith('\u00ef\u00bb\u00bf<');
  return { text: isXml ? decoded(bytes, encoding) : bytes.toString('latin1'), isXml };
}

/** A network in an Enigma2 table. */
export interface ListedNetwork {
  readonly name: string;
  readonly kind: TransponderParameters['kind'];
  /** Orbital position in tenths of a degree east, 0 to 3599; undefined unless it is a satellite. */
  readonly position: number | undefined;
}

/** Lists the networks of satellites.xml and similar files. @throws ReceiverError `file-unreadable` */
export async function listNetworks(path: string): Promise<readonly ListedNetwork[]> {
  const { text } = await readTable(path);
  const networks = (await networksOf(path, text)).slice(0, maxNetworks);
  return networks.flatMap(({ name: element, attributes: { name = '', position = '' } }) => {
    const kind = kindsOfElements[element as keyof typeof kindsOfElements];
    if (kind !== 'satellite') return { name, kind, position: undefined };
    return /^-?\d{1,4}$/.test(position) ? { name, kind, position: ((Number(position) % 3600) + 3600) % 3600 } : [];
  });
}

function decoded(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

// Enigma2's XML

/** XML attributes by the names in TransponderParameters; `!` marks required ones. */
const attributes = {
  satellite: {
    frequency: '!frequency',
    symbolRate: '!symbol_rate',
    polarisation: '!polarization',
    fec: 'fec_inner',
    system: 'system',
    modulation: 'modulation',
    inversion: 'inversion',
    rollOff: 'rolloff',
    pilot: 'pilot',
    streamId: 'is_id',
    plsMode: 'pls_mode',
    plsCode: 'pls_code',
    t2miPlpId: 't2mi_plp_id',
    t2miPid: 't2mi_pid',
  },
  cable: {
    frequency: '!frequency',
    symbolRate: '!symbol_rate',
    modulation: 'modulation',
    fec: 'fec_inner',
    inversion: 'inversion',
    system: 'system',
  },
  terrestrial: {
    frequency: '!centre_frequency',
    bandwidth: 'bandwidth',
    constellation: 'constellation',
    codeRateHigh: 'code_rate_hp',
    codeRateLow: 'code_rate_lp',
    guardInterval: 'guard_interval',
    transmissionMode: 'transmission_mode',
    hierarchy: 'hierarchy_information',
    inversion: 'inversion',
    system: 'system',
    plpId: 'plp_id',
  },
  atsc: { frequency: '!frequency', modulation: 'modulation', inversion: 'inversion', system: 'system' },
} as const satisfies Record<TransponderParameters['kind'], Readonly<Record<string, string>>>;

const kindsOfElements = { sat: 'satellite', cable: 'cable', terrestrial: 'terrestrial', atsc: 'atsc' } as const;
const roots = ['satellites', 'cables', 'locations'] as const;

async function networksOf(path: string, text: string): Promise<readonly XmlElement[]> {
  const root = roots.find((name) => text.includes(`<${name}`)) ?? roots[0];
  const document = await parseXml(text, root).catch((error: unknown) => {
    if (error instanceof XmlError) throw fail('file-unreadable', `${path}:${error.line}`, error.message);
    throw error;
  });
  return elementsOf(document).filter(({ name }) => Object.hasOwn(kindsOfElements, name));
}

function selectNetworks(path: string, networks: readonly XmlElement[], wanted?: string): readonly XmlElement[] {
  const isWanted = (element: XmlElement) =>
    namesOf(element).some((name) => name.toLowerCase() === wanted?.toLowerCase());
  const found = wanted === undefined && networks.length === 1 ? networks : networks.filter(isWanted);
  if (found.length === 0) {
    const names = networks.slice(0, maxNamedNetworks).map(({ attributes: { name } }) => `'${name}'`);
    const rest = networks.length > maxNamedNetworks ? ` and ${networks.length - maxNamedNetworks} more` : '';
    throw fail('parameter-invalid', 'network', `must name one of ${path}: ${names.join(', ')}${rest}`);
  }
  return found;
}

/** Names that select a network. */
function namesOf({ attributes: { name = '', position } }: XmlElement): readonly string[] {
  const tenths = Number(position);
  const degrees = position === undefined ? [] : [`${Math.abs(tenths) / 10}${tenths < 0 ? 'W' : 'E'}`];
  return [name, ...degrees];
}

function checkCount(path: string, { length }: readonly unknown[]): void {
  if (length > maxTransponders)
    throw fail('file-unreadable', path, `has ${length} transponders; the maximum is ${maxTransponders}`);
}

function transpondersOf(path: string, network: XmlElement): readonly TransponderParameters[] {
  const kind = kindsOfElements[network.name as keyof typeof kindsOfElements];
  const position = Number(network.attributes.position);
  if (kind === 'satellite' && !Number.isInteger(position)) return [];
  const elements = elementsOf(network);
  checkCount(path, elements);
  return elements.flatMap((element) => {
    const numbers: Record<string, number> = {};
    for (const [ours, theirs] of Object.entries(attributes[kind])) {
      const text = element.attributes[theirs.replace('!', '')] ?? '';
      if (/^[+-]?\d{1,15}$/.test(text.trim())) numbers[ours] = Number(text);
      else if (theirs.startsWith('!')) return [];
    }
    if (kind === 'satellite') numbers.orbitalPosition = ((position % 3600) + 3600) % 3600;
    // Files have Hz, kHz or other units.
    if (kind === 'cable')
      while ((numbers.frequency ?? 0) >= 1e6) numbers.frequency = Math.round((numbers.frequency ?? 0) / 10);
    return [automaticBut(kind, numbers)];
  });
}

// dtv-scan-tables

/** Kind and lamedb's number by delivery system, without punctuation. DVBT22 is a typing error that occurs in files. */
const systems: Readonly<Record<string, readonly [TransponderParameters['kind'], number]>> = {
  DVBS: ['satellite', 0],
  DVBS2: ['satellite', 1],
  DVBT: ['terrestrial', 0],
  DVBT2: ['terrestrial', 1],
  DVBT22: ['terrestrial', 1],
  ISDBT: ['terrestrial', 2],
  DVBC: ['cable', 0],
  DVBCANNEXA: ['cable', 0],
  DVBCANNEXC: ['cable', 1],
  DVBC2: ['cable', 2],
  DVBCANNEXB: ['atsc', 1],
  ATSC: ['atsc', 0],
};

const onOffAuto = ['off', 'on', 'auto'] as const;

function fromIni(path: string, text: string): readonly TransponderParameters[] {
  const sections = text.split(/^[ \t]*\[.*\].*$/m).slice(1);
  checkCount(path, sections);
  return sections.flatMap((section) => {
    const values = section.split('\n').map((line): [string, string] => {
      const [plain = ''] = line.split('#', 1);
      const [key = '', value = ''] = plain.split('=');
      return [key.trim().replaceAll(' ', '_'), value.trim().toUpperCase()];
    });
    return transponderOf(path, new Map(values)) ?? [];
  });
}

function transponderOf(path: string, values: ReadonlyMap<string, string>): TransponderParameters | undefined {
  const [kind, system] = systems[(values.get('DELIVERY_SYSTEM') ?? '').replace(/[^A-Z0-9]/g, '')] ?? [];
  const number = (key: string) => (/^\d{1,12}$/.test(values.get(key) ?? '') ? Number(values.get(key)) : undefined);
  const frequency = number('FREQUENCY');
  if (kind === undefined || system === undefined || frequency === undefined) return undefined;
  const word = (key: string, list: readonly string[]) =>
    values.has(key) ? { value: numberOf(list, plainWord(values.get(key) ?? '')) }.value : undefined;
  const inversion = word('INVERSION', onOffAuto);
  switch (kind) {
    case 'satellite': {
      const stream = number('STREAM_ID');
      return automaticBut(
        kind,
        defined({
          frequency,
          symbolRate: number('SYMBOL_RATE'),
          polarisation: word('POLARIZATION', words.polarisation),
          fec: word('INNER_FEC', words.fec),
          orbitalPosition: positionOf(path),
          inversion,
          system,
          modulation: word('MODULATION', words.satelliteModulation),
          rollOff: word(
            'ROLLOFF',
            words.rollOff.map((one) => one.replace('0.', '')),
          ),
          pilot: word('PILOT', onOffAuto),
          streamId: stream !== undefined && stream <= 0xff ? stream : undefined,
          plsCode: number('PLS_CODE'),
          plsMode: word('PLS_MODE', ['root', 'gold', 'combo']),
        }),
      );
    }
    case 'terrestrial': {
      const pipe = number('STREAM_ID');
      const megahertz = (number('BANDWIDTH_HZ') ?? 0) / 1e6;
      return automaticBut(
        kind,
        defined({
          frequency,
          bandwidth: numberOf(words.bandwidth, String(megahertz)),
          codeRateHigh: word('CODE_RATE_HP', words.codeRate),
          codeRateLow: word('CODE_RATE_LP', words.codeRate),
          constellation: word('MODULATION', words.constellation),
          transmissionMode: word('TRANSMISSION_MODE', words.transmissionMode),
          guardInterval: word('GUARD_INTERVAL', words.guardInterval),
          hierarchy: word('HIERARCHY', words.hierarchy),
          inversion,
          system,
          plpId: pipe !== undefined && pipe <= 0xff ? pipe : undefined,
        }),
      );
    }
    case 'cable':
      return automaticBut(
        kind,
        defined({
          frequency: Math.round(frequency / 1000),
          symbolRate: number('SYMBOL_RATE'),
          inversion,
          modulation: word('MODULATION', words.cableModulation),
          fec: word('INNER_FEC', words.fec),
          system,
        }),
      );
    case 'atsc':
      return automaticBut(
        kind,
        defined({ frequency, inversion, modulation: word('MODULATION', words.cableModulation), system }),
      );
  }
}

/** Normalizes words: `QAM/64`, `QAM_64` and `64QAM` become `64qam`, `PSK/8` becomes `8psk`, `1/2` stays. */
function plainWord(text: string): string {
  if (/^\d+\/\d+$/.test(text)) return text;
  const [letters, digits] = [text.replace(/[^A-Z]/g, ''), text.replace(/[^0-9]/g, '')];
  return (letters.endsWith('AUTO') ? 'auto' : digits + letters).toLowerCase();
}

function defined(numbers: Readonly<Record<string, number | undefined>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)) as Record<
    string,
    number
  >;
}

/** Returns the position in a file name such as `Astra-19.2E`, in tenths of a degree east. */
function positionOf(path: string): number {
  const position = positionIn(basename(path));
  if (position === undefined)
    throw fail('parameter-invalid', 'from', `'${path}' has no orbital position in its name, such as 19.2E`);
  return position;
}

// The raster

/**
 * The channels of ISDB-T: 6 MHz each, a seventh of a MHz above those of analogue television. VHF 7 to 13 and UHF 14 to 51 in
 * America and the Philippines; in Japan UHF 13 to 52, whose frequencies are those of 14 to 53 there.
 */
export function isdbRaster(country: string): readonly TransponderParameters[] {
  const channels = [...(country === 'jp' ? [] : series(177e6, 213e6, 6e6)), ...series(473e6, 707e6, 6e6)];
  return channels.map((frequency) =>
    automaticBut('terrestrial', { frequency: frequency + Math.round(1e6 / 7), bandwidth: 2, system: 2 }),
  );
}

/** The European channels, terrestrial and cable. */
export const raster: readonly TransponderParameters[] = [
  // VHF band III and UHF.
  ...series(177.5e6, 226.5e6, 7e6).map((frequency) => automaticBut('terrestrial', { frequency, bandwidth: 1 })),
  ...series(474e6, 690e6, 8e6).map((frequency) => automaticBut('terrestrial', { frequency, bandwidth: 0 })),
  ...[...series(114_000, 300_000, 8000), ...series(306_000, 858_000, 8000)].flatMap((frequency) =>
    [5, 3].map((modulation) => automaticBut('cable', { frequency, symbolRate: 6_900_000, modulation })),
  ),
];
