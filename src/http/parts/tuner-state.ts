/** The state of a tuner as the interfaces report it. */
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
    model: modelOf(one),
    type: deliveryType(stream?.delivery),
    signal: signal && {
      locked: signal.locked,
      quality: signal.snrPercent,
      strength: signal.strengthPercent,
      snr: signal.snr,
      bitErrors: signal.bitErrors ?? 0,
    },
    users: one.users.map(({ purpose, service }) => ({
      purpose,
      service: service && services.findByTriplet(service)?.reference,
    })),
  };
}

function modelOf({ tuner, frontEnd }: PoolTuner): string {
  if (frontEnd !== undefined) return frontEnd.information?.name ?? 'DVB';
  return tuner.spec.kind === 'demo' ? 'Demo' : 'File';
}

function deliveryType(
  delivery: { readonly system: string; readonly secondGeneration?: boolean } | null | undefined,
): string {
  switch (delivery?.system) {
    case 'satellite':
      return delivery.secondGeneration ? 'DVB-S2' : 'DVB-S';
    case 'terrestrial':
      return delivery.secondGeneration ? 'DVB-T2' : 'DVB-T';
    case 'cable':
      return 'DVB-C';
    default:
      return 'TS';
  }
}
