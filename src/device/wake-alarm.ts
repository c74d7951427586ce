/**
 * The alarm that switches the machine on: of the real-time clock (Linux, Documentation/ABI/testing/sysfs-class-rtc), or
 * of the front processor of a box, as Enigma2 uses it.
 */
import { constants, existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unwritable } from '../base/files.ts';

export interface WakeAlarm {
  readonly path: string;
  /**
   * Sets the alarm to go off in this many seconds, replacing the one before; undefined: no alarm.
   * @throws ReceiverError `file-unwritable`
   */
  set(seconds: number | undefined): Promise<void>;
}

/** Usual locations. The front processor of a box comes first, because it is made for this. */
const usualPaths = ['/proc/stb/fp/wakeup_time', '/sys/class/rtc/rtc0/wakealarm'];

/** @param choice setting `power.wakeAlarm`: `auto`, `none`, or a path. @returns undefined if there is no alarm */
export function wakeAlarmOf(choice: string): WakeAlarm | undefined {
  if (choice === 'none') return undefined;
  const path = choice === 'auto' ? usualPaths.find((one) => existsSync(one)) : choice;
  if (path === undefined) return undefined;
  return basename(path) === 'wakeup_time' ? frontProcessor(path) : realTimeClock(path);
}

/**
 * An alarm must be cleared before a new one is set. `+` makes it relative to the clock, which may run on local time.
 */
function realTimeClock(path: string): WakeAlarm {
  return {
    path,
    async set(seconds) {
      await write(path, '0');
      if (seconds !== undefined) await write(path, `+${Math.max(1, Math.round(seconds))}`);
    },
  };
}

/** The front processor uses its own clock, `rtc` beside it, if that is readable. */
function frontProcessor(path: string): WakeAlarm {
  return {
    path,
    async set(seconds) {
      if (seconds === undefined) return write(path, '0');
      const clock = Number(await readFile(join(dirname(path), 'rtc'), 'latin1').catch(() => ''));
      const now = clock > 0 ? clock : Date.now() / 1000;
      await write(path, String(Math.round(now + Math.max(1, seconds))));
    },
  };
}

/** The file belongs to the system and is never created here. */
const write = (path: string, text: string) =>
  writeFile(path, text, { flag: constants.O_WRONLY | constants.O_TRUNC }).catch(unwritable(path));
