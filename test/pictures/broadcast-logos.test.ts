/** Logos of ISDB become picons of their services. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';

import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { BroadcastService, MultiplexInformation } from '../../src/dvb/multiplex.ts';
import { BroadcastLogos, broadcastLogosFolder } from '../../src/pictures/broadcast-logos.ts';
import { Picons } from '../../src/services/picons.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const header = Buffer.from('89504e470d0a1a0a0000000d494844520000004000000024080300000012345678', 'hex');

const multiplexWith = (logos: readonly (Buffer | undefined)[]) =>
  ({
    services: logos.map((logo, number) => ({
      ...{ originalNetworkId: 0x7fe0, transportStreamId: 0x7fe1, serviceId: 0x400 + number, name: 'NHK' },
      ...(logo && { logo: logo.toString('hex') }),
    })) as readonly Partial<BroadcastService>[],
  }) as MultiplexInformation;

test('a service has the picon that its multiplex sends, and its newest version', async () => {
  const folder = temporaryFolder();
  const problems: string[] = [];
  const logos = new BroadcastLogos(folder, (problem) => problems.push(problem));
  await logos.keep(multiplexWith([header, undefined, Buffer.from('GIF89a')]));
  const picons = await Picons.read([broadcastLogosFolder(folder)]);
  const service = (id: string) => ServiceReference.parse(`1:0:1:${id}:7FE1:7FE0:EEEE0000:0:0:0:`);
  const path = picons.find(service('400'));
  expect(basename(path ?? '')).toBe('1_0_1_400_7FE1_7FE0_EEEE0000_0_0_0.png');
  expect([picons.find(service('401')), picons.find(service('402'))]).toEqual([undefined, undefined]);
  await logos.keep(multiplexWith([Buffer.concat([header, Buffer.from('new')])]));
  expect(readdirSync(broadcastLogosFolder(folder))).toEqual(['1_0_1_400_7FE1_7FE0_EEEE0000_0_0_0.png']);
  expect(problems).toEqual([]);
});

test('a logo gets the palette of ISDB, unless it has one', async () => {
  const folder = temporaryFolder();
  const logos = new BroadcastLogos(folder, () => undefined);
  const own = Buffer.concat([header, Buffer.from('\0\0\0\x03PLTEabc')]);
  await logos.keep(multiplexWith([Buffer.concat([header, Buffer.from('\0\0\0\x04IDATdata')]), own]));
  const [made, kept] = readdirSync(broadcastLogosFolder(folder)).map((name) =>
    readFileSync(join(broadcastLogosFolder(folder), name)),
  );
  expect(kept).toEqual(own);
  expect(made?.toString('latin1', 37, 41)).toBe('PLTE');
  const colour = (index: number) => [...(made?.subarray(41 + 3 * index, 44 + 3 * index) ?? []), made?.[437 + index]];
  expect([1, 7, 8, 9, 15, 16, 64, 65, 127].map(colour)).toEqual([
    [255, 0, 0, 255],
    [255, 255, 255, 255],
    [0, 0, 0, 0],
    [170, 0, 0, 255],
    [170, 170, 170, 255],
    [0, 0, 85, 255],
    [255, 255, 170, 255],
    [0, 0, 0, 128],
    [255, 255, 85, 128],
  ]);
  expect(
    createHash('sha256')
      .update(made?.subarray(33, 33 + 12 + 384 + 12 + 128) ?? '')
      .digest('hex'),
  ).toBe('1801739c29a805052f27a14d857cf525707f49684fbe6b0a5601be77d5de9d72');
  expect(made?.subarray(-12).toString()).toContain('IDATdata');
});

test('a folder that cannot be written is reported once for each logo', async () => {
  const folder = join(temporaryFolder(), 'file');
  writeFileSync(folder, '');
  const problems: string[] = [];
  const logos = new BroadcastLogos(folder, (problem) => problems.push(problem));
  for (let round = 0; round < 2; round++) await logos.keep(multiplexWith([header]));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain('the logo of NHK could not be stored');
});

test('multiplexes that change faster than the disk writes do not pile up', async () => {
  const folder = temporaryFolder();
  const logos = new BroadcastLogos(folder, () => undefined);
  await Promise.all([logos.keep(multiplexWith([header])), logos.keep(multiplexWith([header, header]))]);
  const files = () => readdirSync(broadcastLogosFolder(folder));
  expect(files()).toHaveLength(1);
  await logos.keep(multiplexWith([header, header]));
  expect(files()).toHaveLength(2);
});

test('files of earlier runs are bounded, and the oldest go first', async () => {
  const dataDir = temporaryFolder();
  const folder = broadcastLogosFolder(dataDir);
  mkdirSync(folder);
  const nameOf = (id: number) => `1_0_1_${id.toString(16).toUpperCase()}_7FE1_7FE0_EEEE0000_0_0_0.png`;
  const old = Array.from({ length: 1000 }, (_, n) => nameOf(0x1000 + n));
  for (const [n, name] of [...old, nameOf(0x401), 'mine.png'].entries()) {
    writeFileSync(join(folder, name), header);
    utimesSync(join(folder, name), 1_700_000_000 - n, 1_700_000_000 - n);
  }
  const logos = new BroadcastLogos(dataDir, () => undefined);
  await logos.keep(multiplexWith([header, header]));
  const left = [...old.slice(0, 998), nameOf(0x400), nameOf(0x401), 'mine.png'];
  expect(readdirSync(folder).sort()).toEqual(left.sort());
});
