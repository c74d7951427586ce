/** `receiverd start`: the receiver, until it is told to end; told to restart, it begins anew with the configuration read again. */
import pino from 'pino';
import { type Configuration, type ConfigurationPart, loadConfiguration } from '../config.ts';
import { ReceiverError } from '../errors.ts';
import { Receiver } from '../receiver.ts';

export interface StartFlags {
  readonly config?: string;
  readonly tuner?: string[];
  readonly dataDir?: string;
  readonly enigma2Dir?: string;
  readonly httpPort?: number;
  readonly streamPort?: number;
  readonly bind?: string;
  readonly clock?: 'system' | 'broadcast';
  readonly logLevel?: NonNullable<ConfigurationPart['logLevel']>;
}

export async function start(flags: StartFlags): Promise<void> {
  const program = new Program(flags);
  process.on('SIGINT', () => program.end()).on('SIGTERM', () => program.end());
  await program.begin();
}

/** A receiver, and after a restart the next one, in this process. */
class Program {
  readonly #flags: StartFlags;
  readonly #log: pino.Logger;
  #configuration: Configuration;
  #receiver: Receiver | undefined;
  /** One thing after the other: beginning, restarting, ending. */
  #busy: Promise<void> = Promise.resolve();
  #isRestarting = false;
  #isEnding = false;

  constructor(flags: StartFlags) {
    this.#flags = flags;
    this.#configuration = this.#configure();
    const { logLevel } = this.#configuration;
    this.#log = pino({ level: logLevel, base: null }, pino.destination({ dest: 2, sync: true }));
  }

  /** Opens and starts a receiver and says where it is. */
  async begin(): Promise<void> {
    const receiver = await Receiver.open(this.#configuration, this.#log, () => this.#restart());
    this.#receiver = receiver;
    await receiver.start().catch(async (error: unknown) => {
      // One of the two ports may be open already, and would keep the process alive.
      await receiver.stop();
      throw error;
    });
    const { http, stream } = receiver.addresses;
    console.log(`Web interface and API  ${http}`);
    console.log(`Live streams           ${stream}`);
    console.log(`Channels as a playlist ${http}web/services.m3u`);
    console.log(`receiverd ready http=${http} stream=${stream}`);
  }

  /** Ends it in good order; asked a second time, at once. */
  end(): void {
    if (this.#isEnding) process.exit(1);
    this.#isEnding = true;
    this.#then(async () => this.#receiver?.stop());
  }

  /** Those who ask while it goes on get the same one. */
  #restart(): void {
    if (this.#isRestarting || this.#isEnding) return;
    this.#isRestarting = true;
    this.#then(async () => {
      try {
        await this.#again();
      } finally {
        this.#isRestarting = false;
      }
    });
  }

  async #again(): Promise<void> {
    const receiver = this.#receiver;
    if (this.#isEnding || receiver === undefined) return;
    let configuration: Configuration;
    try {
      configuration = this.#configure();
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      this.#log.error(`no restart, the configuration is wrong: ${error.message}`);
      return;
    }
    this.#log.info('restarting');
    const { http, stream } = receiver.addresses;
    await receiver.stop();
    this.#log.level = configuration.logLevel;
    // Where any port would do, clients know the present one.
    const httpPort = configuration.httpPort || portOf(http);
    const streamPort = configuration.streamPort || portOf(stream);
    this.#configuration = { ...configuration, httpPort, streamPort };
    if (!this.#isEnding) await this.begin();
  }

  #then(action: () => Promise<void>): void {
    this.#busy = this.#busy.then(action).catch((error: unknown) => {
      this.#log.fatal(error);
      process.exitCode = 1;
    });
  }

  #configure(): Configuration {
    const { config, tuner, ...settings } = this.#flags;
    return loadConfiguration({ file: config, flags: { ...settings, ...(tuner ? { tuners: tuner } : {}) } });
  }
}

const portOf = (url: string) => Number(new URL(url).port) || 80;
