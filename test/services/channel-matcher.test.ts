/** Matching of the channels of a guide file to services. */
import { expect, test } from 'vitest';
import type { DvbTriplet } from '../../src/dvb/triplet.ts';
import { channelMatcher } from '../../src/services/guide/channel-matcher.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { yieldsOf } from '../fixtures/yields.ts';

const triplet = (serviceId: number): DvbTriplet => ({ originalNetworkId: 1, transportStreamId: 0x3f3, serviceId });

/** Lists of services with these names, numbered from 1. */
function matcher(...names: readonly string[]) {
  const all = names.map((name, index) => ({
    name,
    shortName: name,
    provider: '',
    isEncrypted: false,
    reference: ServiceReference.service(1, triplet(index + 1), 0xc00000),
  }));
  const match = channelMatcher({
    all: () => all,
    *playableReferences() {},
    nameOf: () => '',
    playable: (reference) => [reference],
  });
  return async (...channels: readonly [id: string, ...names: string[]][]) =>
    (await match(channels.map(([id, ...names]) => ({ id, names })))).map((found) =>
      found.map(({ serviceId }) => serviceId),
    );
}

test('ids that contain the service', async () => {
  const match = matcher('A');
  expect(await match(['1:0:19:2B66:3F3:1:C00000:0:0:0:', 'A'])).toEqual([[0x2b66]]);
  expect(await match(['1:0:19:2B66:3F3:1:C00000:0:0:0:Name'])).toEqual([[0x2b66]]);
  expect(await match(['dvb://1.3F3.2b66'])).toEqual([[0x2b66]]);
  expect(await match(['S19.2E-1-1011-11110'])).toEqual([[11110]]);
  expect(await match(['C-1-1011-11110', 'A'])).toEqual([[11110]]);
  expect(await match(['S19.2E-1-1011-99999'])).toEqual([[]]);
  expect(await match(['1:64:0:0:0:0:0:0:0:0:Marker'])).toEqual([[]]);
});

test('display names, ignoring case, accents, blanks and marks', async () => {
  const match = matcher('Das Erste', 'Télé 5', '3sat', 'Canal+', 'Canal', 'Первый канал', '');
  expect(await match(['ard.de', 'ARD', 'DAS ERSTE'])).toEqual([[1]]);
  expect(await match(['x', 'tele5'])).toEqual([[2]]);
  expect(await match(['x', '3 Sat'])).toEqual([[3]]);
  expect(await match(['x', 'CANAL +'])).toEqual([[4]]);
  expect(await match(['x', 'первый Канал'])).toEqual([[6]]);
  expect(await match(['x', 'ZDF'], ['y', ''], ['z'])).toEqual([[], [], []]);
});

test('only the first 255 characters of a name', async () => {
  const long = 'a'.repeat(255);
  expect(await matcher(`${long}b`)(['x', `${long}${'\u0301'.repeat(300_000)}`])).toEqual([[1]]);
});

test('all services of the name, and those that differ only in quality unless the file has a channel for them', async () => {
  const match = matcher('ZDF', 'ZDF', 'ZDF HD', 'ZDF UHD', 'HD');
  expect(await match(['zdf', 'ZDF'])).toEqual([[1, 2, 3, 4]]);
  expect(await match(['zdf', 'ZDF'], ['zdfhd', 'ZDF HD'])).toEqual([
    [1, 2, 4],
    [3, 4],
  ]);
  expect(await match(['x', 'HD'])).toEqual([[5]]);
  expect(await matcher('ZDF')(['x', 'ZDF HD'])).toEqual([[1]]);
});

test('many channels and services: yields to the event loop', async () => {
  const names = Array.from({ length: 3000 }, (_, n) => `Channel ${n}`);
  const match = matcher(...names);
  const yields = await yieldsOf(async () => {
    const matched = await match(...names.map((name): [string, string] => ['x', name]));
    expect(matched).toEqual(names.map((_, n) => [n + 1]));
  });
  expect(yields).toBeGreaterThan(names.length);
});
