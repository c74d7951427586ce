/**
 * `/health`: whether the receiver responds and works, for containers and reverse proxies that monitor it
 * (docs/monitoring.md). A response with another status than 200 has the reasons.
 */
import * as Type from 'typebox';
import { noTuner } from '../../../config/tuner-spec.ts';
import { WriteCheck } from '../../../device/host.ts';
import { type RouteDraft, route } from '../../endpoint/route.ts';
import type { ReceiverParts, TunerState } from '../../parts/parts.ts';
import { oneOf, recordSchema, sampled } from '../../write/record.ts';

const parts = ['program', 'guide', 'tuners', 'disk'] as const;

interface Reason {
  readonly part: (typeof parts)[number];
  readonly message: string;
}

const writing = new WriteCheck();

/** Why the receiver does not work; empty if it does. The check neither tunes nor writes. */
async function reasonsOf(receiver: ReceiverParts): Promise<readonly Reason[]> {
  const troubles: Readonly<Record<Reason['part'], string>> = {
    // The service lists have been read and the guide is open: the web port is opened after that.
    program: receiver.phase === 'running' ? '' : `the receiver is ${receiver.phase}`,
    guide: receiver.guide.snapshotLost ? `${receiver.guideStore.path} can no longer be read` : '',
    tuners: tunersTrouble(receiver),
    disk: await writing.trouble(receiver.locations.default),
  };
  return parts.flatMap((part) => (troubles[part] === '' ? [] : [{ part, message: troubles[part] }]));
}

function tunersTrouble({ tuners, config }: ReceiverParts): string {
  const all = tuners.list();
  if (all.length === 0) return config.tuners.includes(noTuner) ? '' : 'no tuner was found';
  return all.some((one) => troubleOf(one) === '') ? '' : all.map((one) => `${one.name}: ${troubleOf(one)}`).join('; ');
}

/** Why the tuner does not work; empty if it does. An idle tuner works unless its last use failed. A bad signal is no failure. */
const troubleOf = ({ condition: { state, reason } }: TunerState) => (state === 'idle' ? reason : '');

const Reasons = Type.Array(
  recordSchema({ part: oneOf(parts, { sample: 'tuners' }), message: 'Tuner A: there is no such front end' }),
);
const Ready = recordSchema({ result: true, status: oneOf(['ready']), reasons: sampled(Reasons, []) });
const NotReady = recordSchema({
  result: Type.Unsafe<false>({ type: 'boolean', enum: [false] }),
  status: oneOf(['not ready']),
  reasons: Reasons,
});

const ready = (path: '/health' | '/health/ready', name: string): RouteDraft =>
  route({
    path,
    permission: 'none',
    name,
    summary: 'Whether the receiver works: the program, the guide, the tuners and the disk for recordings.',
    responses: {
      200: { description: 'everything works', schema: Ready },
      503: { description: 'something does not work; with the reasons', schema: NotReady },
    },
    async run(receiver) {
      const reasons = await reasonsOf(receiver);
      if (reasons.length === 0) return { body: { result: true, status: 'ready', reasons } };
      return { status: 503, body: { result: false, status: 'not ready', reasons } };
    },
  });

export const healthRoutes: readonly RouteDraft[] = [
  ready('/health', 'health'),
  ready('/health/ready', 'healthReady'),
  route({
    path: '/health/live',
    permission: 'none',
    name: 'healthLive',
    summary: 'Whether the receiver responds at all.',
    responses: {
      200: { description: 'the receiver responds', schema: recordSchema({ result: true, status: oneOf(['alive']) }) },
    },
    run: () => ({ body: { result: true, status: 'alive' } }),
  }),
];
