/** `/api/eventlookup`: query types, ranges, references, flags and errors. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alternatives, demoOne, demoOneEast, demoTwo, noon, now, type TestReceiver, testReceiver } from './receiver.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await testReceiver();
});
afterAll(() => receiver.close());

/** The response to a request with these parameters, each as `name=value`. */
async function lookUp(...parameters: readonly string[]) {
  const response = await receiver.app.inject(`/api/eventlookup?${parameters.join('&')}`);
  return { status: response.statusCode, text: response.body, ...response.json() };
}

const ids = (answer: { events: { id: number }[] }) => answer.events.map(({ id }) => id);
const one = `service_reference=${demoOne}`;

describe('/api/eventlookup', () => {
  test('returns exactly this body for the running event', async () => {
    const { text, status } = await lookUp(one, 'querytype=0', 'minutes=0', 'flags=IBDTR');
    expect(status).toBe(200);
    expect(text).toBe(
      `{"errors":[],"result":true,"len":1,"mangled_parameters":{"flags":"IBDTR","service_reference":"${demoOne}",` +
        '"querytype":0,"max_rows":null,"begin":null,"minutes":0},' +
        `"events":[{"id":4660,"start_time":${noon},"duration":900,"title":"News","service_reference":"${demoOne}"}]}`,
    );
  });

  test('without further parameters, returns the running event and all events after it', async () => {
    expect(ids(await lookUp(one))).toEqual([4660, 4661, 4662]);
  });

  test.each([
    ['querytype=-1', [4659]],
    ['querytype=0', [4660]],
    ['querytype=1', [4661]],
    ['querytype=9', []],
  ])('with minutes=0, returns one event: %s', async (querytype, expected) => {
    expect(ids(await lookUp(one, querytype, 'minutes=0', 'begin=-1'))).toEqual(
      querytype === 'querytype=-1' ? [4660] : expected,
    );
    expect(ids(await lookUp(one, querytype, 'minutes=0', `begin=${noon}`))).toEqual(expected);
  });

  test('an event counts as running in the second of its end, unless the next has begun', async () => {
    expect(ids(await lookUp(one, 'querytype=0', 'minutes=0', `begin=${noon + 2700}`))).toEqual([4661]);
    expect(ids(await lookUp(one, 'querytype=0', 'minutes=0', `begin=${noon + 2701}`))).toEqual([]);
    expect(ids(await lookUp(one, 'querytype=0', 'minutes=0', `begin=${noon + 900}`))).toEqual([4661]);
  });

  test('the last event of the guide is found', async () => {
    expect(ids(await lookUp(one, 'querytype=0', 'minutes=0', `begin=${noon + 3700}`))).toEqual([4662]);
    expect(ids(await lookUp(one, 'querytype=0', 'minutes=60', `begin=${noon + 3700}`))).toEqual([4662]);
    expect(ids(await lookUp(one, 'querytype=-1', 'minutes=0', `begin=${noon + 9000}`))).toEqual([4662]);
  });

  test('a range begins with the running event, and has no event that begins at its end', async () => {
    expect(ids(await lookUp(one, 'querytype=0', `begin=${noon + 60}`, 'minutes=14'))).toEqual([4660]);
    expect(ids(await lookUp(one, 'querytype=0', `begin=${noon + 60}`, 'minutes=15'))).toEqual([4660, 4661]);
    expect(ids(await lookUp(one, 'querytype=1', `begin=${noon + 3000}`, 'minutes=60'))).toEqual([4662]);
  });

  test('finds an event by id in event_id, begin or minutes', async () => {
    for (const id of [
      'event_id=4662',
      'querytype=2&event_id=4662',
      'querytype=2&begin=4662',
      'querytype=2&minutes=4662',
    ]) {
      expect(ids(await lookUp(one, id))).toEqual([4662]);
    }
    expect(ids(await lookUp(one, 'querytype=2', 'begin=1'))).toEqual([]);
    expect(ids(await lookUp(one, 'querytype=2', 'begin=70198'))).toEqual([]);
  });

  test('rows are in the order of the references, and each has its reference as in the request', async () => {
    const loose = demoOneEast.slice(0, -1).toLowerCase();
    const answer = await lookUp(
      `service_reference=${demoTwo}`,
      `service_reference=${loose}`,
      'flags=IRNn',
      'max_rows=3',
    );
    expect(answer.events).toEqual([
      { id: 7, service_reference: demoTwo, service_name: 'Démo & Deux+', shortservice_name: 'Démo & Deux+' },
      { id: 8, service_reference: demoTwo, service_name: 'Démo & Deux+', shortservice_name: 'Démo & Deux+' },
      { id: 4660, service_reference: loose, service_name: 'Demo One East', shortservice_name: 'Demo One East' },
    ]);
    expect(answer.mangled_parameters).toMatchObject({
      service_reference: demoTwo,
      service_references: [demoTwo, loose],
      max_rows: 3,
    });
  });

  test('flags select the fields', async () => {
    const { events } = await lookUp(one, 'minutes=0', 'flags=CPWSE');
    expect(events).toEqual([
      {
        shortinfo: 'Short text',
        longinfo: '',
        current_time: now,
        parental: { rating: 9, minimum_age: 12, country: 'DEU' },
        genre: [{ level1: 2, level2: 1, user: 0, text: 'News/weather' }],
      },
    ]);
  });

  test('flag X adds a row for a service without a matching event', async () => {
    const unknown = '1:0:1:1:2:3:4:0:0:0:';
    expect(await lookUp(`service_reference=${unknown}`)).toMatchObject({
      status: 200,
      result: true,
      len: 0,
      events: [],
    });
    const { events } = await lookUp(`service_reference=${unknown}`, one, 'minutes=0', 'flags=XITRN');
    expect(events).toEqual([
      { id: null, title: null, service_reference: unknown, service_name: '<n/a>' },
      { id: 4660, title: 'News', service_reference: demoOne, service_name: 'Demo One HD' },
    ]);
  });

  test('an invalid number counts as absent, and of repeated values the first counts', async () => {
    const answer = await lookUp(one, 'querytype=now', 'begin=', 'minutes=0&minutes=5', 'max_rows=all', 'max_rows=1');
    expect(ids(answer)).toEqual([4660]);
    expect(answer.mangled_parameters).toEqual({
      flags: null,
      service_reference: demoOne,
      querytype: null,
      max_rows: null,
      begin: null,
      minutes: 0,
    });
  });

  test('a number of any length is returned as a number in mangled_parameters', async () => {
    const answer = await lookUp(one, `event_id=-${'9'.repeat(400)}`, 'querytype=2');
    expect([answer.status, answer.mangled_parameters]).toEqual([
      400,
      expect.objectContaining({ event_id: -Number.MAX_VALUE }),
    ]);
  });

  test('a linked sub-service is looked up as its parent', async () => {
    expect(ids(await lookUp('service_reference=1:0:4:FFFF:FF:1:C00000:2B66:3F3:0:', 'minutes=0'))).toEqual([4660]);
  });

  test('alternatives are looked up as their first member', async () => {
    const answer = await lookUp(`service_reference=${encodeURIComponent(alternatives)}`, 'flags=IRN');
    expect(answer.events).toEqual([
      { id: 7, service_reference: alternatives, service_name: 'Demo alternatives' },
      { id: 8, service_reference: alternatives, service_name: 'Demo alternatives' },
    ]);
  });

  test.each([
    ['', 'parameter-missing', ['service_reference is missing']],
    ['service_reference=', 'parameter-missing', ['service_reference is missing']],
    [
      'service_reference=nonsense',
      'invalid-reference',
      ["'nonsense' is not a service reference, such as 1:0:19:2B66:3F3:1:C00000:0:0:0:"],
    ],
    [`${one}&flags=IQ`, 'invalid-flags', ["unknown field letter 'Q' in flags; the letters are IBDTSECRNnPWLX0"]],
    [`${one}&querytype=2`, 'parameter-missing', ["Missing mandatory parameter 'event_id'"]],
  ])('rejects ?%s with 400 and the reason', async (query, code, errors) => {
    expect(await lookUp(query)).toMatchObject({
      status: 400,
      result: false,
      error: code,
      message: errors[0],
      errors,
      len: 0,
      events: [],
      mangled_parameters: expect.objectContaining({ max_rows: null }),
      _request: { path: '/api/eventlookup', method: 'GET' },
    });
  });
});
