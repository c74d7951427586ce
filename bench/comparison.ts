/**
 * What a bench file exports to main.ts: the same work done by us and by named rivals, in the same run and on the same
 * input. Results are checked to be equal before times are compared.
 */
export interface Contender {
  /** `receiverd` for ours; a rival is named by package and version, or by what it is. */
  readonly name: string;
  /** Does the work once. Its result is compared. */
  readonly run: () => unknown;
}

/**
 * A contender that was measured elsewhere on the same input: by a native program in bench/native, or query by query.
 */
export interface Measured {
  readonly name: string;
  /**
   * In the unit of the comparison. In a paired comparison, sample n of each contender belongs to query n; NaN: not
   * answered.
   */
  readonly samples: readonly number[];
  readonly result: unknown;
}

export interface Comparison {
  /** Area and work: `m3u: list of 20,000 channels`. floor.json uses it as a key. */
  readonly name: string;
  /** Unit of the samples; less is better. Default milliseconds. */
  readonly unit?: 'ms' | 'bytes';
  /** The work of one run, for the rate: `{ amount: 20_000, unit: 'channels' }`. */
  readonly work?: { readonly amount: number; readonly unit: string };
  /**
   * Samples belong to different queries, the same for all contenders. A rival is compared on those that it answered.
   */
  readonly paired?: boolean;
  /** Ours first. */
  readonly contenders: readonly (Contender | Measured)[];
  /**
   * Throws if a rival did different work. A returned text describes a small difference and is shown beside the rival.
   */
  readonly check: (ours: unknown, rival: unknown, name: string) => string | undefined;
}

/** The default export of every `*.bench.ts`. `quick` selects small inputs: does it run, is it still fast? */
export type Comparisons = (quick: boolean) => Promise<readonly Comparison[]> | AsyncIterable<Comparison>;
