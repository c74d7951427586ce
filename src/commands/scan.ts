/** `receiverd scan`: shows what a tuner receives, without touching any list. */
import { type BroadcastService, type MultiplexInformation, parseTunerSpec, Tuner } from '../dvb/tuner.ts';
import { TunerPool } from '../dvb/tuner-pool.ts';
import { settled } from '../services/scanner.ts';

/** Prints the multiplex and its services as tables. @throws ReceiverError for a specification that cannot be opened. */
export async function scanTables(specification: string): Promise<void> {
  const pool = new TunerPool([new Tuner(parseTunerSpec(specification))], { linger: 0 });
  const [one] = pool.tuners;
  if (!one) return;
  const lease = one.lease({ purpose: 'scan', user: 'command line' });
  try {
    print(await settled(one));
  } finally {
    lease.release();
    await pool.close();
  }
}

function print(multiplex: MultiplexInformation): void {
  const { transportStreamId, originalNetworkId, networkName, services, otherServices } = multiplex;
  console.log(
    `Transport stream ${transportStreamId ?? '?'}, original network ${originalNetworkId ?? '?'} ${networkName}`,
  );
  for (const service of services) console.log(line(service));
  console.log(`${services.length} services here, ${otherServices.length} named on other multiplexes`);
}

function line(service: BroadcastService): string {
  const streams = service.streams.map(({ codec, kind, languages }) => [codec || kind, ...languages].join(' '));
  return [
    String(service.serviceId).padStart(6),
    (service.name || '-').padEnd(32),
    (service.provider || '-').padEnd(20),
    streams.join(', '),
  ].join('  ');
}
