#!/usr/bin/env node
/** The command line: `receiverd start`, `scan`, `doctor`. */
import { Command, InvalidArgumentError, Option } from 'commander';
import pino from 'pino';
import { type ConfigurationPart, loadConfiguration } from './config.ts';
import { deviceIdentity } from './device/identity.ts';
import { examine } from './doctor.ts';
import { ReceiverError } from './errors.ts';
import { Receiver } from './receiver.ts';
import { scanTables } from './scan-command.ts';

const program = new Command('receiverd')
  .description('Digital-TV receiver over HTTP: tunes, fills and searches the programme guide, streams.')
  .version(deviceIdentity('receiverd').version);

interface StartFlags {
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

program
  .command('start')
  .description('runs the receiver until it is told to end (SIGINT, SIGTERM)')
  .option('--config <file>', 'settings, YAML (docs/configuration.md)')
  .option('--data-dir <dir>', 'folder for state, guide and recordings')
  .option('--enigma2-dir <dir>', 'folder with lamedb, bouquets and settings')
  .option('--http-port <n>', 'port of the web interface, 0 for a free one (default 8080)', port)
  .option('--stream-port <n>', 'port of the live streams, 0 for a free one (default 8001)', port)
  .option('--bind <address>', 'address to listen on (default: every address)')
  .option('--tuner <spec...>', 'demo or file:PATH; may be repeated (default demo)')
  .addOption(new Option('--clock <source>', 'whose time counts (default system)').choices(['system', 'broadcast']))
  .addOption(new Option('--log-level <level>', 'how much is logged (default info)'))
  .action((flags: StartFlags) => run(() => start(flags)));

program
  .command('scan')
  .description('shows what a tuner receives: services, streams, guide')
  .requiredOption('--tuner <spec>', 'demo or file:PATH')
  .action((flags: { tuner: string }) => run(() => scanTables(flags.tuner)));

program
  .command('doctor')
  .description('says what works on this machine and what does not, and how to mend it')
  .option('--config <file>', 'settings, YAML')
  .action((flags: { config?: string }) =>
    run(async () => {
      process.exitCode = (await examine(flags.config)) ? 0 : 1;
    }),
  );

await program.parseAsync();

async function start(flags: StartFlags): Promise<void> {
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

/** Known errors end with one line, not with a stack. */
async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof ReceiverError) && !isSystemError(error)) throw error;
    console.error(`receiverd: ${error.message}`);
    process.exitCode = 1;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65535) throw new InvalidArgumentError('a port is a number from 0 to 65535.');
  return value;
}
