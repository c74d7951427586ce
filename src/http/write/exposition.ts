/**
 * Writes Prometheus' text format, version 0.0.4.
 *
 * prom-client would need counters of its own, with an object and a string for each count. Here the values come from counters
 * that the receiver's parts have anyway.
 */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  /** Undefined if unknown: the sample is then left out. */
  readonly value: number | undefined;
  /** For histograms: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
}

export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Writes the metrics as one document. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics.map(written).join('');
}

function written({ name, type, help, samples }: Metric): string {
  const lines = samples.flatMap(({ suffix = '', labels = {}, value }) =>
    value === undefined ? [] : [`${name}${suffix}${labelsText(labels)} ${numberText(value)}\n`],
  );
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelsText(labels: Labels): string {
  const entries = Object.entries(labels);
  return entries.length === 0 ? '' : `{${entries.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`;
}

const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** A number in Go's format, which differs from JavaScript's only for infinity. */
const numberText = (value: number) =>
  Math.abs(value) === Number.POSITIVE_INFINITY ? `${value > 0 ? '+' : '-'}Inf` : `${value}`;
