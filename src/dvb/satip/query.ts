/**
 * The query of a SAT>IP request (EN 50585): what to tune to and which PIDs to send, `src=1&freq=11493.75&pol=h&...`. A
 * client formats it, a server parses it.
 *
 * Beyond the standard are `isi`, `plsm` and `plsc` for multistream, and the systems `atsc`, `dvbcb` (annex B) and
 * `isdbt`, as Tvheadend and minisatip have them.
 */
import { fail } from '../../base/errors.ts';
import { automaticBut, goldCode, presets, type TransponderParameters, words } from '../transponder.ts';

/** What some servers need; see quirks.ts. */
export interface QueryQuirks {
  /** It cannot find out about the pilot of DVB-S2: an unknown one is said to be on. */
  readonly pilotAlways?: boolean;
  /** The same of the roll-off of DVB-S2: an unknown one is said to be 0.35. */
  readonly rollOffAlways?: boolean;
}

export interface SatipQuery {
  /** Undefined if there is no frequency. The position of a satellite is 0: only the server knows that of its source. */
  readonly parameters: TransponderParameters | undefined;
  /** Of satellites: 1 to 255. */
  readonly source: number;
  /** From 1; undefined: any. */
  readonly frontEnd: number | undefined;
  /** These and no others; undefined: as before. */
  readonly pids: 'all' | readonly number[] | undefined;
  readonly addPids: readonly number[];
  readonly delPids: readonly number[];
}

type Kind = TransponderParameters['kind'];

/** Characters of a query, as many as of a URL. At most half as many PIDs fit. */
const longest = 8192;
const highestPid = 8191;
/** Means all of them. */
const everyPid = 8192;
const rootMode = 0;
const goldMode = 1;

/** `msys`, with lamedb's kind and system. Of those with the same ones, the first is sent. */
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

/** Names in TransponderParameters of values in words, and the words by their numbers. */
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

/** The same of numbers, with their bounds, and how many of our units are one. */
const numbers: Readonly<Record<Kind, Readonly<Record<string, readonly [name: string, low: number, high: number]>>>> = {
  satellite: { sr: ['symbolRate', 1, 100_000], isi: ['streamId', 0, 255], plsc: ['plsCode', 0, 0x3ffff] },
  terrestrial: { plp: ['plpId', 0, 255] },
  cable: { sr: ['symbolRate', 1, 100_000] },
  atsc: {},
};

/** Of our frequencies in a megahertz. */
const unitsOf: Readonly<Record<Kind, number>> = { satellite: 1e3, terrestrial: 1e6, cable: 1e3, atsc: 1e6 };
/** Symbols in one of `sr`. */
const kilo = 1000;
const highestMegahertz = 99_999;

// Formatting

/**
 * The tuning part of a query, without `?` and PIDs. `source` (1 to 255) is the position on the server of a satellite.
 *
 * What is automatic is left out, apart from what servers insist on: the bandwidth, and the modulation of cable. It
 * cannot say hierarchy and T2-MI, nor the inversion of others than cable. DVB-T or T2 (system -1) is sent as DVB-T, and
 * annex C of DVB-C as annex A.
 */
export function formatQuery(parameters: TransponderParameters, source: number, quirks: QueryQuirks = {}): string {
  const values = { ...(parameters.kind === 'satellite' ? { src: source } : {}), ...valuesOf(parameters, quirks) };
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${value}`)
    .join('&');
}

function valuesOf(
  of: TransponderParameters,
  { pilotAlways, rollOffAlways }: QueryQuirks,
): Record<string, string | number | undefined> {
  const freq = of.frequency / unitsOf[of.kind];
  const msys = Object.keys(systems).find((one) => systems[one]?.[0] === of.kind && systems[one][1] === of.system);
  const word = (key: string) => wordOf(of, key);
  switch (of.kind) {
    case 'satellite': {
      const start = { freq, pol: word('pol') };
      const end = { sr: symbols(of.symbolRate), fec: word('fec') };
      if (of.system !== 1) return { ...start, ro: '0.35', msys: 'dvbs', mtype: 'qpsk', ...end };
      const isScrambled = of.plsCode !== presets.satellite.plsCode || of.plsMode !== presets.satellite.plsMode;
      return {
        ...start,
        ro: word('ro') ?? (rollOffAlways ? '0.35' : undefined),
        msys,
        mtype: word('mtype'),
        plts: word('plts') ?? (pilotAlways ? 'on' : undefined),
        ...end,
        isi: of.streamId < 0 ? undefined : of.streamId,
        ...(isScrambled ? { plsm: word('plsm'), plsc: of.plsCode } : {}),
      };
    }
    case 'terrestrial':
      if (of.system === 2) return { freq, bw: 6, msys };
      return {
        freq,
        bw: word('bw') ?? usualBandwidth(of.frequency),
        msys: msys ?? 'dvbt',
        tmode: word('tmode'),
        mtype: word('mtype'),
        gi: word('gi'),
        fec: word('fec'),
        // Lists have 0 where nobody knew: the server looks for any.
        plp: of.system === 1 && of.plpId > 0 ? of.plpId : undefined,
      };
    case 'cable':
      if (of.system === 2) return { freq, c2tft: 0, bw: 8, msys, ds: 0, plp: 0, specinv: word('specinv') };
      return {
        freq,
        msys: 'dvbc',
        mtype: word('mtype') ?? '256qam',
        sr: symbols(of.symbolRate),
        specinv: word('specinv'),
      };
    case 'atsc':
      return of.system === 1 ? { freq, msys, mtype: word('mtype') ?? '256qam' } : { freq, msys, mtype: word('mtype') };
  }
}

/** Undefined for an unknown or automatic value. */
function wordOf(of: TransponderParameters, key: string): string | undefined {
  const [name = '', list = []] = choices[of.kind][key] ?? [];
  const word = list[(of as unknown as Readonly<Record<string, number>>)[name] ?? -1];
  return word === undefined || word === '' || word === 'auto' || word === 'none' ? undefined : word;
}

const symbols = (rate: number) => (rate > 0 ? Math.round(rate / kilo) : undefined);

/** Megahertz of a channel of this frequency (Hz) in Europe: VHF has 7. */
const usualBandwidth = (frequency: number) => (frequency < 300e6 ? 7 : 8);

// Parsing

/**
 * Parses a query, with or without `?`. It is lenient, as clients are: missing and empty values are automatic, the last
 * of repeated keys counts, unknown keys are ignored.
 * @throws ReceiverError `parameter-invalid` with the key of a value that is out of range
 */
export function parseQuery(text: string): SatipQuery {
  if (text.length > longest) throw fail('parameter-invalid', 'query', `is longer than ${longest} characters`);
  const values: Values = new Map();
  for (const [key, value] of new URLSearchParams(text)) values.set(key.toLowerCase(), value.trim().toLowerCase());
  const pids = values.get('pids') ? pidsOf(values, 'pids') : undefined;
  return {
    parameters: parametersOf(values),
    source: numberIn(values, 'src', 1, 255) ?? 1,
    frontEnd: numberIn(values, 'fe', 1, 255),
    pids: pids?.includes(everyPid) ? 'all' : pids,
    addPids: pidsOf(values, 'addpids'),
    delPids: pidsOf(values, 'delpids'),
  };
}

type Values = Map<string, string>;

function parametersOf(values: Values): TransponderParameters | undefined {
  const megahertz = numberIn(values, 'freq', 0, highestMegahertz);
  if (megahertz === undefined) return undefined;
  const [kind, system] = systemOf(values);
  const found: Record<string, number> = {
    // Lists mean QPSK by a missing modulation.
    ...(kind === 'satellite' ? { modulation: 0 } : {}),
    frequency: Math.round(megahertz * unitsOf[kind]),
    system,
  };
  for (const [key, [name, list]] of Object.entries(choices[kind])) {
    const number = choiceIn(values, key, list);
    if (number !== undefined) found[name] = number;
  }
  for (const [key, [name, low, high]] of Object.entries(numbers[kind])) {
    const number = numberIn(values, key, low, high);
    if (number !== undefined) found[name] = key === 'sr' ? Math.round(number * kilo) : number;
  }
  return automaticBut(kind, kind === 'satellite' ? satellite(found) : found);
}

/** Values that DVB-S does not have are as in lists; a root code becomes a gold code, as on reading lists. */
function satellite(found: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  if (found.system !== 1) {
    const { modulation, rollOff, pilot, streamId, plsCode, plsMode } = presets.satellite;
    return { ...found, modulation, rollOff, pilot, streamId, plsCode, plsMode };
  }
  if (found.plsMode !== rootMode || !found.plsCode) return found;
  return { ...found, plsMode: goldMode, plsCode: goldCode(found.plsCode) };
}

/** Without `msys`: what the other keys belong to. */
function systemOf(values: Values): readonly [Kind, number] {
  const word = values.get('msys');
  if (!word) return values.get('pol') ? ['satellite', 0] : values.get('sr') ? ['cable', 0] : ['terrestrial', -1];
  const known = Object.hasOwn(systems, word) ? systems[word] : undefined;
  return known ?? refuse('msys', `must be one of ${Object.keys(systems).join(', ')}`);
}

function numberIn(values: Values, key: string, low: number, high: number): number | undefined {
  const text = values.get(key);
  if (!text) return undefined;
  // Clients write frequencies and symbol rates with decimals.
  const pattern = key === 'freq' || key === 'sr' ? /^\d{1,10}(?:\.\d{0,9})?$/ : /^\d{1,10}$/;
  const number = pattern.test(text) ? Number(text) : Number.NaN;
  return number >= low && number <= high ? number : refuse(key, `must be a number from ${low} to ${high}`);
}

/** The number of the word. */
function choiceIn(values: Values, key: string, list: readonly string[]): number | undefined {
  const text = values.get(key);
  if (!text || text === 'auto') return undefined;
  const number = list.indexOf(key === 'ro' && text === '0.2' ? '0.20' : text);
  return number >= 0 ? number : refuse(key, `must be one of ${list.filter((one) => one !== '').join(', ')}`);
}

/** Without repetition; `everyPid` is among them only for `pids`. */
function pidsOf(values: Values, key: 'pids' | 'addpids' | 'delpids'): readonly number[] {
  const text = values.get(key);
  if (!text || text === 'none') return [];
  const highest = key === 'pids' ? everyPid : highestPid;
  const pidOf = (word: string) => {
    const pid = word === 'all' ? everyPid : /^\d{1,5}$/.test(word) ? Number(word) : Number.NaN;
    return pid <= highest ? pid : refuse(key, `must list PIDs from 0 to ${highestPid}`);
  };
  return [...new Set(text.split(',').map(pidOf))];
}

function refuse(key: string, why: string): never {
  throw fail('parameter-invalid', key, why);
}
