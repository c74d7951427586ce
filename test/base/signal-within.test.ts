/** Signals that abort after a time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { signalWithin } from '../../src/base/signal-within.ts';

/** Rejects with the reason of the signal; nothing but the wait itself refers to the signal. */
const waitFor = (signal: AbortSignal) => pause(2 ** 30, undefined, { signal });

it('aborts after its time, even if the garbage was collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const other = new AbortController();
  const waits = Array.from({ length: 20 }, () => waitFor(signalWithin(50, other.signal, undefined)));
  const outcome = Promise.allSettled(waits);
  for (let turn = 0; turn < 5; turn++) {
    collect();
    await nextTurn();
  }
  const reasons = (await outcome).map((one) => one.status === 'rejected' && one.reason.cause.name);
  expect(reasons).toEqual(Array(20).fill('TimeoutError'));
});

it('aborts with the first of its signals', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const signal = signalWithin(2 ** 30, first.signal, second.signal);
  second.abort(new Error('closed'));
  expect(signal.reason).toEqual(new Error('closed'));
});

it('is what the program uses, not AbortSignal.any with a timeout', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const wrong = files.filter((name) => {
    const text = readFileSync(join('src', name), 'utf8');
    return text.includes('AbortSignal.any(') && text.includes('AbortSignal.timeout(');
  });
  expect(wrong).toEqual(['base/signal-within.ts']);
});
