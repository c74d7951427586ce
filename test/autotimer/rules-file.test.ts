/** `autotimers.json`, the file with the rules of the AutoTimer. */
import { execFileSync } from 'node:child_process';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterFields } from '../../src/autotimer/filter.ts';
import {
  buildRuleSpec,
  comparedTexts,
  counterPeriods,
  duplicateScopes,
  type Rule,
  searchTypes,
} from '../../src/autotimer/rule.ts';
import { formatRules, noRules, parseRules, RulesFile } from '../../src/autotimer/rules-file.ts';
import type { Showing } from '../../src/autotimer/showings.ts';
import { afterEvents } from '../../src/timers/timer.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((one) => one.trim() !== '');
const word16 = fc.integer({ min: 0, max: 0xffff });
const time = fc.integer({ min: 0, max: 0xffff_ffff });
const or = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const filters = fc.array(
  fc.record({
    where: fc.constantFrom(...filterFields),
    text: fc.constantFrom('News', '^The .*', 'S0[1-3]E\\d\\d', '(?i)live|new', ' HD'),
  }),
  { maxLength: 5 },
);
const rule = fc
  .record({
    name: text,
    match: text,
    enabled: fc.boolean(),
    searchType: fc.constantFrom(...searchTypes),
    caseSensitive: fc.boolean(),
    include: filters,
    exclude: filters,
    services: fc.array(text, { maxLength: 3 }),
    bouquets: fc.array(text, { maxLength: 3 }),
    from: or(fc.constantFrom('00:00', '20:15', '23:59')),
    to: or(fc.constantFrom('00:00', '20:15', '23:59')),
    weekdays: fc.integer({ min: 0, max: 127 }),
    after: or(time),
    before: or(time),
    minimumDuration: fc.integer({ min: 0, max: 1440 }),
    maximumDuration: fc.integer({ min: 0, max: 1440 }),
    marginBefore: or(fc.integer({ min: 0, max: 120 })),
    marginAfter: or(fc.integer({ min: 0, max: 120 })),
    tags: fc.array(fc.stringMatching(/^\S{1,9}$/u), { maxLength: 3 }),
    dirname: or(text),
    justplay: fc.boolean(),
    afterevent: fc.constantFrom(...afterEvents),
    avoidDuplicates: fc.constantFrom(...duplicateScopes),
    compare: fc.constantFrom(...comparedTexts),
    zapbeforerecord: fc.boolean(),
    vps: fc.boolean(),
    vpsOverwrite: fc.boolean(),
    counter: fc.integer({ min: 0, max: 1000 }),
    counterPeriod: fc.constantFrom(...counterPeriods),
  })
  .map((given) => buildRuleSpec(given));
const showing: fc.Arbitrary<Showing> = fc.record({
  rule: word16,
  service: fc.record({ originalNetworkId: word16, transportStreamId: word16, serviceId: word16 }),
  event: word16,
  start: time,
  end: time,
  crid: fc.string({ maxLength: 20 }),
  digest: fc.string({ maxLength: 16 }),
});
const content = fc.record({
  settings: fc.record({ addAutoTimerToTags: fc.boolean(), addNameToTags: fc.boolean() }),
  rules: fc
    .uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 999 }), spec: rule }), {
      selector: ({ id }) => id,
      maxLength: 5,
    })
    .map((all) => all.map(({ id, spec }): Rule => ({ id, ...spec }))),
  nextId: fc.integer({ min: 1000, max: 2000 }),
  showings: fc.array(showing, { maxLength: 5 }),
  invalidEntries: fc.array(fc.constantFrom(7, 'x', null, { match: '' }), { maxLength: 2 }),
});

describe('the rules file', () => {
  it('is read as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(content, async (written) => {
        const { problems, ...read } = await parseRules([...formatRules(written)].join(''));
        expect(read).toEqual(written);
        expect(problems).toHaveLength(written.invalidEntries.length);
      }),
    );
  });

  it('survives arbitrary content', async () => {
    const json = fc.json({ maxDepth: 4 });
    const entry = fc.dictionary(fc.constantFrom('id', 'match', 'from', 'tags', 'weekdays', 'name'), fc.jsonValue());
    const near = fc.record({
      rules: fc.array(entry),
      showings: fc.jsonValue(),
      settings: fc.jsonValue(),
      nextId: fc.jsonValue(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          json,
          fc.string(),
          near.map((one) => JSON.stringify(one)),
        ),
        async (anything) => {
          try {
            const { rules, invalidEntries, problems } = await parseRules(anything);
            expect(invalidEntries).toHaveLength(problems.length);
            expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
          }
        },
      ),
    );
  });

  it('counts as empty if it is missing; invalid entries are reported by number and kept', async () => {
    const path = join(temporaryFolder(), 'autotimers.json');
    const file = new RulesFile(path);
    expect(await file.read()).toEqual({ ...noRules, problems: [] });
    await writeFile(
      path,
      JSON.stringify({
        rules: [
          { id: 1, match: 'News' },
          { match: 'x', weekdays: 300 },
          { id: 1, match: 'Film' },
          { match: 'x', exclude: [{ where: 'title', text: 'x(' }] },
        ],
      }),
    );
    const { problems, ...read } = await file.read();
    expect(problems).toEqual([
      `${path}: entry 2 of the rules: The parameter 'weekdays' is 300; it must be a whole number from 0 to 127; it is kept but ignored`,
      `${path}: entry 4 of the rules: The parameter 'exclude' contains 'x(': unclosed (; it is kept but ignored`,
    ]);
    expect(read.rules.map(({ id, name }) => [id, name])).toEqual([
      [1, 'News'],
      [2, 'Film'],
    ]);
    await file.write(read);
    expect(await readFile(path, 'utf8')).toContain('{"match":"x","weekdays":300}');
  });

  it('is renamed if it is not a rule list', async () => {
    const path = join(temporaryFolder(), 'autotimers.json');
    await writeFile(path, '{"rules": [');
    const { rules, problems } = await new RulesFile(path).read();
    expect([rules, problems.length]).toEqual([[], 1]);
    expect(await readFile(`${path}_old`, 'utf8')).toBe('{"rules": [');
  });

  it('is renamed without being read if it is too large', async () => {
    const path = join(temporaryFolder(), 'autotimers.json');
    await writeFile(path, '');
    // Sparse: larger than the maximum, but takes no disk space.
    await truncate(path, 3 * 2 ** 30);
    const { rules, problems } = await new RulesFile(path).read();
    expect([rules, problems]).toEqual([[], [expect.stringContaining('is larger than')]]);
    expect((await stat(`${path}_old`)).size).toBe(3 * 2 ** 30);
  });

  it('is renamed if it is not a regular file', async () => {
    const path = join(temporaryFolder(), 'autotimers.json');
    execFileSync('mkfifo', [path]);
    const { rules, problems } = await new RulesFile(path).read();
    expect([rules, problems]).toEqual([[], [`${path}: is not a regular file; kept as ${path}_old`]]);
    expect((await stat(`${path}_old`)).isFIFO()).toBe(true);
  });

  it('reports that it cannot be read or written, and is not overwritten', async () => {
    const file = join(temporaryFolder(), 'file');
    await writeFile(file, '');
    const path = join(file, 'autotimers.json');
    await expect(new RulesFile(path).read()).rejects.toMatchObject({ code: 'file-unreadable' });
    await expect(new RulesFile(path).write(noRules)).rejects.toMatchObject({ code: 'file-unwritable' });
  });
});
