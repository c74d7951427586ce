import { describe, expect, it } from 'vitest';
import type { TunerLease } from '../../src/dvb/tuner-pool.ts';
import { ControlTuner, pidsOfFilter } from '../../src/hdhomerun/tuner.ts';

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

describe('a filter', () => {
  it.each([
    ['0x0000', [0]],
    ['0x0000 0x0010-0x0012 8191', [0, 16, 17, 18, 8191]],
    ['0x0000-0x1fff', 'all'],
    ['0x0000-0x0fff 0x0800-0x1FFF', 'all'],
    ['', undefined],
    ['0x2000', undefined],
    ['0x0012-0x0010', undefined],
    ['0x0000-', undefined],
    ['all', undefined],
  ])('%j selects %j', (text, pids) => {
    expect(pidsOfFilter(text)).toEqual(pids);
  });

  it('is selected in place of a program, and forgotten with the channel', async () => {
    const { tuner } = delayedTuner();
    await tuner.set('program', '3', client);
    await tuner.set('filter', '0x0000 0x0100', client);
    expect([tuner.get('program'), tuner.get('filter')]).toEqual(['0', '0x0000 0x0100']);
    await expect(tuner.set('filter', 'x', client)).rejects.toThrow('is a list such as');
    await tuner.set('channel', 'none', client);
    expect(tuner.get('filter')).toBe('0x0000-0x1fff');
  });
});
