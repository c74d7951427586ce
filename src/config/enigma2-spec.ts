/**
 * Specifications of Enigma2 boxes and of other receivers with the same interface, on the command line and in the
 * configuration:
 *
 *   enigma2:HOST[:PORT][,OPTION=VALUE...]    PORT is its web port, 80 by default
 *
 *   stream=PORT      port of its streams, 8001 by default
 *   wake=yes         wake it from standby to receive with it
 *
 * The setting `enigma2.logins` has user and password, so that no specification contains a secret.
 */
import { isIPv6 } from 'node:net';
import { InvalidTunerSpec } from './invalid-tuner-spec.ts';

export interface Enigma2Spec {
  /** The specification without `enigma2:`. */
  readonly text: string;
  /** A host name or an address, without brackets. */
  readonly host: string;
  readonly webPort: number;
  readonly streamPort: number;
  readonly mayWake: boolean;
}

const prefix = 'enigma2:';

/** Whether a tuner specification names an Enigma2 box. */
export const namesEnigma2 = (text: string) => text.startsWith(prefix);

/** @throws InvalidTunerSpec */
export function parseEnigma2Spec(text: string): Enigma2Spec {
  const rest = text.slice(prefix.length);
  const [at = '', ...given] = rest.split(',');
  const [, six, name, digits = '80'] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(at) ?? [];
  const host = six ?? name;
  const options = new Map(given.map((one) => one.split('=', 2) as [string, string | undefined]));
  const { stream = '8001', wake = 'no', ...unknown } = Object.fromEntries(options);
  const [webPort, streamPort] = [digits, stream].map((port) => (/^\d{1,5}$/.test(port) ? Number(port) : 0));
  const isPort = (port = 0) => port > 0 && port <= 0xffff;
  const isHost = host !== undefined && (six === undefined || isIPv6(six));
  const isKnown = Object.keys(unknown).length === 0 && /^(?:yes|no)$/.test(wake);
  if (!isHost || !isKnown || !isPort(webPort) || !isPort(streamPort))
    throw new InvalidTunerSpec(text, 'expected enigma2:HOST or enigma2:HOST:PORT, with ,stream=PORT or ,wake=yes');
  return { text: rest, host, webPort, streamPort, mayWake: wake === 'yes' } as Enigma2Spec;
}
