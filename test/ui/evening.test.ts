import { describe, expect, it } from 'vitest';
import { eveningOf, isEveningOver, restOfEvening } from '../../src/ui/shared/evening.ts';
import { localTime } from '../fixtures/fixed-demo.ts';

describe('the evening', () => {
  const prime = localTime(0, 20, 15);
  const [day, after] = [localTime(0), localTime(1)];

  it('is prime time until that begins', () => {
    const time = localTime(0, 19);
    expect(eveningOf(prime, time)).toEqual({ begin: time, end: after, from_minute: 1195, until_minute: 1345 });
    expect(restOfEvening(prime, time)).toEqual(eveningOf(prime, time));
    expect(eveningOf(prime, localTime(-1, 23))).toMatchObject({ begin: day, end: after });
  });

  it('is what runs and comes later, once prime time has begun', () => {
    const time = localTime(0, 23, 10);
    const night = { begin: time, end: localTime(1, 2), from_minute: 1195, until_minute: 120 };
    expect(eveningOf(prime, time)).toEqual(night);
    expect(restOfEvening(prime, time)).toEqual({ ...night, from_minute: 22 * 60 });
    expect(restOfEvening(prime, localTime(0, 20, 20))).toMatchObject({ from_minute: 1195 });
  });

  it('is over when the programmes of prime time have begun', () => {
    expect(isEveningOver(prime, localTime(0, 22, 20))).toBe(false);
    expect(isEveningOver(prime, localTime(0, 22, 30))).toBe(true);
  });
});
