/** Timeshift of the current service. src/http/rest/streams/timeshift.ts serves the stored segments. */
import type { Static } from 'typebox';
import { ReceiverError } from '../../../base/errors.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation } from '../../endpoint/operation.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { exampleOf, field, recordSchema } from '../../write/record.ts';
import { element, leaves } from '../../write/xml.ts';

const TimeshiftResult = recordSchema({
  state: field(true, 'true on success'),
  timeshiftEnabled: field(true, 'true while timeshift is running'),
});
type TimeshiftResult = Static<typeof TimeshiftResult>;

const common = {
  result: TimeshiftResult,
  xml: element<TimeshiftResult>('e2timeshift', leaves({ e2state: 'state', e2timeshiftenabled: 'timeshiftEnabled' })),
} as const;

const stateAfter = ({ timeshifts }: ReceiverParts, state: boolean): TimeshiftResult => ({
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
  example: exampleOf(TimeshiftResult, { timeshiftEnabled: false }),
  async run(parts) {
    await parts.timeshifts.stop();
    return stateAfter(parts, true);
  },
});

const tsstate = operation({
  ...common,
  name: 'tsstate',
  summary: 'Whether timeshift is running.',
  run: (parts) => stateAfter(parts, true),
});

export const timeshiftOperations = group('streams', [tsstart, tsstop, tsstate]);
