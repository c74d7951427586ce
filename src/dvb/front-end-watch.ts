/** Notices DVB devices that are plugged in or out. Watches /dev/dvb/adapterN, and /dev for /dev/dvb to appear. */
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** Milliseconds without a change before front ends are listed: a device node appears before it can be opened. */
const settleTimeMs = 2000;
const deviceFolder = '/dev';
const dvbFolder = '/dev/dvb';

export class FrontEndWatch {
  readonly #onChange: () => Promise<void>;
  readonly #log: Logger;
  #watchers: readonly FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `onChange` is called once devices have settled after a change. */
  constructor(onChange: () => Promise<void>, log: Logger) {
    this.#onChange = onChange;
    this.#log = log;
  }

  start(): void {
    this.stop();
    const changed = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#rescan(), settleTimeMs).unref();
    };
    const watched = [dvbFolder, ...adapterFolders().map((name) => join(dvbFolder, name))].flatMap((folder) =>
      watchFolder(folder, changed),
    );
    const parent = watchFolder(deviceFolder, (_, name) => {
      if (name === 'dvb') changed();
    });
    this.#watchers = [...watched, ...parent];
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const one of this.#watchers) one.close();
    this.#watchers = [];
  }

  #rescan(): void {
    this.start();
    this.#onChange().catch((error: unknown) =>
      this.#log.error(error, 'listing the front ends in /dev/dvb failed; restart the receiver to try again'),
    );
  }
}

/** Returns no watcher if the folder does not exist. */
function watchFolder(folder: string, changed: (event: string, name: string | null) => void): readonly FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    // The folder has gone; the watcher of its parent reports that as well.
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

function adapterFolders(): readonly string[] {
  try {
    return readdirSync(dvbFolder);
  } catch {
    return [];
  }
}
