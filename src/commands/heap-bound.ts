/**
 * Limits the JavaScript heap on a small machine, so that a leak ends in a clean restart. V8's own limit is half of the
 * memory but at least 256 MB on 64-bit systems, and V8 aborts there, without closing the recordings. A lower limit
 * (`--max-old-space-size`) works only on the command line of Node, and would make the compiled form of the program
 * (load-program.ts) invalid.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { once } from '../base/once.ts';

const mebibyte = 1 << 20;

/** Machines with at least this much memory need no limit besides V8's. */
const smallMachineBytes = 1024 * mebibyte;

/** An idle receiver needs 20 MB, an import of 200,000 events 45 MB, lists of 100,000 services 110 MB. */
const minLimitBytes = 64 * mebibyte;

/** Fraction of the memory; the rest is for the guide, the streams and other programs. */
const heapShare = 3 / 8;

const checkIntervalMs = 10_000;

/** Bytes of memory of this machine, or of this process's control group if that is less. */
export const memoryOfMachine = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** The heap limit in bytes for a machine with this many bytes of memory; undefined if it needs none. */
export function heapLimit(memory: number): number | undefined {
  return memory < smallMachineBytes ? Math.max(minLimitBytes, memory * heapShare) : undefined;
}

/**
 * Calls `onExceeded` at each check at which the heap is over the limit (bytes) for at least the second time in a row: a
 * busy machine needs time to free buffers.
 */
export function watchHeap(limit: number, onExceeded: () => void): void {
  let exceededChecks = 0;
  setInterval(() => {
    exceededChecks = isHeapOver(limit) ? exceededChecks + 1 : 0;
    if (exceededChecks > 1) onExceeded();
  }, checkIntervalMs).unref();
}

/** Whether more than `limit` bytes of JavaScript heap and buffers are in use, after a garbage collection. */
export function isHeapOver(limit: number): boolean {
  if (usedBytes() <= limit) return false;
  collectGarbage()();
  // Buffers are freed on another thread, which only the next collection waits for.
  collectGarbage()();
  return usedBytes() > limit;
}

/** Bytes of JavaScript heap in use, and of buffers, which are outside V8's heap. */
function usedBytes(): number {
  const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

/**
 * The garbage collector, which V8 exposes in new contexts under a flag. The flag is set late, because the compiled form
 * depends on flags.
 */
const collectGarbage = once((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
});
