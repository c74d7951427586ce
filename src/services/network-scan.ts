/**
 * Scans a network with the front ends: tunes to one transponder after the other, and to those that the NIT names
 * besides (EN 300 468 §5.2.1). Changes nothing: what it returns goes into the lists by ServiceScan.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { MultiplexInformation } from '../dvb/multiplex.ts';
import { frequencyText, type Transponder, type TransponderParameters } from '../dvb/transponder.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import { ReceiverError } from '../errors.ts';
import { parametersOf } from './scan.ts';
import { hasSource, picture } from './scanner.ts';

export interface ScannedTransponder {
  /** Those that it was received with. */
  readonly parameters: TransponderParameters;
  readonly multiplex: MultiplexInformation;
}

export interface ScanProgress {
  /** `11836 MHz H` */
  readonly transponder: string;
  /** From 1. */
  readonly number: number;
  /** Transponders so far; grows with what the NIT names. */
  readonly of: number;
  /** Services found so far. */
  readonly services: number;
  /** Transponders with a signal so far. */
  readonly received: number;
  /** Of the transponder before: why nothing was received; empty if something was. */
  readonly trouble: string;
}

export interface NetworkScanOptions {
  readonly pool: TunerPool;
  readonly start: readonly TransponderParameters[];
  /** Also scan what the NIT names. Default: yes. */
  readonly followNetwork?: boolean;
  readonly onProgress?: (progress: ScanProgress) => void;
  readonly signal?: AbortSignal;
}

/** Milliseconds without a change after which a multiplex counts as it is: an incomplete one, and one that is complete. */
const settling = 10_000;
const settled = 1500;
const acquisition = 15_000;
/** Milliseconds between attempts to get a tuner that somebody else uses. */
const busyPace = 2000;
const mostTransponders = 5000;

/**
 * Resolves with what was received, in the order scanned; with less if `signal` aborts.
 * @throws ReceiverError `not-receivable` if no front end can receive any of the transponders
 */
export async function scanNetwork(options: NetworkScanOptions): Promise<readonly ScannedTransponder[]> {
  const { pool, start, followNetwork = true, onProgress, signal } = options;
  const queue: TransponderParameters[] = [];
  const known: TransponderParameters[] = [];
  const add = (one: TransponderParameters, place: 'front' | 'end') => {
    if (known.length >= mostTransponders || known.some((other) => isSame(one, other))) return;
    known.push(one);
    if (place === 'front') queue.unshift(one);
    else queue.push(one);
  };
  for (const one of start) add(one, 'end');
  const scanned: ScannedTransponder[] = [];
  let trouble = '';
  let refused: unknown;
  let tried = 0;
  for (let next = queue.shift(); next !== undefined && !signal?.aborted; next = queue.shift()) {
    onProgress?.({
      transponder: frequencyText(next),
      number: ++tried,
      of: known.length,
      services: scanned.reduce((sum, { multiplex }) => sum + multiplex.services.length, 0),
      received: scanned.length,
      trouble,
    });
    try {
      const multiplex = await received(pool, next, tried, signal);
      trouble = '';
      if (signal?.aborted) break;
      if (multiplex.transportStreamId === null) continue;
      scanned.push({ parameters: next, multiplex });
      // To the front: a dish stays where it is.
      if (followNetwork) for (const one of neighbours(next, multiplex).toReversed()) add(one, 'front');
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      trouble = error.message;
      if (error.code === 'not-receivable') refused ??= error;
    }
  }
  if (scanned.length === 0 && refused !== undefined && !signal?.aborted) throw refused;
  return scanned;
}

async function received(
  pool: TunerPool,
  parameters: TransponderParameters,
  number: number,
  signal?: AbortSignal,
): Promise<MultiplexInformation> {
  // Not in the list, perhaps: ids that none has there.
  const transponder: Transponder = { namespace: number, transportStreamId: -1, originalNetworkId: -1, parameters };
  const lease = await leased(pool, transponder, signal);
  try {
    const judge = (now: MultiplexInformation) => (now.complete && hasSource(now) ? settled : settling);
    return await picture(lease.pooled, acquisition, judge, signal);
  } finally {
    lease.release();
  }
}

/** Waits while all tuners are used for what is more important. */
async function leased(pool: TunerPool, transponder: Transponder, signal?: AbortSignal) {
  for (;;) {
    try {
      return await pool.tuneTo(transponder, 'scan', 'service scan');
    } catch (error) {
      if (!(error instanceof ReceiverError) || error.code !== 'tuners-busy' || signal?.aborted) throw error;
      await pause(busyPace, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** What the NIT names of the same kind and, of satellites, at the same position. */
function neighbours(
  at: TransponderParameters,
  { transportStreams }: MultiplexInformation,
): readonly TransponderParameters[] {
  return transportStreams.flatMap(({ delivery }) => {
    const one = delivery ? parametersOf(delivery) : undefined;
    if (one === undefined || one.kind !== at.kind) return [];
    if (one.kind !== 'satellite' || at.kind !== 'satellite') return [one];
    // Some name their own position a little differently, or on the wrong side of the world.
    const apart = Math.abs(one.orbitalPosition - at.orbitalPosition);
    const isHere = apart < 5 || apart > 3595 || one.orbitalPosition + at.orbitalPosition === 3600;
    return isHere ? [{ ...one, orbitalPosition: at.orbitalPosition }] : [];
  });
}

/** Within 2 MHz, and alike in what separates signals on one frequency. */
function isSame(one: TransponderParameters, other: TransponderParameters): boolean {
  if (one.kind !== other.kind) return false;
  const megahertz = one.kind === 'satellite' || one.kind === 'cable' ? 1000 : 1_000_000;
  if (Math.abs(one.frequency - other.frequency) >= 2 * megahertz) return false;
  switch (one.kind) {
    case 'satellite': {
      const its = other as typeof one;
      const isSameStream = one.streamId === its.streamId && one.t2miPlpId === its.t2miPlpId;
      return isSameStream && one.polarisation === its.polarisation && one.orbitalPosition === its.orbitalPosition;
    }
    case 'terrestrial': {
      const its = other as typeof one;
      return one.plpId === its.plpId && (one.system === its.system || one.system < 0 || its.system < 0);
    }
    case 'cable': {
      const its = other as typeof one;
      return one.symbolRate === its.symbolRate && (one.modulation === its.modulation || one.modulation === 0);
    }
    default:
      return true;
  }
}
