/** The tuners: their state, users and signal. */
import * as Type from 'typebox';
import { group } from '../../endpoint/endpoint.ts';
import { operation } from '../../endpoint/operation.ts';
import { integer } from '../../middleware/parameters.ts';
import type { ReceiverParts, Signal, TunerState } from '../../parts/parts.ts';
import { noSignal, tunerInUse } from '../../parts/tuner-in-use.ts';
import { field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { either, element, leaf, leaves, part, rows } from '../../write/xml.ts';
import { selectTrack, successView, trackIndexes } from '../playback/current.ts';
import { YesNo } from '../receiver/status.ts';

const FrontendStatus = recordSchema({
  tunertype: 'DVB-S2',
  tunernumber: field(0, 'index into the tuners of deviceinfo'),
  snr: field(80, 'percent'),
  snr_db: field('12.50', 'dB with two decimals'),
  agc: field(70, 'percent'),
  ber: 0,
  inStandby: YesNo,
});
type FrontendStatus = Type.Static<typeof FrontendStatus>;

/** The signal, or only the result if the operation has selected an audio track. */
const SignalStatus = recordSchema({ ...Type.Partial(FrontendStatus).properties, result: true });
type SignalStatus = Type.Static<typeof SignalStatus>;

/** The fields of a signal that both operations show. */
interface ShownSignal {
  readonly snr?: number;
  readonly snr_db?: string | number | null;
  readonly ber?: number;
  readonly agc?: number;
}

const signalView = element<ShownSignal>(
  'e2frontendstatus',
  leaf('e2snrdb', ({ snr_db }) => (snr_db === null ? '' : `${snr_db} dB`)),
  leaf('e2snr', ({ snr }) => `${snr} %`),
  leaf('e2ber', ({ ber }) => ber),
  // Spelled as in Enigma2.
  leaf('e2acg', ({ agc }) => `${agc} %`),
);

const signal = operation({
  name: 'tunersignal',
  aliases: ['signal'],
  summary: 'The signal of the tuner used by the current service or, without one, by the newest stream.',
  description: 'With `id` it selects an audio track and responds like selectaudiotrack.',
  parameters: {
    id: integer('select this audio track', { ...trackIndexes, wrong: -1, example: 4711 }).outdated(
      'use selectaudiotrack',
    ),
  },
  changesState: ['id'],
  result: SignalStatus,
  xml: either<SignalStatus>(({ tunernumber }) => tunernumber === undefined, successView, signalView),
  run(parts, { id }) {
    return id === undefined ? { ...frontendStatus(parts), result: true } : { result: selectTrack(parts, id) };
  },
});

function frontendStatus(parts: ReceiverParts): FrontendStatus {
  const { number, tuner } = tunerInUse(parts);
  const { quality, strength, snr, bitErrors } = tuner?.signal ?? noSignal;
  return {
    tunertype: tuner?.type ?? '',
    tunernumber: number,
    snr: Math.round(quality),
    snr_db: (snr ?? quality).toFixed(2),
    agc: Math.round(strength),
    ber: Math.round(bitErrors),
    inStandby: parts.device.power.standby ? 'true' : 'false',
  };
}

const measured = (about: string, sample: number) =>
  sampled(nullable(Type.Number({ description: `${about}; null if the hardware does not report it` })), sample);

const TunerSignal = recordSchema({
  locked: true,
  snr: field(80, 'quality in percent'),
  snr_db: measured('signal-to-noise ratio in dB', 12.5),
  agc: field(70, 'strength in percent'),
  strength_dbm: measured('strength in dBm', -45.2),
  ber: field(0, 'bit errors as the hardware counts them'),
  bit_error_rate: measured('bit errors per bit', 0),
  uncorrected: measured('uncorrected blocks since the tuner was last tuned', 0),
});

const Losses = recordSchema({
  continuity_errors: field(0, 'gaps in the streams, each of at least one packet'),
  overflows: field(0, 'how often data was lost because it was not read in time'),
  network_lost: field(0, 'datagrams that did not arrive from a network tuner'),
  network_reordered: field(0, 'datagrams that arrived in the wrong order and were reordered'),
});

export const TunerUse = recordSchema({
  purpose: field('live', 'recording, timer, live, timeshift, stream, scan or guide'),
  user: field('192.0.2.20', 'address of a client or name of a timer'),
  servicereference: field('1:0:19:2B66:3F3:1:C00000:0:0:0:', 'empty for the whole multiplex'),
  servicename: 'Alpha HD',
});

const states = ['idle', 'tuning', 'locked', 'lost', 'retuning'] as const;

const OneTuner = recordSchema({
  number: field(0, 'index into the tuners of deviceinfo'),
  name: 'Tuner A',
  source: field('dvb:0', 'as in the configuration'),
  model: 'Demo',
  type: field('DVB-S2', 'delivery system; TS if the stream does not say'),
  state: sampled(oneOf(states, 'idle: not in use; lost: no signal; retuning: tuning again after a loss'), 'locked'),
  reason: field('', 'why it does not receive, or why the last attempt failed'),
  age: sampled(nullable(Type.Number({ description: 'seconds in this state; null while it is idle' })), 12.5),
  transponder: field('11836 MHz H', 'empty if it is not tuned, or can receive only one multiplex'),
  signal: nullable(TunerSignal),
  losses: nullable(Losses),
  users: Type.Array(TunerUse, { description: 'highest priority first' }),
});
type OneTuner = Type.Static<typeof OneTuner>;
type Lost = NonNullable<TunerState['losses']>;

const TunerList = recordSchema({ tuners: Type.Array(OneTuner), result: true });

const tunerstatus = operation({
  name: 'tunerstatus',
  summary: 'Every tuner: its state, what it is tuned to, its users and its signal.',
  description:
    '/api/events pushes each change of state or users as `tuner`. With its parameter `signal` it also pushes the signal of one tuner.',
  result: TunerList,
  xml: element<Type.Static<typeof TunerList>>(
    'e2tunerstatus',
    rows<Type.Static<typeof TunerList>, OneTuner>(
      ({ tuners }) => tuners,
      'e2tuner',
      {
        e2tunernumber: 'number',
        e2tunername: 'name',
        e2tunersource: 'source',
        e2tunermodel: 'model',
        e2tunertype: 'type',
        e2tunerstate: 'state',
        e2tunerreason: 'reason',
        e2transponder: 'transponder',
      },
      part(
        ({ losses }) => losses ?? undefined,
        element(
          'e2losses',
          leaves<Type.Static<typeof Losses>>({
            e2continuityerrors: 'continuity_errors',
            e2overflows: 'overflows',
            e2networklost: 'network_lost',
            e2networkreordered: 'network_reordered',
          }),
        ),
      ),
      part(({ signal }) => signal ?? undefined, signalView),
      rows(({ users }) => users, 'e2user', {
        e2purpose: 'purpose',
        e2username: 'user',
        e2servicereference: 'servicereference',
        e2servicename: 'servicename',
      }),
    ),
  ),
  run: (parts) => ({ tuners: parts.tuners.list().map((tuner, number) => shown(parts, tuner, number)), result: true }),
});

function shown({ services }: ReceiverParts, tuner: TunerState, number: number): OneTuner {
  const { name, source, model, type, condition, tunedTo, signal, losses, users } = tuner;
  const { state, reason, ageSeconds: age = null } = condition;
  return {
    number,
    name,
    source,
    model,
    type,
    state,
    reason,
    age,
    transponder: tunedTo,
    signal: signal === undefined ? null : shownSignal(signal),
    losses: losses === undefined ? null : shownLosses(losses),
    users: users.map(({ purpose, user, service }) => ({
      purpose,
      user,
      servicereference: service?.format() ?? '',
      servicename: service === undefined ? '' : services.nameOf(service),
    })),
  };
}

function shownLosses({ continuityErrors, overflows, network }: Lost): Type.Static<typeof Losses> {
  const { lost, reordered } = network;
  return { continuity_errors: continuityErrors, overflows, network_lost: lost, network_reordered: reordered };
}

function shownSignal(signal: Signal): Type.Static<typeof TunerSignal> {
  const { locked, quality, strength, bitErrors, snr = null, power = null, badBlocks = null } = signal;
  return {
    locked,
    snr: Math.round(quality),
    snr_db: snr,
    agc: Math.round(strength),
    strength_dbm: power,
    ber: Math.round(bitErrors),
    bit_error_rate: signal.bitErrorRate ?? null,
    uncorrected: badBlocks,
  };
}

export const tunerOperations = group('device', [signal, tunerstatus]);
