/** Searches the local network by mDNS for receivers that announce their streams: Enigma2 boxes, and receiverd. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from 'dns-packet';

export interface FoundReceiver {
  readonly name: string;
  /** IPv4 address. */
  readonly address: string;
  readonly webPort: number;
  readonly streamPort: number;
}

const searchMs = 2000;
/** Bounds what one search takes from the network: records, and receivers. */
const maxRecords = 2000;
const maxReceivers = 32;
const [streams, web] = ['_e2stream._tcp.local', '_http._tcp.local'] as const;
/** The web port of a box that does not announce it. */
const defaultWebPort = 80;

/** `interface`: an IPv4 address of ours; default: the one that the system chooses. `port`: 5353 except in tests. */
export async function searchReceivers(
  options: { readonly interface?: string; readonly port?: number } = {},
): Promise<readonly FoundReceiver[]> {
  const { default: open } = await import('multicast-dns');
  const records: Answer[] = [];
  const multicast = open({ ...options, bind: '0.0.0.0' });
  try {
    multicast.on('error', () => undefined);
    multicast.on('response', ({ answers = [], additionals = [] }) => {
      records.push(...[...answers, ...additionals].slice(0, maxRecords - records.length));
    });
    multicast.query([streams, web].map((name) => ({ name, type: 'PTR' as const })));
    await pause(searchMs);
  } finally {
    multicast.destroy();
  }
  return receiversIn(records);
}

/** The receivers that these records describe, each once. */
export function receiversIn(records: readonly Answer[]): readonly FoundReceiver[] {
  const found = new Map<string, FoundReceiver>();
  for (const record of records) {
    if (record.type !== 'SRV' || !record.name.endsWith(`.${streams}`) || found.size >= maxReceivers) continue;
    const { target, port: streamPort } = record.data;
    const label = record.name.slice(0, -streams.length - 1);
    const site = records.find((one) => one.type === 'SRV' && one.name === `${label}.${web}`);
    const webPort = site?.type === 'SRV' && site.data.target === target ? site.data.port : defaultWebPort;
    const host = records.find((one) => one.type === 'A' && one.name === target);
    if (host?.type !== 'A' || streamPort === 0 || webPort === 0) continue;
    const name = label.replace(/\p{Cc}/gu, '');
    found.set(`${host.data}:${streamPort}`, { name, address: host.data, webPort, streamPort });
  }
  return [...found.values()];
}
