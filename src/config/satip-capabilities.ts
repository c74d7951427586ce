/**
 * Parses the tuners of a SAT>IP server: X_SATIPCAP of its description, or the option `tuners` of a tuner specification.
 */

export interface ServerFrontEnd {
  /** As in FrontEndInformation; empty for an unknown system. */
  readonly systems: readonly string[];
}

const maxFrontEnds = 64;

/** Delivery systems by kind of tuner. ATSCC and DVBCB are names for cable in America. */
const systems: Readonly<Record<string, readonly string[]>> = {
  DVBS: ['DVB-S'],
  DVBS2: ['DVB-S', 'DVB-S2'],
  DVBT: ['DVB-T'],
  DVBT2: ['DVB-T', 'DVB-T2'],
  DVBC: ['DVB-C'],
  DVBC2: ['DVB-C', 'DVB-C2'],
  DVBCB: ['DVB-C annex B'],
  ATSC: ['ATSC'],
  ATSCT: ['ATSC'],
  ATSCC: ['DVB-C annex B'],
  ISDBT: ['ISDB-T'],
};

/**
 * Parses a list such as `DVBS2-4,DVBT2-2` to front ends, at most 64. A kind without a number means one front end.
 * Unknown kinds yield front ends too, because SAT>IP requests number all of them. Other words are ignored.
 */
export function parseCapabilities(text: string): readonly ServerFrontEnd[] {
  const found: ServerFrontEnd[] = [];
  for (const word of text.toUpperCase().split(/[\s,]+/)) {
    const [, kind = '', count = '1'] = /^([A-Z][A-Z0-9]*)(?:-(\d{1,3}))?$/.exec(word) ?? [];
    if (kind === '') continue;
    const frontEnd = { systems: Object.hasOwn(systems, kind) ? (systems[kind] ?? []) : [] };
    for (let left = Number(count); left > 0 && found.length < maxFrontEnds; left--) found.push(frontEnd);
  }
  return found;
}
