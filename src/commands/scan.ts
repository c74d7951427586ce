/** `receiverd scan`: shows what a tuner receives, without touching any list. */
import {
  type BroadcastService,
  type MultiplexInformation,
  parseTunerSpec,
  Tuner,
  type TunerEnd,
} from '../dvb/tuner.ts';
import { type PoolTuner, TunerPool } from '../dvb/tuner-pool.ts';
import { ReceiverError } from '../errors.ts';
import { settled } from '../services/scanner.ts';
import { interruptible, StatusLine } from './terminal.ts';

/** Milliseconds between two updates of the status line. */
const statusPace = 200;

export interface ScanFlags {
  readonly tuner: string;
  readonly json?: boolean;
}

/**
 * Prints the multiplex and its services.
 * @throws ReceiverError if the tuner cannot be opened or no transport stream was received; Interrupted
 */
export async function scan({ tuner: specification, json = false }: ScanFlags): Promise<void> {
  const spec = parseTunerSpec(specification);
  // A file is read once and as fast as possible: anything missing at its end will never arrive.
  const tuner = new Tuner(spec.kind === 'file' ? { ...spec, loop: false, paced: false } : spec);
  const pool = new TunerPool([tuner], { linger: 0 });
  const [one] = pool.tuners;
  if (!one) return;
  try {
    const multiplex = await interruptible(
      (signal) => receive(one, signal),
      () => 'the scan did not finish, no list was changed',
    );
    if (json) console.log(JSON.stringify(documentOf(multiplex), undefined, 2));
    else print(multiplex);
  } finally {
    await pool.close();
  }
}

async function receive(one: PoolTuner, signal: AbortSignal): Promise<MultiplexInformation> {
  const { tuner } = one;
  let end: TunerEnd | undefined;
  tuner.once('ended', (reported) => {
    end = reported;
  });
  const status = new StatusLine();
  const showing = setInterval(() => status.show(() => statusText(one)), statusPace);
  const lease = one.lease({ purpose: 'scan', user: 'command line' });
  try {
    const multiplex = await settled(one, signal);
    signal.throwIfAborted();
    if (end?.reason === 'failed') throw new ReceiverError('no-signal', explained(end.message));
    if (multiplex.generation === 0) throw new ReceiverError('no-signal', nothingReceived(one));
    return multiplex;
  } finally {
    clearInterval(showing);
    status.clear();
    lease.release();
  }
}

/** Explains "no transport packets" to a user who named the wrong file. */
function explained(message: string): string {
  return message.replace(/: no transport packets$/, ': this is not a transport stream (no transport packets found)');
}

function nothingReceived({ tuner, source }: PoolTuner): string {
  const { packets } = tuner.statistics();
  return packets === 0
    ? `${source}: nothing was received`
    : `${source}: ${packets} packets were received, but no tables that describe a multiplex`;
}

function statusText({ tuner, source }: PoolTuner): string {
  const { services, networkName } = tuner.multiplex();
  const megabytes = (tuner.statistics().bytes / 1e6).toFixed(1);
  return `scanning ${source}: ${megabytes} MB, services: ${services.length}${networkName && ` (${networkName})`}`;
}

/** What `--json` prints (docs/command-line.md). Keys may be added, but keep their meaning. */
function documentOf(multiplex: MultiplexInformation) {
  const { transportStreamId, originalNetworkId, networkId, networkName, complete, services, otherServices } = multiplex;
  return {
    transportStreamId,
    originalNetworkId,
    networkId,
    networkName,
    complete,
    services: services.map((service) => ({
      ...identityOf(service),
      channelNumber: service.channelNumber,
      streams: service.streams.map(({ pid, kind, codec, languages }) => ({ pid, kind, codec, languages })),
    })),
    otherServices: otherServices.map(identityOf),
  };
}

function identityOf(service: BroadcastService) {
  const { originalNetworkId, transportStreamId, serviceId, name, provider, type, scrambled } = service;
  return { originalNetworkId, transportStreamId, serviceId, name, provider, type, scrambled };
}

function print(multiplex: MultiplexInformation): void {
  const { transportStreamId, originalNetworkId, networkName, services, otherServices } = multiplex;
  console.log(
    `Transport stream ${transportStreamId ?? '?'}, original network ${originalNetworkId ?? '?'} ${networkName}`,
  );
  for (const service of services) console.log(line(service));
  console.log(`services: ${services.length} here, ${otherServices.length} named on other multiplexes`);
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
