/** Builds the timer list, the scheduler that executes it, and the wake alarm. */
import type { Logger } from 'pino';
import type { Configuration } from '../config/config.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { Power } from '../device/power.ts';
import { wakeAlarmOf } from '../device/wake-alarm.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { Guide } from '../epg/guide.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { RecordingFolders } from '../recordings/library/folders.ts';
import type { Recorder } from '../recordings/recorder.ts';
import { guideKey } from '../services/guide/guide-key.ts';
import type { Services } from '../services/services.ts';
import { timerReception } from './reception.ts';
import { TimerScheduler, type TimerSchedulerParts } from './scheduler.ts';
import type { StoredTimers } from './stored-timers.ts';
import type { Timer } from './timer.ts';
import { TimerList } from './timer-list.ts';
import { recordingFolder } from './timer-specs.ts';
import { WakeUp, type WakeUpParts } from './wake-up.ts';

export type TimerSystemParts = Pick<TimerSchedulerParts, 'clock' | 'zone' | 'zap'> &
  Pick<WakeUpParts, 'state' | 'uptime' | 'otherUse'> & {
    readonly services: Services;
    readonly pool: TunerPool;
    readonly network: NetworkStreams;
    readonly guide: Guide;
    readonly recorder: Recorder;
    readonly folders: RecordingFolders;
    readonly settings: Settings;
    readonly power: Power;
    readonly log: Logger;
  };

/** `timers`: as read from `file`. */
export function openTimers(
  configuration: Configuration,
  { file, timers }: { readonly file: StoredTimers; readonly timers: readonly Timer[] },
  parts: TimerSystemParts,
) {
  const { services, pool, network, guide, recorder, folders, settings, power, state, clock, zone, log, uptime } = parts;
  const reception = timerReception({ services, pool, network });
  const list = new TimerList(
    {
      file,
      clock,
      zone,
      reception: reception.of,
      clash: reception.clash,
      describe: reception.describe,
      log,
    },
    timers,
  );
  const scheduler = new TimerScheduler({
    list,
    clock,
    zone,
    guide,
    guideKey: (reference) => guideKey(services, reference),
    referenceOf: (service) => services.findByTriplet(service)?.reference,
    nameOf: (reference) => services.nameOf(reference),
    recorder,
    tune: reception.tune,
    zap: parts.zap,
    power,
    folder: (requested, note) => {
      const onRefused = ({ message }: Error, folder: string) => note(`${message}; recording into ${folder}`);
      return recordingFolder(folders, settings, { requested, onRefused });
    },
    keepDays: () => settings.number('config.recording.keep_timers'),
    timeKnown: () => wakeUp.resumeShutdownPlan(power),
    log,
  });
  const { wakeAlarm, wakeLead: leadSeconds } = configuration.power;
  const alarm = wakeAlarmOf(wakeAlarm);
  const wakeUp = new WakeUp({
    timers: list,
    clock,
    zone,
    state,
    alarm,
    leadSeconds,
    uptime,
    otherUse: parts.otherUse,
    log,
  });
  return { list, scheduler, wakeUp };
}
