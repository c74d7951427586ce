import { expect, it } from 'vitest';
import { lineupOf } from '../../src/hdhomerun/lineup.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import type { FilledBouquet, ServiceEntry } from '../../src/services/service-list.ts';
import { yieldsOf } from '../fixtures/yields.ts';

const entry = (reference: string, name: string, number: number) =>
  ({ reference: ServiceReference.parse(reference), name, number }) as ServiceEntry;
const bouquet = (...entries: readonly ServiceEntry[]) => ({ entries }) as unknown as FilledBouquet;
const one = '1:0:1:1:1:1:FFFF0000:0:0:0:';
const two = '1:0:1:2:1:1:FFFF0000:0:0:0:';
const three = '1:0:1:3:1:1:FFFF0000:0:0:0:';
const marker = '1:64:1:0:0:0:0:0:0:0:';

it('lists each service once, with unique numbers and without markers', async () => {
  const channels = await lineupOf([
    bouquet(entry(marker, 'News', 0), entry(one, 'One', 7), entry(two, 'Two', 7)),
    bouquet(entry(`${one}:Our One`, 'Our One', 9), entry(three, 'Three', 0)),
  ]);
  expect(channels.map(({ number, name }) => [number, name])).toEqual([
    ['7', 'One'],
    ['7.1', 'Two'],
    ['8', 'Three'],
  ]);
});

it('yields while it lists thousands of services', async () => {
  const many = bouquet(...Array.from({ length: 1000 }, (_, n) => entry(`1:0:1:${n.toString(16)}:1:1:0:0:0:0:`, '', 0)));
  expect(await yieldsOf(() => lineupOf([many]))).toBeGreaterThan(100);
});
