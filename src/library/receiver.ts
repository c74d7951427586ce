/**
 * `import { Receiver } from 'receiverd'`: a receiver inside another program, as `receiverd start` runs it. See
 * docs/embedding.md.
 */
import { openLog } from '../commands/log.ts';
import { loadConfiguration } from '../config/config.ts';
import type { Guide } from '../epg/guide.ts';
import { openReceiver, type Receiver as Parts } from '../receiver/receiver.ts';
import type { Settings } from './settings.ts';

export { ReceiverError } from '../base/errors.ts';
export type { Settings } from './settings.ts';

/** The base URLs of a running receiver, with a final slash. */
export interface ReceiverAddresses {
  /** The web interface and all operations. */
  readonly http: string;
  /** The web interface by HTTPS, if a port is configured for it. */
  readonly https?: string;
  /** Live streams. */
  readonly stream: string;
}

/** A receiver inside this process. */
export class Receiver {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Locks the data folder and reads lists, timers and guide. Nothing listens and no tuner runs before `start()`.
   * Settings that are left out come from the environment, the file, or their defaults.
   * @param file the path of a configuration file (YAML)
   * @throws ReceiverError `configuration-invalid` with a line for each wrong setting, `folder-in-use` while another
   *   receiver has the folder
   */
  static async open(settings: Settings = {}, { file }: { readonly file?: string } = {}): Promise<Receiver> {
    const problems: string[] = [];
    const configuration = loadConfiguration({ file, flags: settings, warn: (problem) => problems.push(problem) });
    const log = await openLog(configuration.logLevel);
    for (const problem of problems) log.warn(problem);
    return new Receiver(await openReceiver(configuration, log));
  }

  /** Starts listening, tuning and recording. @throws Error if a port is in use; the receiver is stopped then */
  async start(): Promise<ReceiverAddresses> {
    try {
      await this.#parts.start();
      return this.#parts.addresses();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Ends streams and recordings, saves the guide, closes the ports and releases the data folder. */
  stop(): Promise<void> {
    return this.#parts.stop();
  }

  /** The programme guide that the tuners fill. */
  get guide(): Guide {
    return this.#parts.parts.guide;
  }
}
