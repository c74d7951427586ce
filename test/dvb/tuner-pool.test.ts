/** The pool finds the multiplex of a service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { transportStream, writeTransportStream } from '../fixtures/transport-stream.ts';

const service = { originalNetworkId: 0x22d4, transportStreamId: 1101, serviceId: 7 };
let pool: TunerPool;
afterEach(async () => {
  vi.useRealTimers();
  await pool.close();
});

/** A stream of two seconds; NIT and SDT are in the second one only. */
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

it('waits for the network id of a multiplex after its PAT', async () => {
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

/** A stream of one second in which the packets of some PIDs are replaced by stuffing. */
function without(...pids: readonly number[]): string {
  const path = join(temporaryFolder(), 'without.ts');
  const { serviceId, ...ids } = service;
  const stream = transportStream({
    ...ids,
    services: [{ serviceId, name: 'One' }],
    bitRate: 1_000_000,
    seconds: 1,
  });
  for (let at = 0; at < stream.length; at += 188) {
    if (pids.includes(stream.readUInt16BE(at + 1) & 0x1fff)) stream.writeUInt16BE(0x1fff, at + 1);
  }
  writeFileSync(path, stream);
  return path;
}

const poolOf = (path: string) =>
  new TunerPool([new Tuner({ kind: 'file', path, loop: true, paced: true })], { linger: 0 });

it('reports a missing PAT and a missing PMT', async () => {
  pool = poolOf(without(0));
  await expect(pool.tune(service, 'stream', 'test')).rejects.toMatchObject({
    code: 'table-missing',
    message: expect.stringMatching(/^no PAT.* was received from file:.*without\.ts$/),
  });
  await pool.close();
  pool = poolOf(without(0x100));
  await expect(pool.tune(service, 'stream', 'test')).rejects.toMatchObject({
    code: 'table-missing',
    message: expect.stringMatching(/^no PMT of .* was received from file:/),
  });
});

it('detects a missing service from the PAT alone', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  pool = poolOf(without(0x10, 0x11));
  const missing = { ...service, serviceId: 8 };
  await expect(pool.tune({ ...missing, originalNetworkId: 0 }, 'stream', 'test')).rejects.toMatchObject({
    code: 'service-not-found',
  });
  await expect(pool.tune(missing, 'stream', 'test')).rejects.toMatchObject({ code: 'not-receivable' });
});
