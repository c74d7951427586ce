import fc from 'fast-check';
import Schema from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import type { GuideEvent } from '../../../src/epg/guide.ts';
import { flagLetters, presetFlags, RowSchema, type RowSource, rowMapper } from '../../../src/http/rest/fields.ts';
import { piconStyleName } from '../../../src/http/rest/text.ts';

const event: GuideEvent = {
  service: { originalNetworkId: 1, transportStreamId: 0x3f3, serviceId: 0x2b66 },
  id: 4660,
  start: 1_704_110_400,
  duration: 900,
  title: '\u0086News\u0087',
  shortText: 'Short\u008atext',
  extendedText: '',
  language: 'eng',
  genres: [{ level1: 2, level2: 1, user: 0 }],
  parental: [{ country: 'DEU', rating: 9 }],
  runningStatus: 4,
  freeCa: false,
  components: [],
  crids: [],
};

const source: RowSource = {
  event,
  serviceReference: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  serviceName: 'Demo One',
  shortName: 'One',
  currentTime: 1_704_110_500,
};

describe('flags of the guide rows', () => {
  test('give exactly the keys asked for, in the order of the table', () => {
    expect(JSON.stringify(rowMapper('RTIBD').row(source))).toBe(
      '{"id":4660,"start_time":1704110400,"duration":900,"title":"News","service_reference":"1:0:19:2B66:3F3:1:C00000:0:0:0:"}',
    );
    expect(Object.keys(rowMapper(presetFlags).row(source))).toEqual([
      'id',
      'start_time',
      'duration',
      'title',
      'shortinfo',
      'longinfo',
      'service_reference',
      'service_name',
    ]);
  });

  test('tell names, clock, parental rating and genre', () => {
    expect(rowMapper('CNnPWS').row(source)).toEqual({
      shortinfo: 'Short\ntext',
      current_time: 1_704_110_500,
      service_name: 'Demo One',
      shortservice_name: 'One',
      parental: { rating: 9, minimum_age: 12, country: 'DEU' },
      genre: [{ level1: 2, level2: 1, user: 0, text: 'News/weather' }],
    });
  });

  test.each([
    [0, null],
    [1, 4],
    [15, 18],
    [16, null],
  ])('parental rating %i means age %s', (rating, minimum_age) => {
    const { row } = rowMapper('P');
    expect(row({ ...source, event: { ...event, parental: [{ country: 'FRA', rating }] } })).toEqual({
      parental: { rating, minimum_age, country: 'FRA' },
    });
    expect(row({ ...source, event: { ...event, parental: [] } })).toEqual({ parental: null });
  });

  test('X and 0 choose no field; repeated letters are harmless', () => {
    expect(rowMapper('X0II')).toMatchObject({ rowsWithoutEvent: true });
    expect(rowMapper('X0II').row(source)).toEqual({ id: 4660 });
    expect(rowMapper('I').rowsWithoutEvent).toBe(false);
  });

  test('without an event its fields are null, the service is still told', () => {
    expect(rowMapper('IBDTSEPWXRN').row({ ...source, event: null })).toEqual({
      id: null,
      start_time: null,
      duration: null,
      title: null,
      shortinfo: null,
      longinfo: null,
      service_reference: source.serviceReference,
      service_name: 'Demo One',
      parental: null,
      genre: null,
    });
  });

  test.each(['Q', 'IBZ', 'i', ' ', 'é'])('refuse %j by name', (flags) => {
    expect(() => rowMapper(flags)).toThrow(expect.objectContaining({ code: 'invalid-flags' }));
  });

  test('every row agrees with the documented schema', () => {
    const check = Schema.Compile(RowSchema);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...flagLetters) }), fc.boolean(), (flags, withEvent) => {
        const row = rowMapper(flags).row({ ...source, event: withEvent ? event : null });
        expect(check.Errors(JSON.parse(JSON.stringify(row)))[1]).toEqual([]);
      }),
    );
  });
});

describe('picon-style names', () => {
  test.each([
    ['Demo One HD', 'demoonehd'],
    ['Télé & Ciné+', 'teleandcineplus'],
    ['*Star*', 'starstarstar'],
    ['ＦＵＬＬ', 'full'],
    ['\u0086NDR\u0087 FS', 'ndrfs'],
    ['Россия 1', '1'],
    ['Россия', '--------'],
    ['', '--------'],
  ])('%s is %s', (name, expected) => {
    expect(piconStyleName(name)).toBe(expected);
  });
});
