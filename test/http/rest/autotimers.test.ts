import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alpha, favourites, openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

type Item = Readonly<Record<string, unknown>>;
async function ask(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload?: object,
  headers: Record<string, string> = {},
) {
  const reply = await receiver.app.inject({
    method,
    url,
    headers: { ...(payload && { 'content-type': 'application/json' }), ...headers },
    ...(payload && { payload: JSON.stringify(payload) }),
  });
  const body = reply.body === '' ? undefined : (JSON.parse(reply.body) as Record<string, unknown>);
  return { status: reply.statusCode, headers: reply.headers, body, items: (body?.items ?? []) as Item[] };
}
const titles = () => receiver.parts.timers.all.map(({ name }) => name);

const whole = {
  name: 'weather',
  match: 'weather',
  enabled: true,
  searchType: 'partial',
  caseSensitive: false,
  services: [],
  bouquets: [],
  from: null,
  to: null,
  weekdays: 0,
  after: null,
  before: null,
  minimumDuration: 0,
  maximumDuration: 0,
  marginBefore: null,
  marginAfter: null,
  tags: [],
  dirname: null,
  justplay: false,
  afterevent: 'auto',
  avoidDuplicates: 'none',
  compare: 'all',
};

describe('/autotimers', () => {
  it('makes a rule and its timers, and shows it', async () => {
    const { status, headers, items } = await ask('POST', '/autotimers/', { match: 'weather' });
    expect([status, headers.location]).toEqual([201, '/autotimers/1']);
    expect(items).toEqual([{ id: 1, ...whole, timers: 2 }]);
    expect(titles()).toEqual(['Weather', 'Weather again']);
    for (const url of ['/autotimers', '/autotimers/', '/autotimers/1', '/autotimers/1/'])
      expect(await ask('GET', url)).toMatchObject({ status: 200, body: { result: true }, items });
    const { etag } = (await ask('GET', '/autotimers')).headers;
    expect((await ask('GET', '/autotimers', undefined, { 'if-none-match': String(etag) })).status).toBe(304);
    await ask('PUT', '/autotimers/1', { enabled: false });
    expect((await ask('GET', '/autotimers', undefined, { 'if-none-match': String(etag) })).status).toBe(200);
  });

  it('takes back what it has given, lists and nulls included', async () => {
    const all = {
      ...{ ...whole, services: [alpha], bouquets: [favourites], from: '18:00', to: '23:00', after: 5, before: 4e9 },
      ...{ marginBefore: 1, marginAfter: 0, tags: ['a', 'b'], dirname: receiver.parts.locations.default },
      ...{ avoidDuplicates: 'recording', compare: 'title', weekdays: 127, maximumDuration: 90 },
    };
    const [made] = (await ask('POST', '/autotimers', all)).items;
    expect(made).toEqual({ id: 1, ...all, timers: expect.any(Number) });
    expect((await ask('PUT', '/autotimers/1', { ...made, name: 'Other' })).items).toMatchObject([
      { ...all, name: 'Other' },
    ]);
    expect((await ask('PUT', '/autotimers/1', { ...whole })).items).toMatchObject([whole]);
    expect((await ask('PUT', '/autotimers/1?tags=c&tags=d&marginAfter=3')).items).toMatchObject([
      { ...whole, tags: ['c', 'd'], marginAfter: 3 },
    ]);
  });

  it('makes timers anew by what a rule says now', async () => {
    await ask('POST', '/autotimers', { match: 'weather' });
    expect((await ask('PUT', '/autotimers/1', { searchType: 'exact', justplay: true })).items[0]).toMatchObject({
      timers: 1,
    });
    expect(receiver.parts.timers.all).toMatchObject([{ name: 'Weather', justPlay: true }]);
  });

  it('shows what a rule finds, and what becomes of it', async () => {
    await ask('POST', '/autotimers', { match: 'weather', enabled: false, avoidDuplicates: 'any', compare: 'short' });
    const verdicts = async () =>
      (await ask('GET', '/autotimers/1/matches')).items.map(({ title, verdict }) => [title, verdict]);
    expect(await verdicts()).toEqual([
      ['Weather', 'planned'],
      ['Weather again', 'planned'],
    ]);
    expect(titles()).toEqual([]);
    await ask('PUT', '/autotimers/1', { enabled: true });
    await receiver.parts.timers.remove(1);
    const { items } = await ask('GET', '/autotimers/1/matches/');
    expect(items).toMatchObject([
      { id: 4712, start_time: 1767293100, service_reference: alpha, service_name: 'Alpha HD', verdict: 'dismissed' },
      { id: 4713, verdict: 'timer', timer_id: 2 },
    ]);
  });

  it('takes a rule out; its timers stay, or go if they are to', async () => {
    await ask('POST', '/autotimers', { match: 'weather', searchType: 'exact' });
    await ask('POST', '/autotimers', { match: 'weather again' });
    expect(await ask('DELETE', '/autotimers/1')).toMatchObject({ status: 200, items: [{ id: 1, timers: 1 }] });
    expect(await ask('DELETE', '/autotimers/2?timers=remove')).toMatchObject({ status: 200, items: [{ id: 2 }] });
    expect(titles()).toEqual(['Weather']);
    expect((await ask('GET', '/autotimers')).items).toEqual([]);
  });

  it.each([
    ['POST', '', {}, 400, 'parameter-missing', 'match'],
    ['POST', '', { match: '' }, 400, 'parameter-empty', 'match'],
    ['POST', '', { match: 'x'.repeat(251) }, 400, 'parameter-invalid', 'match'],
    ['POST', '', { match: 'x', from: '8' }, 400, 'parameter-invalid', 'from'],
    ['POST', '', { match: 'x', weekdays: 128 }, 400, 'parameter-invalid', 'weekdays'],
    ['POST', '', { match: 'x', searchType: 'regex' }, 400, 'parameter-invalid', 'searchType'],
    ['POST', '', { match: 'x', tags: ['two words'] }, 400, 'parameter-invalid', 'tags'],
    ['POST', '', { match: 'x', services: ['BBC'] }, 400, 'parameter-invalid', 'services'],
    ['POST', '', { match: 'x', dirname: '/etc/' }, 403, 'outside-locations', '/etc/'],
    ['PUT', '/7', { match: 'x' }, 404, 'not-found', '7'],
    ['GET', '/7', undefined, 404, 'not-found', '7'],
    ['GET', '/x', undefined, 400, 'bad-path', 'x'],
    ['GET', '/7/matches', undefined, 404, 'not-found', '7'],
    ['DELETE', '/7', undefined, 404, 'not-found', '7'],
    ['DELETE', '/7?timers=all', undefined, 400, 'parameter-invalid', 'timers'],
  ] as const)('%s %s %j is %i %s', async (method, path, payload, status, error, named) => {
    const reply = await ask(method, `/autotimers${path}`, payload);
    expect(reply).toMatchObject({ status, body: { result: false, error } });
    expect(reply.body?.message).toContain(named);
    expect(receiver.parts.autoTimer.rules.all).toEqual([]);
  });
});
