/**
 * Measures how long the event loop of a program is blocked; loaded with `--import`. On SIGUSR2 it appends a line to the
 * file named by EVENT_LOOP_FILE, with the delays since the last line in milliseconds, and starts over.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two samples; anything beyond is delay. */
const resolution = 1;

const histogram = monitorEventLoopDelay({ resolution });
histogram.enable();
process.on('SIGUSR2', () => {
  const milliseconds = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolution);
  const { max } = histogram;
  const [median, p99] = [histogram.percentile(50), histogram.percentile(99)];
  appendFileSync(
    process.env.EVENT_LOOP_FILE ?? 'event-loop',
    `${JSON.stringify({ median: milliseconds(median), p99: milliseconds(p99), max: milliseconds(max) })}\n`,
  );
  histogram.reset();
});
