/** `planLookup`: how the parameters of `/api/eventlookup` become a query of the guide. */
import { describe, expect, test } from 'vitest';
import { planLookup } from '../../../src/http/rest/guide/eventlookup.ts';

const now = 1_704_110_400;

describe('the parameters of /api/eventlookup', () => {
  test('without any, request the running event and all events after it', () => {
    expect(planLookup({}, now)).toEqual({ asked: 'window', from: now, until: undefined });
  });

  test.each([
    [-1, 'before', { asked: 'before' }],
    [0, 'at', { asked: 'now', endInclusive: true }],
    [1, 'after', { asked: 'next' }],
  ] as const)('querytype %i with minutes=0 requests the single event %s the time', (querytype, _, question) => {
    expect(planLookup({ querytype, minutes: 0, begin: 1000 }, now)).toEqual({ ...question, from: 1000 });
    expect(planLookup({ querytype, minutes: 0 }, now)).toEqual({ ...question, from: now });
    expect(planLookup({ querytype, minutes: 0, begin: -1 }, now)).toEqual({ ...question, from: now });
  });

  test.each([-1, 0, 1, 7])('minutes other than 0 requests a range with querytype %i', (querytype) => {
    expect(planLookup({ querytype, begin: 70_000, minutes: 90 }, now)).toEqual({
      asked: 'window',
      from: 70_000,
      until: 75_400,
    });
    expect(planLookup({ querytype, begin: 70_000 }, now)).toEqual({ asked: 'window', from: 70_000, until: undefined });
    expect(planLookup({ querytype, minutes: -1 }, now)).toEqual({ asked: 'window', from: now, until: undefined });
  });

  test('the event id is event_id, else begin, else minutes', () => {
    expect(planLookup({ querytype: 2, event_id: 5, begin: 6, minutes: 7 }, now)).toEqual({ asked: 'id', id: 5 });
    expect(planLookup({ querytype: 2, begin: 6, minutes: 7 }, now)).toEqual({ asked: 'id', id: 6 });
    expect(planLookup({ querytype: 2, minutes: 7 }, now)).toEqual({ asked: 'id', id: 7 });
    expect(planLookup({ querytype: 2 }, now)).toBeUndefined();
  });

  test('without querytype, begin is an event id if it has 16 bits, and otherwise a time', () => {
    expect(planLookup({ event_id: 0 }, now)).toEqual({ asked: 'id', id: 0 });
    expect(planLookup({ begin: 65_535 }, now)).toEqual({ asked: 'id', id: 65_535 });
    expect(planLookup({ begin: now, minutes: 0 }, now)).toEqual({ asked: 'now', from: now, endInclusive: true });
    expect(planLookup({ begin: -1 }, now)).toEqual({ asked: 'window', from: now, until: undefined });
    expect(planLookup({ minutes: 60 }, now)).toEqual({ asked: 'window', from: now, until: now + 3600 });
  });

  test('an unknown querytype finds nothing', () => {
    expect(planLookup({ querytype: 9, minutes: 0 }, now)).toEqual({ asked: 'window', from: 0, until: 0 });
  });
});
