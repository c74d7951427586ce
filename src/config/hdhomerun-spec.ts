/**
 * Specifications of HDHomeRun devices, on the command line and in the configuration:
 *
 *   hdhomerun:HOST[:PORT]   the tuners of one device; PORT is its port of discovery and control
 *   hdhomerun:*             the tuners of all devices on the local network
 */
import { InvalidTunerSpec } from './invalid-tuner-spec.ts';

export interface HdhomerunSpec {
  /** The specification without `hdhomerun:`. */
  readonly text: string;
  /** A host name or an IPv4 address; `*` for all devices. */
  readonly host: string;
  readonly port: number;
}

const prefix = 'hdhomerun:';
export const defaultHdhomerunPort = 65_001;

/** Whether a tuner specification names HDHomeRun devices. */
export const namesHdhomerun = (text: string) => text.startsWith(prefix);

/** @throws InvalidTunerSpec */
export function parseHdhomerunSpec(text: string): HdhomerunSpec {
  const rest = text.slice(prefix.length);
  const [, host, digits] = /^(\*|[\w.-]+)(?::(\d{1,5}))?$/.exec(rest) ?? [];
  const port = Number(digits ?? defaultHdhomerunPort);
  if (host === undefined || port === 0 || port > 0xffff)
    throw new InvalidTunerSpec(text, 'expected hdhomerun:HOST, hdhomerun:HOST:PORT or hdhomerun:*');
  return { text: rest, host, port };
}
