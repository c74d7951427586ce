/**
 * Fast scan: operators on European satellites send a list of all their services on one PID, with names, channel numbers
 * and tuning parameters. It is read within seconds, instead of a network scan.
 */

import { fail } from '../base/errors.ts';
import { native } from '../base/native.ts';
import { defaultParameters, frequencyText, type SatelliteParameters, type Transponder } from '../dvb/transponder.ts';
import type { MultiplexInformation, Tuner } from '../dvb/tuner.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';

export interface FastScanList {
  /** Unique; begins with the prefix of all such lists. */
  readonly name: string;
  readonly parameters: SatelliteParameters;
  readonly pid: number;
}

const prefix = 'fast-scan/';
const [horizontal, vertical] = [0, 1];
/** FEC as numbered in lamedb. */
const fec = { '3/4': 3, '5/6': 4, '7/8': 5 } as const;

function transponder(
  orbitalPosition: number,
  frequency: number,
  polarisation: number,
  symbolRate: number,
  fec: number,
) {
  const parameters = { orbitalPosition, frequency: frequency * 1000, polarisation, symbolRate: symbolRate * 1000, fec };
  return { kind: 'satellite', ...defaultParameters.satellite, ...parameters, inversion: 2 } as const;
}

const astra19 = transponder(192, 12515, horizontal, 22000, fec['5/6']);
const astra23 = transponder(235, 12070, horizontal, 27500, fec['3/4']);
const thor = transponder(3592, 11727, vertical, 28000, fec['7/8']);

/** The lists on the air. Operators change them occasionally. */
export const fastScanLists: readonly FastScanList[] = (
  [
    ['canal-digitaal-sd', astra19, 900],
    ['canal-digitaal-hd', astra19, 901],
    ['tv-vlaanderen-sd', astra19, 910],
    ['tv-vlaanderen-hd', astra19, 911],
    ['telesat-sd', astra19, 920],
    ['telesat-hd', astra19, 921],
    ['hd-austria', astra19, 950],
    ['diveo', astra19, 960],
    ['skylink-cz', astra23, 30],
    ['skylink-sk', astra23, 31],
    ['thor-1', thor, 81],
    ['thor-2', thor, 82],
    ['thor-3', thor, 83],
    ['thor-4', thor, 84],
  ] as const
).map(([name, parameters, pid]) => ({ name: `${prefix}${name}`, parameters, pid }));

/** Returns the list of this name; undefined for a name without the prefix. @throws ReceiverError `not-found` */
export function fastScanList(name: string): FastScanList | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const list = fastScanLists.find((one) => one.name === name);
  if (list) return list;
  const available = fastScanLists.map((one) => one.name).join(', ');
  throw fail('not-found', `the list '${name}' (available: ${available})`);
}

/** Milliseconds to read the whole list, which is repeated every few seconds. */
const readTimeoutMs = 60_000;

/**
 * Tunes to the transponder of the list and reads it. @throws ReceiverError `not-receivable`, `tuners-busy`, `no-signal`
 */
export async function fastScan(
  pool: TunerPool,
  { name, parameters, pid }: FastScanList,
  signal?: AbortSignal,
): Promise<MultiplexInformation> {
  // The transponder may not be in the service list: these ids match none.
  const at: Transponder = { namespace: 1, transportStreamId: -1, originalNetworkId: -1, parameters };
  const lease = await pool.tuneTo(at, 'scan', 'fast scan');
  try {
    const found = await readFastScan(lease.pooled.tuner, pid, signal);
    if (found) return found;
    throw fail('no-signal', `the complete list of ${name} on PID ${pid} of ${frequencyText(parameters)}`);
  } finally {
    lease.release();
  }
}

/** Reads the list on a PID of a running tuner. Resolves to undefined if it does not become complete in time. */
export async function readFastScan(
  tuner: Tuner,
  pid: number,
  signal?: AbortSignal,
): Promise<MultiplexInformation | undefined> {
  const scan = new native.FastScan(pid);
  const stream = tuner.readPids([pid], { maxQueuedBytes: 1 << 20, gatherMs: 100 });
  const close = () => stream.close();
  const timeout = setTimeout(close, readTimeoutMs);
  signal?.addEventListener('abort', close, { once: true });
  try {
    for await (const packets of stream) {
      const found = scan.feed(packets);
      if (found !== null) return JSON.parse(found.toString()) as MultiplexInformation;
    }
    return undefined;
  } finally {
    clearTimeout(timeout);
    signal?.removeEventListener('abort', close);
  }
}
