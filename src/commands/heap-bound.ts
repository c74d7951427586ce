/**
 * A bound for the objects of JavaScript on a small machine: a leak must cost a restart, not the machine. V8's own bound is
 * half of the memory but, with 64 bits, at least 256 MB; and V8 aborts there, without an end for the recordings. A lower
 * one (`--max-old-space-size`) counts only on the command line of Node, where it makes the compiled form of the program
 * (load-program.ts) invalid.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { once } from '../base/once.ts';

const mebibyte = 1 << 20;

/** Machines from here on have enough for V8's own bound. */
const smallBelow = 1024 * mebibyte;

/** An idle program needs 20 MB, an import of 200,000 events 45 MB, lists of a hundred thousand services 110 MB. */
const least = 64 * mebibyte;

/** The rest is for the guide, the streams and other programs. */
const share = 3 / 8;

/** Milliseconds. */
const lookEvery = 10_000;

/** Bytes of this machine, or of the control group that it is for this process. */
export const memoryOfMachine = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Most bytes of objects on a machine with so much memory; undefined: it is not a small one. */
export function boundOfHeap(memory: number): number | undefined {
  return memory < smallBelow ? Math.max(least, memory * share) : undefined;
}

/**
 * Calls `exceeded` every few seconds while more bytes of objects are in use, from the second look on: a busy machine takes
 * its time to free buffers.
 */
export function watchHeap(bound: number, exceeded: () => void): void {
  let looks = 0;
  setInterval(() => {
    looks = isExceeded(bound) ? looks + 1 : 0;
    if (looks > 1) exceeded();
  }, lookEvery).unref();
}

/** Whether more bytes of objects are in use: garbage does not count. */
export function isExceeded(bound: number): boolean {
  if (allocated() <= bound) return false;
  collectGarbage()();
  // Buffers are freed on another thread, for which the next collection waits.
  collectGarbage()();
  return allocated() > bound;
}

/** With buffers, which are not in V8's heap. */
function allocated(): number {
  const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

/** V8 offers it to new contexts under a flag. Not set before it is needed, because the compiled form depends on it. */
const collectGarbage = once((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
});
