/** Publishes the events of the receiver's parts on the event bus, to which the interfaces subscribe. */

import type { PoolTuner, TunerPool } from '../dvb/tuner-pool.ts';
import type { Enigma2Boxes } from '../enigma2/boxes.ts';
import type { ReceiverParts } from '../http/parts/parts.ts';
import type { StreamServer } from '../http/streams/stream-server.ts';
import type { Playback } from '../playback/playback.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { NetworkScans } from '../scan/network-scans.ts';
import type { Timeshifts } from '../timeshift/timeshifts.ts';

export type EventSources = Pick<
  ReceiverParts,
  'events' | 'services' | 'guide' | 'recordings' | 'timers' | 'autoTimer' | 'device'
> & {
  readonly playback: Playback;
  readonly recorder: Recorder;
  readonly timeshifts: Timeshifts;
  readonly pool: TunerPool;
  readonly boxes: Pick<Enigma2Boxes, 'onChange'>;
  readonly scans: NetworkScans;
};

/** Subscribes to all parts and publishes their events from now on. */
export function publishEvents(parts: EventSources, streams: StreamServer): void {
  const { events, playback, services, guide, recorder, recordings, timeshifts, timers, autoTimer, pool, scans } = parts;
  const { volume, power, sleepTimer, messages } = parts.device;
  playback.onChange(() => {
    const { current, audioTrack } = playback;
    if (current) events.publish('service', { reference: current.reference.format(), name: current.name, audioTrack });
  });
  volume.onChange(() => events.publish('volume', { level: volume.level, muted: volume.muted }));
  power.onChange((standby) => events.publish('standby', { standby }));
  sleepTimer.onChange(() => {
    const { enabled, minutes, action } = sleepTimer;
    events.publish('sleeptimer', { enabled, minutes, action });
  });
  messages.onMessage(({ id, kind, text, timeout = 0, state }) =>
    events.publish('message', { id, kind, text, timeout, state }),
  );
  services.onChange((generation) => events.publish('services', { generation }));
  guide.onChange((generation) => events.publish('guide', { generation }));
  recorder.onChange((recording, change) =>
    events.publish('recording', {
      state: change,
      reference: recording.spec.reference.format(),
      name: recording.spec.serviceName,
      title: recording.spec.title,
      path: recording.path,
      trouble: recording.trouble ?? '',
    }),
  );
  recordings.onChange((generation) => events.publish('recordings', { generation }));
  timeshifts.onChange(({ reference, name, trouble = '' }, state) =>
    events.publish('timeshift', { state, reference: reference.format(), name, trouble }),
  );
  timers.onChange(() => events.publish('timers', { generation: timers.generation }));
  const { rules } = autoTimer;
  rules.onChange(() => events.publish('autotimers', { generation: rules.generation }));
  streams.onChange(() => events.publish('streams', { clients: streams.clients.length }));
  const publishTuner = ({ number, name, condition: { state, reason }, users }: PoolTuner) =>
    events.publish('tuner', { number, name, state, reason: state === 'locked' ? '' : reason, users: users.length });
  scans.onChange(() => {
    const { state, progress } = scans.status;
    const { transponder = '', number = 0, of = 0 } = progress ?? {};
    events.publish('scan', { state, transponder, number, of });
  });
  let boxChanges = 0;
  parts.boxes.onChange(() => events.publish('boxes', { generation: ++boxChanges }));
  pool.onUse(publishTuner);
  pool.onReception(publishTuner);
  pool.onEnded(publishTuner);
}
