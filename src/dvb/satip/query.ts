/**
 * The query of a SAT>IP request (EN 50585): the tuning parameters and the PIDs to send,
 * `src=1&freq=11493.75&pol=h&...`. A client formats it, a server parses it.
 *
 * Beyond the standard are `isi`, `plsm` and `plsc` for multistream, and the systems `atsc`, `dvbcb` (annex B) and
 * `isdbt`, as Tvheadend and minisatip have them.
 */
import { fail } from '../../base/errors.ts';
import { automaticBut, defaultParameters, goldCode, type TransponderParameters, words } from '../transponder.ts';

/** Deviations that some servers need; see quirks.ts. */
export interface QueryQuirks {
  /** The server cannot detect the pilot of DVB-S2: send `on` if it is unknown. */
  readonly pilotAlways?: boolean;
  /** The server cannot detect the roll-off of DVB-S2: send 0.35 if it is unknown. */
  readonly rollOffAlways?: boolean;
}

export interface SatipQuery {
  /** Undefined without a frequency. The orbital position is 0: only the server knows which satellite a source has. */
  readonly parameters: TransponderParameters | undefined;
  /** Number of the satellite source, 1 to 255. */
  readonly source: number;
  /** Number of the front end, from 1; undefined: any. */
  readonly frontEnd: number | undefined;
  /** The PIDs that replace all others; undefined: unchanged. */
  readonly pids: 'all' | readonly number[] | undefined;
  readonly addPids: readonly number[];
  readonly delPids: readonly number[];
}

type Kind = TransponderParameters['kind'];

/** Characters of a query, as for a URL. At most half as many PIDs fit. */
const maxQueryLength = 8192;
const maxPid = 8191;
/** Stands for all PIDs in a list of numbers. */
const allPids = 8192;
const rootMode = 0;
const goldMode = 1;

/** lamedb's kind and system for each `msys`. */
const systems: Readonly<Record<string, readonly [Kind, number]>> = {
  dvbs: ['satellite', 0],
  dvbs2: ['satellite', 1],
  dvbt: ['terrestrial', 0],
  dvbt2: ['terrestrial', 1],
  isdbt: ['terrestrial', 2],
  dvbc: ['cable', 0],
  dvbc2: ['cable', 2],
  atsc: ['atsc', 0],
  dvbcb: ['atsc', 1],
};

const plain = (list: readonly string[]) => list.map((word) => word.replace('/', ''));
const onOff = ['off', 'on', 'auto'];
const fecs = plain(words.fec);

/** Keys with words as values: the name in TransponderParameters, and the words by their numbers there. */
const choices: Readonly<Record<Kind, Readonly<Record<string, readonly [name: string, words: readonly string[]]>>>> = {
  satellite: {
    pol: ['polarisation', ['h', 'v', 'l', 'r']],
    ro: ['rollOff', words.rollOff],
    mtype: ['modulation', words.satelliteModulation],
    plts: ['pilot', onOff],
    fec: ['fec', fecs],
    plsm: ['plsMode', ['root', 'gold', 'combo']],
  },
  terrestrial: {
    bw: ['bandwidth', words.bandwidth],
    tmode: ['transmissionMode', words.transmissionMode],
    mtype: ['constellation', words.constellation],
    gi: ['guardInterval', plain(words.guardInterval)],
    fec: ['codeRateHigh', plain(words.codeRate)],
  },
  cable: {
    mtype: ['modulation', words.cableModulation],
    fec: ['fec', fecs],
    specinv: ['inversion', ['0', '1', 'auto']],
  },
  atsc: { mtype: ['modulation', words.cableModulation] },
};

/** Keys with numbers as values: the name in TransponderParameters, and the range in the query's unit. */
const numbers: Readonly<Record<Kind, Readonly<Record<string, readonly [name: string, low: number, high: number]>>>> = {
  satellite: { sr: ['symbolRate', 1, 100_000], isi: ['streamId', 0, 255], plsc: ['plsCode', 0, 0x3ffff] },
  terrestrial: { plp: ['plpId', 0, 255] },
  cable: { sr: ['symbolRate', 1, 100_000] },
  atsc: {},
};

/** Units of `TransponderParameters.frequency` in a megahertz. */
const unitsPerMegahertz: Readonly<Record<Kind, number>> = { satellite: 1e3, terrestrial: 1e6, cable: 1e3, atsc: 1e6 };
/** `sr` is in kilosymbols per second. */
const symbolsPerUnit = 1000;
const maxMegahertz = 99_999;

// Formatting

/**
 * Formats the tuning part of a query, without `?` and PIDs. `source` is the server's number of the satellite, 1 to 255.
 *
 * Automatic values are left out, except where servers insist on one: the bandwidth, and the modulation of cable. A
 * query cannot express hierarchy, T2-MI, or the inversion of anything but cable. DVB-T or T2 (system -1) is sent as
 * DVB-T, and annex C of DVB-C as annex A.
 */
export function formatQuery(parameters: TransponderParameters, source: number, quirks: QueryQuirks = {}): string {
  const values = { ...(parameters.kind === 'satellite' ? { src: source } : {}), ...valuesOf(parameters, quirks) };
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${value}`)
    .join('&');
}

function valuesOf(
  parameters: TransponderParameters,
  { pilotAlways, rollOffAlways }: QueryQuirks,
): Record<string, string | number | undefined> {
  const freq = parameters.frequency / unitsPerMegahertz[parameters.kind];
  const msys = Object.keys(systems).find(
    (one) => systems[one]?.[0] === parameters.kind && systems[one][1] === parameters.system,
  );
  const word = (key: string) => wordOf(parameters, key);
  switch (parameters.kind) {
    case 'satellite': {
      const start = { freq, pol: word('pol') };
      const end = { sr: symbols(parameters.symbolRate), fec: word('fec') };
      if (parameters.system !== 1) return { ...start, ro: '0.35', msys: 'dvbs', mtype: 'qpsk', ...end };
      const isScrambled =
        parameters.plsCode !== defaultParameters.satellite.plsCode ||
        parameters.plsMode !== defaultParameters.satellite.plsMode;
      return {
        ...start,
        ro: word('ro') ?? (rollOffAlways ? '0.35' : undefined),
        msys,
        mtype: word('mtype'),
        plts: word('plts') ?? (pilotAlways ? 'on' : undefined),
        ...end,
        isi: parameters.streamId < 0 ? undefined : parameters.streamId,
        ...(isScrambled ? { plsm: word('plsm'), plsc: parameters.plsCode } : {}),
      };
    }
    case 'terrestrial':
      if (parameters.system === 2) return { freq, bw: 6, msys };
      return {
        freq,
        bw: word('bw') ?? defaultBandwidth(parameters.frequency),
        msys: msys ?? 'dvbt',
        tmode: word('tmode'),
        mtype: word('mtype'),
        gi: word('gi'),
        fec: word('fec'),
        // Lists have 0 for an unknown PLP: the server then accepts any.
        plp: parameters.system === 1 && parameters.plpId > 0 ? parameters.plpId : undefined,
      };
    case 'cable':
      if (parameters.system === 2) return { freq, c2tft: 0, bw: 8, msys, ds: 0, plp: 0, specinv: word('specinv') };
      return {
        freq,
        msys: 'dvbc',
        mtype: word('mtype') ?? '256qam',
        sr: symbols(parameters.symbolRate),
        specinv: word('specinv'),
      };
    case 'atsc':
      return parameters.system === 1
        ? { freq, msys, mtype: word('mtype') ?? '256qam' }
        : { freq, msys, mtype: word('mtype') };
  }
}

/** Undefined for an unknown or automatic value. */
function wordOf(parameters: TransponderParameters, key: string): string | undefined {
  const [name = '', list = []] = choices[parameters.kind][key] ?? [];
  const word = list[(parameters as unknown as Readonly<Record<string, number>>)[name] ?? -1];
  return word === undefined || word === '' || word === 'auto' || word === 'none' ? undefined : word;
}

const symbols = (rate: number) => (rate > 0 ? Math.round(rate / symbolsPerUnit) : undefined);

/** Channel bandwidth in megahertz at a frequency in Hz, in Europe: 7 in VHF, 8 in UHF. */
const defaultBandwidth = (frequency: number) => (frequency < 300e6 ? 7 : 8);

// Parsing

/**
 * Parses a query, with or without `?`. It is lenient because clients are sloppy: missing and empty values are
 * automatic, the last of repeated keys counts, unknown keys are ignored.
 * @throws ReceiverError `parameter-invalid` with the key of a value that is out of range
 */
export function parseQuery(text: string): SatipQuery {
  if (text.length > maxQueryLength)
    throw fail('parameter-invalid', 'query', `is longer than ${maxQueryLength} characters`);
  const values: Values = new Map();
  for (const [key, value] of new URLSearchParams(text)) values.set(key.toLowerCase(), value.trim().toLowerCase());
  const pids = values.get('pids') ? pidsOf(values, 'pids') : undefined;
  return {
    parameters: parametersOf(values),
    source: numberIn(values, 'src', 1, 255) ?? 1,
    frontEnd: numberIn(values, 'fe', 1, 255),
    pids: pids?.includes(allPids) ? 'all' : pids,
    addPids: pidsOf(values, 'addpids'),
    delPids: pidsOf(values, 'delpids'),
  };
}

type Values = Map<string, string>;

function parametersOf(values: Values): TransponderParameters | undefined {
  const megahertz = numberIn(values, 'freq', 0, maxMegahertz);
  if (megahertz === undefined) return undefined;
  const [kind, system] = systemOf(values);
  const found: Record<string, number> = {
    // Set to automatic, since the default for a missing modulation is QPSK.
    ...(kind === 'satellite' ? { modulation: 0 } : {}),
    frequency: Math.round(megahertz * unitsPerMegahertz[kind]),
    system,
  };
  for (const [key, [name, list]] of Object.entries(choices[kind])) {
    const number = choiceIn(values, key, list);
    if (number !== undefined) found[name] = number;
  }
  for (const [key, [name, low, high]] of Object.entries(numbers[kind])) {
    const number = numberIn(values, key, low, high);
    if (number !== undefined) found[name] = key === 'sr' ? Math.round(number * symbolsPerUnit) : number;
  }
  return automaticBut(kind, kind === 'satellite' ? satellite(found) : found);
}

/** DVB-S gets the defaults for values that only DVB-S2 has. A root code becomes a gold code, as in lists. */
function satellite(found: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  if (found.system !== 1) {
    const { modulation, rollOff, pilot, streamId, plsCode, plsMode } = defaultParameters.satellite;
    return { ...found, modulation, rollOff, pilot, streamId, plsCode, plsMode };
  }
  if (found.plsMode !== rootMode || !found.plsCode) return found;
  return { ...found, plsMode: goldMode, plsCode: goldCode(found.plsCode) };
}

/** Without `msys`, the other keys decide. */
function systemOf(values: Values): readonly [Kind, number] {
  const word = values.get('msys');
  if (!word) return values.get('pol') ? ['satellite', 0] : values.get('sr') ? ['cable', 0] : ['terrestrial', -1];
  const known = Object.hasOwn(systems, word) ? systems[word] : undefined;
  return known ?? refuse('msys', `must be one of ${Object.keys(systems).join(', ')}`);
}

function numberIn(values: Values, key: string, low: number, high: number): number | undefined {
  const text = values.get(key);
  if (!text) return undefined;
  // Clients write frequencies and symbol rates with decimal places.
  const pattern = key === 'freq' || key === 'sr' ? /^\d{1,10}(?:\.\d{0,9})?$/ : /^\d{1,10}$/;
  const number = pattern.test(text) ? Number(text) : Number.NaN;
  return number >= low && number <= high ? number : refuse(key, `must be a number from ${low} to ${high}`);
}

/** Returns the number of the word; undefined if it is missing or automatic. */
function choiceIn(values: Values, key: string, list: readonly string[]): number | undefined {
  const text = values.get(key);
  if (!text || text === 'auto') return undefined;
  const number = list.indexOf(key === 'ro' && text === '0.2' ? '0.20' : text);
  return number >= 0 ? number : refuse(key, `must be one of ${list.filter((one) => one !== '').join(', ')}`);
}

/** Returns the PIDs without duplicates. Only `pids` may contain `allPids`. */
function pidsOf(values: Values, key: 'pids' | 'addpids' | 'delpids'): readonly number[] {
  const text = values.get(key);
  if (!text || text === 'none') return [];
  const max = key === 'pids' ? allPids : maxPid;
  const pidOf = (word: string) => {
    const pid = word === 'all' ? allPids : /^\d{1,5}$/.test(word) ? Number(word) : Number.NaN;
    return pid <= max ? pid : refuse(key, `must list PIDs from 0 to ${maxPid}`);
  };
  return [...new Set(text.split(',').map(pidOf))];
}

function refuse(key: string, why: string): never {
  throw fail('parameter-invalid', key, why);
}
