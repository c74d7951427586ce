/**
 * Transponders as in lamedb: a key (namespace, transport stream id, original network id) and the tuning parameters.
 *
 * All enumerations use Enigma2's numbers, since the file holds those; the tables below give them in words.
 * Beware: the code rates of terrestrial transponders are numbered differently from the FEC of satellite and cable.
 */

const noStreamId = -1;
const goldMode = 1;

/** The parameters of each kind in the order of the file, with the defaults of missing ones. */
export const defaultParameters = {
  satellite: {
    /** kHz */
    frequency: 0,
    /** Symbols per second. */
    symbolRate: 0,
    /** 0 horizontal, 1 vertical, 2 left, 3 right. */
    polarisation: 0,
    fec: 0,
    /** Tenths of a degree east, 0 to 3599 (the file writes west as negative). */
    orbitalPosition: 0,
    inversion: 0,
    flags: 0,
    /** 0 DVB-S, 1 DVB-S2; the numbers below are written for DVB-S2 only. */
    system: 0,
    modulation: 1,
    rollOff: 0,
    pilot: 2,
    /** Input stream identifier, -1 none. */
    streamId: noStreamId,
    /** Physical layer scrambling, 18 bits; root codes are converted to gold codes on reading. */
    plsCode: 0,
    /** 0 root, 1 gold, 2 combo. */
    plsMode: goldMode,
    /** -1 none. */
    t2miPlpId: noStreamId,
    t2miPid: 4096,
  },
  terrestrial: {
    /** Hz */
    frequency: 0,
    bandwidth: 0,
    codeRateHigh: 0,
    codeRateLow: 0,
    constellation: 0,
    transmissionMode: 0,
    guardInterval: 0,
    hierarchy: 0,
    inversion: 0,
    flags: 0,
    /** -1 DVB-T or T2, 0 DVB-T, 1 DVB-T2, 2 ISDB-T. */
    system: 0,
    plpId: 0,
  },
  cable: {
    /** kHz */
    frequency: 0,
    /** Symbols per second. */
    symbolRate: 0,
    inversion: 2,
    modulation: 0,
    fec: 0,
    flags: 0,
    /** 0 annex A, 1 annex C. */
    system: 0,
  },
  atsc: {
    /** Hz */
    frequency: 0,
    inversion: 2,
    modulation: 0,
    flags: 0,
    /** 0 ATSC, 1 annex B. */
    system: 0,
  },
};

/** In the file, the first letter of a kind stands for it. */
const kinds = Object.keys(defaultParameters) as readonly (keyof typeof defaultParameters)[];

export type TransponderParameters = {
  [Kind in keyof typeof defaultParameters]: { readonly kind: Kind } & Readonly<(typeof defaultParameters)[Kind]>;
}[keyof typeof defaultParameters];
export type SatelliteParameters = Extract<TransponderParameters, { readonly kind: 'satellite' }>;

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
  rollOff: ['0.35', '0.25', '0.20', 'auto'],
} as const satisfies Record<string, readonly string[]>;

/** Returns the number of a word. Default for an unknown word: that of `auto`, or 0 if the list has no `auto`. */
export function numberOf(list: readonly string[], word: string, fallback = Math.max(0, list.indexOf('auto'))): number {
  const number = list.indexOf(word);
  return number < 0 ? fallback : number;
}

/** The numbers that mean "automatic", where they differ from lamedb's default for a missing number. */
const automatic: Readonly<Record<TransponderParameters['kind'], Readonly<Record<string, number>>>> = {
  satellite: { inversion: 2, rollOff: 3 },
  terrestrial: {
    bandwidth: 3,
    codeRateHigh: 5,
    codeRateLow: 5,
    constellation: 3,
    transmissionMode: 2,
    guardInterval: 4,
    hierarchy: 4,
    inversion: 2,
    system: -1,
  },
  cable: {},
  atsc: {},
};

/** Returns parameters with some known numbers; the front end detects the others. */
export function automaticBut(
  kind: TransponderParameters['kind'],
  known: Readonly<Record<string, number>>,
): TransponderParameters {
  return { kind, ...defaultParameters[kind], ...automatic[kind], ...known } as TransponderParameters;
}

const plsBits = 0x3ffff;
/** The last numbers of a satellite transponder, which version 5 writes as the options `MIS/PLS` and `T2MI`. */
const multistreamNames = ['streamId', 'plsCode', 'plsMode'] as const;
const t2miNames = ['t2miPlpId', 't2miPid'] as const;

/** Key of a transponder in the service list: its namespace and identifiers. */
export function transponderKey(at: Omit<Transponder, 'parameters'>): string {
  return `${hex(at.namespace, 8)}:${hex(at.transportStreamId, 4)}:${hex(at.originalNetworkId, 4)}`;
}

/** True for the same entry with the same parameters; the parameters of an entry may have been edited. */
export function isSameTransponder(one: Transponder | undefined, other: Transponder | undefined): boolean {
  if (one === undefined || other === undefined || transponderKey(one) !== transponderKey(other)) return false;
  return formatParameters(one.parameters, 5) === formatParameters(other.parameters, 5);
}

/** True for frequencies less than 2 MHz apart, with the same polarisation. */
export function isSamePlace(one: SatelliteParameters, other: SatelliteParameters): boolean {
  return Math.abs(one.frequency - other.frequency) < 2000 && one.polarisation === other.polarisation;
}

/** True for two frequencies of one satellite. Feeds there may repeat identifiers and carry different services. */
export function areFeeds(one: Transponder, other: Transponder): boolean {
  const [its, others] = [one.parameters, other.parameters];
  const isOneSatellite = one.namespace >>> 16 === other.namespace >>> 16;
  return isOneSatellite && its.kind === 'satellite' && others.kind === 'satellite' && !isSamePlace(its, others);
}

/** Formats the frequency for messages: `11836 MHz H`, `498 MHz`. */
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
  const kind = kinds.find((one) => one[0] === text[0]);
  const fields = text.slice(2).split(':').map(readNumber);
  const end = fields.indexOf(undefined);
  if (kind === undefined || end === 0) return undefined;
  if (end > 0) fields.length = end;
  const numbers = Object.entries(defaultParameters[kind]).map(([name, value], index) => [name, fields[index] ?? value]);
  const parameters = { kind, ...Object.fromEntries(numbers) } as TransponderParameters;
  return parameters.kind === 'satellite' ? satellite(parameters, options) : parameters;
}

function satellite(numbers: SatelliteParameters, options: readonly string[]): SatelliteParameters {
  const parameters = { ...numbers };
  for (const option of options) {
    const [name, ...values] = option.split(':');
    const names = name === 'MIS/PLS' ? multistreamNames : name === 'T2MI' ? t2miNames : [];
    for (const [index, one] of names.entries())
      parameters[one] = readNumber(values[index] ?? '') ?? defaultParameters.satellite[one];
  }
  const isRoot = (parameters.plsMode & 3) === 0 && parameters.plsCode !== 0;
  return {
    ...parameters,
    orbitalPosition: ((parameters.orbitalPosition % 3600) + 3600) % 3600,
    plsCode: isRoot ? goldCode(parameters.plsCode & plsBits) : parameters.plsCode & plsBits,
    plsMode: isRoot ? goldMode : parameters.plsMode & 3,
  };
}

/** Joins the numbers with ":". Version 5 writes satellite options by name, version 4 as further numbers. */
export function formatParameters(parameters: TransponderParameters, version: 4 | 5): string {
  const start = `${parameters.kind[0]}${version === 4 ? ' ' : ':'}`;
  if (parameters.kind !== 'satellite') return start + numbersOf(parameters).join(':');
  const position = parameters.orbitalPosition > 1800 ? parameters.orbitalPosition - 3600 : parameters.orbitalPosition;
  const numbers = numbersOf({ ...parameters, orbitalPosition: position });
  // DVB-S ends with the flags, DVB-S2 with the pilot unless it has options.
  if (parameters.system !== 1) return start + numbers.slice(0, 7).join(':');
  const [plain, multistream, t2mi] = [numbers.slice(0, 11), numbers.slice(11, 14), numbers.slice(14)];
  const hasT2mi = parameters.t2miPlpId !== noStreamId;
  const isMultistream =
    parameters.streamId !== noStreamId || parameters.plsCode !== 0 || parameters.plsMode !== goldMode;
  if (version === 5) {
    const named = isMultistream ? `,MIS/PLS:${multistream.join(':')}` : '';
    return start + plain.join(':') + named + (hasT2mi ? `,T2MI:${t2mi.join(':')}` : '');
  }
  const further = hasT2mi ? [...multistream, ...t2mi] : isMultistream ? multistream : [];
  return start + [...plain, ...further].join(':');
}

/** Returns the numbers in the order of the file. */
function numbersOf(parameters: TransponderParameters): number[] {
  const values: Readonly<Record<string, unknown>> = parameters;
  return Object.keys(defaultParameters[parameters.kind]).map((name) => Number(values[name]));
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
