/**
 * `receiverd doctor --report`: writes a bug report without secrets: the program, the machine, the doctor's findings,
 * settings, sizes of lists and, of a running receiver, its metrics and the end of its log.
 */
import { execFile } from 'node:child_process';
import { closeSync, fstatSync, openSync, readdirSync, readlinkSync, readSync, statSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { systemReason } from '../base/errors.ts';
import { knownSecrets, settingsWithoutSecrets, withoutSecrets } from '../base/secrets.ts';
import type { Configuration } from '../config/config.ts';
import { deviceIdentity } from '../device/identity.ts';
import { DataFolder, type FolderOwner } from '../host/data-folder.ts';
import type { Finding } from '../host/host.ts';
import { Services } from '../services/services.ts';
import { kernelMessages } from './kernel-messages.ts';
import { anyResponseOf, type RunningReceiver, runningReceiver } from './running-receiver.ts';

/** For each response of the receiver, and for journalctl. */
const timeoutMs = 5000;
/** Of a log. */
const maxLines = 200;
/** Of a log file. */
const maxLogBytes = 256 * 1024;

/** What the doctor has examined: a running receiver, or the settings that a start would use. */
export interface Examination {
  /** The settings in effect. */
  readonly configuration: Configuration;
  readonly findings: readonly Finding[];
  /** URL of the receiver that has examined itself; undefined if this command has examined the settings. */
  readonly receiver: string | undefined;
  /** One sentence for people: what was examined. */
  readonly subject: string;
  /** Names of settings that were given on the command line of the running receiver. */
  readonly flags: readonly string[];
  /** Names of settings that have changed in the file since the receiver was started. */
  readonly pending: readonly string[];
}

/** Composes the report in Markdown. `findings`: the findings as text. */
export async function reportOf(examination: Examination, findings: string): Promise<string> {
  const { configuration, subject } = examination;
  const owner = DataFolder.owner(configuration.dataDir);
  const sections: readonly (readonly [title: string, text: string])[] = [
    ['Program and machine', machine()],
    ['Findings', `${subject}\n${findings}`],
    ['Settings', settings(examination)],
    ['Lists and files', await lists(configuration)],
    ['Running receiver', await running(owner, configuration)],
    ['Log', await logOf(owner)],
    ['Kernel messages about tuners', kernelMessages().filter(isAboutTuners).slice(-maxLines).join('\n')],
  ];
  const known = knownSecrets(configuration);
  const written = sections.map(([title, text]) => {
    const plain = withoutSecrets(text, known).trim();
    return `## ${title}\n\n${plain === '' ? 'None.' : `~~~~\n${plain}\n~~~~`}\n`;
  });
  return `${head}\n${written.join('\n')}`;
}

const head = `# Report of receiverd

Secrets have been left out: passwords, tokens, PINs, and of addresses all but the host. Names of folders, services and
recordings and addresses of your network are in it: read it before you pass it on.
`;

function machine(): string {
  const { version, released, system, kernel } = deviceIdentity('');
  const [processor] = os.cpus();
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  return [
    `receiverd ${version} (${released})`,
    `Node.js ${process.versions.node}, ${os.arch()}, ${os.endianness() === 'LE' ? 'little' : 'big'} endian`,
    `${system}, kernel ${kernel}`,
    `${os.cpus().length} × ${processor?.model.trim() || 'unknown processor'}`,
    `memory ${megabytes(os.totalmem())}, free ${megabytes(os.freemem())}`,
    `up for ${Math.round(os.uptime() / 3600)} h, load ${os.loadavg().map((one) => one.toFixed(2))}`,
    `user ${process.getuid?.() ?? '?'}, groups ${process.getgroups?.().join(' ') ?? '?'}`,
    `time zone ${Intl.DateTimeFormat().resolvedOptions().timeZone}, written ${new Date().toISOString()}`,
  ].join('\n');
}

/** The settings in effect, after comments that say where they come from. */
function settings({ configuration, receiver, flags, pending }: Examination): string {
  const comments = [
    receiver === undefined ? 'what a start without flags would use' : `what the receiver at ${receiver} uses`,
    ...(flags.length > 0 ? [`set on the command line: ${flags.join(', ')}`] : []),
    ...(pending.length > 0 ? [`changed in the file, in effect after a restart: ${pending.join(', ')}`] : []),
  ];
  return [...comments.map((text) => `# ${text}`), stringify(settingsWithoutSecrets(configuration))].join('\n');
}

async function lists({ enigma2Dir, dataDir }: Configuration): Promise<string> {
  const counted = await Services.load(enigma2Dir).then(
    (services) => [
      `broadcast services: ${services.size}`,
      `IPTV entries in bouquets: ${iptvEntries(services)}`,
      `problems: ${services.problems.length}`,
      // Quoted parts come from the file and may be personal.
      ...services.problems
        .slice(0, 20)
        .map(({ file, line, text }) => `  ${file}:${line}: ${text.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '"…"')}`),
    ],
    (error: Error) => [`the lists cannot be read: ${error.message}`],
  );
  return [...counted, `${enigma2Dir}:`, ...sizesIn(enigma2Dir), `${dataDir}:`, ...sizesIn(dataDir)].join('\n');
}

/** The number of distinct network streams in the bouquets. */
function iptvEntries(services: Services): number {
  const streams = [...services.playableReferences()].filter(({ isStream }) => isStream);
  return new Set(streams.map(({ identity }) => identity)).size;
}

/** Names and sizes of the files in a folder. Of bouquets only number and total, because their names are personal. */
function sizesIn(folder: string): readonly string[] {
  try {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    const sizes = files.map(({ name }) => ({ name, size: statSync(join(folder, name)).size }));
    const isBouquet = ({ name }: { readonly name: string }) => /^(userbouquet|alternatives)\./.test(name);
    const bouquets = sizes.filter(isBouquet);
    const bytes = bouquets.reduce((sum, { size }) => sum + size, 0);
    return [
      ...sizes.filter((one) => !isBouquet(one)).map(({ name, size }) => `  ${name}: ${size} bytes`),
      ...(bouquets.length > 0 ? [`  ${bouquets.length} bouquets: ${bytes} bytes`] : []),
    ];
  } catch (error) {
    return [`  ${systemReason(error)}`];
  }
}

async function running(owner: FolderOwner | undefined, configuration: Configuration): Promise<string> {
  try {
    const receiver = await runningReceiver(configuration);
    if (receiver === undefined) return '';
    const paths = ['health', 'api/tunerstatus', 'metrics'];
    const answers = await Promise.all(paths.map((path) => answerOf(receiver, path)));
    return [`process ${owner?.pid ?? '?'} at ${receiver}`, ...answers].join('\n\n');
  } catch (error) {
    return (error as Error).message;
  }
}

async function answerOf(receiver: RunningReceiver, path: string): Promise<string> {
  try {
    return await text(await anyResponseOf(receiver, path, { signal: AbortSignal.timeout(timeoutMs) }));
  } catch (error) {
    return (error as Error).message;
  }
}

/** The last lines of the receiver's log, if that is a file or systemd's journal. */
async function logOf(owner: FolderOwner | undefined): Promise<string> {
  const kept = owner?.pid === undefined ? undefined : endOfLogFile(owner.pid);
  if (kept !== undefined) return kept;
  const whose = owner?.pid === undefined ? ['-u', 'receiverd'] : [`_PID=${owner.pid}`];
  const words = [...whose, '-n', String(maxLines), '--no-pager', '-q', '-o', 'short-iso'];
  const journal = await promisify(execFile)('journalctl', words, { timeout: timeoutMs, maxBuffer: 2 ** 24 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return journal || 'It is neither in a file nor in the journal: add the last lines yourself.';
}

/** The last lines of the file to which a process writes its stderr; undefined if that is not a file. */
function endOfLogFile(pid: number): string | undefined {
  try {
    const file = openSync(readlinkSync(`/proc/${pid}/fd/2`), 'r');
    try {
      const found = fstatSync(file);
      if (!found.isFile()) return undefined;
      const bytes = Buffer.alloc(Math.min(found.size, maxLogBytes));
      const length = readSync(file, bytes, 0, bytes.length, found.size - bytes.length);
      return bytes
        .toString('utf8', 0, length)
        .split('\n')
        .slice(-maxLines - 1)
        .join('\n');
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

const isAboutTuners = (message: string) => /dvb|demux|frontend|tuner|demod|firmware (load|file)/i.test(message);
