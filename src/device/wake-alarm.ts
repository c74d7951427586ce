/**
 * The clock that switches the machine on: the real-time clock of Linux (Documentation/ABI/testing/sysfs-class-rtc), or the front
 * processor of a box, as Enigma2 uses it.
 */
import { constants, existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fail } from '../errors.ts';

export interface WakeAlarm {
  readonly path: string;
  /**
   * Switches the machine on in so many seconds, in place of what was set before; undefined: not at all.
   * @throws ReceiverError `file-unwritable`
   */
  set(seconds: number | undefined): Promise<void>;
}

/** Where the alarm is, the box's own first: it is there for that. */
const usualPaths = ['/proc/stb/fp/wakeup_time', '/sys/class/rtc/rtc0/wakealarm'];

/** @param choice of the configuration: `auto`, `none`, or a path. Undefined where there is none. */
export function wakeAlarmOf(choice: string): WakeAlarm | undefined {
  if (choice === 'none') return undefined;
  const path = choice === 'auto' ? usualPaths.find((one) => existsSync(one)) : choice;
  if (path === undefined) return undefined;
  return basename(path) === 'wakeup_time' ? frontProcessor(path) : realTimeClock(path);
}

/** One that is set has to be taken back before another can be. `+` counts from the time of that clock, which may be a local time. */
function realTimeClock(path: string): WakeAlarm {
  return {
    path,
    async set(seconds) {
      await write(path, '0');
      if (seconds !== undefined) await write(path, `+${Math.max(1, Math.round(seconds))}`);
    },
  };
}

/** It goes by its own clock, `rtc` beside it, where that can be read. */
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

async function write(path: string, text: string): Promise<void> {
  try {
    // It is the system's file: never made here.
    const file = await open(path, constants.O_WRONLY | constants.O_TRUNC);
    try {
      await file.write(text);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fail('file-unwritable', path, (error as Error).message);
  }
}
