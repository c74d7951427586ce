/** `autotimer.xml` of a box: what is imported, what is reported, and that an exported file imports unchanged. */
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importRulesIfNone, parseRulesOfBox } from '../../src/autotimer/import-rules.ts';
import {
  formatPluginFile,
  maxPluginFileBytes,
  parsePluginFile,
  RulesMalformed,
} from '../../src/autotimer/plugin-file.ts';
import { buildRuleSpec, type RuleSpec } from '../../src/autotimer/rule.ts';
import { noRules, RulesFile } from '../../src/autotimer/rules-file.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { anyRule } from './any-rule.ts';

const list = (...timers: readonly string[]) =>
  `<?xml version="1.0" ?>\n<autotimer version="8">\n${timers.join('\n')}\n</autotimer>`;
const timer = (attributes: string, ...parts: readonly string[]) => `<timer ${attributes}>${parts.join('')}</timer>`;
const only = async (text: string) => {
  const { rules, skipped } = await parsePluginFile(list(text));
  expect(rules).toHaveLength(1);
  return { rule: rules[0]?.spec as RuleSpec, skipped: skipped.map(({ text: reason }) => reason) };
};

/** A file as the plug-in writes it. */
const box = `<?xml version="1.0" ?>
<autotimer version="7">

 <defaults from="16:30" to="23:15">
 </defaults>

 <timer name="Sea" match="Harbour" enabled="yes" from="20:05" to="1:00" after="1767222000" before="1767308400" maxduration="90" location="/media/hdd/sea/" offset="5,10" avoidDuplicateDescription="2" searchForDuplicateDescription="1" searchType="start" searchCase="sensitive" overrideAlternatives="1">
  <serviceref>1:0:1:2EE3:441:1:C00000:0:0:0:</serviceref> <!-- RTL -->
  <serviceref>1:0:19:2B66:3F3:1:C00000:0:0:0:</serviceref> <!-- A & B, C -->
  <bouquet>1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet</bouquet> <!-- Favourites -->
  <afterevent>shutdown</afterevent>
  <exclude where="title">^Old &amp; new</exclude>
  <exclude where="dayofweek">weekend</exclude>
  <include where="shortdescription">Part \\d+</include>
  <include where="description">pilot|boat</include>
  <tag>Film</tag>
  <tag>At sea</tag>
 </timer>

 <timer name="" match="News" enabled="no" justplay="1" setEndtime="1">
 </timer>

</autotimer>
`.replace('A & B', 'A &amp; B');

describe('the file of a box', () => {
  it('is parsed', async () => {
    const { rules, skipped } = await parsePluginFile(box);
    expect(rules.map(({ spec }) => spec)).toEqual([
      buildRuleSpec({
        name: 'Sea',
        match: 'Harbour',
        searchType: 'start',
        caseSensitive: true,
        from: '20:05',
        to: '01:00',
        after: 1767222000,
        // Includes the last day.
        before: 1767308400 + 86_400,
        maximumDuration: 90,
        dirname: '/media/hdd/sea/',
        marginBefore: 5,
        marginAfter: 10,
        avoidDuplicates: 'any',
        compare: 'short',
        services: ['1:0:1:2EE3:441:1:C00000:0:0:0:', '1:0:19:2B66:3F3:1:C00000:0:0:0:'],
        bouquets: ['1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet'],
        afterevent: 'deepstandby',
        exclude: [{ where: 'title', text: '^Old & new' }],
        include: [
          { where: 'shortdescription', text: 'Part \\d+' },
          { where: 'description', text: 'pilot|boat' },
        ],
        weekdays: 0b0011111,
        tags: ['Film', 'At_sea'],
      }),
      buildRuleSpec({ match: 'News', enabled: false, justplay: true }),
    ]);
    expect(skipped).toEqual([{ line: 4, rule: '', text: 'its defaults for new rules are not imported' }]);
  });

  it('is parsed as it was formatted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRule, { maxLength: 4 }), async (specs) => {
        const written = specs.map((spec) => buildRuleSpec(spec));
        const { rules, skipped } = await parsePluginFile([...formatPluginFile(written)].join(''));
        expect(skipped).toEqual([]);
        expect(rules.map(({ spec }) => spec)).toEqual(written);
      }),
    );
  });

  it.each(['', 'version="1"', 'version="4"'])(
    'of an old plug-in has other numbers for `compare`: %s',
    async (version) => {
      const old = async (number: string) => {
        const text = `<autotimer ${version}><timer match="x" destination="/hdd/" ${number}/></autotimer>`;
        return (await parsePluginFile(text)).rules[0]?.spec;
      };
      expect(await old('searchForDuplicateDescription="1"')).toMatchObject({ compare: 'title', dirname: '/hdd/' });
      expect(await old('searchForDuplicateDescription="3"')).toMatchObject({ compare: 'all' });
      expect(await old('')).toMatchObject({ compare: 'all' });
    },
  );

  it.each([
    [
      '<include where="title">^(?!x)</include>',
      "The parameter 'include' contains '^(?!x)': groups with (?! are not supported; use an exclude filter instead",
    ],
    ['<exclude where="description">(</exclude>', "The parameter 'exclude' contains '(': unclosed ("],
    ['<include where="extended">x</include>', '<include where="extended"> is not supported'],
    ['<include where="dayofweek">8</include>', "The parameter 'dayofweek' must be a number from 0 to 6, not '8'"],
    [
      '<exclude where="dayofweek">weekday</exclude><exclude where="dayofweek">weekend</exclude>',
      "The parameter '!dayofweek' excludes every day of the rule; at least one must be left",
    ],
    [
      '<serviceref>BBC</serviceref>',
      "The parameter 'services' contains 'BBC'; each entry must be a service reference such as 1:0:19:2B66:3F3:1:C00000:0:0:0: (/api/getallservices has those of all services)",
    ],
    ['<timespan from="20:00" to="21:00"/>', '<timespan> is not supported'],
    ['<include where="title">x</include>'.repeat(21), 'it has more than 20 <include> elements'],
  ])('disables a rule that would find more than intended, because of an element: %s', async (part, reason) => {
    const { rule, skipped } = await only(timer('match="News"', part));
    expect(rule.enabled).toBe(false);
    expect(skipped).toEqual([reason, 'it is disabled: otherwise it would record more than intended']);
    expect((await only(timer('match="News" enabled="no"', part))).skipped).toEqual([reason]);
  });

  it.each([
    ['from="8" to="21:00"', "The parameter 'timespanFrom' must be a time from 00:00 to 23:59, not '8'"],
    ['maxduration="x"', "The parameter 'maxduration' must be a number from 0 to 1440, not 'x'"],
    [
      'searchType="favoritedesc"',
      "The parameter 'searchType' must be one of partial, exact, start, description, not 'favoritedesc'",
    ],
    [
      'avoidDuplicateDescription="7"',
      "The parameter 'avoidDuplicateDescription' must be a number from 0 to 3, not '7'",
    ],
    ['counter="3" counterFormat="%d"', "The parameter 'counterFormat' must be one of %m, %W, %U, or empty, not '%d'"],
    ['counter="3" left="0"', 'it has already created all its timers'],
  ])('disables a rule that would find more than intended, because of an attribute: %s', async (attributes, reason) => {
    const { rule, skipped } = await only(timer(`match="News" ${attributes}`));
    expect([rule.enabled, skipped[0]]).toEqual([false, reason]);
  });

  it.each([
    ['offset="500"', '', "The parameter 'offset' must be a number from 0 to 120, not '500'"],
    ['counter="0" left="0"', '', undefined],
    ['series_labeling="yes"', '', 'series_labeling="yes" is not supported'],
    [
      '',
      '<afterevent from="23:00" to="06:00">shutdown</afterevent>',
      "<afterevent> with hours is not supported: 'shutdown' is ignored",
    ],
    [
      '',
      '<afterevent>explode</afterevent>',
      "The parameter 'afterevent' must be one of default, none, standby, shutdown, not 'explode'",
    ],
  ])('reports a part that does not restrict the rule, and ignores it: %s%s', async (attributes, part, reason) => {
    const { rule, skipped } = await only(timer(`match="News" ${attributes}`, part));
    expect(rule).toEqual(buildRuleSpec({ match: 'News' }));
    expect([...new Set(skipped)]).toEqual(reason === undefined ? [] : [reason]);
  });

  it('has counters: those without a period continue with what is left, the others start again', async () => {
    expect(await only(timer('match="x" counter="3" left="2" lastBegin="5"'))).toMatchObject({
      rule: { counter: 2, counterPeriod: 'always', enabled: true },
      skipped: [],
    });
    expect(await only(timer('match="x" counter="3" left="2" lastActivation="11" counterFormat="%m"'))).toMatchObject({
      rule: { counter: 3, counterPeriod: 'month', enabled: true },
      skipped: ['left="2" of counter="3" is not imported: counting starts again'],
    });
  });

  it('has entries that are not rules, which are reported by line', async () => {
    const { rules, skipped } = await parsePluginFile(
      list('<timer name="Nothing"/>', '<timer match="News"/>', '<other/>'),
    );
    expect(rules.map(({ line, spec }) => [line, spec.name])).toEqual([[4, 'News']]);
    expect(skipped).toMatchObject([
      { line: 3, rule: 'Nothing' },
      { line: 5, rule: '', text: '<other> is not supported' },
    ]);
  });

  it.each([
    ['', 1],
    ['no xml', 1],
    ['<autotimer>\n<timer match="x">\n</autotimer>', 3],
    ['<autotimer>\n\n<timer match="a" match="b"/></autotimer>', 3],
    ['<timers></timers>', 1],
    ['<!DOCTYPE a [<!ENTITY b "c">]>\n<autotimer/>', 1],
    ['<autotimer>\n<timer match="&b;"/></autotimer>', 2],
    [`<autotimer>\n${'<a>'.repeat(20)}`, 2],
    [list(timer('match="x"', '\n'.repeat(5), '<tag>a</tag>'.repeat(1001))), 8],
    [list(timer('match="x"', `<tag>${'a'.repeat(4097)}</tag>`)), 3],
    [list(`<timer${Array.from({ length: 101 }, (_, n) => ` a${n}=""`).join('')}/>`), 3],
    [list(...Array.from({ length: 2001 }, () => '<timer/>')), 2003],
  ])('is rejected with the line of the damage: %.40s', async (text, line) => {
    const error = await parsePluginFile(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RulesMalformed);
    expect(error).toMatchObject({ code: 'rules-malformed', line });
  });

  it('survives arbitrary content', async () => {
    const name = fc.constantFrom(
      'match',
      'from',
      'to',
      'offset',
      'counter',
      'enabled',
      'where',
      'x',
      '__proto__',
      'constructor',
    );
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'0123:,a-(['), maxLength: 6 }),
      fc.constantFrom('title', 'dayofweek', 'yes'),
    );
    const attributes = fc.dictionary(name, value).map((all) =>
      Object.entries(all)
        .map(([key, text]) => ` ${key}="${text}"`)
        .join(''),
    );
    const part = fc
      .tuple(
        fc.constantFrom('include', 'exclude', 'tag', 'serviceref', 'bouquet', 'afterevent', 'toString'),
        attributes,
        value,
      )
      .map(([element, said, text]) => `<${element}${said}>${text}</${element}>`);
    const near = fc.array(
      fc.tuple(attributes, fc.array(part)).map(([said, parts]) => `<timer${said}>${parts.join('')}</timer>`),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          near.map((timers) => list(...timers)),
        ),
        async (anything) => {
          try {
            for (const { spec } of (await parsePluginFile(anything)).rules) expect(buildRuleSpec(spec)).toEqual(spec);
          } catch (error) {
            expect(error).toBeInstanceOf(RulesMalformed);
          }
        },
      ),
    );
  });

  it('has a maximum size, and may be in Latin-1', async () => {
    await expect(parseRulesOfBox(Buffer.alloc(5 << 20))).rejects.toMatchObject({ code: 'too-large' });
    const { rules } = await parseRulesOfBox(Buffer.from(list(timer('match="Müll"')), 'latin1'));
    expect(rules[0]?.spec.match).toBe('Müll');
  });
});

describe('a receiver with the file of a box', () => {
  const open = async (text?: string) => {
    const folder = temporaryFolder();
    const path = join(folder, 'autotimer.xml');
    if (text !== undefined) await writeFile(path, text);
    const file = new RulesFile(join(folder, 'autotimers.json'));
    const logged: string[] = [];
    const log = { info: (line: string) => void logged.push(line), warn: (line: string) => void logged.push(line) };
    const begin = async () => (await importRulesIfNone(await file.read(), { file, path, log })).rules;
    return { path, file, logged, begin };
  };

  it('imports its rules, once', async () => {
    const { path, file, logged, begin } = await open(box);
    expect((await begin()).map(({ id, name }) => [id, name])).toEqual([
      [1, 'Sea'],
      [2, 'News'],
    ]);
    expect(logged).toEqual([
      `${path}:4: its defaults for new rules are not imported`,
      `${path}: imported 2 AutoTimer rules, 0 of them disabled; the file is unchanged`,
    ]);
    expect(await readFile(path, 'utf8')).toBe(box);
    const { rules, nextId } = await file.read();
    expect([rules.length, nextId]).toEqual([2, 3]);
    // The user has deleted all rules.
    await file.write({ ...noRules, nextId });
    expect(await begin()).toEqual([]);
    expect(logged).toHaveLength(2);
  });

  it('does not read it if it is too large', async () => {
    const { path, logged, begin } = await open(box);
    // Sparse: larger than the maximum, but takes no disk space.
    await truncate(path, 3 * 2 ** 30);
    expect([await begin(), logged]).toEqual([
      [],
      [`${path}: is larger than ${maxPluginFileBytes} bytes; no rule was imported`],
    ]);
  });

  it('starts without rules if there is no file, or an unreadable one', async () => {
    const none = await open();
    expect([await none.begin(), none.logged]).toEqual([[], []]);
    const damaged = await open('<autotimer>\n<timer');
    expect(await damaged.begin()).toEqual([]);
    expect(damaged.logged[0]).toContain(`${damaged.path}: the list of rules is damaged in line 2: `);
  });
});
