/** `/api/eventsearch` and `/api/eventsuggest`: search types, filters, rows and errors. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eitSections } from '../../fixtures/eit.ts';
import { demoOne, demoOneEast, demoTwo, noon, type TestReceiver, testReceiver } from './receiver.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await testReceiver();
});
afterAll(() => receiver.close());

async function search(parameters: Readonly<Record<string, string>>, more = '') {
  const response = await receiver.app.inject(`/api/eventsearch?${new URLSearchParams(parameters)}${more}`);
  return { status: response.statusCode, text: response.body, ...response.json() };
}

/** The ids of the events found, each only once. */
async function found(parameters: Readonly<Record<string, string>>, more = ''): Promise<number[]> {
  const { events } = await search({ flags: 'I', ...parameters }, more);
  return [...new Set((events as { id: number }[]).map(({ id }) => id))];
}

describe('/api/eventsearch', () => {
  test('returns exactly this body', async () => {
    const { text, status } = await search({ what: 'news', max_rows: '1' });
    expect(status).toBe(200);
    expect(text).toBe(
      '{"errors":[],"result":true,"len":1,"mangled_parameters":{"case_sensitive":false,"flags":null,"what":"news",' +
        '"querytype":null,"max_rows":1},' +
        `"events":[{"id":4660,"start_time":${noon},"duration":900,"title":"News","shortinfo":"Short text","longinfo":"",` +
        `"service_reference":"${demoOne}","service_name":"Demo One HD"}]}`,
    );
  });

  test('returns one row per reference of the service in the service list, by start', async () => {
    const { events } = await search({ what: 'news', flags: 'BR' });
    expect(events).toEqual([
      { start_time: noon, service_reference: demoOne },
      { start_time: noon, service_reference: demoOneEast },
      { start_time: noon + 600, service_reference: demoTwo },
      { start_time: noon + 3600, service_reference: demoOne },
      { start_time: noon + 3600, service_reference: demoOneEast },
      { start_time: noon + 7200, service_reference: demoTwo },
    ]);
    expect((await search({ what: 'news', max_rows: '2' })).len).toBe(2);
    expect((await search({ what: 'unlisted' })).len).toBe(0);
  });

  test('leaves out events that ended before the history of the guide, even if they are still stored', async () => {
    const { guide } = receiver.parts;
    const day = 86_400;
    const events = [
      { id: 1, start: noon - 2 * day, duration: 1800, title: 'Old headlines' },
      { id: 2, start: noon - day, duration: 1800, title: 'Headlines of yesterday' },
    ];
    const radio = { originalNetworkId: 1, transportStreamId: 0x3f3, serviceId: 0x2b68 };
    for (const section of eitSections(radio, noon - 2 * day, events)) guide.ingestSection(section);
    await guide.flush();
    expect((await guide.search({ text: 'headlines' })).total).toBe(2);
    expect(await found({ what: 'headlines' })).toEqual([2]);
    expect(await found({ what: 'headlines', begin: '0' })).toEqual([2]);
    await guide.expire();
  });

  test('continues with `offset` where the previous page ended, even between the references of a service', async () => {
    const { events: all } = await search({ what: 'news', flags: 'BR' });
    const paged = [];
    for (let offset = 0; offset <= 8; offset += 2) {
      const { events, len } = await search({ what: 'news', flags: 'BR', max_rows: '2', offset: String(offset) });
      expect(len).toBe(events.length);
      paged.push(...events);
    }
    expect(paged).toEqual(all);
    expect((await search({ what: 'news', flags: 'BR', offset: '1' })).events).toEqual(all.slice(1));
    expect(await search({ what: 'news', offset: '6' })).toMatchObject({ len: 0, events: [] });
    expect(await search({ what: 'news', offset: '100001' })).toMatchObject({ status: 400 });
  });

  test('counts the matching events of listed services, regardless of the number of rows', async () => {
    const total = async (parameters: Readonly<Record<string, string>>) => {
      const { headers } = await receiver.app.inject(`/api/eventsearch?${new URLSearchParams(parameters)}`);
      return headers['x-total-count'];
    };
    expect(await total({ what: 'news' })).toBe('4');
    expect(await total({ what: 'news', max_rows: '1' })).toBe('4');
    expect(await total({ what: 'news', service_reference: demoTwo })).toBe('2');
    expect(await total({ what: 'unlisted' })).toBe('0');
    expect(await total({ what: 'nothing of the kind' })).toBe('0');
  });

  test.each([
    [['1', 'title-is'], 'news', [4660, 8]],
    [['2', 'title'], 'news', [4660, 7, 4662, 8]],
    [['3', 'short'], 'weather', [7]],
    [['4', 'title+short'], 'weather', [7, 4661]],
    [['5', 'long'], 'the news', [7]],
    [['6', 'all'], 'weather', [7, 4661]],
    [['title-starts'], 'news', [4660, 7, 8]],
    [['title-ends'], 'news', [4660, 4662, 8]],
  ])('searches by querytype %j', async (types, what, expected) => {
    for (const querytype of types) expect(await found({ what, querytype })).toEqual(expected);
  });

  test('ignores case and accents by default', async () => {
    expect(await found({ what: 'CAFE' })).toEqual([4661]);
    expect(await found({ what: 'koln', querytype: 'long' })).toEqual([4661]);
    expect(await found({ what: 'news', case_sensitive: 'yes' })).toEqual([4662]);
    expect(await found({ what: 'news', case_sensitive: '0' })).toEqual([4660, 7, 4662, 8]);
  });

  test('requires all of several texts', async () => {
    expect(await found({ what: 'news' }, '&what=noon')).toEqual([7]);
    expect((await search({ what: 'news' }, '&what=noon')).mangled_parameters).toMatchObject({
      whats: ['news', 'noon'],
    });
  });

  test('restricts the search by begin, end, service and bouquet', async () => {
    expect(await found({ what: 'news', begin: String(noon + 3600) })).toEqual([4662, 8]);
    expect(await found({ what: 'news', end: String(noon + 3600) })).toEqual([4660, 7]);
    expect(await found({ what: 'news', service_reference: demoTwo })).toEqual([7, 8]);
    expect(await found({ what: 'news', service_reference: '1:0:1:1:2:3:4:0:0:0:' })).toEqual([]);
    expect(await found({ what: 'news', bouquet: 'More' })).toEqual([4660, 4662]);
    const bouquet = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.more.tv" ORDER BY bouquet';
    expect(await found({ what: 'news', bouquet })).toEqual([4660, 4662]);
  });

  test('finds other showings of an event, and events by CRID', async () => {
    const similar = { querytype: 'similar', service_reference: demoOne, event_id: '4660' };
    expect(await found(similar)).toEqual([8]);
    expect(await found({ ...similar, querytype: '0', begin: String(noon + 8100) })).toEqual([]);
    const crid = { querytype: 'crid', what: 'CRID://demo.example/news' };
    expect(await found(crid)).toEqual([4660, 8]);
    expect(await found({ ...crid, crid_type: '2' })).toEqual([]);
    expect(await found({ ...crid, crid_type: '1' })).toEqual([4660, 8]);
  });

  test('finds the events of the series of an event', async () => {
    const series = { querytype: 'series', service_reference: demoOne };
    expect(await found({ ...series, event_id: '4661' })).toEqual([4661]);
    expect(await found({ ...series, event_id: '4661', begin: String(noon + 86_400) })).toEqual([]);
    // This event has no series CRID.
    expect(await found({ ...series, event_id: '4660' })).toEqual([]);
    expect(await found({ ...series, event_id: '9' })).toEqual([]);
  });

  test.each([
    [{}, ['Nothing to search for?!']],
    [{ what: '' }, ['Nothing to search for?!']],
    [{ max_rows: '1', flags: 'I' }, ['Nothing to search for?!']],
    [{ querytype: 'crid', bouquet: 'More' }, ['Nothing to search for?!']],
    [{ what: 'x', flags: 'Q' }, ["unknown field letter 'Q' in flags; the letters are IBDTSECRNnPWLX0"]],
    [
      { what: 'x', service_reference: 'nonsense' },
      ["'nonsense' is not a service reference, such as 1:0:19:2B66:3F3:1:C00000:0:0:0:"],
    ],
    [{ querytype: 'similar' }, ["Missing mandatory parameter 'service_reference'"]],
    [{ querytype: 'similar', service_reference: demoOne }, ["Missing mandatory parameter 'event_id'"]],
    [{ querytype: 'series', service_reference: demoOne }, ["Missing mandatory parameter 'event_id'"]],
  ])('rejects %j with 400', async (parameters, errors) => {
    expect(await search(parameters)).toMatchObject({ status: 400, result: false, len: 0, events: [], errors });
  });

  test('rejects an unknown querytype and names it', async () => {
    expect(await search({ what: 'x', querytype: '9' })).toMatchObject({
      status: 400,
      message: expect.stringContaining('querytype'),
    });
  });
});

describe('/api/eventsearch filters', () => {
  test('finds all events that pass the filters, without a text', async () => {
    const all = await found({ begin: '0' });
    expect(all).toEqual(expect.arrayContaining([4660, 4661, 4662, 7, 8]));
    expect(await found({ bouquet: 'More' })).toEqual(await found({ service_reference: demoOne }));
    const ofOthers = await found({ service_reference: demoTwo });
    expect(ofOthers).toEqual(expect.arrayContaining([7, 8]));
    expect(ofOthers).not.toContain(4660);
    expect(await found({ minimum_duration: '900', what: '', bouquet: 'More' })).toContain(4660);
    expect(await found({ minimum_duration: '4294967295' })).toEqual([]);
  });

  test.each([
    ['contains', 'ew', [4660, 7, 4662, 8]],
    ['prefix', 'news', [4660, 7, 8]],
    ['exact', 'news', [4660, 8]],
    ['word', 'new', []],
    ['word', 'news', [4660, 7, 4662, 8]],
  ])('match=%s finds %s', async (match, what, expected) => {
    expect(await found({ what, match })).toEqual(expected);
  });

  test('reject an unknown word and name it', async () => {
    for (const [name, value] of [
      ['match', 'fuzzy'],
      ['service_type', 'film'],
      ['genre', '256'],
      ['language', 'German'],
    ] as const) {
      const { status, errors } = await search({ what: 'news', [name]: value });
      expect(status).toBe(400);
      expect(errors[0]).toContain(name);
    }
  });

  test('filter by time of day in the configured time zone, even across midnight', async () => {
    // 12:00 in London is 13:00 in Berlin.
    expect(await found({ what: 'news', from_minute: '780', until_minute: '800' })).toEqual([4660, 7]);
    expect(await found({ what: 'news', from_minute: '840', until_minute: '790' })).toEqual([4660, 4662, 8]);
    expect(await found({ what: 'news', from_minute: '900' })).toEqual([8]);
    expect(await found({ what: 'news', until_minute: '780' })).toEqual([]);
  });

  test('filter by duration and type of service', async () => {
    expect(await found({ what: 'news', maximum_duration: '900' })).toEqual(
      await found({ what: 'news', minimum_duration: '0', maximum_duration: '900' }),
    );
    expect(await found({ what: 'news', minimum_duration: '90000' })).toEqual([]);
    const tv = await found({ what: 'news', service_type: 'tv' });
    const radio = await found({ what: 'news', service_type: 'radio' });
    expect([...tv, ...radio].sort()).toEqual((await found({ what: 'news' })).sort());
  });
});

describe('/api/eventsuggest', () => {
  const suggest = async (query: string) => {
    const response = await receiver.app.inject(`/api/eventsuggest?${query}`);
    expect(response.statusCode).toBe(200);
    return response.json<{ len: number; titles: { title: string; count: number; start_time: number }[] }>();
  };

  test('completes titles, sorted by frequency, with their next showing', async () => {
    const { titles, len } = await suggest('what=ne');
    expect(len).toBe(titles.length);
    expect(titles[0]).toEqual({ title: 'News', count: expect.any(Number), start_time: expect.any(Number) });
    expect(new Set(titles.map(({ title }) => title)).size).toBe(titles.length);
    expect((await suggest('what=ne&max_rows=1')).titles).toEqual(titles.slice(0, 1));
  });

  test('finds titles that are spelled nearly like the text, if there are no others', async () => {
    expect((await suggest('what=NWES&forgiving=yes')).titles.map(({ title }) => title)).toContain('News');
    expect((await suggest('what=NWES')).titles).toEqual([]);
    expect((await suggest('what=nwe&forgiving=yes')).titles).toEqual([]);
  });

  test('finds nothing for an empty text', async () => {
    expect(await suggest('')).toEqual({ result: true, len: 0, titles: [] });
    expect((await suggest('what=qqqq')).titles).toEqual([]);
  });
});
