/**
 * Transponders as in lamedb: a key (namespace, transport stream id, original network id) and the tuning parameters.
 *
 * All enumerations use Enigma2's numbers, since that is what the file holds; the tables below give them in words.
 * Beware: the code rates of terrestrial transponders are numbered differently from the FEC of satellite and cable.
 */

export interface SatelliteParameters {
  readonly kind: 'satellite';
  /** kHz */
  readonly frequency: number;
  /** Symbols per second. */
  readonly symbolRate: number;
  /** 0 horizontal, 1 vertical, 2 left, 3 right. */
  readonly polarisation: number;
  readonly fec: number;
  /** Tenths of a degree east, 0 to 3599 (the file writes west as negative). */
  readonly orbitalPosition: number;
  readonly inversion: number;
  readonly flags: number;
  /** 0 DVB-S, 1 DVB-S2; the fields below are written for DVB-S2 only. */
  readonly system: number;
  readonly modulation: number;
  readonly rollOff: number;
  readonly pilot: number;
  /** Input stream identifier, -1 none. */
  readonly streamId: number;
  /** Physical layer scrambling, 18 bits; root codes are converted to gold codes on reading. */
  readonly plsCode: number;
  /** 0 root, 1 gold, 2 combo. */
  readonly plsMode: number;
  /** -1 none. */
  readonly t2miPlpId: number;
  readonly t2miPid: number;
}

export interface TerrestrialParameters {
  readonly kind: 'terrestrial';
  /** Hz */
  readonly frequency: number;
  readonly bandwidth: number;
  readonly codeRateHigh: number;
  readonly codeRateLow: number;
  readonly constellation: number;
  readonly transmissionMode: number;
  readonly guardInterval: number;
  readonly hierarchy: number;
  readonly inversion: number;
  readonly flags: number;
  /** -1 DVB-T or T2, 0 DVB-T, 1 DVB-T2. */
  readonly system: number;
  readonly plpId: number;
}

export interface CableParameters {
  readonly kind: 'cable';
  /** kHz */
  readonly frequency: number;
  /** Symbols per second. */
  readonly symbolRate: number;
  readonly inversion: number;
  readonly modulation: number;
  readonly fec: number;
  readonly flags: number;
  /** 0 annex A, 1 annex C. */
  readonly system: number;
}

export interface AtscParameters {
  readonly kind: 'atsc';
  /** Hz */
  readonly frequency: number;
  readonly inversion: number;
  readonly modulation: number;
  readonly flags: number;
  /** 0 ATSC, 1 annex B. */
  readonly system: number;
}

export type TransponderParameters = SatelliteParameters | TerrestrialParameters | CableParameters | AtscParameters;

export interface Transponder {
  readonly namespace: number;
  readonly transportStreamId: number;
  readonly originalNetworkId: number;
  readonly parameters: TransponderParameters;
}

/** Values in words, by Enigma2's number; an empty string is an unused number. */
export const words = {
  fec: ['auto', '1/2', '2/3', '3/4', '5/6', '7/8', '8/9', '3/5', '4/5', '9/10', '6/7', '', '', '', '', 'none'],
  codeRate: ['1/2', '2/3', '3/4', '5/6', '7/8', 'auto', '6/7', '8/9', '3/5', '4/5'],
  satelliteModulation: ['auto', 'qpsk', '8psk', '16qam', '16apsk', '32apsk'],
  cableModulation: ['auto', '16qam', '32qam', '64qam', '128qam', '256qam', '8vsb', '16vsb'],
  constellation: ['qpsk', '16qam', '64qam', 'auto', '256qam'],
  polarisation: ['horizontal', 'vertical', 'left', 'right'],
  bandwidth: ['8', '7', '6', 'auto', '5', '1.712', '10'],
  transmissionMode: ['2k', '8k', 'auto', '4k', '1k', '16k', '32k'],
  guardInterval: ['1/32', '1/16', '1/8', '1/4', 'auto', '1/128', '19/128', '19/256'],
  hierarchy: ['none', '1', '2', '4', 'auto'],
  inversion: ['off', 'on', 'auto'],
  rollOff: ['0.35', '0.25', '0.20', 'auto'],
  pilot: ['off', 'on', 'auto'],
} as const satisfies Record<string, readonly string[]>;

export const noStreamId = -1;
const goldMode = 1;
const defaultT2miPid = 4096;
const plsBits = 0x3ffff;

/** Key of a transponder in the list. */
export function transponderKey(at: Omit<Transponder, 'parameters'>): string {
  return `${hex(at.namespace, 8)}:${hex(at.transportStreamId, 4)}:${hex(at.originalNetworkId, 4)}`;
}

export function isSameTransponder(one: Transponder | undefined, other: Transponder | undefined): boolean {
  return one !== undefined && other !== undefined && transponderKey(one) === transponderKey(other);
}

/** For messages: `11836 MHz H`, `498 MHz`. */
export function frequencyText(parameters: TransponderParameters): string {
  const { kind, frequency } = parameters;
  const megahertz = Math.round(frequency / (kind === 'satellite' || kind === 'cable' ? 1e3 : 1e6));
  return `${megahertz} MHz${kind === 'satellite' ? ` ${'HVLR'[parameters.polarisation] ?? ''}`.trimEnd() : ''}`;
}

/**
 * Parses a transponder's parameters: `s 11493750:22000000:...` (version 4) or `s:11493750:...` (version 5). `options`
 * are the named ones of version 5 (`MIS/PLS:ISID:CODE:MODE`, `T2MI:PLP:PID`); unknown ones are ignored. Undefined if
 * the letter is unknown or nothing follows it. Missing fields take their defaults, and so do a non-numeric field and
 * all that follow it (editors have left letters there).
 */
export function parseParameters(text: string, options: readonly string[] = []): TransponderParameters | undefined {
  const fields = text.slice(2).split(':').map(readNumber);
  const end = fields.indexOf(undefined);
  if (end === 0) return undefined;
  if (end > 0) fields.length = end;
  const at = (index: number, otherwise = 0) => fields[index] ?? otherwise;
  switch (text[0]) {
    case 's':
      return satellite(at, options);
    case 't':
      return {
        kind: 'terrestrial',
        frequency: at(0),
        bandwidth: at(1),
        codeRateHigh: at(2),
        codeRateLow: at(3),
        constellation: at(4),
        transmissionMode: at(5),
        guardInterval: at(6),
        hierarchy: at(7),
        inversion: at(8),
        flags: at(9),
        system: at(10),
        plpId: at(11),
      };
    case 'c':
      return {
        kind: 'cable',
        frequency: at(0),
        symbolRate: at(1),
        inversion: at(2, 2),
        modulation: at(3),
        fec: at(4),
        flags: at(5),
        system: at(6),
      };
    case 'a':
      return {
        kind: 'atsc',
        frequency: at(0),
        inversion: at(1, 2),
        modulation: at(2),
        flags: at(3),
        system: at(4),
      };
    default:
      return undefined;
  }
}

function satellite(
  at: (index: number, otherwise?: number) => number,
  options: readonly string[],
): SatelliteParameters | undefined {
  let stream = [at(11, noStreamId), at(12, 0), at(13, goldMode)];
  let t2mi = [at(14, noStreamId), at(15, defaultT2miPid)];
  for (const option of options) {
    const [name, ...values] = option.split(':');
    const numbers = values.map(readNumber);
    if (name === 'MIS/PLS') stream = [numbers[0] ?? noStreamId, numbers[1] ?? 0, numbers[2] ?? goldMode];
    if (name === 'T2MI') t2mi = [numbers[0] ?? noStreamId, numbers[1] ?? defaultT2miPid];
  }
  const [streamId, code, mode] = stream as [number, number, number];
  const [t2miPlpId, t2miPid] = t2mi as [number, number];
  const position = at(4);
  const root = (mode & 3) === 0 && code !== 0;
  return {
    kind: 'satellite',
    frequency: at(0),
    symbolRate: at(1),
    polarisation: at(2),
    fec: at(3),
    orbitalPosition: position < 0 ? position + 3600 : position,
    inversion: at(5),
    flags: at(6),
    system: at(7),
    modulation: at(8, 1),
    rollOff: at(9),
    pilot: at(10, 2),
    streamId,
    plsCode: root ? goldCode(code & plsBits) : code & plsBits,
    plsMode: root ? goldMode : mode & 3,
    t2miPlpId,
    t2miPid,
  };
}

/** Joins the fields with ":". Version 5 adds the options by name, version 4 as further fields. */
export function formatParameters(of: TransponderParameters, version: 4 | 5): string {
  switch (of.kind) {
    case 'satellite':
      return formatSatellite(of, version);
    case 'terrestrial': {
      const rates = [of.codeRateHigh, of.codeRateLow, of.constellation, of.transmissionMode, of.guardInterval];
      const rest = [of.hierarchy, of.inversion, of.flags, of.system, of.plpId];
      return write('t', version, [of.frequency, of.bandwidth, ...rates, ...rest]);
    }
    case 'cable':
      return write('c', version, [
        of.frequency,
        of.symbolRate,
        of.inversion,
        of.modulation,
        of.fec,
        of.flags,
        of.system,
      ]);
    case 'atsc':
      return write('a', version, [of.frequency, of.inversion, of.modulation, of.flags, of.system]);
  }
}

function formatSatellite(of: SatelliteParameters, version: 4 | 5): string {
  const position = of.orbitalPosition > 1800 ? of.orbitalPosition - 3600 : of.orbitalPosition;
  const fields = [of.frequency, of.symbolRate, of.polarisation, of.fec, position, of.inversion, of.flags];
  if (of.system !== 1) return write('s', version, fields);
  fields.push(of.system, of.modulation, of.rollOff, of.pilot);
  const t2mi = of.t2miPlpId !== noStreamId;
  const multistream = of.streamId !== noStreamId || of.plsCode !== 0 || of.plsMode !== goldMode;
  const streamFields = [of.streamId, of.plsCode, of.plsMode];
  const t2miFields = [of.t2miPlpId, of.t2miPid];
  if (version === 4) {
    if (multistream || t2mi) fields.push(...streamFields);
    if (t2mi) fields.push(...t2miFields);
    return write('s', version, fields);
  }
  const named =
    (multistream ? `,MIS/PLS:${streamFields.join(':')}` : '') + (t2mi ? `,T2MI:${t2miFields.join(':')}` : '');
  return write('s', version, fields) + named;
}

function write(letter: string, version: 4 | 5, fields: readonly number[]): string {
  return `${letter}${version === 4 ? ' ' : ':'}${fields.join(':')}`;
}

/**
 * Converts a root code of physical layer scrambling to a gold code (EN 302 307-1 §5.5.4): the number of steps of the x
 * sequence's shift register until it holds the root code. 0x3FFFF if it never does.
 */
export function goldCode(root: number): number {
  let x = 1;
  for (let steps = 0; steps < plsBits; steps++) {
    if (x === root) return steps;
    x = (((x ^ (x >> 7)) & 1) << 17) | (x >> 1);
  }
  return plsBits;
}

/** Lower-case hex of at least `digits` digits. */
export function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function readNumber(text: string): number | undefined {
  return /^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}
