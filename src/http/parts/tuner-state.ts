/** The state of a tuner as the interfaces report it. */
import { systemsOf } from '../../dvb/front-end.ts';
import { frequencyText } from '../../dvb/transponder.ts';
import type { PoolTuner } from '../../dvb/tuner-pool.ts';
import type { Services } from '../../services/services.ts';
import type { TunerState } from './parts.ts';

export function tunerState(one: PoolTuner, services: Services): TunerState {
  const { tuner } = one;
  const { transportStreamId, originalNetworkId, transportStreams } = tuner.multiplex();
  const stream = transportStreams.find(
    (other) => other.transportStreamId === transportStreamId && other.originalNetworkId === originalNetworkId,
  );
  const signal = tuner.running ? tuner.signal() : undefined;
  return {
    name: one.name,
    source: one.source,
    model: modelOf(one),
    type: one.frontEnd ? (systemOf(one) ?? '') : deliveryType(stream?.delivery),
    signal: signal && {
      locked: signal.locked,
      quality: signal.snrPercent,
      strength: signal.strengthPercent,
      snr: rounded(signal.snr),
      power: rounded(signal.strength),
      bitErrors: signal.bitErrors ?? 0,
      bitErrorRate: signal.bitErrorRate,
      badBlocks: signal.badBlocks,
    },
    get losses() {
      if (!tuner.running) return undefined;
      const { continuityErrors, overflows, network } = tuner.statistics();
      return { continuityErrors, overflows, network };
    },
    get totals() {
      return tuner.totals();
    },
    condition: one.condition,
    tunedTo: one.tuned ? frequencyText(one.tuned.parameters) : '',
    users: one.users.map(({ purpose, user, service }) => ({
      purpose,
      user,
      service: service && services.findByTriplet(service)?.reference,
    })),
  };
}

/** Rounds to hundredths of a decibel. */
const rounded = (decibels: number | undefined) => decibels && Math.round(decibels * 100) / 100;

function modelOf({ tuner, frontEnd }: PoolTuner): string {
  if (frontEnd !== undefined) return frontEnd.information?.name ?? 'DVB';
  return tuner.spec.kind === 'demo' ? 'Demo' : 'File';
}

/** The delivery system of a front end: that of its current transponder, otherwise the first one it supports. */
function systemOf({ tuned, frontEnd }: PoolTuner): string | undefined {
  const [system] = tuned ? systemsOf(tuned.parameters) : (frontEnd?.information?.systems ?? []);
  return system;
}

function deliveryType(
  delivery:
    | { readonly system: string; readonly secondGeneration?: boolean; readonly isdb?: boolean }
    | null
    | undefined,
): string {
  switch (delivery?.system) {
    case 'satellite':
      return delivery.secondGeneration ? 'DVB-S2' : 'DVB-S';
    case 'terrestrial':
      if (delivery.isdb) return 'ISDB-T';
      return delivery.secondGeneration ? 'DVB-T2' : 'DVB-T';
    case 'cable':
      return 'DVB-C';
    default:
      return 'TS';
  }
}
