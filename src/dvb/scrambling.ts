/**
 * Recognises services that are received scrambled. free_CA_mode and CA descriptors say only that a service may be scrambled: it
 * can be clear for now, or descrambled by the receiver that sends it to us. Its packets tell (transport_scrambling_control).
 */
import { noNumber, type TunerLease } from './pool-tuner.ts';

/**
 * Milliseconds without clear packets after which a service counts as scrambled. The modules of other receivers need seconds
 * until they descramble.
 */
const limitMs = { own: 1000, others: 6000 };
/** A chunk decides, so that a clear service waits for its first packets only. */
const gatherMs = 20;
const maxQueuedBytes = 1 << 20;
const packetSize = 188;

/** Fewer scrambled packets are reception errors: broadcasters scramble whole services. */
export const isScrambled = (scrambled: number, packets: number) => scrambled * 2 > packets;

/**
 * Resolves to whether all pictures and sound of the leased service arrive scrambled: one clear sound is worth hearing. Without
 * packets they count as clear.
 */
export async function arrivesScrambled({ tuner, pooled, serviceId }: TunerLease): Promise<boolean> {
  const service = tuner.multiplex().services.find((one) => one.serviceId === serviceId);
  if (service === undefined || !(service.scrambled || service.caSystems.length > 0)) return false;
  const pids = service.streams.flatMap(({ kind, pid }) => (kind === 'video' || kind === 'audio' ? [pid] : []));
  if (pids.length === 0) return false;
  const stream = tuner.readPids(pids, { maxQueuedBytes, gatherMs });
  const isOwn = pooled.number !== noNumber && !pooled.isInNetwork;
  const timeout = setTimeout(() => stream.close(), isOwn ? limitMs.own : limitMs.others);
  let found = false;
  try {
    for await (const chunk of stream) {
      const counts = [...countPayloads(chunk).values()];
      if (counts.some(({ scrambled, packets }) => !isScrambled(scrambled, packets))) return false;
      found ||= counts.length > 0;
    }
  } finally {
    clearTimeout(timeout);
  }
  // Another end than by the timeout is that of the tuner.
  return found && stream.reason === 'closed';
}

/** By PID. Packets without a payload are never scrambled (ISO/IEC 13818-1 §2.4.3.3). */
function countPayloads(chunk: Buffer) {
  const counts = new Map<number, { packets: number; scrambled: number }>();
  for (let at = 0; at + packetSize <= chunk.length; at += packetSize) {
    const control = chunk[at + 3] ?? 0;
    if ((control & 0x10) === 0) continue;
    const pid = chunk.readUInt16BE(at + 1) & 0x1fff;
    const count = counts.get(pid) ?? { packets: 0, scrambled: 0 };
    counts.set(pid, count);
    count.packets++;
    if ((control & 0xc0) !== 0) count.scrambled++;
  }
  return counts;
}
