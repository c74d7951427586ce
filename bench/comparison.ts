/**
 * What a bench file gives to main.ts: the same work done by us and by named rivals, in the same run, on the same input, with
 * results that are checked to be equal before anything is compared.
 */
export interface Contender {
  /** Ours is called `receiverd`; a rival by package and version, or by what it is. */
  readonly name: string;
  /** Does the work once. What it gives is compared, not timed. */
  readonly run: () => unknown;
}

/** A contender that was measured elsewhere on the same input: by a native program of bench/native, or query by query. */
export interface Measured {
  readonly name: string;
  /** In the unit of the comparison. In a paired comparison sample n of everybody is of query n; NaN: not answered. */
  readonly samples: readonly number[];
  readonly result: unknown;
}

export interface Comparison {
  /** Room and work: `m3u: list of 20,000 channels`. The floor of `--check` goes by it. */
  readonly name: string;
  /** What the samples are; less is better. Default milliseconds. */
  readonly unit?: 'ms' | 'bytes';
  /** How much one run does, for the rate: `{ amount: 20_000, unit: 'channels' }`. */
  readonly work?: { readonly amount: number; readonly unit: string };
  /** Samples are of different queries, the same for everybody: a rival is compared on those that it answered. */
  readonly paired?: boolean;
  /** Ours first. */
  readonly contenders: readonly (Contender | Measured)[];
  /** Throws when a rival did other work than ours; a text is shown beside the rival, for a difference that is small. */
  readonly check: (ours: unknown, rival: unknown, name: string) => string | undefined;
}

/** The default export of every `*.bench.ts`. `quick` asks for small inputs: does it run, is it still fast. */
export type Comparisons = (quick: boolean) => Promise<readonly Comparison[]> | AsyncIterable<Comparison>;
