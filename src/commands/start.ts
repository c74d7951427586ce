/** `receiverd start`: the receiver, until it is told to end. */
import pino from 'pino';
import { type ConfigurationPart, loadConfiguration } from '../config.ts';
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
  const { config, tuner, ...settings } = flags;
  const configuration = loadConfiguration({
    file: config,
    flags: { ...settings, ...(tuner ? { tuners: tuner } : {}) },
  });
  const log = pino({ level: configuration.logLevel, base: null }, pino.destination({ dest: 2, sync: true }));
  const receiver = await Receiver.open(configuration, log);
  let ending = false;
  const end = () => {
    if (ending) process.exit(1);
    ending = true;
    receiver.stop().catch((error: unknown) => {
      log.fatal(error);
      process.exitCode = 1;
    });
  };
  process.on('SIGINT', end).on('SIGTERM', end);
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
