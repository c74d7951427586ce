/** Which tuners a SAT>IP server has: X_SATIPCAP of its description, or the option `tuners` of a specification. */

export interface ServerFrontEnd {
  /** As in FrontEndInformation; empty for a system that nobody here knows. */
  readonly systems: readonly string[];
}

const maxFrontEnds = 64;

/** Of each kind of tuner. ATSCC and DVBCB are names for cable in America. */
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
 * The front ends of `DVBS2-4,DVBT2-2`, at most 64. An unknown kind has front ends too, since requests count them; what
 * is not a kind and a number is ignored. A kind without a number is one.
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
