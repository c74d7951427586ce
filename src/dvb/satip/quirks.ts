/**
 * Deviations from the standard that real SAT>IP servers need. The authors and users of minisatip, Tvheadend and
 * vdr-plugin-satip found them; `defaultQuirks` works with all other servers.
 */
import type { ServerTraits } from '../../base/native.ts';
import type { ServerDescription } from './description.ts';
import type { QueryQuirks } from './query.ts';

export type Quirks = QueryQuirks & ServerTraits;

/** The counts are Tvheadend's, and so is PID 0 in SETUP, without which OctopusNet does not tune. */
const defaultQuirks: Quirks = {
  supportsAllPids: true,
  supportsAddPids: true,
  maxPids: 32,
  setupPids: '0',
  needsNewSession: false,
  assumesLock: false,
  trimsSession: false,
  pilotAlways: false,
  rollOffAlways: false,
};

/** By manufacturer, model and name. If several match, all apply; later ones override earlier ones. */
const servers: readonly (readonly [RegExp, Partial<Quirks>])[] = [
  // FRITZ!Box with cable: wants whole lists, and PID 21 among the first.
  [/fritz!|fritzdvbc/, { supportsAllPids: false, supportsAddPids: false, setupPids: '0,21' }],
  // FRITZ!WLAN Repeater DVB-C: PLAY does not change the multiplex, and it reports no lock.
  [/repeater dvb-c|fritzdvbc/, { needsNewSession: true, assumesLock: true }],
  // Inverto IDL-400s, Grundig GSS.box and Telestar Digibit R1 with the firmware they came with, Triax TSS 400.
  [/multibox-|idl[- ]?400|gss\.?box|digibit|triax satip converter/, { pilotAlways: true, trimsSession: true }],
  // Triax TSS 400, Kathrein EXIP: few PID filters; a query must contain all modulation parameters.
  [
    /triax|tss ?400|exip-?4(?:14|18|124)|kathrein satip/,
    { supportsAllPids: false, maxPids: 64, pilotAlways: true, rollOffAlways: true },
  ],
  [/minisatip/, { maxPids: 128 }],
  [/tvheadend/, { maxPids: 128 }],
  // Schwaiger MS41IP: reports no lock.
  [/schwaiger|ms41ip/, { assumesLock: true }],
];

export function quirksOf({
  manufacturer,
  model,
  name,
}: Pick<ServerDescription, 'manufacturer' | 'model' | 'name'>): Quirks {
  const texts = `${manufacturer}\n${model}\n${name}`.toLowerCase();
  return Object.assign({}, defaultQuirks, ...servers.filter(([one]) => one.test(texts)).map(([, quirks]) => quirks));
}
