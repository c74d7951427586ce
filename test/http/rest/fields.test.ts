/** The fields of guide rows: which keys `flags` selects, and their values. */
import fc from 'fast-check';
import Schema from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { Guide } from '../../../src/epg/guide.ts';
import { importXmltv } from '../../../src/epg/xmltv.ts';
import { piconStyleName } from '../../../src/http/rest/channels/services.ts';
import { defaultFlags, flagLetters, RowSchema, rowForm, rowTexts } from '../../../src/http/rest/guide/fields.ts';
import { EventList, ListedServices } from '../../../src/http/write/event-shape.ts';
import { compactForm } from '../../../src/http/write/json.ts';
import { eitSections, type SentEvent } from '../../fixtures/eit.ts';
import { push } from '../push-options.ts';

const service = { originalNetworkId: 1, transportStreamId: 0x3f3, serviceId: 0x2b66 };
const clock = 1_704_110_500;
const texts = { reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:', name: 'Demo One', shortName: 'One' } as const;

const event: SentEvent = {
  id: 4660,
  start: 1_704_110_400,
  duration: 900,
  title: '\u0086News\u0087',
  shortText: 'Short\u008atext',
  genre: 0x21,
  parental: { country: 'DEU', rating: 9 },
};

async function guideWith(...events: readonly SentEvent[]): Promise<Guide> {
  const guide = new Guide();
  for (const section of events.length === 0 ? [] : eitSections(service, clock, events)) guide.ingestSection(section);
  await guide.flush();
  return guide;
}

/** The JSON of the row for the running event, with these flags. */
async function rowText(guide: Guide, flags: string): Promise<string> {
  const listed = new ListedServices([{ key: service }], rowTexts.length, () => rowTexts.map((name) => texts[name]));
  const { shape } = rowForm(flags, { clock: true });
  const parts = {
    guide,
    clock: { now: () => clock },
    config: {
      timeZone: 'UTC',
      httpPort: 80,
      streamPort: 8001,
      enigma2Dir: '',
      origins: ['*'],
      hostNames: [],
      push,
      evil: true,
    },
  };
  const row = new EventList(parts, listed, shape, { asked: 'now', from: clock });
  const pieces: Buffer[] = [];
  for await (const piece of row.bytes(compactForm)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const rowOf = async (guide: Guide, flags: string): Promise<unknown> => JSON.parse(await rowText(guide, flags));

test('L selects the picture from a guide file', async () => {
  const guide = new Guide({ clock: { now: () => clock, synchronised: true } });
  const picture = 'https://x.example/a.jpg?b=1&c=2';
  const icon = `<icon src="${picture.replace('&', '&amp;')}"/>`;
  const pieces = async function* () {
    yield Buffer.from(
      `<tv><programme start="20240101120000" stop="20240101121500" channel="x"><title>News</title>${icon}</programme></tv>`,
    );
  };
  await importXmltv(guide, pieces(), { servicesOf: (channels) => channels.map(() => [service]) });
  expect(await rowOf(guide, 'TL')).toEqual({ title: 'News', picture });
  expect(await rowOf(await guideWith(event), 'L')).toEqual({ picture: null });
});

describe('flags of the guide rows', () => {
  test('select exactly the requested keys, in the order of the table', async () => {
    const guide = await guideWith(event);
    expect(await rowText(guide, 'RTIBD')).toBe(
      '{"id":4660,"start_time":1704110400,"duration":900,"title":"News","service_reference":"1:0:19:2B66:3F3:1:C00000:0:0:0:"}',
    );
    expect(Object.keys((await rowOf(guide, defaultFlags)) as object)).toEqual([
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

  test('select names, clock, parental rating and genre', async () => {
    expect(await rowOf(await guideWith(event), 'CNnPWS')).toEqual({
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
  ])('parental rating %i means age %s', async (rating, minimum_age) => {
    const guide = await guideWith({ ...event, parental: { country: 'FRA', rating } });
    expect(await rowOf(guide, 'P')).toEqual({ parental: { rating, minimum_age, country: 'FRA' } });
  });

  test('an event without rating and genre has null and an empty list', async () => {
    const guide = await guideWith({ id: 1, start: event.start, duration: 900, title: 'News' });
    expect(await rowOf(guide, 'PW')).toEqual({ parental: null, genre: [] });
  });

  test('X and 0 select no field; repeated letters have no effect', async () => {
    expect(rowForm('X0II', { clock: true })).toMatchObject({ rowsWithoutEvent: true });
    expect(await rowOf(await guideWith(event), 'X0II')).toEqual({ id: 4660 });
    expect(rowForm('I', { clock: true }).rowsWithoutEvent).toBe(false);
  });

  test('without an event, its fields are null, and the fields of the service are not', async () => {
    const guide = await guideWith();
    expect(await rowText(guide, 'IBDTSEPWRN')).toBe('');
    expect(await rowOf(guide, 'IBDTSEPWXRNC')).toEqual({
      id: null,
      start_time: null,
      duration: null,
      title: null,
      shortinfo: null,
      longinfo: null,
      current_time: clock,
      service_reference: texts.reference,
      service_name: 'Demo One',
      parental: null,
      genre: null,
    });
  });

  test.each(['Q', 'IBZ', 'i', ' ', 'é'])('are rejected with the name of the unknown letter: %j', (flags) => {
    expect(() => rowForm(flags, { clock: true })).toThrow(expect.objectContaining({ code: 'invalid-flags' }));
  });

  test('every row matches the documented schema', async () => {
    const check = Schema.Compile(RowSchema);
    const guides = [await guideWith(event), await guideWith()] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...flagLetters) }),
        fc.constantFrom(...guides),
        async (flags, guide) => {
          expect(check.Errors(await rowOf(guide, `${flags}X`))[1]).toEqual([]);
        },
      ),
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
