/** `/autotimers`: creating, changing, removing and previewing rules. */
import { describe, expect, it } from 'vitest';
import { buildRuleSpec } from '../../../src/autotimer/rule.ts';
import { alpha, favourites, group, hidden, stream } from '../receiver.ts';
import { ask, receiver, useReceiver } from './fixture.ts';

useReceiver();

const titles = () => receiver.parts.timers.all.map(({ name }) => name);

/** A rule with all defaults. */
const whole = buildRuleSpec({ match: 'weather' });

describe('/autotimers/preview', () => {
  const preview = async (given: object) =>
    (await ask('POST', '/autotimers/preview', given)).items.map(({ title, verdict }) => [title, verdict]);

  it('returns what a new rule would find, and changes nothing', async () => {
    expect(await preview({ match: 'weather' })).toEqual([
      ['Weather', 'planned'],
      ['Weather again', 'planned'],
    ]);
    expect(await preview({ match: 'weather', exclude: [{ where: 'title', text: 'again' }] })).toHaveLength(1);
    expect([titles(), receiver.parts.autoTimer.rules.all]).toEqual([[], []]);
  });

  it('returns what a changed rule would find', async () => {
    await ask('POST', '/autotimers', { match: 'weather again' });
    expect(await preview({ id: 1, match: 'weather' })).toEqual([
      ['Weather', 'planned'],
      ['Weather again', 'timer'],
    ]);
    expect((await ask('POST', '/autotimers/preview', { id: 7, match: 'weather' })).status).toBe(404);
    expect((await ask('POST', '/autotimers/preview', { match: '' })).status).toBe(400);
  });
});

describe('/autotimers', () => {
  it('creates a rule with its timers, and returns it', async () => {
    const { status, headers, items } = await ask('POST', '/autotimers/', { match: 'weather' });
    expect([status, headers.location]).toEqual([201, '/autotimers/1']);
    expect(items).toEqual([{ id: 1, ...whole, timers: 2, missing: [] }]);
    expect(whole).toMatchObject({
      enabled: true,
      searchType: 'partial',
      weekdays: 0,
      from: null,
      avoidDuplicates: 'none',
    });
    expect(titles()).toEqual(['Weather', 'Weather again']);
    for (const url of ['/autotimers', '/autotimers/', '/autotimers/1', '/autotimers/1/'])
      expect(await ask('GET', url)).toMatchObject({ status: 200, body: { result: true }, items });
    const { etag } = (await ask('GET', '/autotimers')).headers;
    expect((await ask('GET', '/autotimers', undefined, { 'if-none-match': String(etag) })).status).toBe(304);
    await ask('PUT', '/autotimers/1', { enabled: false });
    expect((await ask('GET', '/autotimers', undefined, { 'if-none-match': String(etag) })).status).toBe(200);
  });

  it('accepts its own output, including lists and nulls', async () => {
    const all = {
      ...{ ...whole, services: [alpha], bouquets: [favourites], from: '18:00', to: '23:00', after: 5, before: 4e9 },
      ...{ marginBefore: 1, marginAfter: 0, tags: ['a', 'b'], dirname: receiver.parts.locations.default },
      ...{ avoidDuplicates: 'recording', compare: 'title', weekdays: 127, maximumDuration: 90 },
      ...{ include: [{ where: 'title', text: 'a:b\\d' }], exclude: [{ where: 'description', text: '{"x"' }] },
    };
    const [made] = (await ask('POST', '/autotimers', all)).items;
    expect(made).toEqual({ id: 1, ...all, timers: expect.any(Number), missing: [] });
    expect((await ask('PUT', '/autotimers/1', { ...made, name: 'Other' })).items).toMatchObject([
      { ...all, name: 'Other' },
    ]);
    expect((await ask('PUT', '/autotimers/1', { ...whole })).items).toMatchObject([whole]);
    const query = 'tags=c&tags=d&marginAfter=3&exclude=title:c:d&exclude=shortdescription:e';
    const exclude = ['title c:d', 'shortdescription e']
      .map((one) => one.split(' '))
      .map(([where, text]) => ({ where, text }));
    expect((await ask('PUT', `/autotimers/1?${query}`)).items).toMatchObject([
      { ...whole, tags: ['c', 'd'], marginAfter: 3, exclude },
    ]);
  });

  it('applies both of two concurrent changes', async () => {
    await ask('POST', '/autotimers', { match: 'weather' });
    const changes = [{ tags: ['a'] }, { counter: 3 }, { include: [{ where: 'title', text: 'W' }] }];
    const replies = await Promise.all(changes.map((change) => ask('PUT', '/autotimers/1', change)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await ask('GET', '/autotimers/1')).items).toMatchObject([Object.assign({}, ...changes)]);
  });

  it('recreates timers after a change of the rule', async () => {
    await ask('POST', '/autotimers', { match: 'weather' });
    expect((await ask('PUT', '/autotimers/1', { searchType: 'exact', justplay: true })).items[0]).toMatchObject({
      timers: 1,
    });
    expect(receiver.parts.timers.all).toMatchObject([{ name: 'Weather', justPlay: true }]);
  });

  it('returns the events that a rule finds, and what it does with each', async () => {
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

  it('removes a rule and keeps or removes its timers', async () => {
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
    ['POST', '', { match: 'x', include: [{ where: 'title', text: '(a' }] }, 400, 'parameter-invalid', "'(a'"],
    ['POST', '', { match: 'x', exclude: [{ where: 'genre', text: 'a' }] }, 400, 'parameter-invalid', 'exclude'],
    ['POST', '', { match: 'x', exclude: { title: 'a' } }, 400, 'parameter-invalid', 'exclude'],
    ['POST', '', { match: 'x', tags: [{ a: 1 }] }, 400, 'parameter-invalid', 'tags'],
    ['POST', '', { match: 'x', tags: ['a', ['b']] }, 400, 'parameter-invalid', 'tags'],
    ['POST', '', { match: 'x', dirname: { a: 1 } }, 400, 'parameter-invalid', 'dirname'],
    ['POST', '', { match: { a: 1 } }, 400, 'parameter-missing', 'match'],
    ['POST', '', { match: 'x', services: ['BBC'] }, 400, 'parameter-invalid', 'services'],
    ['POST', '', { match: 'x', dirname: '/etc/' }, 403, 'outside-locations', '/etc/'],
    ['PUT', '/7', { match: 'x' }, 404, 'not-found', '7'],
    ['GET', '/7', undefined, 404, 'not-found', '7'],
    ['GET', '/x', undefined, 400, 'bad-path', 'x'],
    ['GET', '/7/matches', undefined, 404, 'not-found', '7'],
    ['DELETE', '/7', undefined, 404, 'not-found', '7'],
    ['DELETE', '/7?timers=all', undefined, 400, 'parameter-invalid', 'timers'],
  ] as const)('answers %s %s %j with status %i and code %s', async (method, path, payload, status, error, named) => {
    const reply = await ask(method, `/autotimers${path}`, payload);
    expect(reply).toMatchObject({ status, body: { result: false, error } });
    expect(reply.body?.message).toContain(named);
    expect(receiver.parts.autoTimer.rules.all).toEqual([]);
  });

  it.each([
    [{ from: '25:00' }, "'from' is '25:00'; it must be a time from 00:00 to 23:59, such as 20:15, or empty"],
    [
      { tags: ['two words'] },
      "'tags' contains 'two words'; each entry must be a text of 1 to 1000 characters without blanks",
    ],
    [{ tags: Array(51).fill('x') }, "'tags' has 51 entries; at most 50 are allowed"],
    [
      { include: ['News'] },
      `'include' contains 'News'; each entry must be a text of the event (title, shortdescription, description) and a regular expression of 1 to 250 characters without line ends: {"where": "title", "text": "^News"} in JSON, title:^News in a form`,
    ],
    [{ include: [5] }, "'include' contains 5; each entry must be a text of the event"],
    [
      { exclude: [{ where: 'genre', text: 'a' }] },
      `'exclude' contains {"where":"genre","text":"a"}; each entry must be`,
    ],
    [
      { services: ['BBC'] },
      "'services' contains 'BBC'; each entry must be a service reference such as 1:0:19:2B66:3F3:1:C00000:0:0:0: (/api/getallservices",
    ],
    [
      { services: [favourites] },
      `'services' contains '${favourites}', which is a list of services; give it in 'bouquets'`,
    ],
    [
      { bouquets: ['userbouquet.favourites.tv'] },
      `'bouquets' contains 'userbouquet.favourites.tv'; each entry must be the reference of a bouquet such as ${favourites} (/api/bouquets`,
    ],
    [{ bouquets: [alpha] }, `'bouquets' contains '${alpha}', which is a service; give it in 'services'`],
  ] as const)('says of %j what is allowed', async (wrong, message) => {
    const reply = await ask('POST', '/autotimers', { match: 'x', ...wrong });
    expect(reply.body?.message).toContain(message);
    expect(reply.body?.message).not.toMatch(/pattern|must be object|\^\[/);
  });

  it('names the search text if a preview has none', async () => {
    expect((await ask('POST', '/autotimers/preview', {})).body?.message).toBe("Missing mandatory parameter 'match'");
  });

  it.each([100, 1000, 5000, 100_000])('rejects or ignores JSON that is nested %i levels deep', async (levels) => {
    const deep = '['.repeat(levels) + ']'.repeat(levels);
    for (const [type, payload] of [
      ['application/json', deep],
      ['application/json', `{"match":${deep}}`],
      ['application/json', `{"match":"x","include":${deep}}`],
      ['application/json', `{"match":"x","include":[{"where":"title","text":${deep}}]}`],
      ['application/json', `{"match":"x","include":[${JSON.stringify(deep)}],"tags":${deep}}`],
      ['application/json', `{"match":"x","dirname":${'{"a":'.repeat(levels / 4)}1${'}'.repeat(levels / 4)}}`],
      ['application/x-www-form-urlencoded', `match=x&include=${deep}`],
      ['application/x-www-form-urlencoded', `match=x&exclude={"where":"title","text":${deep}}`],
    ] as const) {
      for (const method of ['POST', 'PUT'] as const) {
        const url = method === 'POST' ? '/autotimers' : '/autotimers/1';
        const reply = await receiver.app.inject({ method, url, payload, headers: { 'content-type': type } });
        expect([400, 404, 413], payload.slice(0, 40)).toContain(reply.statusCode);
        expect(reply.json()).toMatchObject({ result: false });
      }
    }
  });
});

describe('services and bouquets that do not exist', () => {
  const vanished = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.gone.tv" ORDER BY bouquet';
  const nobody = '1:7:1:0:0:0:0:0:0:0:(provider == "Nobody")';
  const absent = '1:0:19:9999:3F3:1:C00000:0:0:0:';

  it('are refused by name', async () => {
    for (const path of ['/autotimers', '/autotimers/preview']) {
      for (const [name, entry] of [
        ['services', absent],
        ['services', '4097:0:1:0:0:0:0:0:0:0:http%3a//host/other.ts:Other'],
        ['bouquets', vanished],
        ['bouquets', nobody],
      ] as const) {
        const { status, body } = await ask('POST', path, { match: 'x', [name]: [entry] });
        expect([status, body?.error]).toEqual([400, 'parameter-invalid']);
        expect(body?.message).toContain(`'${name}' contains '${entry}'`);
      }
    }
    expect(receiver.parts.autoTimer.rules.all).toEqual([]);
  });

  it('may stay in a rule that has them, and are listed with it', async () => {
    const { rules } = receiver.parts.autoTimer;
    await rules.add({ match: 'x', services: [alpha, absent], bouquets: [vanished] });
    const [item] = (await ask('GET', '/autotimers')).items;
    expect(item?.missing).toEqual([absent, vanished]);
    expect((await ask('PUT', '/autotimers/1', { ...item, name: 'Renamed' })).status).toBe(200);
    expect((await ask('PUT', '/autotimers/1', { bouquets: [vanished, nobody] })).status).toBe(400);
    expect((await ask('PUT', '/autotimers/1', { services: [alpha], bouquets: [favourites] })).items).toMatchObject([
      { name: 'Renamed', missing: [] },
    ]);
  });

  it('may be alternatives, streams, markers of a provider, and hidden entries that are listed', async () => {
    const all = { services: [group, stream, hidden], bouquets: ['1:7:1:0:0:0:0:0:0:0:(provider == "Demo")'] };
    expect((await ask('POST', '/autotimers', { match: 'x', ...all })).items).toMatchObject([{ missing: [] }]);
  });
});
