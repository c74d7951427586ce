/** Multiplex states for tests, as a tuner would report them. */
import type { BroadcastService, DeliverySystem, MultiplexInformation } from '../../src/dvb/multiplex.ts';

export const satellite: DeliverySystem = {
  system: 'satellite',
  secondGeneration: true,
  frequency: 11493750,
  orbitalPosition: 192,
  polarisation: 'vertical',
  symbolRate: 22000000,
  innerFec: '2/3',
  modulation: '8psk',
  rollOff: 35,
  inputStream: -1,
  scramblingSequence: 0,
};

export const cable: DeliverySystem = {
  system: 'cable',
  frequency: 346000000,
  symbolRate: 6900000,
  innerFec: 'auto',
  modulation: '256qam',
};

export const terrestrial: DeliverySystem = {
  system: 'terrestrial',
  secondGeneration: false,
  frequency: 506000000,
  bandwidth: 8000000,
  constellation: '64qam',
  codeRateHigh: '2/3',
  codeRateLow: '1/2',
  guardInterval: '1/32',
  transmissionMode: '8k',
  hierarchy: 'none',
  plpId: -1,
};

const namespaces = { satellite: 0xc00000, cable: 0xffff0000, terrestrial: 0xeeee0000 } as const;

/** A television service, described by an SDT if it has a name. */
export function service(serviceId: number, name: string, more: Partial<BroadcastService> = {}): BroadcastService {
  return {
    originalNetworkId: 0x2114,
    transportStreamId: 0x0201,
    serviceId,
    name,
    shortName: '',
    provider: 'Network',
    described: name !== '',
    hasPresentFollowing: true,
    hasSchedule: true,
    defaultAuthority: '',
    type: 1,
    scrambled: false,
    runningStatus: 4,
    pmtPid: 0x100,
    pcrPid: 0x101,
    caSystems: [],
    streams: [],
    channelNumber: null,
    minorNumber: null,
    sourceId: 0,
    simulcastNumber: null,
    visible: true,
    subServices: [],
    ...more,
  };
}

/** A complete multiplex of these services; with null no NIT has arrived. */
export function multiplex(
  services: readonly BroadcastService[],
  delivery: DeliverySystem | null = terrestrial,
): MultiplexInformation {
  const { transportStreamId, originalNetworkId } = services[0] ?? {
    transportStreamId: 0x0201,
    originalNetworkId: 0x2114,
  };
  const namespace = delivery && namespaces[delivery.system];
  return {
    generation: 1,
    transportStreamId,
    originalNetworkId,
    networkId: originalNetworkId,
    networkName: 'Network',
    hasPat: true,
    complete: true,
    exhausted: false,
    services,
    otherServices: [],
    transportStreams: [{ transportStreamId, originalNetworkId, networkId: originalNetworkId, namespace, delivery }],
    guideServices: [],
    bouquets: [],
  };
}
