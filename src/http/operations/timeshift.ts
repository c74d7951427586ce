/** Timeshift of the current service. What is kept is read by the routes of ../rest/timeshift.ts. */
import Type, { type Static } from 'typebox';
import { ReceiverError } from '../../errors.ts';
import { operation } from '../operation.ts';
import type { ReceiverParts } from '../parts.ts';
import { element, leaf } from '../xml.ts';

const TimeshiftResult = Type.Object({
  state: Type.Boolean({ description: 'true if it was done' }),
  timeshiftEnabled: Type.Boolean({ description: 'true while the current service is kept' }),
});
type TimeshiftResult = Static<typeof TimeshiftResult>;

const common = {
  since: '0.1',
  tag: 'streams',
  parameters: {},
  result: TimeshiftResult,
  xml: element<TimeshiftResult>(
    'e2timeshift',
    leaf('e2state', ({ state }) => state),
    leaf('e2timeshiftenabled', ({ timeshiftEnabled }) => timeshiftEnabled),
  ),
} as const;

const stateAfter = ({ timeshifts }: ReceiverParts, state: boolean): TimeshiftResult => ({
  state,
  timeshiftEnabled: timeshifts.active !== undefined,
});

const tsstart = operation({
  ...common,
  name: 'tsstart',
  summary: 'Begins to keep the current service, so that it can be paused and gone back in.',
  description:
    'Until it is ended, another service becomes the current one, or the receiver goes into standby. `/timeshift` tells what is kept, `/timeshift.m3u8` plays it.',
  changesState: true,
  example: { state: true, timeshiftEnabled: true },
  async run(parts) {
    try {
      await parts.timeshifts.start();
      return stateAfter(parts, true);
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      return stateAfter(parts, false);
    }
  },
});

const tsstop = operation({
  ...common,
  name: 'tsstop',
  summary: 'Ends timeshift and drops what was kept.',
  changesState: true,
  example: { state: true, timeshiftEnabled: false },
  async run(parts) {
    await parts.timeshifts.stop();
    return stateAfter(parts, true);
  },
});

const tsstate = operation({
  ...common,
  name: 'tsstate',
  summary: 'Whether the current service is kept.',
  example: { state: true, timeshiftEnabled: true },
  run: (parts) => stateAfter(parts, true),
});

export const timeshiftOperations = [tsstart, tsstop, tsstate];
