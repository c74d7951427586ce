/** Formats the status of streams: for reports, and as SDP. */
import { formatQuery } from '../dvb/satip/query.ts';
import type { TransponderParameters } from '../dvb/transponder.ts';
import type { Pids, Signal } from '../dvb/tuner.ts';

export interface StreamStatus {
  /** Number of the front end, from 1. */
  readonly frontEnd: number;
  /** Undefined while there is no tuner. */
  readonly signal: Signal | undefined;
  /** Undefined before it was tuned. */
  readonly parameters: TransponderParameters | undefined;
  /** Number of the satellite source. */
  readonly source: number;
  readonly pids: Pids;
}

/**
 * Version of the text, and the keys of the query in the order in which they follow front end, level, lock and quality.
 */
const forms: Readonly<Record<TransponderParameters['kind'], readonly [version: string, keys: readonly string[]]>> = {
  satellite: ['1.0', ['freq', 'pol', 'msys', 'mtype', 'plts', 'ro', 'sr', 'fec']],
  terrestrial: ['1.1', ['freq', 'bw', 'msys', 'tmode', 'mtype', 'gi', 'fec', 'plp', 't2id', 'sm']],
  cable: ['1.2', ['freq', 'bw', 'msys', 'mtype', 'sr', 'c2tft', 'ds', 'plp', 'specinv']],
  atsc: ['1.2', ['freq', 'bw', 'msys', 'mtype', 'sr', 'c2tft', 'ds', 'plp', 'specinv']],
};

/** Formats `ver=1.0;src=1;tuner=1,240,1,15,11493.75,h,...;pids=0,16` for reports and SDP (EN 50585). */
export function statusText({ frontEnd, signal, parameters, source, pids }: StreamStatus): string {
  const list = pids === 'all' ? 'all' : pids.length === 0 ? 'none' : pids.join(',');
  if (parameters === undefined) return `ver=1.0;src=${source};tuner=,,,,,,,,,,,;pids=${list}`;
  const [version, keys] = forms[parameters.kind];
  const values = new URLSearchParams(formatQuery(parameters, source));
  const tuner = [frontEnd, levelOf(signal), Number(signal?.locked === true), qualityOf(signal)];
  const tuned = keys.map((key) => values.get(key) ?? '');
  const position = parameters.kind === 'satellite' ? `src=${source};` : '';
  return `ver=${version};${position}tuner=${[...tuner, ...tuned].join(',')};pids=${list}`;
}

/** Signal level 0 to 240: 32 is -65 dBm, 224 is -25 dBm. A locked signal has at least 1. */
function levelOf(signal: Signal | undefined): number {
  if (signal === undefined) return 0;
  const level = signal.strength === undefined ? signal.strengthPercent * 2.4 : ((signal.strength + 65) * 192) / 40 + 32;
  return Math.round(Math.min(240, Math.max(signal.locked ? 1 : 0, level)));
}

/** Signal quality 0 to 15; 15 means almost no errors. */
function qualityOf(signal: Signal | undefined): number {
  if (signal?.locked !== true) return 0;
  return Math.min(15, Math.max(1, Math.round(signal.snrPercent * 0.15)));
}

export interface DescribedStream {
  readonly id: number;
  readonly status: string;
  readonly playing: boolean;
}

/** Formats the SDP. `tuners`: numbers of tuners for satellite, terrestrial and cable, such as `4,2,1`. */
export function sessionDescription(streams: readonly DescribedStream[], tuners: string, local: string): string {
  const family = local.includes(':') ? 'IP6' : 'IP4';
  const media = streams.flatMap(({ id, status, playing }) => [
    'm=video 0 RTP/AVP 33',
    `c=IN ${family} ${family === 'IP6' ? '::' : '0.0.0.0'}`,
    `a=control:stream=${id}`,
    `a=fmtp:33 ${status}`,
    playing ? 'a=sendonly' : 'a=inactive',
  ]);
  const head = ['v=0', `o=- ${process.pid} 1 IN ${family} ${local}`, `s=SatIPServer:1 ${tuners}`, 't=0 0'];
  return `${[...head, ...media].join('\r\n')}\r\n`;
}
