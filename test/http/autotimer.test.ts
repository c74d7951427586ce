/** The paths of the AutoTimer plug-in, to the byte, and what is said of a rule there and back. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { comparedTexts, duplicateScopes, type RuleOrder, ruleOrder, searchTypes } from '../../src/autotimer/rule.ts';
import { changesOf, rulesView } from '../../src/http/autotimer-rules.ts';
import { parseQueryLists } from '../../src/http/query.ts';
import { xmlDocument } from '../../src/http/xml.ts';
import { afterEvents } from '../../src/timers/timer.ts';
import { alpha, favourites, openReceiver, type TestReceiver } from './receiver.ts';
import { all, at, get, leaves, parseXml } from './reply.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const ask = async (path: string, query: Readonly<Record<string, string | number>> = {}) =>
  parseXml((await get(receiver, path, query)).body);
const told = async (path: string, query: Readonly<Record<string, string | number>> = {}) =>
  leaves(await ask(path, query)).map(([, text]) => text);

describe('/autotimer', () => {
  it('is the list, to the byte', async () => {
    expect((await get(receiver, '/autotimer')).body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<autotimer version="8"></autotimer>\n',
    );
    await told('/autotimer/edit', {
      ...{ match: 'Ships "&" <Harbours>', name: 'Sea', timespanFrom: '20:00', timespanTo: '01:00', offset: '5,10' },
      ...{ services: `${alpha},`, bouquets: `${favourites},`, tag: 'Two words', dayofweek: 'weekend', enabled: 0 },
      ...{ avoidDuplicateDescription: 2, searchForDuplicateDescription: 1 },
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
    '/autotimer/remove',
    '/autotimer/parse',
    '/autotimer/simulate',
    '/autotimer/test',
  ])('%s is XML with status 200 whatever is asked, with and without the slash', async (path) => {
    for (const method of ['GET', 'POST', 'HEAD'] as const)
      for (const url of [path, `${path}/`])
        expect(await get(receiver, url, {}, { method })).toMatchObject({
          status: 200,
          type: 'text/xml; charset=UTF-8',
        });
  });
});

describe('/autotimer/edit', () => {
  it('makes a rule and its timers, and changes what it is told', async () => {
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

  it('takes a POST with repeated fields', async () => {
    const reply = await receiver.app.inject({
      method: 'POST',
      url: '/autotimer/edit?match=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'match=y&tag=a&tag=b&dayofweek=0&dayofweek=2',
    });
    expect(reply.body).toContain('True');
    expect(receiver.parts.autoTimer.rules.find(1)).toMatchObject({ match: 'x', tags: ['a', 'b'], weekdays: 5 });
  });

  it.each([
    [{}, "Missing mandatory parameter 'match'"],
    [{ match: ' ' }, "Missing mandatory parameter 'match'"],
    [{ match: 'x', id: 7 }, 'There is no AutoTimer with the id 7'],
    [{ match: 'x', timespanFrom: '25:00' }, "The parameter 'timespanFrom' must be a time, HH:MM"],
    [{ match: 'x', offset: '5,6,7' }, "The parameter 'offset' is one number or two"],
    [{ match: 'x', offset: '500' }, "The parameter 'offset' must be a number from 0 to 120"],
    [{ match: 'x', dayofweek: '7' }, "The parameter 'dayofweek' must be a number from 0 to 6"],
    [{ match: 'x', searchType: 'regex' }, "The parameter 'searchType' is none of partial, exact, start, description"],
    [
      { match: 'x', avoidDuplicateDescription: '9' },
      "The parameter 'avoidDuplicateDescription' must be a number from 0 to 3",
    ],
    [{ match: 'x', services: 'BBC' }, "The parameter 'services' has 'BBC', which is no service reference"],
    [{ match: 'x', '!title': 'y' }, "The parameter '!title' is not supported"],
    [{ match: 'x', afterevent: 'explode' }, "The parameter 'afterevent' is unknown"],
    [{ match: 'x'.repeat(300) }, "The parameter 'match' must not have more than 250 characters"],
  ] as const)('refuses %j', async (query, message) => {
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

it('/autotimer/remove takes a rule out and leaves its timers', async () => {
  await told('/autotimer/edit', { match: 'Weather', searchType: 'exact' });
  expect(await told('/autotimer/remove', { id: 1 })).toEqual(['True', 'AutoTimer was removed']);
  expect(await told('/autotimer/remove', { id: 'x' })).toEqual(['False', "The parameter 'id' must be a number"]);
  expect(await told('/autotimer/remove')).toEqual(['False', "Missing mandatory parameter 'id'"]);
  expect(receiver.parts.timers.all).toHaveLength(1);
});

it('/autotimer/get and /autotimer/set keep what timers are tagged with', async () => {
  const settings = async () =>
    Object.fromEntries(all(await ask('/autotimer/get'), 'e2setting').map((one) => leaves(one).map(([, text]) => text)));
  const [auto, name] = ['add_autotimer_to_tags', 'add_name_to_tags'].map((one) => `config.plugins.autotimer.${one}`);
  expect(await settings()).toEqual({ [auto as string]: 'True', [name as string]: 'True' });
  expect(await told('/autotimer/set', { add_autotimer_to_tags: 'false' })).toEqual(['True', 'config changed.']);
  expect(await settings()).toEqual({ [auto as string]: 'False', [name as string]: 'True' });
  await told('/autotimer/edit', { match: 'Weather', searchType: 'exact', tag: 'Sky' });
  expect(receiver.parts.timers.all.map(({ tags }) => tags)).toEqual([['Sky', 'Weather']]);
});

it('/autotimer/simulate shows what would be done, /autotimer/parse does it', async () => {
  await receiver.parts.autoTimer.rules.add(ruleOrder({ match: 'Weather', searchType: 'exact' }));
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

describe('what is said of a rule', () => {
  const word = fc.stringMatching(/^[^\s\p{C}\ufffe\uffff]{1,20}$/u);
  const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
  const minutes = fc.option(fc.integer({ min: 0, max: 120 }), { nil: null });
  const clock = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map((both) => both.map((one) => `${one}`.padStart(2, '0')).join(':'));
  const span = fc.option(fc.record({ from: clock, to: clock }), { nil: { from: null, to: null } });
  const dates = fc.option(fc.integer({ min: 1, max: 0xffff_ffff }), { nil: null });
  const order: fc.Arbitrary<RuleOrder> = fc
    .tuple(
      fc.record({
        name: line,
        match: line,
        enabled: fc.boolean(),
        searchType: fc.constantFrom(...searchTypes),
        caseSensitive: fc.boolean(),
        services: fc.subarray([alpha, '1:0:1:2B67:3F3:1:C00000:0:0:0::A, 1 & <B>']),
        bouquets: fc.subarray([favourites]),
        weekdays: fc.integer({ min: 0, max: 126 }),
        after: dates,
        before: dates,
        minimumDuration: fc.integer({ min: 0, max: 1440 }),
        maximumDuration: fc.integer({ min: 0, max: 1440 }),
        marginBefore: minutes,
        marginAfter: minutes,
        tags: fc.uniqueArray(word, { maxLength: 3 }),
        dirname: fc.option(
          line.map((text) => `/media/${text}/`),
          { nil: null },
        ),
        justplay: fc.boolean(),
        afterevent: fc.constantFrom(...afterEvents),
        avoidDuplicates: fc.constantFrom(...duplicateScopes),
        compare: fc.constantFrom(...comparedTexts),
      }),
      span,
    )
    .map(([rest, hours]) => ({ ...rest, ...hours }));

  it('comes back from the list as it was sent', () => {
    fc.assert(
      fc.property(order, (sent) => {
        const services = { nameOf: () => 'Name' };
        const pieces = [...xmlDocument(rulesView, { rules: [{ id: 3, ...ruleOrder(sent) }], services })];
        const timer = at(parseXml(pieces.join('')), 'timer');
        // As a client that edits what it has read.
        const { from = '', to = '', ...attributes } = timer.attributes;
        const days = all(timer, 'include').map(({ text }) => text);
        const tags = all(timer, 'e2tags').flatMap(({ text }) => text.split(' '));
        const references = (name: string) =>
          all(timer, name)
            .map((one) => at(one, 'e2servicereference').text)
            .join(',');
        const query = new URLSearchParams({ timespanFrom: from, timespanTo: to, ...attributes });
        for (const [name, values] of Object.entries({ dayofweek: days, tag: tags }))
          for (const value of values) query.append(name, value);
        query.set('services', references('e2service'));
        query.set('bouquets', references('e2bouquet'));
        expect(ruleOrder(changesOf(parseQueryLists(query.toString())))).toEqual(ruleOrder(sent));
      }),
    );
  });
});
