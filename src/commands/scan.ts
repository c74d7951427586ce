/**
 * `receiverd scan`: shows what a tuner receives. With a front end it scans the whole network, and with `--save` it adds
 * the results to the service lists.
 */
import { join } from 'node:path';
import { fail, ReceiverError } from '../base/errors.ts';
import { ownCommand } from '../base/own-command.ts';
import type { Configuration } from '../config/config.ts';
import { Settings } from '../config/enigma2-settings.ts';
import { findNetworkTuners } from '../dvb/network-tuners.ts';
import { findFrontEnds } from '../dvb/open-tuners.ts';
import { Aerials } from '../dvb/satellite/nim-settings.ts';
import { frequencyText, type TransponderParameters } from '../dvb/transponder.ts';
import {
  type BroadcastService,
  type MultiplexInformation,
  namesNetworkTuners,
  parseTunerSpec,
  type Signal,
  Tuner,
  type TunerEnd,
  type TunerSpec,
} from '../dvb/tuner.ts';
import { type PoolTuner, TunerPool } from '../dvb/tuner-pool.ts';
import { DataFolder } from '../host/data-folder.ts';
import { type FastScanList, fastScanList } from '../scan/fast-scan.ts';
import {
  defaultStart,
  listScanned,
  type ScannedTransponder,
  type ScanProgress,
  type ServiceCounts,
  scanList,
  scanNetwork,
} from '../scan/network-scan.ts';
import { settledMultiplex } from '../scan/scanner.ts';
import { channelNumbers } from '../scan/service-scan.ts';
import { readInitialTable } from '../scan/transponder-tables.ts';
import { broadcastNumber } from '../services/channel-number.ts';
import { Services } from '../services/services.ts';
import { channelCounter } from './channel-counter.ts';
import { commandSettings } from './command-settings.ts';
import { interruptible, StatusLine } from './terminal.ts';

/** Between updates of the status line of a capture. */
const captureStatusIntervalMs = 200;
/** Between updates of the status line of a network scan, with the signal. */
const scanStatusIntervalMs = 500;

export interface ScanFlags {
  readonly tuner: string;
  readonly json?: boolean;
  /** This and the next three are only for front ends. */
  readonly from?: string;
  readonly network?: string;
  readonly fastScan?: string;
  readonly save?: boolean;
  readonly config?: string;
  readonly dataDir?: string;
}

/**
 * Scans, and prints the results.
 * @throws ReceiverError if the tuner cannot be opened or nothing was received; Interrupted
 */
export async function scan(flags: ScanFlags): Promise<void> {
  if (namesNetworkTuners(flags.tuner))
    return scanNetworkOf((configuration) => serverPool(flags.tuner, configuration), flags);
  const spec = parseTunerSpec(flags.tuner);
  if (spec.kind === 'dvb') return scanNetworkOf((configuration) => frontEndPool(spec, configuration), flags);
  for (const name of ['from', 'network', 'fastScan', 'save'] as const) {
    if (flags[name] !== undefined)
      throw fail(
        'parameter-invalid',
        name === 'fastScan' ? '--fast-scan' : `--${name}`,
        'is for front ends (--tuner dvb:ADAPTER, satip:HOST, hdhomerun:HOST)',
      );
  }
  await scanSource(spec, flags);
}

async function scanSource(spec: TunerSpec, { json = false }: ScanFlags): Promise<void> {
  // A file is read once, as fast as possible: what is missing at its end never arrives.
  const tuner = new Tuner(spec.kind === 'file' ? { ...spec, loop: false, paced: false } : spec);
  const pool = new TunerPool([tuner], { linger: 0 });
  const [pooled] = pool.tuners;
  if (!pooled) return;
  try {
    const multiplex = await interruptible(
      (signal) => receive(pooled, signal),
      () => 'the scan did not finish, no list was changed',
    );
    if (json) console.log(JSON.stringify(documentsOf([multiplex])[0], undefined, 2));
    else print(multiplex);
  } finally {
    await pool.close();
  }
}

type FrontEndSpec = Extract<TunerSpec, { readonly kind: 'dvb' }>;

async function scanNetworkOf(
  open: (configuration: Configuration) => Promise<TunerPool>,
  flags: ScanFlags,
): Promise<void> {
  const { json = false, save = false } = flags;
  const configuration = commandSettings(flags);
  // With a running receiver, the lists would be overwritten: it has them in memory.
  const folder = save ? await DataFolder.lock(configuration.dataDir) : undefined;
  const services = await Services.load(configuration.enigma2Dir);
  const pool = await open(configuration);
  try {
    const list = flags.fastScan === undefined ? undefined : fastScanList(`fast-scan/${flags.fastScan}`);
    const start = list ? [list.parameters] : await startOf(pool, services, flags);
    const found = await interruptible(
      (signal) => scanWithStatus(pool, start, signal, list),
      () => 'the scan did not finish, no list was changed',
    );
    if (json) console.log(JSON.stringify(scannedDocuments(found), undefined, 2));
    else for (const one of found) printScanned(one);
    const summary = save ? await saveScanned(found, services) : 'no list was changed; --save puts them into the lists';
    if (!json) console.log(summary);
  } finally {
    await pool.close();
    folder?.release();
  }
}

async function frontEndPool(spec: FrontEndSpec, { enigma2Dir }: Configuration): Promise<TunerPool> {
  const aerials = new Aerials(Settings.read(join(enigma2Dir, 'settings')));
  const pool = new TunerPool([new Tuner(spec)], { linger: 0, aerialOf: (slot) => aerials.of(slot) });
  pool.updateFrontEnds(await findFrontEnds());
  const [frontEnd] = pool.tuners.flatMap((tuner) => tuner.frontEnd ?? []);
  if (frontEnd?.trouble) throw new ReceiverError('no-signal', frontEnd.trouble);
  return pool;
}

async function serverPool(text: string, configuration: Configuration): Promise<TunerPool> {
  const pool = new TunerPool([], { linger: 0 });
  const countChannels = channelCounter(configuration);
  let listed: number | undefined;
  const troubles = await findNetworkTuners(
    [text],
    (tuner, frontEnd) => pool.add(tuner, frontEnd),
    async (_, url) => {
      listed = await countChannels(url);
      return listed;
    },
  );
  for (const why of troubles.values()) throw new ReceiverError('no-signal', `${text}: ${why}`);
  if (pool.tuners.length === 0 && listed !== undefined)
    throw new ReceiverError(
      'not-receivable',
      `${text} offers only channels by HTTP (${listed}), so there is nothing to scan; \`${ownCommand('start')} --tuner ${text}\` imports them`,
    );
  return pool;
}

/**
 * The transponders at which the scan starts: those of the table given by `--from`, otherwise those of the lists or the
 * channel raster.
 */
async function startOf(
  pool: TunerPool,
  services: Services,
  { from, network }: ScanFlags,
): Promise<readonly TransponderParameters[]> {
  if (from !== undefined) return readInitialTable(from, network);
  if (network !== undefined)
    throw fail('parameter-invalid', '--network', 'names a network of the file that --from names');
  const start = defaultStart(pool, services);
  if (start.length > 0) return start;
  throw fail(
    'parameter-invalid',
    '--from',
    'must name a table of transponders: the lists have none for this front end',
  );
}

/** Scans, and shows the progress in a status line. Aborts by `signal`. */
export async function scanWithStatus(
  pool: TunerPool,
  start: readonly TransponderParameters[],
  signal: AbortSignal,
  list?: FastScanList,
): Promise<readonly ScannedTransponder[]> {
  const status = new StatusLine();
  let latest: ScanProgress | undefined;
  const show = () => latest && status.show(() => progressText(latest as ScanProgress), { force: true });
  const onProgress = (progress: ScanProgress) => {
    latest = progress;
    show();
  };
  const showing = setInterval(show, scanStatusIntervalMs);
  try {
    const options = { pool, start, onProgress, signal };
    const found = list ? await scanList(list, options) : await scanNetwork(options);
    signal.throwIfAborted();
    return found;
  } finally {
    clearInterval(showing);
    status.clear();
  }
}

/** Adds the results to the service lists; returns a text about the changes. */
export async function saveScanned(found: readonly ScannedTransponder[], services: Services): Promise<string> {
  const { added, renamed, vanished } = await listScanned(found, services);
  return `new: ${added}, renamed: ${renamed}, no longer there (kept in the list): ${vanished.length}`;
}

function progressText({ transponder, number, of, found, received, tuner }: ScanProgress): string {
  const width = 20;
  const done = Math.round((width * (number - 1)) / of);
  const bar = `[${'#'.repeat(done)}${'.'.repeat(width - done)}]`;
  const signal = tuner?.tuner.running ? `, ${signalText(tuner.tuner.signal())}` : '';
  return `${bar} ${number} of ${of}: ${transponder}${signal}, received: ${received}, ${countsText(found)}`;
}

/** `signal 12.5 dB` or, where the hardware does not measure that, `signal 80 %`. */
function signalText({ snr, snrPercent }: Signal): string {
  return `signal ${snr === undefined ? `${Math.round(snrPercent)} %` : `${snr.toFixed(1)} dB`}`;
}

/** Counts above zero as text: `TV: 12, HD: 30, radio: 8`. */
export function countsText(counts: ServiceCounts): string {
  const names = { tv: 'TV', hd: 'HD', uhd: 'UHD', radio: 'radio', data: 'data', scrambled: 'encrypted' } as const;
  const texts = Object.entries(names).map(([key, name]) => [name, counts[key as keyof ServiceCounts]] as const);
  const some = texts.filter(([, count]) => count > 0).map(([name, count]) => `${name}: ${count}`);
  return some.length === 0 ? 'services: 0' : some.join(', ');
}

function scannedDocuments(found: readonly ScannedTransponder[]) {
  const documents = documentsOf(found.map(({ multiplex }) => multiplex));
  return documents.map((document, n) => ({ transponder: found[n]?.parameters, ...document }));
}

function printScanned({ parameters, multiplex }: ScannedTransponder): void {
  console.log(`${frequencyText(parameters)}:`);
  print(multiplex);
}

async function receive(pooled: PoolTuner, signal: AbortSignal): Promise<MultiplexInformation> {
  const { tuner } = pooled;
  let end: TunerEnd | undefined;
  tuner.onEnded((reported) => {
    end = reported;
  });
  const status = new StatusLine();
  const showing = setInterval(() => status.show(() => statusText(pooled)), captureStatusIntervalMs);
  const lease = pooled.lease({ purpose: 'scan', user: 'command line' });
  try {
    const multiplex = await settledMultiplex(pooled, signal, { withOthers: true });
    signal.throwIfAborted();
    if (end?.reason === 'failed') throw new ReceiverError('no-signal', explained(end.message));
    if (multiplex.generation === 0) throw new ReceiverError('no-signal', nothingReceived(pooled));
    return multiplex;
  } finally {
    clearInterval(showing);
    status.clear();
    lease.release();
  }
}

/** Makes "no transport packets" clear to a user who has named the wrong file. */
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
function documentsOf(multiplexes: readonly MultiplexInformation[]) {
  const numbers = channelNumbers(multiplexes.flatMap(({ services }) => services));
  return multiplexes.map((multiplex) => ({
    transportStreamId: multiplex.transportStreamId,
    originalNetworkId: multiplex.originalNetworkId,
    networkId: multiplex.networkId,
    networkName: multiplex.networkName,
    complete: multiplex.complete,
    services: multiplex.services.map((service) => ({
      ...identityOf(service),
      channelNumber: numbers.get(service) ?? null,
      ...(service.minorNumber !== null && { minorNumber: service.minorNumber }),
      ...(service.description && { description: service.description }),
      streams: service.streams.map(({ pid, kind, codec, languages }) => ({ pid, kind, codec, languages })),
    })),
    otherServices: multiplex.otherServices.map(identityOf),
  }));
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
  for (const service of services) {
    console.log(line(service));
    if (service.description) console.log(service.description.replace(/^/gm, ' '.repeat(8)));
  }
  console.log(`services: ${services.length} here, ${otherServices.length} named on other multiplexes`);
}

const marksOf = ({ scrambled, oneSeg = false }: BroadcastService) => [
  ...(oneSeg ? ['one-seg'] : []),
  ...(scrambled ? ['encrypted'] : []),
];

function line(service: BroadcastService): string {
  const streams = service.streams.map(({ codec, kind, languages }) => [codec || kind, ...languages].join(' '));
  return [
    String(service.serviceId).padStart(6),
    [service.name || '-', broadcastNumber(service)].join(' ').trim().padEnd(32),
    (service.provider || '-').padEnd(20),
    [...streams, ...marksOf(service)].join(', '),
  ].join('  ');
}
