/**
 * What real SAT>IP servers need other than the standard says. Found by those who wrote and used minisatip, Tvheadend and
 * vdr-plugin-satip; everything else is what works with all others.
 */
import type { ServerDescription } from './description.ts';
import type { QueryQuirks } from './query.ts';

export interface Quirks extends QueryQuirks {
  /** `pids=all` works. */
  readonly passesAll: boolean;
  /** `addpids` and `delpids` work; otherwise every change needs all PIDs. */
  readonly mayAdd: boolean;
  /** PIDs at a time. */
  readonly mostPids: number;
  /** Characters of a list of PIDs in one request. */
  readonly longestPids: number;
  /** What SETUP asks for; empty: nothing. */
  readonly setupPids: string;
  /** For another multiplex it wants TEARDOWN and SETUP instead of PLAY. */
  readonly tearsDown: boolean;
  /** It does not say whether there is a lock: data mean that there is. */
  readonly assumesLock: boolean;
  /** It finds no tuner if one is named by `fe`. */
  readonly omitsFrontEnd: boolean;
  /** It sends over the RTSP connection only. */
  readonly needsTcp: boolean;
  /** The session is to be named without the leading zeros that it has in replies. */
  readonly trimsSession: boolean;
  /** What the level (0 to 255) and the quality (0 to 15) are with a lock if they are said to be 0. */
  readonly levelForNone: number;
  readonly qualityForNone: number;
}

/** The counts and the first PID, without which OctopusNet does not tune, are Tvheadend's. */
const usual: Quirks = {
  passesAll: true,
  mayAdd: true,
  mostPids: 32,
  longestPids: 127,
  setupPids: '0',
  tearsDown: false,
  assumesLock: false,
  omitsFrontEnd: false,
  needsTcp: false,
  trimsSession: false,
  pilotAlways: false,
  rollOffAlways: false,
  levelForNone: 0,
  qualityForNone: 0,
};

/** By manufacturer, model and name. Where several match, all of them count, the last one most. */
const servers: readonly (readonly [RegExp, Partial<Quirks>])[] = [
  // FRITZ!Box with cable: wants whole lists, PID 21 among the first, and measures no quality.
  [/fritz!|fritzdvbc/, { passesAll: false, mayAdd: false, setupPids: '0,21', qualityForNone: 7 }],
  // FRITZ!WLAN Repeater DVB-C: stays on the multiplex it has, and reports no lock.
  [/repeater dvb-c|fritzdvbc/, { tearsDown: true, assumesLock: true }],
  // Inverto IDL-400s, Grundig GSS.box and Telestar Digibit R1 with the firmware they came with, Triax TSS 400.
  [/multibox-|idl[- ]?400|gss\.?box|digibit|triax satip converter/, { pilotAlways: true, trimsSession: true }],
  // Triax TSS 400, Kathrein EXIP: few filters, longer lists, and nothing about the modulation may be left out.
  [
    /triax|tss ?400|exip-?4(?:14|18|124)|kathrein satip/,
    { passesAll: false, mostPids: 64, longestPids: 255, pilotAlways: true, rollOffAlways: true },
  ],
  [/minisatip/, { mostPids: 128 }],
  [/tvheadend/, { mostPids: 128, longestPids: 2048 }],
  // EyeTV Netstream 4C, made by Geniatech: 503 with `fe`.
  [/netstream 4c|geniatech/, { omitsFrontEnd: true }],
  // Set-top boxes with Enigma2: a multiplex in each session.
  [/enigma ?2/, { passesAll: false, tearsDown: true, needsTcp: true }],
  // Receivers with ALi's software: no level.
  [/xoro|megasat|mirage/, { levelForNone: 1 }],
  // Schwaiger MS41IP: reports no lock.
  [/schwaiger|ms41ip/, { assumesLock: true }],
];

export function quirksOf({
  manufacturer,
  model,
  name,
}: Pick<ServerDescription, 'manufacturer' | 'model' | 'name'>): Quirks {
  const texts = `${manufacturer}\n${model}\n${name}`.toLowerCase();
  return Object.assign({}, usual, ...servers.filter(([those]) => those.test(texts)).map(([, quirks]) => quirks));
}
