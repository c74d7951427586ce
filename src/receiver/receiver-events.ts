/** Publishes the events of the receiver's parts on the bus that clients listen to. */

import type { PoolTuner, TunerPool } from '../dvb/tuner-pool.ts';
import type { ReceiverParts } from '../http/parts/parts.ts';
import type { StreamServer } from '../http/streams/streams.ts';
import type { Playback } from '../playback/playback.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { NetworkScans } from '../scan/scan-jobs.ts';
import type { Timeshifts } from '../timeshift/timeshifts.ts';

export type TellingParts = Pick<
  ReceiverParts,
  'events' | 'services' | 'guide' | 'recordings' | 'timers' | 'autoTimer' | 'device'
> & {
  readonly playback: Playback;
  readonly recorder: Recorder;
  readonly timeshifts: Timeshifts;
  readonly pool: TunerPool;
  readonly scans: NetworkScans;
};

/** Starts publishing. */
export function tellEvents(parts: TellingParts, streams: StreamServer): void {
  const { events, playback, services, guide, recorder, recordings, timeshifts, timers, autoTimer, pool, scans } = parts;
  const { volume, power, sleepTimer, messages } = parts.device;
  playback.onChange(() => {
    const { current, audioTrack } = playback;
    if (current) events.tell('service', { reference: current.reference.format(), name: current.name, audioTrack });
  });
  volume.onChange(() => events.tell('volume', { level: volume.level, muted: volume.muted }));
  power.onChange((standby) => events.tell('standby', { standby }));
  sleepTimer.onChange(() => {
    const { enabled, minutes, action } = sleepTimer;
    events.tell('sleeptimer', { enabled, minutes, action });
  });
  messages.onMessage(({ id, kind, text, timeout = 0, state }) =>
    events.tell('message', { id, kind, text, timeout, state }),
  );
  services.onChange((generation) => events.tell('services', { generation }));
  guide.onChange((generation) => events.tell('guide', { generation }));
  recorder.onChange((recording, change) =>
    events.tell('recording', {
      state: change,
      reference: recording.order.reference.format(),
      name: recording.order.serviceName,
      title: recording.order.title,
      path: recording.path,
      trouble: recording.trouble ?? '',
    }),
  );
  recordings.onChange((generation) => events.tell('recordings', { generation }));
  timeshifts.onChange(({ reference, name, trouble = '' }, state) =>
    events.tell('timeshift', { state, reference: reference.format(), name, trouble }),
  );
  timers.onChange(() => events.tell('timers', { generation: timers.generation }));
  const { rules } = autoTimer;
  rules.onChange(() => events.tell('autotimers', { generation: rules.generation }));
  streams.onChange(() => events.tell('streams', { clients: streams.clients.length }));
  const tellTuner = ({ number, name, condition: { state, reason }, users }: PoolTuner) =>
    events.tell('tuner', { number, name, state, reason: state === 'locked' ? '' : reason, users: users.length });
  scans.onChange(() => {
    const { state, progress } = scans.status;
    const { transponder = '', number = 0, of = 0 } = progress ?? {};
    events.tell('scan', { state, transponder, number, of });
  });
  pool.on('use', tellTuner).on('reception', tellTuner).on('ended', tellTuner);
}
