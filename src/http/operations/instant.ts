/** Recording the current service immediately. */
import Type from 'typebox';
import { ReceiverError } from '../../errors.ts';
import { instantOrder } from '../../timers/orders.ts';
import { TimerConflict } from '../../timers/timer-list.ts';
import { action, area, SimpleResult } from '../faces/operation.ts';
import { choice, presence } from '../gate/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { field, record } from '../write/record.ts';

const InstantResult = record({
  ...SimpleResult.properties,
  newtimer: Type.Optional(
    record({
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

const recordnow = action({
  name: 'recordnow',
  summary: 'Records the current service until the end of its event plus the margin, or for ten hours.',
  description: 'Creates a timer that continues after a restart but is not in timers.xml.',
  parameters: {
    infinite: presence('record for ten hours'),
    undefinitely: presence('the same'),
    recordnow: choice('`infinite` or `undefinitely`: the same, as older clients send it', ['event', ...endlessWords]),
  },
  result: InstantResult,
  says: 'Instant record for current Event started',
  async run(parts, { infinite, undefinitely, recordnow }) {
    const endless = infinite || undefinitely || recordnow !== 'event';
    const { current } = parts.playback;
    if (current === undefined) return { result: false, message: 'Nothing is playing! Not recording!' };
    try {
      const order = await instantOrder(parts, current.reference, current.name, { infinite: endless });
      const { timer } = await parts.timers.add(order);
      const message = endless ? 'Infinite Instant recording started' : 'Instant record for current Event started';
      return { result: true, message, newtimer: newTimer(parts, timer) };
    } catch (error) {
      return { result: false, message: reasonOf(error) };
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

function reasonOf(error: unknown): string {
  if (error instanceof TimerConflict) return 'Timer conflict detected! Not recording!';
  if (error instanceof ReceiverError && error.code === 'not-receivable') return `${error.message}! Not recording!`;
  if (error instanceof ReceiverError && error.code === 'no-event') return 'No event found! Not recording!';
  if (error instanceof ReceiverError && error.code === 'unsupported')
    return 'What is playing is no live service! Not recording!';
  throw error;
}

export const instantOperations = area('timers', [recordnow]);
