/** Timeshift of the current service. The routes in ../rest/timeshift.ts serve the stored segments. */
import Type, { type Static } from 'typebox';
import { ReceiverError } from '../../errors.ts';
import { operation } from '../faces/operation.ts';
import type { Parts } from '../parts/parts.ts';
import { element, leaf } from '../write/xml.ts';

const TimeshiftResult = Type.Object({
  state: Type.Boolean({ description: 'true on success' }),
  timeshiftEnabled: Type.Boolean({ description: 'true while timeshift is running' }),
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

const stateAfter = ({ timeshifts }: Parts<'timeshifts'>, state: boolean): TimeshiftResult => ({
  state,
  timeshiftEnabled: timeshifts.active !== undefined,
});

const tsstart = operation({
  ...common,
  name: 'tsstart',
  summary: 'Starts timeshift: keeps the current service on the disk, so that it can be paused and rewound.',
  description:
    'It runs until it is stopped, the current service changes, or the receiver goes into standby. `/timeshift` shows the stored period, `/timeshift.m3u8` plays it.',
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
  summary: 'Stops timeshift and discards its data.',
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
  summary: 'Whether timeshift is running.',
  example: { state: true, timeshiftEnabled: true },
  run: (parts) => stateAfter(parts, true),
});

export const timeshiftOperations = [tsstart, tsstop, tsstate];
