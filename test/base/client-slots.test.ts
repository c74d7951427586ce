import { expect, it } from 'vitest';
import { ClientSlots } from '../../src/base/client-slots.ts';

it('leaves a quarter to others, whatever one client takes', () => {
  const places = new ClientSlots(8);
  const leave = Array.from({ length: 6 }, () => places.enter('192.0.2.1'));
  expect(() => places.enter('192.0.2.1')).toThrow('at this address');
  places.enter('192.0.2.2');
  leave[0]?.();
  places.enter('192.0.2.1');
  expect(places.count).toBe(7);
});

it('counts all addresses of a /64 of IPv6 as one, since a device chooses them', () => {
  const places = new ClientSlots(8, 2);
  for (let n = 0; n < 6; n++) places.enter(`fd00::${n}`);
  expect(() => places.enter('fd00::ffff')).toThrow('at this address');
  places.enter('fd00:0:0:1::1');
  places.enter('192.0.2.1');
  expect(places.refusal('192.0.2.2')).toBe('all');
});

it('gives a place back once', () => {
  const places = new ClientSlots(1);
  const leave = places.enter('192.0.2.1');
  expect(() => places.enter('192.0.2.2')).toThrow();
  leave();
  leave();
  expect(places.count).toBe(0);
  places.enter('192.0.2.2');
});
