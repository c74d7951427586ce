/**
 * The clock that switches the machine on: the real-time clock of Linux (Documentation/ABI/testing/sysfs-class-rtc), or
 * the front processor of a box, as used by Enigma2.
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

/** Usual locations; the box's own first, since it exists for this. */
const usualPaths = ['/proc/stb/fp/wakeup_time', '/sys/class/rtc/rtc0/wakealarm'];

/** @param choice from the configuration: `auto`, `none`, or a path. Undefined if there is no alarm. */
export function wakeAlarmOf(choice: string): WakeAlarm | undefined {
  if (choice === 'none') return undefined;
  const path = choice === 'auto' ? usualPaths.find((one) => existsSync(one)) : choice;
  if (path === undefined) return undefined;
  return basename(path) === 'wakeup_time' ? frontProcessor(path) : realTimeClock(path);
}

/** An alarm must be cleared before a new one is set. `+` is relative to that clock, which may run on local time. */
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
