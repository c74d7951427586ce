/**
 * How long the event loop of a program is held up: loaded into it with `--import`. With every SIGUSR2 it writes a line to the file
 * that EVENT_LOOP_FILE names, the delays since the last one in milliseconds, and begins anew.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two looks; a delay is what is beyond. */
const resolution = 1;

const histogram = monitorEventLoopDelay({ resolution });
histogram.enable();
process.on('SIGUSR2', () => {
  const milliseconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution);
  const { max } = histogram;
  const [median, p99] = [histogram.percentile(50), histogram.percentile(99)];
  appendFileSync(
    process.env.EVENT_LOOP_FILE ?? 'event-loop',
    `${JSON.stringify({ median: milliseconds(median), p99: milliseconds(p99), max: milliseconds(max) })}\n`,
  );
  histogram.reset();
});
