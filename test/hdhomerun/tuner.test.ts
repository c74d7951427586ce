import { describe, expect, it } from 'vitest';
import type { TunerLease } from '../../src/dvb/tuner-pool.ts';
import { ControlTuner } from '../../src/hdhomerun/tuner.ts';

/** A tuner whose lease is given when `give` is called, and the number of leases that are held. */
function delayedTuner() {
  let held = 0;
  let give = () => {};
  const lease = () =>
    new Promise<TunerLease>((resolve) => {
      give = () => {
        held++;
        const tuner = { onReception: () => () => {} };
        resolve({ tuner, onLost: () => {}, release: () => held-- } as unknown as TunerLease);
      };
    });
  const tuner = new ControlTuner({
    transponders: () => [],
    lease,
    leaseService: lease,
    lineup: async () => [],
  });
  return { tuner, give: () => give(), held: () => held };
}

const client = { remote: '192.0.2.7', local: '192.0.2.1', lockKey: 5 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a client that has left', () => {
  it('loses a tuner that was still being tuned', async () => {
    const { tuner, give, held } = delayedTuner();
    const tuned = tuner.set('channel', 'auto:474000000', client);
    await turn();
    const released = tuner.release(client.remote);
    give();
    await tuned;
    await released;
    expect([held(), tuner.get('channel')]).toEqual([0, 'none']);
  });

  it('loses its lock and its target, though it tuned nothing', async () => {
    const { tuner } = delayedTuner();
    const local = { ...client, remote: '127.0.0.1', local: '127.0.0.1' };
    await tuner.set('lockkey', '5', local);
    await tuner.set('target', 'udp://127.0.0.1:30841', local);
    await tuner.release(client.remote);
    expect([tuner.get('lockkey'), tuner.get('target')]).toEqual(['127.0.0.1', 'udp://127.0.0.1:30841']);
    await tuner.release('127.0.0.1');
    expect([tuner.get('lockkey'), tuner.get('target')]).toEqual(['none', 'none']);
  });
});
