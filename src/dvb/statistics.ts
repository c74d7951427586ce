/** Counters of a tuner since it was tuned. Reception errors are counted here and never logged. */
export type { Signal } from '../base/native.ts';

/** ISO/IEC 13818-1 §2.4.3: one PID of the multiplex. */
export interface PidStatistics {
  readonly pid: number;
  readonly packets: number;
  /** Gaps of the continuity counter: each is at least one lost packet. */
  readonly continuityErrors: number;
  /** Packets sent twice, which is legal. */
  readonly duplicates: number;
  /** Packets with transport_error_indicator: the demodulator could not correct them. */
  readonly transportErrors: number;
  /** Packets with transport_scrambling_control. */
  readonly scrambled: number;
}

export interface TunerStatistics {
  readonly bytes: number;
  readonly packets: number;
  /** Times the packet grid was lost, and the bytes skipped to find it again. */
  readonly syncLosses: number;
  readonly skippedBytes: number;
  readonly transportErrors: number;
  readonly continuityErrors: number;
  /** Sections received whole. */
  readonly sections: number;
  /** Sections dropped because their CRC_32 did not match. */
  readonly sectionCrcErrors: number;
  /** Sections lost because packets were missing. */
  readonly sectionsLost: number;
  /** Sections that violate the rules of their table. */
  readonly sectionsRefused: number;
  /** Bits per second over the last full second. */
  readonly bitRate: number;
  /** Times data was lost because it was not read in time. */
  readonly overflows: number;
  /** Datagrams of a tuner in the network; all 0 for other tuners. */
  readonly network: {
    readonly lost: number;
    /** Arrived out of order and were put back in order. */
    readonly reordered: number;
    /** Duplicates, and datagrams that arrived after they had been counted as lost. */
    readonly late: number;
    /** Datagrams that do not carry a transport stream. */
    readonly refused: number;
  };
  /** Only PIDs that have carried a packet, ascending. */
  readonly pids: readonly PidStatistics[];
  /** Open streams. */
  readonly streams: readonly {
    readonly serviceId: number;
    /** Bytes taken by the reader so far. */
    readonly delivered: number;
    /** Bytes waiting for the reader, and the number at which the stream ends with `overflow`. */
    readonly queued: number;
    readonly bound: number;
  }[];
}

/** Counters of a tuner since the program started, over all multiplexes that it was tuned to. */
export interface TunerTotals
  extends Pick<
    TunerStatistics,
    'bytes' | 'continuityErrors' | 'transportErrors' | 'sectionCrcErrors' | 'sectionsLost' | 'overflows'
  > {
  /** Datagrams lost in the network. */
  readonly networkLost: number;
}

export const noTotals: TunerTotals = {
  bytes: 0,
  continuityErrors: 0,
  transportErrors: 0,
  sectionCrcErrors: 0,
  sectionsLost: 0,
  overflows: 0,
  networkLost: 0,
};

export function totalsWith(totals: TunerTotals, more: Omit<TunerTotals, 'networkLost'>, lost: number): TunerTotals {
  return {
    bytes: totals.bytes + more.bytes,
    continuityErrors: totals.continuityErrors + more.continuityErrors,
    transportErrors: totals.transportErrors + more.transportErrors,
    sectionCrcErrors: totals.sectionCrcErrors + more.sectionCrcErrors,
    sectionsLost: totals.sectionsLost + more.sectionsLost,
    overflows: totals.overflows + more.overflows,
    networkLost: totals.networkLost + lost,
  };
}
