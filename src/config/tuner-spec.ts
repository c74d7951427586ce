/**
 * Tuner specifications, on the command line and in the configuration:
 *
 *   dvb:A                 the front end /dev/dvb/adapterA/frontend0
 *   dvb:A/F               the front end /dev/dvb/adapterA/frontendF
 *   dvb:*                 every front end of the machine
 *   satip:HOST            the tuners of a SAT>IP server; satip-server-spec.ts has its options
 *   satip:*               the tuners of all SAT>IP servers on the local network
 *   hdhomerun:HOST        the tuners of an HDHomeRun; hdhomerun-spec.ts has its port
 *   hdhomerun:*           the tuners of all HDHomeRuns on the local network
 *   enigma2:HOST          an Enigma2 box, or another receiver; enigma2-spec.ts has its options
 *   none                  no tuner: a receiver of IPTV services only
 *   demo                  the built-in demonstration multiplex, unless it was left out when the addon was built
 *   demo:OPTION[,OPTION]  the demonstration multiplex with options, for tests and trials:
 *     speed=N               N times as fast as real time (2 to 50)
 *     start=TIME            the broadcast time when the program starts, such as 2026-01-14T19:00Z; with --clock
 *                           broadcast the receiver uses that time
 *   file:PATH             a transport stream file (looped) or a pipe, paced by its PCR
 */
import type { TunerSpec } from '../base/native.ts';
import { namesEnigma2, parseEnigma2Spec } from './enigma2-spec.ts';
import { namesHdhomerun, parseHdhomerunSpec } from './hdhomerun-spec.ts';
import { InvalidTunerSpec } from './invalid-tuner-spec.ts';
import { namesServer, parseServerSpec } from './satip-server-spec.ts';

export type { TunerSpec };

/** The specification of all front ends of the machine. */
export const allFrontEnds = 'dvb:*';
export const noTuner = 'none';

/** The allowed specifications, for messages. */
export const tunerSpecs =
  'dvb:ADAPTER, dvb:ADAPTER/FRONTEND, dvb:*, satip:HOST, satip:*, hdhomerun:HOST, hdhomerun:*, enigma2:HOST, file:PATH, demo or none';

/** Whether a specification names front ends in the network. */
export const namesNetworkTuners = (text: string) => namesServer(text) || namesHdhomerun(text);

/** Whether a specification may mean several tuners, or none. */
export const namesSeveral = (text: string) =>
  text === allFrontEnds || text === noTuner || namesNetworkTuners(text) || namesEnigma2(text);

/** @throws InvalidTunerSpec */
export function checkTunerSpec(text: string): void {
  if (namesServer(text)) parseServerSpec(text);
  else if (namesHdhomerun(text)) parseHdhomerunSpec(text);
  else if (namesEnigma2(text)) parseEnigma2Spec(text);
  else if (!namesSeveral(text)) parseTunerSpec(text);
}

/**
 * Parses the specification of one tuner.
 * @throws InvalidTunerSpec
 */
export function parseTunerSpec(text: string): TunerSpec {
  const colon = text.indexOf(':');
  const kind = colon < 0 ? text : text.slice(0, colon);
  const rest = colon < 0 ? '' : text.slice(colon + 1);
  switch (kind) {
    case 'dvb':
      return frontEnd(text, rest);
    case 'demo':
      return colon < 0 ? { kind: 'demo', speed: 1 } : parseDemo(text, rest);
    case 'file':
      if (rest === '') throw new InvalidTunerSpec(text, 'names no file, expected file:PATH');
      return { kind: 'file', path: rest, loop: true, paced: true };
    default:
      throw new InvalidTunerSpec(text, `it must be ${tunerSpecs}`);
  }
}

/**
 * Formats a specification; `parseTunerSpec` reads it, with the defaults of loop and pacing. Names streams that have no
 * such text.
 */
export function formatTunerSpec(spec: TunerSpec): string {
  switch (spec.kind) {
    case 'dvb':
      return `dvb:${spec.adapter}${spec.frontend === 0 ? '' : `/${spec.frontend}`}`;
    case 'file':
      return `file:${spec.path}`;
    case 'satip':
      return `satip:${spec.server}`;
    case 'hdhomerun':
      return `hdhomerun:${spec.server}`;
    case 'pipe':
      return 'network stream';
    case 'multicast':
      return `udp://${spec.group}:${spec.port}`;
    case 'demo':
      return formatDemo(spec);
  }
}

function frontEnd(text: string, argument: string): TunerSpec {
  const match = /^(\d{1,3})(?:\/(\d{1,3}))?$/.exec(argument);
  if (match) return { kind: 'dvb', adapter: Number(match[1]), frontend: Number(match[2] ?? 0) };
  const expected = 'expected dvb:ADAPTER, dvb:ADAPTER/FRONTEND with numbers as in /dev/dvb, or dvb:* for all';
  throw new InvalidTunerSpec(text, expected);
}

function parseDemo(text: string, argument: string): TunerSpec {
  const [given, speed = '1', start] =
    /^(?:speed=([2-9]|[1-4]\d|50)(?:,(?=start)|$))?(?:start=([\d-]{10}T[\d:]{5,8}Z))?$/.exec(argument) ?? [];
  const seconds = start === undefined ? undefined : Date.parse(start) / 1000;
  if (!given || Number.isNaN(seconds))
    throw new InvalidTunerSpec(
      text,
      'expected demo, demo:speed=N with N from 2 to 50, or demo:start=2026-01-14T19:00Z',
    );
  return { kind: 'demo', speed: Number(speed), ...(seconds !== undefined && { start: seconds }) };
}

function formatDemo({ speed, start }: { readonly speed: number; readonly start?: number | undefined }): string {
  const options = [
    speed !== 1 && `speed=${speed}`,
    start !== undefined && `start=${new Date(start * 1000).toISOString().replace('.000', '')}`,
  ].filter(Boolean);
  return options.length > 0 ? `demo:${options}` : 'demo';
}
