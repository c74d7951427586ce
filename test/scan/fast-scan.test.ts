/** The list that an operator sends on a satellite: read from a stream, and merged into the lists. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Tuner } from '../../src/dvb/tuner.ts';
import { fastScanList, fastScanLists, readFastScan } from '../../src/scan/fast-scan.ts';
import { listScanned } from '../../src/scan/network-scan.ts';
import { Services } from '../../src/services/services.ts';
import { descriptor, section, u16 } from '../fixtures/sections.ts';
import { transportStream } from '../fixtures/transport-stream.ts';
import { removeFolder, temporaryFolder } from '../receiver/program.ts';

const pid = 900;
const operator = 40;
const [onid, first, second] = [1, 1050, 1051];
const text = (words: string) => Buffer.from([words.length, ...Buffer.from(words, 'latin1')]);

/** satellite_delivery_system_descriptor at 19.2° E, horizontal, 27500 kBd 3/4; `frequency` in BCD of 10 kHz. */
const satellite = (frequency: string) =>
  descriptor(0x43, Buffer.from(`${frequency}019281`, 'hex'), Buffer.from('02750003', 'hex'));
const numbers = (...entries: readonly (readonly [number, number])[]) =>
  descriptor(0x83, ...entries.map(([id, number]) => Buffer.concat([u16(id), u16(0x8000 | number)])));

const looped = (flags: number, ...parts: readonly Buffer[]) => {
  const loop = Buffer.concat(parts);
  return Buffer.concat([u16((flags << 12) | loop.length), loop]);
};
const header = Buffer.concat([u16(operator), Buffer.from([0xc1, 0, 0])]);
const network = section(
  0xbc,
  Buffer.concat([
    header,
    looped(0xf, descriptor(0x40, Buffer.from('Operator'))),
    looped(
      0xf,
      u16(first),
      u16(onid),
      looped(0xf, satellite('01183600'), numbers([1, 2], [2, 1])),
      u16(second),
      u16(onid),
      looped(0xf, satellite('01195350'), numbers([3, 3])),
    ),
  ]),
);
const service = (stream: number, id: number, type: number, name: string, ecm: number) =>
  Buffer.concat([
    ...[onid, stream, id, 0xe200, 0xe201, 0xe000 | ecm, 0xffff, 0xe200].map(u16),
    looped(0xf, descriptor(0x48, Buffer.from([type]), text('Op'), text(name))),
  ]);
const services = section(
  0xbd,
  Buffer.concat([
    header,
    service(first, 1, 0x19, 'One HD', 0x1fff),
    service(first, 2, 0x01, 'Two', 1700),
    service(second, 3, 0x02, 'Three FM', 0x1fff),
  ]),
);

describe('a fast scan', () => {
  const folder = temporaryFolder();
  afterAll(() => removeFolder(folder));
  const path = join(folder, 'list.ts');
  const streamed = [network, services].map((one, index) => ({ seconds: 1 + index / 10, pid, section: one }));
  const shape = { transportStreamId: first, originalNetworkId: onid, bitRate: 2_000_000, seconds: 3 };
  writeFileSync(path, transportStream({ ...shape, services: [{ serviceId: 1, name: 'One HD' }], sections: streamed }));

  const readList = async (wanted: number) => {
    const tuner = new Tuner({ kind: 'file', path, loop: true, paced: true });
    await tuner.start();
    try {
      return await readFastScan(tuner, wanted, AbortSignal.timeout(20_000));
    } finally {
      await tuner.stop();
    }
  };

  it('has the services of all multiplexes, with numbers, names and tuning parameters', async () => {
    const list = await readList(pid);
    expect(list).toMatchObject({
      networkName: 'Operator',
      transportStreams: [
        { transportStreamId: first, delivery: { frequency: 11_836_000, orbitalPosition: 192 } },
        { transportStreamId: second, delivery: { frequency: 11_953_500 } },
      ],
      services: [
        { serviceId: 1, name: 'One HD', provider: 'Op', channelNumber: 2, scrambled: false },
        { serviceId: 2, name: 'Two', channelNumber: 1, scrambled: true },
        { serviceId: 3, transportStreamId: second, name: 'Three FM', channelNumber: 3 },
      ],
    });
  });

  it('fills the lists: each service on its own transponder, the bouquets by number', async () => {
    const list = await readList(pid);
    const lists = await Services.load(join(folder, 'enigma2'));
    const [{ parameters }] = fastScanLists as readonly [(typeof fastScanLists)[0]];
    if (list === undefined) throw new Error('nothing was read');
    expect(await listScanned([{ parameters, multiplex: list, isList: true }], lists)).toMatchObject({
      added: 3,
      vanished: [],
    });
    const again = await Services.load(join(folder, 'enigma2'));
    expect(again.transponders().map((one) => one.parameters)).toMatchObject([
      { kind: 'satellite', frequency: 11_836_000, orbitalPosition: 192, symbolRate: 27_500_000 },
      { frequency: 11_953_500 },
    ]);
    const favourites = (['tv', 'radio'] as const).map((kind) => again.allBouquets(kind)[0]?.entries);
    expect(favourites.map((entries) => entries?.map(({ name }) => name))).toEqual([['Two', 'One HD'], ['Three FM']]);
  });

  it('can be aborted', async () => {
    const tuner = new Tuner({ kind: 'file', path, loop: true, paced: true });
    await tuner.start();
    const abort = new AbortController();
    const reading = readFastScan(tuner, 901, abort.signal);
    abort.abort();
    expect(await reading).toBeUndefined();
    await tuner.stop();
  });
});

it('lists have unique names', () => {
  expect(new Set(fastScanLists.map(({ name }) => name)).size).toBe(fastScanLists.length);
  expect(fastScanList('fast-scan/hd-austria')).toMatchObject({ pid: 950 });
  expect(fastScanList('dvb-t/de-Berlin')).toBeUndefined();
  expect(() => fastScanList('fast-scan/none')).toThrow('fast-scan/none');
});
