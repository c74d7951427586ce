/** The receiver as MQTT sees it. */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Device } from '../device/open-device.ts';
import type { Settings } from '../device/settings.ts';
import type { Guide } from '../epg/guide.ts';
import type { Events } from '../events.ts';
import type { Playback } from '../playback/playback.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { ServiceEntry } from '../services/service-list.ts';
import type { Services } from '../services/services.ts';
import type { TimerList } from '../timers/timer-list.ts';

export interface MqttParts {
  readonly clock: Clock;
  readonly device: Pick<Device, 'identity' | 'messages' | 'power' | 'remote' | 'volume'>;
  readonly events: Events;
  readonly guide: Guide;
  readonly log: Logger;
  readonly playback: Pick<Playback, 'current' | 'zap'>;
  readonly recorder: { readonly active: readonly object[] };
  readonly services: Services;
  readonly settings: Settings;
  readonly timers: Pick<TimerList, 'all'>;
  readonly tuners: () => readonly TunerInUse[];
}

/** A tuner: what it does, and for how many. */
export interface TunerInUse {
  readonly name: string;
  readonly state: string;
  readonly users: number;
}

/** The channels by name, first television, then radio. Of several with the same name, the first. */
export function channelsOf({ services }: Pick<MqttParts, 'services'>): ReadonlyMap<string, ServiceReference> {
  const named = new Map<string, ServiceReference>();
  for (const kind of ['tv', 'radio'] as const) {
    for (const { reference, name } of services.allEntries(kind).filter(isChannel)) {
      if (!named.has(name)) named.set(name, reference);
    }
  }
  return named;
}

const isChannel = ({ reference }: ServiceEntry) => !reference.isMarker && !reference.canDescend;
