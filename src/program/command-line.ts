/**
 * The command line: `receiverd start`, `setup`, `scan`, `doctor`, `epg`, `services`, `recordings`, `user`, `token`. Only
 * the code of the given command is loaded.
 */
import { Console } from 'node:console';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { AccountKind } from '../access/account-changes.ts';
import { type Permission, permissions } from '../access/permissions.ts';
import { ReceiverError } from '../base/errors.ts';
import { type CommandSources, setCommandFlags } from '../base/own-command.ts';
import type { AddOptions } from '../commands/accounts.ts';
import { commandSettings } from '../commands/command-settings.ts';
import type { DoctorFlags } from '../commands/doctor.ts';
import type { ExportOptions, SearchOptions } from '../commands/epg.ts';
import type { RecordingExportOptions } from '../commands/recordings.ts';
import type { ScanFlags } from '../commands/scan.ts';
import type { ServicesImportOptions } from '../commands/services.ts';
import type { SetupFlags } from '../commands/setup.ts';
import type { StartFlags } from '../commands/start.ts';
import { Interrupted } from '../commands/terminal.ts';
import { checkTunerSpec } from '../config/tuner-spec.ts';
import { deviceIdentity } from '../device/identity.ts';

export const commandLine = new Command('receiverd')
  .description('Digital-TV receiver over HTTP: tunes, fills and searches the programme guide, streams.')
  .version(deviceIdentity('receiverd').version)
  .showHelpAfterError('(receiverd --help lists the commands, receiverd COMMAND --help the options of one)')
  .hook('preAction', (_, command) => {
    const { config, dataDir = process.env.RECEIVERD_DATA_DIR } = command.opts<CommandSources>();
    setCommandFlags({ config, dataDir }, { serves: command.name() === 'start' });
  });

const json: readonly [string, string] = ['--json', 'print JSON (docs/command-line.md)'];

commandLine
  .command('start')
  .description('run the receiver until it is stopped (SIGINT, SIGTERM); SIGHUP rereads lists and settings')
  .option('--config <file>', 'settings, YAML (docs/configuration.md)')
  .option('--data-dir <dir>', 'folder for state, guide and recordings')
  .option('--enigma2-dir <dir>', 'folder with lamedb, bouquets and settings')
  .option('--http-port <n>', 'port of the web interface, 0 for a free one (default 8080)', port)
  .option('--stream-port <n>', 'port of the live streams, 0 for a free one (default 8001)', port)
  .option('--bind <address>', 'address to listen on (default: every address)')
  .option(
    '--tuner <spec...>',
    'dvb:ADAPTER, dvb:*, satip:HOST, satip:*, hdhomerun:HOST, hdhomerun:*, enigma2:HOST, file:PATH, demo or none; may be repeated (default: all front ends, or the demo)',
  )
  .addOption(new Option('--clock <source>', 'source of the time (default system)').choices(['system', 'broadcast']))
  .addOption(new Option('--log-level <level>', 'minimum severity of logged messages (default info)'))
  .action((flags: StartFlags) => {
    // The receiver keeps running when the reader of its output is gone.
    process.stdout.on('error', () => undefined);
    return guarded(async () => (await import('../commands/start.ts')).start(flags));
  });

commandLine
  .command('scan')
  .description('show what a tuner receives: services and their streams; a front end scans its whole network')
  .requiredOption('--tuner <spec>', 'dvb:ADAPTER, satip:HOST, hdhomerun:HOST, file:PATH or demo', tunerSpec)
  .option(
    '--from <file>',
    "table of transponders to start with: a file of dtv-scan-tables, or Enigma2's satellites.xml, cables.xml, terrestrial.xml, atsc.xml; or a raster such as us-atsc",
  )
  .option('--network <name>', 'network in that file: its name, or a position such as 19.2E')
  .option(
    '--fast-scan <name>',
    'read the channel list that an operator broadcasts (Fast Scan) instead, such as canal-digitaal-hd',
  )
  .option('--save', 'add the results to the service lists')
  .option('--config <file>', 'settings, YAML')
  .option('--data-dir <dir>', 'folder with the lists')
  .option(...json)
  .action((flags: ScanFlags) => run(async () => (await import('../commands/scan.ts')).scan(flags)));

commandLine
  .command('setup')
  .description('set up the tuners of this machine: ask for its place, scan, and fill the service lists')
  .option('--place <text>', 'the answer to the question: de, 19.2E, or "de, 19.2E"')
  .option('--config <file>', 'settings, YAML')
  .option('--data-dir <dir>', 'folder for state, guide and recordings')
  .action((flags: SetupFlags) => run(async () => (await import('../commands/setup.ts')).setup(flags)));

commandLine
  .command('doctor')
  .description('report what works on this machine, what does not, and how to fix it')
  .option('--config <file>', 'settings, YAML')
  .option('--data-dir <dir>', 'folder for state, guide and recordings')
  .option(
    '--report [file]',
    'also write a bug report without secrets; - for standard output (default receiverd-report.md)',
  )
  .option(...json)
  .action((flags: DoctorFlags) =>
    run(async () => {
      const { examine } = await import('../commands/doctor.ts');
      process.exitCode = (await examine(flags)) ? 0 : 1;
    }),
  );

const epg = commandLine.command('epg').description('import, export and search the guide');

interface GuideFlags {
  readonly config?: string;
  readonly dataDir?: string;
}

const epgCommands = () => import('../commands/epg.ts');

/** Adds a command that works on the guide of a data folder. */
function guideCommand(nameAndArguments: string, description: string): Command {
  return epg
    .command(nameAndArguments)
    .description(description)
    .option('--config <file>', 'settings, YAML')
    .option('--data-dir <dir>', 'folder with the guide');
}

guideCommand('import', 'import a guide file: XMLTV or the epg.dat of Enigma2, plain, or compressed by gzip or xz')
  .argument('<file>', 'the file or its http(s) address, - for standard input; its format is detected')
  .action((file: string, flags: GuideFlags) =>
    run(async () => (await epgCommands()).importGuide(commandSettings(flags), file)),
  );

const channelCommands = () => import('../commands/guide-channels.ts');

guideCommand('channels', 'list the channels without a guide, with similar channels of guide files')
  .argument('[text]', 'only channels with this part in their names', '')
  .option('--limit <number>', 'maximum number of channels', positive, 50)
  .action((text: string, flags: GuideFlags & { readonly limit: number }) =>
    run(async () => (await channelCommands()).listChannels(commandSettings(flags), text, flags.limit)),
  );

guideCommand('match', 'choose the channel of guide files that has the guide of a service')
  .argument('<service>', 'service reference, or name of a channel without a guide')
  .argument('[channel]', 'id of the channel in guide files; none: match it automatically again')
  .action((service: string, channel: string | undefined, flags: GuideFlags) =>
    run(async () => (await channelCommands()).matchChannel(commandSettings(flags), service, channel)),
  );

guideCommand('export', 'write the guide to a file')
  .argument('<file>', 'the file (*.xml, *.xml.gz, *.dat), - for standard output')
  .addOption(
    new Option('--format <format>', 'format of the file (default: by its name, xmltv for -)').choices([
      'xmltv',
      'xmltv.gz',
      'epg.dat',
    ]),
  )
  .action((file: string, flags: GuideFlags & ExportOptions) =>
    run(async () => (await epgCommands()).exportGuide(commandSettings(flags), file, flags)),
  );

guideCommand('search <text>', 'show the events that contain a text, in order of start')
  .addOption(new Option('--in <where>', 'where to search').choices(['title', 'text', 'all']).default('title'))
  .option('--limit <n>', 'maximum number of events to show', positive, 50)
  .option(...json)
  .action((text: string, flags: GuideFlags & SearchOptions) =>
    run(async () => (await epgCommands()).searchGuide(commandSettings(flags), text, flags)),
  );

commandLine
  .command('services')
  .description('change the service lists')
  .command('import')
  .description('put the channels of an IPTV list (M3U) into a bouquet')
  .argument('<list>', 'the file or its address, - for standard input')
  .option('--name <name>', 'name of the bouquet; one imported under this name is replaced (default: that of the file)')
  .option('--guide <file>', 'afterwards import this guide file, as epg import does; may be repeated', collect)
  .option('--config <file>', 'settings, YAML')
  .option('--data-dir <dir>', 'folder with the lists')
  .action((list: string, flags: GuideFlags & ServicesImportOptions) =>
    run(async () => (await import('../commands/services.ts')).importServices(commandSettings(flags), list, flags)),
  );

const recordings = commandLine.command('recordings').description('list and export recordings');
const recordingCommands = () => import('../commands/recordings.ts');

recordings
  .command('list')
  .description('show every recording: begin, length, title, path')
  .option('--config <file>', 'settings, YAML')
  .option('--data-dir <dir>', 'folder for state, guide and recordings')
  .option(...json)
  .action((flags: GuideFlags & { readonly json?: boolean }) =>
    run(async () => (await recordingCommands()).listRecordings(commandSettings(flags), flags)),
  );

recordings
  .command('export')
  .description('write a recording as MKV or MP4, by ffmpeg, without encoding it again')
  .argument('<recording>', 'its path, or the name of its file')
  .requiredOption('--to <file>', 'the new file (*.mkv, *.mp4), or a folder for it')
  .addOption(new Option('--format <format>', 'the kind of file in that folder (default: mkv)').choices(['mkv', 'mp4']))
  .addOption(
    new Option(
      '--names <names>',
      'its name in that folder: that of the recording, or one for Plex, Jellyfin and Kodi (default: exports.names)',
    ).choices(['recording', 'media']),
  )
  .option('--cut', 'leave out what the marks of the recording cut out, such as advertisements')
  .option('--config <file>', 'settings, YAML')
  .option('--data-dir <dir>', 'folder for state, guide and recordings')
  .action((id: string, flags: GuideFlags & RecordingExportOptions) =>
    run(async () => (await recordingCommands()).exportTo(commandSettings(flags), id, flags)),
  );

const accountCommands = () => import('../commands/accounts.ts');

/** Adds the command `user` or `token`, with its three subcommands. */
function accountsCommand(kind: AccountKind, description: string, adding: string): void {
  const accounts = commandLine.command(kind).description(description);
  const command = (nameAndArguments: string, about: string) =>
    accounts
      .command(nameAndArguments)
      .description(about)
      .option('--config <file>', 'settings, YAML')
      .option('--data-dir <dir>', 'folder for state, guide and recordings');
  command('add <name>', adding)
    .option('--rights <rights>', `its permissions, separated by commas: ${permissions.join(', ')}`, permissionsIn)
    .action((name: string, flags: GuideFlags & AddOptions) =>
      run(async () => (await accountCommands()).addAccount(commandSettings(flags), kind, name, flags)),
    );
  command('list', `show every ${kind} and its permissions`).action((flags: GuideFlags) =>
    run(async () => (await accountCommands()).listAccounts(commandSettings(flags), kind)),
  );
  command('remove <name>', `remove a ${kind}`).action((name: string, flags: GuideFlags) =>
    run(async () => (await accountCommands()).removeAccount(commandSettings(flags), kind, name)),
  );
}

accountsCommand(
  'user',
  'manage the users of the receiver (docs/security.md)',
  'add a user, or give one a new password: typed twice, or the first line of standard input',
);
accountsCommand('token', 'manage tokens, with which scripts log in', 'add a token, which is shown once');

/** Runs a command whose output is its result, so that it fails if a line cannot be written. */
async function run(command: () => Promise<void>): Promise<void> {
  globalThis.console = new Console({ stdout: process.stdout, stderr: process.stderr, ignoreErrors: false });
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of the output is gone. Like programs that do not catch SIGPIPE, end silently with this code.
    if (error.code === 'EPIPE') process.exit(141);
    process.stderr.write(`receiverd: the output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  await guarded(command);
}

/** Runs a command and prints expected errors as lines, without a stack trace. */
async function guarded(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    const isExpected = error instanceof ReceiverError || error instanceof Interrupted || isSystemError(error);
    if (!isExpected) throw error;
    for (const line of textOf(error).split('\n')) console.error(`receiverd: ${line}`);
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
  }
}

function textOf(error: Error): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET') return 'the receiver closed the connection without a response';
  // On the command line, parameters are arguments.
  return message.replace(/^The parameter '([\w-]+)'/, 'the $1');
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && ('syscall' in error || (error as NodeJS.ErrnoException).code === 'ECONNRESET');
}

/** Collects the values of an option that may be repeated. */
function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function permissionsIn(text: string): readonly Permission[] {
  const words = text.split(',').map((word) => word.trim());
  const wrong = words.find((word) => !permissions.some((permission) => permission === word));
  if (wrong !== undefined)
    throw new InvalidArgumentError(
      `'${wrong}' is not a permission; they are ${permissions.join(', ')}, separated by commas.`,
    );
  return [...new Set(words)] as Permission[];
}

function positive(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 20_000)
    throw new InvalidArgumentError('It must be a whole number from 1 to 20000.');
  return value;
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65535)
    throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
  return value;
}

function tunerSpec(text: string): string {
  try {
    checkTunerSpec(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
