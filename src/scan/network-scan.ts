/**
 * Scans a network with the front ends: tunes to one transponder after the other, including those that the NIT adds
 * (EN 300 468 §5.2.1). It does not change the service list; ServiceScan merges its results.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fail, ReceiverError } from '../base/errors.ts';
import type { MultiplexInformation } from '../dvb/multiplex.ts';
import { frequencyText, type Transponder, type TransponderParameters } from '../dvb/transponder.ts';
import type { PoolTuner, TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import { radioTypes, televisionTypes } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { type FastScanList, fastScan } from './fast-scan.ts';
import { hasSource, watchMultiplex } from './scanner.ts';
import { parametersOf, ServiceScan } from './service-scan.ts';
import { maxTransponders, raster } from './transponder-tables.ts';

export interface ScannedTransponder {
  /** The parameters with which it was received. */
  readonly parameters: TransponderParameters;
  /** True if `multiplex` is the list of an operator: its services are on other transponders. */
  readonly isList?: boolean;
  readonly multiplex: MultiplexInformation;
}

export interface ScanProgress {
  /** `11836 MHz H` */
  readonly transponder: string;
  /** Its number in the scan, from 1. */
  readonly number: number;
  /** Number of transponders so far; grows with those that the NIT adds. */
  readonly of: number;
  /** Services found so far. */
  readonly found: ServiceCounts;
  /** Transponders with a signal so far. */
  readonly received: number;
  /** Why the previous transponder was not received; empty if it was. */
  readonly trouble: string;
  /** The tuner that receives it; undefined until there is a signal. */
  readonly tuner: PoolTuner | undefined;
}

/** Numbers of services by type. Scrambled services are counted by type as well. */
export interface ServiceCounts {
  readonly tv: number;
  readonly hd: number;
  readonly uhd: number;
  readonly radio: number;
  readonly data: number;
  readonly scrambled: number;
}

export function countServices(found: readonly ScannedTransponder[]): ServiceCounts {
  const counts = { tv: 0, hd: 0, uhd: 0, radio: 0, data: 0, scrambled: 0 };
  for (const { multiplex } of found) {
    for (const { type, scrambled } of multiplex.services) {
      counts[classOf(type)]++;
      if (scrambled) counts.scrambled++;
    }
  }
  return counts;
}

/** Class of a service_type (EN 300 468 table 89). HEVC counts as HD unless the type is UHD. */
function classOf(type: number): 'tv' | 'hd' | 'uhd' | 'radio' | 'data' {
  if (radioTypes.has(type)) return 'radio';
  if (type === 0x20) return 'uhd';
  if (type === 0x11 || type === 0x19 || type === 0x1f) return 'hd';
  return televisionTypes.has(type) ? 'tv' : 'data';
}

export interface NetworkScanOptions {
  readonly pool: TunerPool;
  readonly start: readonly TransponderParameters[];
  /** Also scan the transponders in the NIT. Default: true. */
  readonly followNetwork?: boolean;
  readonly onProgress?: (progress: ScanProgress) => void;
  readonly signal?: AbortSignal;
}

/** Milliseconds without a change before a multiplex counts as final: an incomplete one, and a complete one. */
const incompleteSettleMs = 10_000;
const completeSettleMs = 1500;
const acquisitionTimeoutMs = 15_000;
/** Milliseconds between attempts to lease a tuner while all are busy. */
const busyRetryDelayMs = 2000;

/**
 * Resolves to the received transponders in the order of the scan; to those so far if `signal` aborts.
 * @throws ReceiverError `not-receivable` if no front end can receive any of the transponders, `no-signal` if none was
 *   received
 */
export async function scanNetwork(options: NetworkScanOptions): Promise<readonly ScannedTransponder[]> {
  const { pool, start, followNetwork = true, onProgress, signal } = options;
  const queue: TransponderParameters[] = [];
  const known: TransponderParameters[] = [];
  const add = (transponder: TransponderParameters, place: 'front' | 'end') => {
    if (known.length >= maxTransponders || known.some((other) => isSame(transponder, other))) return;
    known.push(transponder);
    if (place === 'front') queue.unshift(transponder);
    else queue.push(transponder);
  };
  for (const transponder of start) add(transponder, 'end');
  const scanned: ScannedTransponder[] = [];
  let trouble = '';
  let refused: unknown;
  let tried = 0;
  for (let next = queue.shift(); next !== undefined && !signal?.aborted; next = queue.shift()) {
    tried++;
    const counts = { number: tried, of: known.length, found: countServices(scanned), received: scanned.length };
    const progress = { ...counts, transponder: frequencyText(next), trouble };
    onProgress?.({ ...progress, tuner: undefined });
    try {
      const lease = await leaseTuner(pool, next, tried, signal);
      onProgress?.({ ...progress, tuner: lease.pooled });
      const multiplex = await readMultiplex(lease, signal);
      trouble = '';
      if (signal?.aborted) break;
      if (multiplex.transportStreamId === null) continue;
      scanned.push({ parameters: next, multiplex });
      // To the front of the queue, so that a dish need not move.
      if (followNetwork) for (const transponder of neighbours(next, multiplex).toReversed()) add(transponder, 'front');
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      // Shown while the next transponder is received.
      trouble = `${frequencyText(next)}: ${error.message}`;
      if (error.code === 'not-receivable') refused ??= error;
    }
  }
  if (scanned.length > 0 || signal?.aborted) return scanned;
  throw refused ?? fail('no-signal', `any of ${known.length} transponders${trouble && `: ${trouble}`}`);
}

/** Reads the list of an operator instead. Resolves to that list alone, or to nothing if `signal` aborts. */
export async function scanList(
  list: FastScanList,
  { pool, onProgress, signal }: Omit<NetworkScanOptions, 'start'>,
): Promise<readonly ScannedTransponder[]> {
  const { parameters } = list;
  const transponder = frequencyText(parameters);
  onProgress?.({ transponder, number: 1, of: 1, found: countServices([]), received: 0, trouble: '', tuner: undefined });
  try {
    return [{ parameters, multiplex: await fastScan(pool, list, signal), isList: true }];
  } catch (error) {
    if (signal?.aborted) return [];
    throw error;
  }
}

/**
 * Returns the default start of a scan: the listed transponders that a front end can receive, otherwise every European
 * channel. Empty if there are neither, as for satellites.
 */
export function defaultStart(pool: TunerPool, services: Services): readonly TransponderParameters[] {
  const listed = receivable(
    pool,
    services.transponders().map(({ parameters }) => parameters),
  );
  return listed.length > 0 ? listed : receivable(pool, raster);
}

/** Returns the transponders that a front end can receive. */
export function receivable(
  { tuners }: TunerPool,
  transponders: readonly TransponderParameters[],
): readonly TransponderParameters[] {
  return transponders.filter((parameters) => tuners.some(({ frontEnd }) => frontEnd?.canReceive(parameters)));
}

export interface ListChanges {
  readonly added: number;
  readonly renamed: number;
  /** Names of services that are no longer broadcast. They stay in the list. */
  readonly vanished: readonly string[];
}

/** Merges the results of a scan into the lists, and saves them. */
export async function listScanned(found: readonly ScannedTransponder[], services: Services): Promise<ListChanges> {
  const merged = new ServiceScan(services);
  const merge = ({ multiplex, parameters, isList }: ScannedTransponder) =>
    merged.merge(multiplex, { settled: true, ...(!isList && { tuned: parameters }) });
  // Listed transponders first: new ones with the same identifiers must not take their place.
  const isNew = (scanned: ScannedTransponder) => Number(!merged.isListed(scanned.multiplex, scanned.parameters));
  const inOrder = found.map((scanned) => ({ scanned, isNew: isNew(scanned) })).toSorted((a, b) => a.isNew - b.isNew);
  const results = await services.editAndSave(() => inOrder.map(({ scanned }) => merge(scanned)));
  const count = (kind: 'added' | 'renamed') => results.reduce((sum, one) => sum + one[kind].length, 0);
  const vanished = results.flatMap((result) => result.vanished.map((reference) => services.nameOf(reference)));
  return { added: count('added'), renamed: count('renamed'), vanished };
}

async function readMultiplex(lease: TunerLease, signal?: AbortSignal): Promise<MultiplexInformation> {
  try {
    const judge = (now: MultiplexInformation) =>
      now.complete && hasSource(now) ? completeSettleMs : incompleteSettleMs;
    return await watchMultiplex(lease.pooled, acquisitionTimeoutMs, judge, signal);
  } finally {
    lease.release();
  }
}

/** Leases a tuner; waits while all have more important users. */
async function leaseTuner(
  pool: TunerPool,
  parameters: TransponderParameters,
  number: number,
  signal?: AbortSignal,
): Promise<TunerLease> {
  // The transponder may not be in the service list: these ids match none.
  const transponder: Transponder = { namespace: number, transportStreamId: -1, originalNetworkId: -1, parameters };
  for (;;) {
    try {
      return await pool.tuneTo(transponder, 'scan', 'service scan');
    } catch (error) {
      if (!(error instanceof ReceiverError) || error.code !== 'tuners-busy' || signal?.aborted) throw error;
      await pause(busyRetryDelayMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** Returns the transponders in the NIT of the same kind and, for satellites, at the same position. */
function neighbours(
  at: TransponderParameters,
  { transportStreams }: MultiplexInformation,
): readonly TransponderParameters[] {
  return transportStreams.flatMap(({ delivery }) => {
    const parameters = delivery ? parametersOf(delivery) : undefined;
    if (parameters === undefined || parameters.kind !== at.kind) return [];
    if (parameters.kind !== 'satellite' || at.kind !== 'satellite') return [parameters];
    // Some NITs have a slightly different position, or east and west exchanged.
    const apart = Math.abs(parameters.orbitalPosition - at.orbitalPosition);
    const isHere = apart < 5 || apart > 3595 || parameters.orbitalPosition + at.orbitalPosition === 3600;
    return isHere ? [{ ...parameters, orbitalPosition: at.orbitalPosition }] : [];
  });
}

/** True for frequencies less than 2 MHz apart with equal parameters that separate signals on one frequency. */
function isSame(a: TransponderParameters, b: TransponderParameters): boolean {
  if (a.kind !== b.kind) return false;
  const megahertz = a.kind === 'satellite' || a.kind === 'cable' ? 1000 : 1_000_000;
  if (Math.abs(a.frequency - b.frequency) >= 2 * megahertz) return false;
  switch (a.kind) {
    case 'satellite': {
      const its = b as typeof a;
      const isSameStream = a.streamId === its.streamId && a.t2miPlpId === its.t2miPlpId;
      return isSameStream && a.polarisation === its.polarisation && a.orbitalPosition === its.orbitalPosition;
    }
    case 'terrestrial': {
      const its = b as typeof a;
      return a.plpId === its.plpId && (a.system === its.system || a.system < 0 || its.system < 0);
    }
    case 'cable': {
      const its = b as typeof a;
      return a.symbolRate === its.symbolRate && (a.modulation === its.modulation || a.modulation === 0);
    }
    default:
      return true;
  }
}
