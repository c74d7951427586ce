/** Results as main.ts measures and prints them. */

/** One contender in one comparison. */
export interface Row {
  readonly comparison: string;
  readonly contender: string;
  readonly ours: boolean;
  /** Unit of the samples. */
  readonly unit: 'ms' | 'bytes';
  readonly median: number;
  readonly p99: number;
  readonly runs: number;
  /** Work per second at the median, or bytes for each unit of work. */
  readonly rate: number | undefined;
  readonly workUnit: string | undefined;
  /**
   * Median and 99th percentile divided by ours, on the work that both did: 2 is twice as long, or twice as many bytes.
   */
  readonly ratio: number;
  readonly ratio99: number;
  readonly note: string | undefined;
}

/** The content of bench/results/latest.json. */
export interface Report {
  readonly date: string;
  readonly commit: string | undefined;
  readonly quick: boolean;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string; readonly arch: string };
  readonly results: readonly Row[];
}

export function amount(value: number, unit: Row['unit']): string {
  if (unit === 'bytes') return `${(value / 1e6).toPrecision(4)} MB`;
  return value < 1 ? `${(value * 1000).toPrecision(3)} us` : `${value.toPrecision(3)} ms`;
}

export function times(ratio: number): string {
  return `${ratio < 10 ? ratio.toFixed(2) : Math.round(ratio).toLocaleString('en')}x`;
}
