/** Timers: the list, its changes, and recording the current service immediately. */
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../../base/errors.ts';
import type { TimerSpec } from '../../../timers/timer.ts';
import { TimerConflict } from '../../../timers/timer-list.ts';
import { specOfEventId, specOfInstantRecording, specOfTime } from '../../../timers/timer-specs.ts';
import { group } from '../../endpoint/endpoint.ts';
import { done, failure, operation, SimpleResult } from '../../endpoint/operation.ts';
import {
  boolean,
  choice,
  endTimes,
  eventIds,
  integer,
  type ParameterValues,
  serviceReference,
  text,
  unixTimes,
} from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { field, recordSchema } from '../../write/record.ts';
import { each, element } from '../../write/xml.ts';
import {
  addTimer,
  changesOf,
  deleteTimer,
  findTimer,
  optionParameters,
  resultOrConflict,
  serviceFor,
  TimerResult,
  timeOptionsOf,
  timeParameters,
  timerOptionsOf,
} from './timer-changes.ts';
import { TimerRecord, timerRecords, timerView } from './timer-records.ts';

const TimerListRecord = recordSchema({
  result: true,
  timers: Type.Array(TimerRecord),
  locations: ['/media/hdd/movie/'],
  default: '/media/hdd/movie/',
});

const timerlist = operation({
  name: 'timerlist',
  summary: 'All timers: waiting, running and ended.',
  result: TimerListRecord,
  xml: element<Type.Static<typeof TimerListRecord>>(
    'e2timerlist',
    each(({ timers }) => timers, timerView),
  ),
  async run(parts) {
    const { locations } = parts;
    const timers = await timerRecords(parts, parts.timers.all);
    return { result: true, timers, locations: [...locations.all], default: locations.default };
  },
});

const timerParameters = {
  sRef: serviceReference('service, or a group of alternatives').required(),
  begin: integer('Unix time; the client adds the margins', { ...unixTimes, wrong: 'fails' }).required(),
  end: integer('Unix time; if before `begin`, `begin`', { ...endTimes, wrong: 'fails' }).required(),
  name: text('title', { example: 'Ships' }).required(),
  ...timeParameters,
};

/** @throws ReceiverError */
function timerSpecFor(parts: ReceiverParts, given: ParameterValues<typeof timerParameters>): Promise<TimerSpec> {
  const { sRef, begin, end, name } = given;
  const reference = serviceFor(parts, sRef, name, given);
  return specOfTime(parts, { reference, begin, end: Math.max(begin, end), name }, timeOptionsOf(given));
}

const duplicateNote =
  'If the service has a timer for the same time, or for the same event with wider margins, the result is True and nothing is added.';

const timeradd = operation({
  name: 'timeradd',
  summary: 'Adds a timer.',
  description: `A timer that would get no tuner alongside the others is rejected, with \`conflicts\`. ${duplicateNote}`,
  parameters: timerParameters,
  result: TimerResult,
  exampleMessage: "Timer 'Ships & Harbours' added",
  run: async (parts, given) => addTimer(parts, await timerSpecFor(parts, given)),
});

const timeraddbyeventid = operation({
  name: 'timeraddbyeventid',
  summary: 'Adds a timer for an event in the guide, with the configured margins.',
  description: `With \`justplay\` it begins with the event. If the broadcaster moves the event, the timer follows. ${duplicateNote}`,
  parameters: {
    sRef: serviceReference('service of the event').required(),
    eventid: integer('id of the event', { ...eventIds, wrong: 'fails' }).required(),
    ...optionParameters,
  },
  result: TimerResult,
  exampleMessage: "Timer 'Ships & Harbours' added",
  async run(parts, given) {
    const { sRef, eventid } = given;
    const reference = serviceFor(parts, sRef, String(eventid), given);
    try {
      return await addTimer(parts, await specOfEventId(parts, reference, eventid, timerOptionsOf(given)));
    } catch (error) {
      if (!(error instanceof ReceiverError) || error.code !== 'event-not-found') throw error;
      return failure(error, 'EventId not found');
    }
  },
});

const timerchange = operation({
  name: 'timerchange',
  summary: 'Changes a timer, or adds one.',
  description:
    'The three `…Old` parameters identify the timer to change. Without them, or with `deleteOldOnSave=0`, a timer is added. A changed timer keeps ' +
    'its id and log. For a running timer, only a new end takes effect immediately.',
  parameters: {
    ...timerParameters,
    channelOld: serviceReference('service of the timer to change'),
    beginOld: integer('the begin of the timer, as listed', { ...unixTimes, wrong: 'fails' }),
    endOld: integer('its end, as listed', { ...endTimes, wrong: 'fails' }),
    deleteOldOnSave: integer('0 = add a timer', { minimum: 0, maximum: 1, wrong: 'nearest', example: 0 }),
  },
  result: TimerResult,
  exampleMessage: "Timer 'Ships & Harbours' changed",
  async run(parts, given) {
    const { channelOld, beginOld: begin, endOld: end, deleteOldOnSave, name } = given;
    const hasOld = channelOld !== undefined || begin !== undefined || end !== undefined;
    if (deleteOldOnSave === 0 || !hasOld) return addTimer(parts, await timerSpecFor(parts, given));
    if (!channelOld) throw fail('parameter-missing', 'channelOld');
    if (begin === undefined) throw fail('parameter-missing', 'beginOld');
    if (end === undefined) throw fail('parameter-missing', 'endOld');
    const old = findTimer(parts, channelOld, { begin, end });
    const unknown = new ReceiverError('not-found', `Could not find timer '${name}' with given start and end time!`);
    if (!old) throw unknown;
    const spec = await timerSpecFor(parts, given);
    return resultOrConflict(
      parts,
      async () => {
        const changed = await parts.timers.change(old.id, changesOf(old, spec, given));
        if (!changed) throw unknown;
        return done(`Timer '${name}' changed`);
      },
      `Timer '${name}' not saved while Conflict`,
    );
  },
});

const listed = {
  sRef: serviceReference('service of the timer').required(),
  begin: integer('the begin of the timer, as listed', { ...unixTimes, wrong: 'fails' }).required(),
  end: integer('its end, as listed', { ...endTimes, wrong: 'fails' }).required(),
};

const timerdelete = operation({
  name: 'timerdelete',
  summary: 'Deletes a timer. Its recording stops; the file stays.',
  parameters: {
    ...listed,
    eit: integer('its event id: finds the timer if the times do not', { ...eventIds, wrong: 0 }),
  },
  exampleMessage: "The timer 'Ships & Harbours' has been deleted successfully",
  run: (parts, { sRef, ...times }) => deleteTimer(parts, sRef, times),
});

const ToggleResult = recordSchema({ ...TimerResult.properties, disabled: Type.Optional(field(true)) });

const timertogglestatus = operation({
  name: 'timertogglestatus',
  summary: 'Enables or disables a timer.',
  description:
    'A running timer cannot be changed. A timer cannot be enabled if it conflicts with others or if another timer does the same.',
  parameters: listed,
  result: ToggleResult,
  exampleMessage: "The timer 'Ships & Harbours' has been disabled successfully",
  async run(parts, { sRef, begin, end }) {
    const timer = findTimer(parts, sRef, { begin, end });
    if (!timer) throw new ReceiverError('not-found', 'No matching Timer found');
    let disabled = timer.disabled;
    const result = await resultOrConflict(
      parts,
      async () => {
        disabled = (await parts.timers.toggle(timer.id))?.disabled ?? disabled;
        return done(`The timer '${timer.name}' has been ${disabled ? 'disabled' : 'enabled'} successfully`);
      },
      `Timer '${timer.name}' not enabled while Conflict`,
    );
    return result.result ? { ...result, disabled } : result;
  },
});

const timercleanup = operation({
  name: 'timercleanup',
  summary: 'Deletes ended timers; disabled ones stay.',
  exampleMessage: 'List of Timers has been cleaned',
  async run({ timers }) {
    await timers.cleanup();
    return done('List of Timers has been cleaned');
  },
});

const timerlistwrite = operation({
  name: 'timerlistwrite',
  summary: 'Writes the timer list to the disk.',
  description: 'Every change writes it already.',
  exampleMessage: 'TimerList has been saved',
  async run({ timers }) {
    await timers.save();
    return done('TimerList has been saved');
  },
});

const InstantResult = recordSchema({
  ...SimpleResult.properties,
  newtimer: Type.Optional(
    recordSchema({
      serviceref: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
      servicename: 'Alpha HD',
      eit: field(4711, 'event id, 0 = none'),
      name: 'Ships & Harbours',
      begin: 1767291000,
      end: 1767293400,
      duration: field(2400, 'seconds'),
    }),
  ),
});

const endlessWords = ['infinite', 'undefinitely'] as const;

const recordnow = operation({
  name: 'recordnow',
  summary: 'Records the current service until the end of its event plus the margin, or for ten hours.',
  description: 'Creates a timer that resumes after a restart but is not in timers.xml.',
  parameters: {
    infinite: boolean('record for ten hours', { form: 'presence' }),
    undefinitely: boolean('like `infinite`', { form: 'presence' }),
    recordnow: choice(
      '`infinite` or `undefinitely`: like `infinite`, as older clients send it',
      ['event', ...endlessWords],
      { wrong: 'first' },
    ),
  },
  result: InstantResult,
  exampleMessage: 'Instant record for current Event started',
  async run(parts, { infinite, undefinitely, recordnow }) {
    const isInfinite = infinite || undefinitely || recordnow !== 'event';
    const { current } = parts.playback;
    if (current === undefined) throw new ReceiverError('not-playing', 'Nothing is playing! Not recording!');
    try {
      const spec = await specOfInstantRecording(parts, current.reference, current.name, { infinite: isInfinite });
      const { timer } = await parts.timers.add(spec);
      const message = isInfinite ? 'Infinite Instant recording started' : 'Instant record for current Event started';
      return { result: true, message, newtimer: newTimer(parts, timer) };
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      return failure(error, reasonOf(error));
    }
  },
});

function newTimer(
  { services }: ReceiverParts,
  { reference, eventId = 0, name, begin, end }: Awaited<ReturnType<ReceiverParts['timers']['add']>>['timer'],
) {
  const servicename = services.nameOf(reference);
  return {
    serviceref: reference.format(),
    servicename,
    eit: eventId,
    name: cleaned(name),
    begin,
    end,
    duration: end - begin,
  };
}

function reasonOf(error: ReceiverError): string {
  if (error instanceof TimerConflict) return 'Timer conflict detected! Not recording!';
  const { code, message } = error;
  if (code === 'not-receivable' || code === 'time-unknown') return `${message}! Not recording!`;
  if (code === 'no-event') return 'No event found! Not recording!';
  if (code === 'unsupported') return 'What is playing is no live service! Not recording!';
  throw error;
}

export const timerOperations = group('timers', [
  timerlist,
  timeradd,
  timeraddbyeventid,
  timerchange,
  timerdelete,
  timertogglestatus,
  timercleanup,
  timerlistwrite,
  recordnow,
]);
