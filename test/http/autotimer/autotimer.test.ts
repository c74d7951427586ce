/** The paths of the AutoTimer plug-in: exact responses, and rules that clients can send back unchanged. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { filterFields } from '../../../src/autotimer/filter.ts';
import { changesOf } from '../../../src/autotimer/plugin-words.ts';
import { buildRuleSpec } from '../../../src/autotimer/rule.ts';
import { rulesView } from '../../../src/http/autotimer/autotimer-rules.ts';
import { parseQueryLists } from '../../../src/http/middleware/query.ts';
import { xmlDocument } from '../../../src/http/write/xml.ts';
import { anyRule } from '../../autotimer/any-rule.ts';
import { alpha, favourites, openReceiver, type TestReceiver } from '../receiver.ts';
import { all, at, get, leaves, parseXml } from '../reply.ts';

let receiver: TestReceiver;
/** The generations of a newly opened receiver. */
let unused: string;
const generations = ({ parts }: TestReceiver) => `${parts.autoTimer.rules.generation} ${parts.timers.generation}`;

async function open(): Promise<void> {
  receiver = await openReceiver();
  unused = generations(receiver);
}
beforeAll(open);
beforeEach(async () => {
  if (generations(receiver) === unused) return;
  await receiver.close();
  await open();
});
afterAll(() => receiver.close());

const ask = async (path: string, query: Readonly<Record<string, string | number>> = {}) =>
  parseXml((await get(receiver, path, query)).body);
const told = async (path: string, query: Readonly<Record<string, string | number>> = {}) =>
  leaves(await ask(path, query)).map(([, text]) => text);

describe('/autotimer', () => {
  it('returns exactly this list', async () => {
    expect((await get(receiver, '/autotimer')).body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<autotimer version="8"></autotimer>\n',
    );
    await told('/autotimer/edit', {
      ...{ match: 'Ships "&" <Harbours>', name: 'Sea', timespanFrom: '20:00', timespanTo: '01:00', offset: '5,10' },
      ...{ services: `${alpha},`, bouquets: `${favourites},`, tag: 'Two words', dayofweek: 'weekend', enabled: 0 },
      ...{ avoidDuplicateDescription: 2, searchForDuplicateDescription: 1 },
      ...{ '!description': 'a < b', '!title': '^Old ', shortdescription: 'Part \\d' },
    });
    expect((await get(receiver, '/autotimer')).body).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<autotimer version="8">
	<timer id="1" name="Sea" match="Ships &quot;&amp;&quot; &lt;Harbours&gt;" enabled="no" from="20:00" to="01:00" offset="5,10" encoding="UTF-8" avoidDuplicateDescription="2" searchForDuplicateDescription="1">
		<e2tags>Two_words</e2tags>
		<e2service>
			<e2servicereference>${alpha}</e2servicereference>
			<e2servicename>Alpha HD</e2servicename>
		</e2service>
		<e2bouquet>
			<e2servicereference>${favourites}</e2servicereference>
			<e2servicename>Favourites (TV)</e2servicename>
		</e2bouquet>
		<exclude where="title">^Old </exclude>
		<exclude where="description">a &lt; b</exclude>
		<include where="shortdescription">Part \\d</include>
		<include where="dayofweek">5</include>
		<include where="dayofweek">6</include>
	</timer>
</autotimer>
`);
  });

  it.each([
    '/autotimer',
    '/autotimer/get',
    '/autotimer/set',
    '/autotimer/edit',
    '/autotimer/change',
    '/autotimer/remove',
    '/autotimer/parse',
    '/autotimer/simulate',
    '/autotimer/test',
  ])('%s always returns XML with status 200, with and without a trailing slash', async (path) => {
    for (const method of ['GET', 'POST', 'HEAD'] as const)
      for (const url of [path, `${path}/`])
        expect(await get(receiver, url, {}, { method })).toMatchObject({
          status: 200,
          type: 'text/xml; charset=UTF-8',
        });
  });
});

describe('/autotimer/edit', () => {
  it('creates a rule with its timers, and changes the rule', async () => {
    expect(await told('/autotimer/edit', { match: 'weather' })).toEqual(['True', 'AutoTimer was added successfully']);
    const titles = () => receiver.parts.timers.all.map(({ name }) => name);
    expect(titles()).toEqual(['Weather', 'Weather again']);
    expect(await told('/autotimer/edit', { id: 1, searchType: 'exact', match: 'Weather again' })).toEqual([
      'True',
      'AutoTimer was changed successfully',
    ]);
    expect(titles()).toEqual(['Weather again']);
    expect(receiver.parts.autoTimer.rules.find(1)).toMatchObject({ name: 'weather', match: 'Weather again' });
  });

  it('replaces the includes and excludes of a text of the event, and keeps those of the other texts', async () => {
    const titles = () => receiver.parts.timers.all.map(({ name }) => name);
    await told('/autotimer/edit', { match: 'weather', '!title': 'again$' });
    expect(titles()).toEqual(['Weather']);
    await told('/autotimer/edit', { id: 1, title: 'again', '!title': '' });
    expect(titles()).toEqual(['Weather again']);
    const post = (payload: string) =>
      receiver.app.inject({
        method: 'POST',
        url: '/autotimer/edit',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload,
      });
    await post('id=1&title=a&title=b&%21description=c');
    await post('id=1&description=d&!description=&dayofweek=weekday&!dayofweek=0&!dayofweek=4');
    expect(receiver.parts.autoTimer.rules.find(1)).toMatchObject({
      include: [
        { where: 'title', text: 'a' },
        { where: 'title', text: 'b' },
        { where: 'description', text: 'd' },
      ],
      exclude: [],
      weekdays: 0b0001110,
    });
    await post('id=1&!dayofweek=1');
    expect(receiver.parts.autoTimer.rules.find(1)).toMatchObject({ weekdays: 0b0001100 });
  });

  it('accepts services and bouquets that do not exist, and warns of them', async () => {
    const absent = '1:0:19:9999:3F3:1:C00000:0:0:0:';
    const bouquets = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.gone.tv" ORDER BY bouquet';
    const [state, text] = await told('/autotimer/edit', { match: 'x', services: absent, bouquets });
    expect(state).toBe('True');
    expect(text).toMatch(/^AutoTimer was added successfully, but the service list lacks .*9999.* no list .*gone/);
    expect(await told('/autotimer/edit', { id: 1, services: '', bouquets: '' })).toEqual([
      'True',
      'AutoTimer was changed successfully',
    ]);
  });

  it('accepts a POST with repeated fields', async () => {
    const reply = await receiver.app.inject({
      method: 'POST',
      url: '/autotimer/edit?match=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'match=y&tag=a&tag=b&dayofweek=0&dayofweek=2',
    });
    expect(reply.body).toContain('True');
    expect(receiver.parts.autoTimer.rules.find(1)).toMatchObject({ match: 'x', tags: ['a', 'b'], weekdays: 5 });
  });

  it('accepts a POST in JSON with texts and lists of texts', async () => {
    const post = (payload: object) => receiver.app.inject({ method: 'POST', url: '/autotimer/edit', payload });
    expect((await post({ match: { a: 1 } })).body).toContain("Missing mandatory parameter 'match'");
    await post({ match: 'x', tag: ['a', { b: 1 }, 'c'], title: ['d'] });
    await post({ id: 1, title: [{ e: 1 }], name: ['f'] });
    expect(receiver.parts.autoTimer.rules.all).toMatchObject([
      { id: 1, match: 'x', name: 'f', tags: ['a', 'c'], include: [{ where: 'title', text: 'd' }] },
    ]);
  });

  it.each([
    [{}, "Missing mandatory parameter 'match'"],
    [{ match: ' ' }, "Missing mandatory parameter 'match'"],
    [{ match: 'x', id: 7 }, 'There is no AutoTimer with the id 7'],
    [
      { match: 'x', timespanFrom: '25:00' },
      "The parameter 'timespanFrom' must be a time from 00:00 to 23:59, not '25:00'",
    ],
    [
      { match: 'x', offset: '5,6,7' },
      "The parameter 'offset' must be one number of minutes or two, such as 5 or 5,10, not '5,6,7'",
    ],
    [{ match: 'x', offset: '500' }, "The parameter 'offset' must be a number from 0 to 120, not '500'"],
    [{ match: 'x', dayofweek: '7' }, "The parameter 'dayofweek' must be a number from 0 to 6, not '7'"],
    [
      { match: 'x', searchType: 'regex' },
      "The parameter 'searchType' must be one of partial, exact, start, description, not 'regex'",
    ],
    [
      { match: 'x', avoidDuplicateDescription: '9' },
      "The parameter 'avoidDuplicateDescription' must be a number from 0 to 3, not '9'",
    ],
    [{ match: 'x', counter: 1001 }, "The parameter 'counter' must be a number from 0 to 1000, not '1001'"],
    [
      { match: 'x', counterFormat: '%d' },
      "The parameter 'counterFormat' must be one of %m, %W, %U, or empty, not '%d'",
    ],
    [
      { match: 'x', services: 'BBC' },
      "The parameter 'services' contains 'BBC'; each entry must be a service reference such as 1:0:19:2B66:3F3:1:C00000:0:0:0: (/api/getallservices has those of all services)",
    ],
    [{ match: 'x', '!title': '(y' }, "The parameter 'exclude' contains '(y': unclosed ("],
    [
      { match: 'x', description: '^(?!y)' },
      "The parameter 'include' contains '^(?!y)': groups with (?! are not supported; use an exclude filter instead",
    ],
    [
      { match: 'x', dayofweek: 'weekend', '!dayofweek': '5,6' },
      "The parameter '!dayofweek' excludes every day of the rule; at least one must be left",
    ],
    [
      { match: 'x', afterevent: 'explode' },
      "The parameter 'afterevent' must be one of default, none, standby, shutdown, not 'explode'",
    ],
    [
      { match: 'x', afterevent: 'standby', aftereventFrom: '23:00', aftereventTo: '6:00' },
      "The parameter 'aftereventFrom' is not supported: afterevent applies at every hour",
    ],
    [
      { match: 'x'.repeat(300) },
      `The parameter 'match' is '${'x'.repeat(99)}...; it must be a text of 1 to 250 characters`,
    ],
  ] as const)('rejects %j', async (query, message) => {
    expect(await told('/autotimer/edit', query)).toEqual(['False', message]);
    expect(receiver.parts.autoTimer.rules.all).toEqual([]);
  });

  it('changes nothing for a page of another site', async () => {
    for (const path of ['edit?match=x', 'remove?id=1', 'set?add_name_to_tags=false', 'parse']) {
      const reply = await get(receiver, `/autotimer/${path}`, {}, { headers: { 'sec-fetch-site': 'cross-site' } });
      expect(reply.body).toContain('False');
      expect(reply.status).toBe(403);
    }
    expect(receiver.parts.autoTimer.rules.all).toEqual([]);
  });
});

it('/autotimer/change changes only the name of a rule and whether it is enabled', async () => {
  await told('/autotimer/edit', { match: 'Weather', searchType: 'exact', enabled: 0 });
  expect(await told('/autotimer/change', { id: 1, enabled: 1, name: 'Sky', match: 'x' })).toEqual([
    'True',
    'AutoTimer was changed successfully',
  ]);
  expect(receiver.parts.autoTimer.rules.find(1)).toMatchObject({ name: 'Sky', enabled: true, match: 'Weather' });
  expect(receiver.parts.timers.all).toHaveLength(1);
  expect(await told('/autotimer/change', { id: 9 })).toEqual(['False', 'There is no AutoTimer with the id 9']);
});

it('/autotimer/change ignores other parameters, and changes nothing without `name` and `enabled`', async () => {
  await told('/autotimer/edit', { match: 'Weather', searchType: 'exact' });
  const { rules } = receiver.parts.autoTimer;
  const { generation } = rules;
  const [timer] = receiver.parts.timers.all;
  for (const query of [{ id: 1 }, { id: 1, offset: 'x' }, { id: 1, name: '' }])
    expect(await told('/autotimer/change', query)).toEqual(['True', 'AutoTimer was changed successfully']);
  expect([rules.generation, receiver.parts.timers.all]).toEqual([generation, [timer]]);
  expect(await told('/autotimer/change', { id: 1, enabled: 0, offset: 'x', dayofweek: 9 })).toEqual([
    'True',
    'AutoTimer was changed successfully',
  ]);
  expect(rules.find(1)).toMatchObject({ enabled: false });
});

it('two concurrent /autotimer/edit requests both change filters and weekdays', async () => {
  await told('/autotimer/edit', { match: 'Weather', dayofweek: '0,1,2,3' });
  await Promise.all([
    told('/autotimer/edit', { id: 1, title: 'a', '!dayofweek': 0 }),
    told('/autotimer/edit', { id: 1, description: 'b', '!dayofweek': 1 }),
  ]);
  expect(receiver.parts.autoTimer.rules.find(1)).toMatchObject({
    include: [
      { where: 'title', text: 'a' },
      { where: 'description', text: 'b' },
    ],
    weekdays: 0b0001100,
  });
});

it('/autotimer/remove removes a rule and keeps its timers', async () => {
  await told('/autotimer/edit', { match: 'Weather', searchType: 'exact' });
  expect(await told('/autotimer/remove', { id: 1 })).toEqual(['True', 'AutoTimer was removed']);
  expect(await told('/autotimer/remove', { id: 'x' })).toEqual(['False', "The parameter 'id' must be a number"]);
  expect(await told('/autotimer/remove')).toEqual(['False', "Missing mandatory parameter 'id'"]);
  expect(receiver.parts.timers.all).toHaveLength(1);
});

it('/autotimer/get and /autotimer/set read and write the tag settings', async () => {
  const settings = async () =>
    Object.fromEntries(all(await ask('/autotimer/get'), 'e2setting').map((one) => leaves(one).map(([, text]) => text)));
  const [auto, name] = ['add_autotimer_to_tags', 'add_name_to_tags'].map((one) => `config.plugins.autotimer.${one}`);
  expect(await settings()).toEqual({ [auto as string]: 'True', [name as string]: 'True' });
  expect(await told('/autotimer/set', { add_autotimer_to_tags: 'false' })).toEqual(['True', 'config changed.']);
  expect(await settings()).toEqual({ [auto as string]: 'False', [name as string]: 'True' });
  await told('/autotimer/edit', { match: 'Weather', searchType: 'exact', tag: 'Sky' });
  expect(receiver.parts.timers.all.map(({ tags }) => tags)).toEqual([['Sky', 'Weather']]);
});

it('/autotimer/simulate previews a run, and /autotimer/parse runs', async () => {
  await receiver.parts.autoTimer.rules.add(buildRuleSpec({ match: 'Weather', searchType: 'exact' }));
  const shown = async () => all(await ask('/autotimer/simulate'), 'e2simulatedtimer').map((one) => leaves(one));
  expect(await shown()).toEqual([
    [
      ['e2servicereference', alpha],
      ['e2servicename', 'Alpha HD'],
      ['e2name', 'Weather'],
      ['e2timebegin', '1767293100'],
      ['e2timeend', '1767294900'],
      ['e2autotimername', 'Weather'],
      ['e2state', 'planned'],
    ],
  ]);
  expect(receiver.parts.timers.all).toEqual([]);
  expect(await told('/autotimer/parse')).toEqual([
    'True',
    'Found a total of 1 matching Events. 1 Timer were added, 0 refused.',
  ]);
  expect((await shown())[0]?.at(-1)).toEqual(['e2state', 'timer']);
  const { timer } = JSON.parse((await get(receiver, '/api/event', { sref: alpha, idev: 4712 })).body).event;
  expect(timer).toMatchObject({ isAutoTimer: 1 });
});

describe('the parameters of a rule', () => {
  it('are in the list as they were sent', () => {
    fc.assert(
      fc.property(anyRule, (sent) => {
        const services = { nameOf: () => 'Name' };
        const pieces = [...xmlDocument(rulesView, { rules: [{ id: 3, ...buildRuleSpec(sent) }], services })];
        const timer = at(parseXml(pieces.join('')), 'timer');
        // A client does this to edit a rule from the list.
        const { from = '', to = '', ...attributes } = timer.attributes;
        const filterTexts = (name: 'include' | 'exclude', place: string) =>
          all(timer, name).flatMap(({ attributes: { where }, text }) => (where === place ? [text] : []));
        const tags = all(timer, 'e2tags').flatMap(({ text }) => text.split(' '));
        const references = (name: string) =>
          all(timer, name)
            .map((one) => at(one, 'e2servicereference').text)
            .join(',');
        const query = new URLSearchParams({ timespanFrom: from, timespanTo: to, ...attributes });
        for (const [name, values] of Object.entries({ dayofweek: filterTexts('include', 'dayofweek'), tag: tags }))
          for (const value of values) query.append(name, value);
        for (const where of filterFields) {
          for (const text of filterTexts('include', where)) query.append(where, text);
          for (const text of filterTexts('exclude', where)) query.append(`!${where}`, text);
        }
        query.set('services', references('e2service'));
        query.set('bouquets', references('e2bouquet'));
        expect(buildRuleSpec(changesOf(parseQueryLists(query.toString())))).toEqual(buildRuleSpec(sent));
      }),
    );
  });
});
