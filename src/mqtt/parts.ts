/** The parts of the receiver that MQTT uses, and the channels under their names. */
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { Device } from '../device/open-device.ts';
import type { Guide } from '../epg/guide.ts';
import type { Events } from '../events/events.ts';
import type { Notice } from '../events/notice.ts';
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
  /** The recordings that are running, and their current trouble. */
  readonly recorder: { readonly active: readonly { readonly trouble: string | undefined }[] };
  /** Failed recordings that nobody has dismissed. */
  readonly notifications: { readonly failures: readonly Pick<Notice, 'message'>[] };
  readonly services: Services;
  readonly settings: Settings;
  readonly timers: Pick<TimerList, 'all'>;
  readonly tuners: () => readonly TunerInUse[];
}

/** The state of a tuner and the number of its users. */
export interface TunerInUse {
  readonly name: string;
  readonly state: string;
  readonly users: number;
}

/** Limit of Home Assistant for an option of a select, in characters. */
const maxOptionLength = 255;
/** With more channels, the discovery message is too long for some brokers. */
const maxOptions = 500;

/**
 * The channels by name, television first. A number is appended to the name of further channels of the same name. Names
 * are cut to 255 characters.
 */
export const channelsOf = perGeneration((services: Services): ReadonlyMap<string, ServiceReference> => {
  const named = new Map<string, ServiceReference>();
  const known = new Set<string>();
  for (const kind of ['tv', 'radio'] as const) {
    for (const { reference, name } of services.allEntries(kind).filter(isChannel)) {
      // A channel in several bouquets counts once.
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
    const free = name.slice(0, maxOptionLength - suffix.length) + suffix;
    if (!isTaken(free)) return free;
  }
}

/** The channels that Home Assistant's select offers, by name. */
export const optionsOf = perGeneration(
  (services: Services): ReadonlyMap<string, ServiceReference> =>
    new Map([...channelsOf(services)].slice(0, maxOptions)),
);

const isChannel = ({ reference }: ServiceEntry) => !reference.isMarker && !reference.canDescend;
