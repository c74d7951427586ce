/** Notices DVB devices that are plugged in or out: the folders /dev/dvb/adapterN, and /dev until there is one. */
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** Milliseconds without a change after which the devices are looked at: a node appears before it may be opened. */
const settled = 2000;
const devices = '/dev';
const root = '/dev/dvb';

export class FrontEndWatch {
  readonly #look: () => Promise<void>;
  readonly #log: Logger;
  #watchers: readonly FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `look` is called after every change. */
  constructor(look: () => Promise<void>, log: Logger) {
    this.#look = look;
    this.#log = log;
  }

  start(): void {
    this.stop();
    const changed = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#changed(), settled).unref();
    };
    const watched = [root, ...folders().map((name) => join(root, name))].flatMap((folder) =>
      watcherOf(folder, changed),
    );
    const outside = watcherOf(devices, (_, name) => {
      if (name === 'dvb') changed();
    });
    this.#watchers = [...watched, ...outside];
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const one of this.#watchers) one.close();
    this.#watchers = [];
  }

  #changed(): void {
    this.start();
    this.#look().catch((error: unknown) =>
      this.#log.error(error, 'looking for front ends in /dev/dvb failed; a restart looks again'),
    );
  }
}

/** None if the folder does not exist. */
function watcherOf(folder: string, changed: (event: string, name: string | null) => void): readonly FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    // It has gone, which its parent tells too.
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

function folders(): readonly string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}
