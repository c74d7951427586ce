/**
 * Specifications of SAT>IP servers, on the command line and in the configuration:
 *
 *   satip:HOST[:PORT][,OPTION=VALUE...]    the tuners of one server; PORT is its RTSP port
 *   satip:*[,OPTION=VALUE...]              the tuners of all servers on the local network
 *
 *   transport=tcp               send packets over the RTSP connection instead of UDP, for networks that lose datagrams
 *   satellites=19.2E+13.0E      orbital positions of its sources 1, 2, ...; without it, source 1 has every satellite
 *   tuners=DVBS2-4+DVBC-2       its tuners, for a server that does not describe itself
 */
import { isIPv6 } from 'node:net';
import { positionOf } from '../base/orbital-position.ts';
import { InvalidTunerSpec } from './invalid-tuner-spec.ts';
import { parseCapabilities, type ServerFrontEnd } from './satip-capabilities.ts';

export interface ServerSpec {
  /** The specification without `satip:`. */
  readonly text: string;
  /** A host name or an address; `*` for all servers. */
  readonly host: string;
  /** RTSP port; undefined: the one in the server's description. */
  readonly port: number | undefined;
  readonly transport: 'udp' | 'tcp' | undefined;
  /** Orbital positions of the sources, from source 1, in tenths of a degree east. Empty if unknown. */
  readonly satellites: readonly number[];
  /** Undefined: those in the server's description. */
  readonly frontEnds: readonly ServerFrontEnd[] | undefined;
}

const prefix = 'satip:';
const options = ['transport', 'satellites', 'tuners'] as const;

/** Whether a tuner specification names SAT>IP servers. */
export const namesServer = (text: string) => text.startsWith(prefix);

/** @throws InvalidTunerSpec with the part that is wrong */
export function parseServerSpec(text: string): ServerSpec {
  const refuse = (why: string) => new InvalidTunerSpec(text, why);
  const [at = '', ...given] = text.slice(prefix.length).split(',');
  const values = new Map(given.map((one) => one.split('=', 2) as [string, string | undefined]));
  for (const [name, value = ''] of values) {
    if (!options.some((option) => option === name) || value === '')
      throw refuse(`'${name}' is none of ${options.map((one) => `${one}=...`).join(', ')}`);
  }
  const transport = values.get('transport');
  if (transport !== undefined && transport !== 'tcp' && transport !== 'udp')
    throw refuse(`the transport '${transport}' is neither udp nor tcp`);
  const satellites = (values.get('satellites')?.split('+') ?? []).map((one) => {
    const position = positionOf(one);
    if (position === undefined) throw refuse(`the satellite '${one}' is not like 19.2E`);
    return position;
  });
  const tuners = values.get('tuners');
  const frontEnds = tuners === undefined ? undefined : parseCapabilities(tuners.replaceAll('+', ','));
  if (frontEnds?.every(({ systems }) => systems.length === 0))
    throw refuse(`the tuners '${tuners}' are not like DVBS2-4+DVBT2-2`);
  const { host, port } = placeOf(at) ?? {};
  if (host === undefined) throw refuse('expected satip:HOST, satip:HOST:PORT or satip:*');
  return { text: text.slice(prefix.length), host, port, transport, satellites, frontEnds };
}

function placeOf(text: string): Pick<ServerSpec, 'host' | 'port'> | undefined {
  if (text === '*') return { host: '*', port: undefined };
  const [, six, name, digits] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = six ?? name;
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || (six !== undefined && !isIPv6(six)) || port === 0 || (port ?? 1) > 0xffff) return undefined;
  return { host, port };
}
