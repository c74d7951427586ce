import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deviceIdOf, formatDeviceId, isValidDeviceId } from '../../../src/dvb/hdhomerun/device-id.ts';

it('knows the ids of real devices, and no others', () => {
  for (const id of [0x10a1b2c7, 0x12345674, 0x1251e8e2]) {
    expect(isValidDeviceId(id)).toBe(true);
    expect(isValidDeviceId(id ^ 1)).toBe(false);
  }
  expect([0, 0xffffffff].map(isValidDeviceId)).toEqual([false, false]);
});

it('makes a valid id, always the same for an identity', () => {
  fc.assert(
    fc.property(fc.uuid(), (identity) => {
      const id = deviceIdOf(identity);
      expect(isValidDeviceId(id)).toBe(true);
      expect(deviceIdOf(identity)).toBe(id);
      expect(formatDeviceId(id)).toMatch(/^1[0-9A-F]{7}$/);
    }),
  );
});
