/** Builds the parts of the device: power, volume, remote control, messages, and facts about the machine. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../config/config.ts';
import { Disks, interfaces, memory, uptime } from './host.ts';
import { deviceIdentity } from './identity.ts';
import { Keys } from './keys.ts';
import { Messages } from './messages.ts';
import { Power } from './power.ts';
import { RemoteControl, type RemoteParts, uinputPath } from './remote.ts';
import { runCommand } from './run-command.ts';
import { SleepTimer } from './sleep-timer.ts';
import { DeviceState } from './state.ts';
import { Volume } from './volume.ts';

/** Opens the state that survives a restart: volume, standby, current service and so on. */
export function openState({ dataDir }: Configuration, log: Logger): DeviceState {
  return new DeviceState(join(dataDir, 'state.json'), {
    onError: (error) => log.error(`the state of the receiver (volume, standby) cannot be saved: ${error.message}`),
    onDamage: (reason) =>
      log.warn(`state.json ${reason}: volume, standby and the current service are reset to their defaults`),
  });
}

export interface PowerNeeds {
  /** Switches the machine on for the next timer. */
  readonly wakeUp: () => {
    readonly busyWith: string | undefined;
    arm(): Promise<string | undefined>;
    armOrLog(): Promise<void>;
  };
  /** Called when a client requests a restart. */
  readonly restart: (() => void) | undefined;
  readonly log: Logger;
}

export function openPower(
  { power: { shutdown, shutdownCommand, rebootCommand } }: Configuration,
  state: DeviceState,
  { wakeUp, restart, log }: PowerNeeds,
): Power {
  return new Power(state, {
    ...(shutdown && {
      shutDown: async () => {
        await wakeUp().armOrLog();
        await runCommand(shutdownCommand);
      },
      reboot: () => runCommand(rebootCommand),
      neededFor: async () => wakeUp().busyWith ?? (await wakeUp().arm()),
      onError: (error) =>
        log.error(error, 'the machine cannot be shut down (power.shutdownCommand, power.rebootCommand)'),
    }),
    restart,
  });
}

/** What the keys of a remote control control, besides the device. */
export type RemoteTargets = Pick<RemoteParts, 'channels' | 'player' | 'tracks'>;

export type Device = ReturnType<typeof openDevice>;

export function openDevice(
  configuration: Configuration,
  parts: { readonly clock: Clock; readonly state: DeviceState; readonly power: Power; readonly log: Logger },
  targets: RemoteTargets,
) {
  const { clock, state, power, log } = parts;
  const volume = new Volume(state);
  const messages = new Messages(clock);
  const disks = new Disks([...configuration.locations, configuration.dataDir]);
  const keys = configuration.remote.uinput ? openKeys(configuration.name, log) : undefined;
  const onError = (error: Error) => log.debug(`remote control key failed: ${error.message}`);
  const remote = new RemoteControl({ volume, power, messages, ...targets, keys, onError });
  const sleepTimer = new SleepTimer({ clock, power, state });
  return {
    identity: deviceIdentity(configuration.name),
    volume,
    power,
    sleepTimer,
    messages,
    remote,
    /** At least one, each with a valid MAC address. */
    interfaces,
    /** The file systems that hold the locations and the data folder. */
    disks: () => disks.all(),
    memory,
    uptime,
    /** Stops all timers and removes the virtual keyboard. */
    stop() {
      sleepTimer.stop();
      power.stop();
      messages.stop();
      remote.stop();
      keys?.close();
    },
  };
}

/** Returns undefined if the keys are not available: the receiver works without them. */
function openKeys(name: string, log: Logger): Keys | undefined {
  try {
    return new Keys(name);
  } catch (error) {
    log.error(`remote control keys are not available on this machine: ${uinputPath}: ${(error as Error).message}`);
    return undefined;
  }
}
