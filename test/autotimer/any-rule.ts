/** Generates arbitrary rules that the plug-in's parameters can express. */
import fc from 'fast-check';
import { filterFields } from '../../src/autotimer/filter.ts';
import {
  comparedTexts,
  counterPeriods,
  duplicateScopes,
  type RuleSpec,
  searchTypes,
} from '../../src/autotimer/rule.ts';
import { afterEvents } from '../../src/timers/timer.ts';

/** Only characters that XML can hold. */
const word = fc.stringMatching(/^[^\s\p{C}\ufffe\uffff]{1,20}$/u);
const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const or = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const minutes = or(fc.integer({ min: 0, max: 120 }));
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((both) => both.map((one) => `${one}`.padStart(2, '0')).join(':'));
const span = fc.option(fc.record({ from: clock, to: clock }), { nil: { from: null, to: null } });
/** From a day after the first second: the file stores `before` a day earlier, and not as 0. */
const date = or(fc.integer({ min: 86_401, max: 0xffff_ffff }));
/** A regular expression that matches exactly this text. */
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const filters = fc.array(
  fc.record({
    where: fc.constantFrom(...filterFields),
    text: fc.oneof(word.map(escaped), fc.constantFrom('^a .*[<&]', ' HD', '(?i)"x\'')),
  }),
  { maxLength: 4 },
);

export const anyRule: fc.Arbitrary<RuleSpec> = fc
  .tuple(
    fc.record({
      name: line,
      match: line,
      enabled: fc.boolean(),
      searchType: fc.constantFrom(...searchTypes),
      caseSensitive: fc.boolean(),
      include: filters,
      exclude: filters,
      services: fc.subarray(['1:0:1:1:1:1:C00000:0:0:0:', '1:0:1:2B67:3F3:1:C00000:0:0:0::A, 1 & <B>']),
      bouquets: fc.subarray(['1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet']),
      weekdays: fc.integer({ min: 0, max: 126 }),
      after: date,
      before: date,
      minimumDuration: fc.integer({ min: 0, max: 1440 }),
      maximumDuration: fc.integer({ min: 0, max: 1440 }),
      marginBefore: minutes,
      marginAfter: minutes,
      tags: fc.uniqueArray(word, { maxLength: 3 }),
      dirname: or(line.map((text) => `/media/${text}/`)),
      justplay: fc.boolean(),
      afterevent: fc.constantFrom(...afterEvents),
      avoidDuplicates: fc.constantFrom(...duplicateScopes),
      compare: fc.constantFrom(...comparedTexts),
      zapbeforerecord: fc.boolean(),
      vps: fc.boolean(),
      vpsOverwrite: fc.boolean(),
      counter: fc.integer({ min: 0, max: 1000 }),
      counterPeriod: fc.constantFrom(...counterPeriods),
    }),
    span,
  )
  .map(([rest, hours]) => ({ ...rest, ...hours }));
