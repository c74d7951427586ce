/** The pool finds the multiplex of a service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';

const service = { originalNetworkId: 0x22d4, transportStreamId: 1101, serviceId: 7 };
let pool: TunerPool;
afterEach(() => pool.close());

/** A stream of two seconds; a NIT and an SDT come in the second one only. */
function lateTables(): string {
  const path = join(temporaryFolder(), 'late.ts');
  const { serviceId, ...ids } = service;
  writeTransportStream(path, { ...ids, services: [{ serviceId, name: 'Late' }], bitRate: 1_000_000, seconds: 2 });
  const stream = readFileSync(path);
  for (let at = 0; at < stream.length / 2; at += 188) {
    const pid = stream.readUInt16BE(at + 1) & 0x1fff;
    if (pid === 0x10 || pid === 0x11) stream.writeUInt16BE(0x1fff, at + 1);
  }
  writeFileSync(path, stream);
  return path;
}

it('waits for the network of a multiplex whose PAT has come', async () => {
  pool = new TunerPool([new Tuner({ kind: 'file', path: lateTables(), loop: true, paced: true })], { linger: 0 });
  expect(pool.receivers(service)).toEqual([0]);
  const probe = pool.tuners[0]?.lease({ purpose: 'guide', user: 'somebody else' });
  await pool.tuners[0]?.until(({ transportStreamId }) => transportStreamId !== null);
  expect(pool.tuners[0]?.tuner.multiplex().originalNetworkId).toBeNull();
  expect(pool.canReceive(service)).toBe(true);
  expect(pool.receivers(service)).toEqual([0]);
  const lease = await pool.tune(service, 'stream', 'test');
  lease.release();
  probe?.release();
  const elsewhere = { ...service, originalNetworkId: 1 };
  expect(pool.canReceive(elsewhere)).toBe(false);
  await expect(pool.tune(elsewhere, 'stream', 'test')).rejects.toMatchObject({ code: 'not-receivable' });
});
