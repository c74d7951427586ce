/** The operation of the desktop program TV-Browser: timers by local date and time. */

import { fail, ReceiverError } from '../../../base/errors.ts';
import { localTime } from '../../../base/local-time.ts';
import { timeOfLocal } from '../../../timers/repeat.ts';
import { specOfTime } from '../../../timers/timer-specs.ts';
import { group } from '../../endpoint/endpoint.ts';
import { done, operation } from '../../endpoint/operation.ts';
import { boolean, integer, type ParameterValues, serviceReference, text } from '../../middleware/parameters.ts';
import { decodeAgain } from '../../middleware/query.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import {
  addTimer,
  changesOf,
  deleteTimer,
  findTimer,
  serviceFor,
  TimerResult,
  timeOptionsOf,
} from './timer-changes.ts';

const daySeconds = 86_400;

/** The weekday parameters, including those for several days. */
const weekdays = { mo: 1, tu: 2, we: 4, th: 8, fr: 16, sa: 32, su: 64, ms: 127, mf: 31 } as const;
type Weekday = keyof typeof weekdays;

const weekdayParameters = Object.fromEntries(
  Object.entries(weekdays).map(([name, mask]) => [name, boolean(`adds ${mask} to \`repeated\``, { form: 'bit' })]),
) as { readonly [Name in Weekday]: ReturnType<typeof boolean> };

const clockNumber = (description: string, example: number, maximum: number, minimum = 0) =>
  integer(description, { minimum, maximum, example, wrong: 'fails' }).required();

const parameters = {
  command: text('add, del or change', { example: '116' }).required(),
  sRef: serviceReference('a text, `|` and the service, percent-encoded twice; or the service alone').required(),
  name: text('title; absent = Unknown', { example: 'Ships' }),
  description: text('short text', { example: 'Episode 3' }),
  syear: clockNumber('begin, local time: year', 2026, 2105, 1970),
  smonth: clockNumber('month', 1, 12, 1),
  sday: clockNumber('day', 1, 31, 1),
  shour: clockNumber('hour', 20, 23),
  smin: clockNumber('minute', 0, 59),
  ehour: clockNumber('end: hour; if before the begin, on the next day', 21, 23),
  emin: clockNumber('end: minute', 0, 59),
  repeated: integer('weekdays: 1 Monday to 64 Sunday; 0 = the sum of the parameters below', {
    minimum: 0,
    maximum: 127,
    wrong: 'nearest',
    example: 31,
  }),
  ...weekdayParameters,
  tags: text('separated by spaces', { example: 'News' }),
  disabled: boolean('1 = disabled', { form: 'bit' }),
  justplay: boolean('1 = only show the service', { form: 'bit' }),
  afterevent: integer('0 nothing, 1 standby, 2 deep standby; anything else = auto', {
    minimum: 0,
    maximum: 3,
    wrong: 3,
    example: 3,
  }),
  dirname: text('folder; absent or empty = the folder for timers', { example: '/media/hdd/movie/' }),
};

const tvbrowser = operation({
  name: 'tvbrowser',
  summary: 'Adds, deletes or changes a timer, using clock times.',
  deprecated: 'use timeradd, timerdelete and timerchange',
  parameters,
  result: TimerResult,
  exampleMessage: "Timer 'Ships & Harbours' added",
  async run(parts, given) {
    const { command } = given;
    if (command !== 'add' && command !== 'del' && command !== 'change')
      throw new ReceiverError('parameter-invalid', `Unknown command: '${command}'`);
    const name = given.name || 'Unknown';
    const sRef = referenceText(given.sRef);
    const reference = serviceFor(parts, sRef, name, given);
    const times = timesOf(parts, given);
    if (command === 'del') return deleteTimer(parts, sRef, times);
    const options = { ...timeOptionsOf(given), repeated: maskOf(given) };
    const spec = await specOfTime(parts, { reference, ...times, name }, options);
    if (command === 'add') return addTimer(parts, spec);
    const old = findTimer(parts, sRef, times);
    if (!old) throw new ReceiverError('not-found', `Could not find timer '${name}' with given start and end time!`);
    await parts.timers.change(old.id, changesOf(old, spec, given));
    return done(`Timer '${name}' changed`);
  },
});

/** Extracts the service reference from `NAME|REFERENCE` (percent-encoded up to twice), or from a plain reference. */
function referenceText(sRef: string): string {
  const whole = /^\d+:|\|/.test(sRef) ? sRef : decodeAgain(sRef);
  const text = whole.slice(whole.indexOf('|') + 1);
  return /^\d+%3a/i.test(text) ? decodeAgain(text) : text;
}

function timesOf({ config }: ReceiverParts, given: ParameterValues<typeof parameters>) {
  const { syear, smonth, sday, shour, smin, ehour, emin } = given;
  const zone = localTime(config.timeZone);
  const midnight = Date.UTC(syear, smonth - 1, sday) / 1000;
  if (new Date(midnight * 1000).getUTCDate() !== sday)
    throw fail('parameter-invalid', 'sday', `is ${sday}, but that month has no such day`);
  const begin = midnight + shour * 3600 + smin * 60;
  const end = midnight + ehour * 3600 + emin * 60;
  return { begin: timeOfLocal(zone, begin), end: timeOfLocal(zone, end < begin ? end + daySeconds : end) };
}

function maskOf(given: ParameterValues<typeof parameters>): number {
  if (given.repeated) return given.repeated;
  const sum = Object.entries(weekdays).reduce((all, [name, mask]) => all + (given[name as Weekday] ? mask : 0), 0);
  return Math.min(127, sum);
}

export const tvbrowserOperations = group('timers', [tvbrowser]);
