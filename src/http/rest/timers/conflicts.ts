/** `/api/conflicts`: the timers for which there are not enough tuners, and the tuners that could receive each. */
import * as Type from 'typebox';
import { frequencyText } from '../../../dvb/transponder.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import type { Services } from '../../../services/services.ts';
import type { Contender } from '../../../timers/timer-list.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { field, recordSchema } from '../../write/record.ts';
import { exampleService } from '../event-record.ts';
import { referenceText } from './timer-record.ts';

const ContenderRecord = recordSchema({
  timer_id: 1,
  ...exampleService,
  title: 'Ships',
  start_time: field(1767290220, 'Unix seconds; for a repeating timer, the occurrence in conflict'),
  end_time: 1767293400,
  transponder: field('11836 MHz H', 'empty if the service list does not have it'),
  tuners: field(['Tuner A'], 'the tuners that can receive it'),
  served: field(true, 'whether it gets a tuner; earlier timers come first'),
});

const Conflicts = recordSchema(
  {
    result: true,
    conflicts: Type.Array(
      recordSchema({
        start_time: field(1767290220, 'begin of the earliest of its timers'),
        end_time: field(1767293400, 'end of the latest of its timers'),
        timers: Type.Array(ContenderRecord),
      }),
    ),
  },
  { $id: 'Conflicts' },
);

const conflicts = route({
  path: '/api/conflicts',
  name: 'conflicts',
  summary: 'The times at which there are not enough tuners, with the timers that compete for them.',
  description:
    'For a repeating timer, only the next occurrence in conflict is listed. If a conflict has only one timer, no tuner can receive its service.',
  responses: { 200: { description: 'the conflicts, by begin', schema: Conflicts } },
  async run(parts) {
    const found = await parts.timers.conflicts();
    return { body: { result: true, conflicts: found.map((contenders) => conflictOf(parts, contenders)) } };
  },
});

export const conflictRoutes = group('timers', [conflicts], 'record');

function conflictOf(parts: ReceiverParts, contenders: readonly Contender[]) {
  return {
    start_time: Math.min(...contenders.map(({ begin }) => begin)),
    end_time: Math.max(...contenders.map(({ end }) => end)),
    timers: contenders.map((contender) => contenderOf(parts, contender)),
  };
}

function contenderOf(
  { services, tuners }: ReceiverParts,
  { timer, begin, end, tuners: able, isServed }: Contender,
): Type.Static<typeof ContenderRecord> {
  const all = tuners.list();
  return {
    timer_id: timer.id,
    service_reference: referenceText(timer.reference),
    service_name: cleaned(services.nameOf(timer.reference)),
    title: cleaned(timer.name),
    start_time: begin,
    end_time: end,
    transponder: transponderOf(services, timer.reference),
    tuners: able.flatMap((number) => all[number]?.name ?? []),
    served: isServed,
  };
}

/** The frequency of the service; for alternatives, that of the first member. Empty if unknown. */
function transponderOf(services: Services, reference: ServiceReference): string {
  const [first] = services.playable(reference).flatMap((one) => services.transponderOf(one) ?? []);
  return first ? frequencyText(first.parameters) : '';
}
