/** The receiver as MQTT sees it. */
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { Device } from '../device/open-device.ts';
import type { Guide } from '../epg/guide.ts';
import type { Events } from '../events/events.ts';
import type { Playback } from '../playback/playback.ts';
import { perGeneration } from '../services/per-generation.ts';
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

/** Characters of an option in Home Assistant, and channels to choose from: longer messages are too long for some brokers. */
const longestOption = 255;
const mostOptions = 500;

/**
 * The channels by name, first television, then radio. Another one of the same name has a number behind it. Names have at
 * most 255 characters.
 */
export const channelsOf = perGeneration((services: Services): ReadonlyMap<string, ServiceReference> => {
  const named = new Map<string, ServiceReference>();
  const known = new Set<string>();
  for (const kind of ['tv', 'radio'] as const) {
    for (const { reference, name } of services.allEntries(kind).filter(isChannel)) {
      // In several bouquets it is the same one.
      const entry = `${reference.identity} ${name}`;
      if (known.has(entry)) continue;
      known.add(entry);
      named.set(
        freeName(name, (one) => named.has(one)),
        reference,
      );
    }
  }
  return named;
});

function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : ` (${number})`;
    const free = name.slice(0, longestOption - suffix.length) + suffix;
    if (!isTaken(free)) return free;
  }
}

/** The options of Home Assistant's select. */
export const optionsOf = perGeneration(
  (services: Services): ReadonlyMap<string, ServiceReference> =>
    new Map([...channelsOf(services)].slice(0, mostOptions)),
);

const isChannel = ({ reference }: ServiceEntry) => !reference.isMarker && !reference.canDescend;
