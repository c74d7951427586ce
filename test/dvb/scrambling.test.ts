/** Services that arrive scrambled, by scripted packets of the tuner. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TunerLease } from '../../src/dvb/pool-tuner.ts';
import { arrivesScrambled } from '../../src/dvb/scrambling.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const packets = (...controls: readonly number[]) => packetsOf(0x100, ...controls);
const packetsOf = (pid: number, ...controls: readonly number[]) =>
  Buffer.concat(
    controls.map((control) => {
      const packet = Buffer.alloc(188);
      packet.writeUInt16BE(pid, 1);
      packet[3] = control;
      return packet;
    }),
  );
const clear = packets(0x10, 0x10, 0x90);
const scrambled = packets(0x90, 0xd0, 0x10, 0x20, 0x20);
const withoutPayload = packets(0x20);

interface Broadcast {
  /** Each arrives half a second after the one before; then nothing. Null: the tuner is taken away. */
  readonly chunks: readonly (Buffer | null)[];
  readonly flags?: { readonly scrambled: boolean; readonly caSystems: readonly number[] };
  readonly isInNetwork?: boolean;
  readonly streams?: readonly { readonly kind: string; readonly pid: number }[];
}

const usual = [
  { kind: 'video', pid: 0x100 },
  { kind: 'audio', pid: 0x101 },
  { kind: 'teletext', pid: 0x102 },
];

function leaseOf({
  chunks,
  flags = { scrambled: true, caSystems: [] },
  isInNetwork = false,
  streams = usual,
}: Broadcast) {
  let reason: string | null = null;
  const opened: (readonly number[])[] = [];
  const left = [...chunks];
  let wake = () => {};
  const stream = {
    get reason() {
      return reason;
    },
    close() {
      reason ??= 'closed';
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (reason === null) {
        const ended = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, left.length > 0 ? 500 : 1e9))]);
        const chunk = reason === null ? left.shift() : undefined;
        if (chunk === null) reason = 'stopped';
        if (chunk) yield chunk;
      }
    },
  };
  const tuner = {
    multiplex: () => ({ services: [{ serviceId: 7, streams, ...flags }] }),
    readPids(pids: readonly number[]) {
      opened.push(pids);
      return stream;
    },
  };
  const lease = { serviceId: 7, tuner, pooled: { number: 0, isInNetwork } } as unknown as TunerLease;
  return { lease, opened };
}

/** The verdict, and the milliseconds until it. */
async function verdictOf(broadcast: Broadcast) {
  const { lease } = leaseOf(broadcast);
  const begin = performance.now();
  let end = 0;
  const verdict = arrivesScrambled(lease).then((is) => {
    end = performance.now();
    return is;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  return [await verdict, end - begin];
}

it('does not look at the packets of a service without flag and CA descriptor', async () => {
  const { lease, opened } = leaseOf({ chunks: [scrambled], flags: { scrambled: false, caSystems: [] } });
  expect(await arrivesScrambled(lease)).toBe(false);
  expect(opened).toEqual([]);
});

it('does not wait for a service without pictures and sound', async () => {
  const { lease, opened } = leaseOf({ chunks: [scrambled], streams: [{ kind: 'data', pid: 0x103 }] });
  expect(await arrivesScrambled(lease)).toBe(false);
  expect(opened).toEqual([]);
});

it('looks at pictures and sound of a service with a CA descriptor', async () => {
  const { lease, opened } = leaseOf({ chunks: [clear], flags: { scrambled: false, caSystems: [5] } });
  const verdict = arrivesScrambled(lease);
  await vi.advanceTimersByTimeAsync(500);
  expect([await verdict, opened]).toEqual([false, [[0x100, 0x101]]]);
});

it.each<[string, Broadcast, boolean, number]>([
  ['clear: with its first packets', { chunks: [clear] }, false, 500],
  ['scrambled, on an own tuner: within a second', { chunks: [scrambled] }, true, 1000],
  ['scrambled, from another receiver: within six', { chunks: [scrambled], isInNetwork: true }, true, 6000],
  ['descrambled after a while', { chunks: [scrambled, scrambled, scrambled, clear], isInNetwork: true }, false, 2000],
  [
    'scrambled, with PCR in packets of their own',
    { chunks: [withoutPayload, scrambled], isInNetwork: true },
    true,
    6000,
  ],
  ['clear in one of its sounds', { chunks: [Buffer.concat([scrambled, packetsOf(0x101, 0x10)])] }, false, 500],
  ['without packets: as clear', { chunks: [] }, false, 1000],
  ['without a tuner any more: as clear', { chunks: [scrambled, null], isInNetwork: true }, false, 1000],
])('decides for a service that is %s', async (_, broadcast, isScrambled, ms) => {
  expect(await verdictOf(broadcast)).toEqual([isScrambled, ms]);
});
