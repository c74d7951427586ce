/** Sub-services of a broadcast as references. */
import { expect, it } from 'vitest';
import type { BroadcastService } from '../../src/dvb/tuner.ts';
import { subServicesOf } from '../../src/playback/tracks.ts';
import { ServiceReference } from '../../src/services/reference.ts';

it('sub-services have the namespace of their parent and its ids, except one that links to itself', () => {
  const ids = { originalNetworkId: 1, transportStreamId: 0x3f3 };
  const subServices = [
    { ...ids, serviceId: 0x2b70, name: 'Lap times' },
    { ...ids, serviceId: 0x2b66, name: 'The race' },
  ];
  const parent = ServiceReference.parse('1:0:19:2B66:3F3:1:C00000:0:0:0:');
  const linked = subServicesOf({ subServices } as unknown as BroadcastService, parent);
  expect(linked.map(({ reference, name }) => [reference.format(), name])).toEqual([
    ['1:0:7:2B70:3F3:1:C00000:2B66:3F3:0:', 'Lap times'],
    ['1:0:7:2B66:3F3:1:C00000:0:0:0:', 'The race'],
  ]);
  expect(linked[0]?.reference.isBroadcast).toBe(true);
  expect(subServicesOf(undefined, parent)).toEqual([]);
});
