/**
 * `receiverd doctor`: what works on this machine, what does not, and how to fix it. While a receiver runs on the data
 * folder, it examines itself, because its settings may come from flags that this command does not know.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { readdir, statfs, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fail, systemReason } from '../base/errors.ts';
import { createFolder, replaceBy } from '../base/files.ts';
import type { FrontEndInformation } from '../base/native.ts';
import { withoutArguments } from '../base/secrets.ts';
import type { Configuration } from '../config/config.ts';
import { realPath } from '../config/configuration-file.ts';
import { namesEnigma2, parseEnigma2Spec } from '../config/enigma2-spec.ts';
import {
  allFrontEnds,
  checkTunerSpec,
  formatTunerSpec,
  namesNetworkTuners,
  type TunerSpec,
} from '../config/tuner-spec.ts';
import { uinputPath } from '../device/remote.ts';
import { wakeAlarmOf } from '../device/wake-alarm.ts';
import type { Finding } from '../host/host.ts';
import { LocationMounts } from '../recordings/library/mounts.ts';
import { captureProblem } from './captures.ts';
import { commandSettings } from './command-settings.ts';
import { statusOf } from './input.ts';
import { kernelMessages, missingFirmware } from './kernel-messages.ts';
import { isOldNode, oldestNode } from './old-node.ts';
import type { Examination } from './report.ts';

type Check = Omit<Finding, 'trouble'> & {
  /** What is wrong; empty if it works. If it throws, the error's message is what is wrong. */
  readonly trouble: () => string | Promise<string>;
};

export interface DoctorFlags {
  readonly config?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
  /** The file for a report; true: `defaultReport`. */
  readonly report?: string | true;
}

const defaultReport = 'receiverd-report.md';

/** Prints the findings. Returns whether everything works. @throws ReceiverError if the configuration is invalid */
export async function examine({ json = false, report, ...flags }: DoctorFlags): Promise<boolean> {
  let trouble = '';
  const configuration = commandSettings(flags, (problem) => {
    trouble = problem;
  });
  const asked = await askReceiver(configuration, flags);
  const examination = typeof asked === 'object' ? asked : await examineSettings(configuration, { trouble, why: asked });
  const { findings, subject } = examination;
  const healthy = findings.every(({ trouble }) => trouble === '');
  if (report !== '-')
    print(json ? [JSON.stringify(documentOf(examination, healthy), undefined, 2)] : [subject, ...textsOf(findings)]);
  if (report !== undefined) await writeReport(examination, report === true ? defaultReport : report);
  return healthy;
}

/** How long it may examine itself: it waits for SAT>IP servers and programs. */
const examinationTimeoutMs = 30_000;

/**
 * Has the receiver that runs on the data folder examine itself. Returns why that is not possible, as the first part of a
 * sentence.
 */
async function askReceiver(configuration: Configuration, { config }: DoctorFlags): Promise<Examination | string> {
  const { dataDir } = configuration;
  // If the addon cannot be loaded, another finding reports that.
  const running = await import('./running-receiver.ts').catch(() => undefined);
  try {
    const receiver = await running?.runningReceiver(configuration);
    if (running === undefined || receiver === undefined)
      return `no receiver runs on the data folder ${dataDir} (--data-dir names another)`;
    const settings = await running.settingsInUse(receiver, configuration);
    if (config !== undefined && realPath(config) !== realPath(settings.file))
      return `the receiver at ${receiver} runs with the configuration file ${settings.file}`;
    const findings = await running.findingsFrom(receiver, AbortSignal.timeout(examinationTimeoutMs));
    const subject = `Examined: the receiver at ${receiver}, which uses the data folder ${dataDir}`;
    return { ...settings, findings, receiver: `${receiver}`, subject };
  } catch (error) {
    return `the receiver on the data folder ${dataDir} could not be queried (${(error as Error).message})`;
  }
}

/** Examines the settings that a start would use. `why`: why no running receiver was examined. */
async function examineSettings(
  configuration: Configuration,
  { trouble, why }: { readonly trouble: string; readonly why: string },
): Promise<Examination> {
  const findings = await findingsOf(configuration, trouble);
  const subject = `Examined: the settings that a start without flags would use; ${why}`;
  return { configuration, findings, receiver: undefined, subject, flags: [], pending: [] };
}

/**
 * Examines this machine for these settings. `trouble`: what is wrong with their file; empty if it can be read.
 * @throws ReceiverError for an invalid tuner
 */
export async function findingsOf(configuration: Configuration, trouble = ''): Promise<readonly Finding[]> {
  const { bind, satip, tls, hdhomerun } = configuration;
  const held = await portsOfReceiver(configuration);
  const port = (name: string, number: number, setting: string) => portCheck({ name, bind, number, setting, held });
  const checks = [
    node,
    addon,
    ...(trouble === '' ? [] : [settingsFile(trouble)]),
    ...folders(configuration),
    ...lists(configuration),
    ...(await guideSources(configuration)),
    ...(await tuners(configuration)),
    port('web interface', configuration.httpPort, '--http-port'),
    port('live streams', configuration.streamPort, '--stream-port'),
    ...(tls.port > 0 ? [port('web interface by HTTPS', tls.port, 'tls.port')] : []),
    ...(tls.streamPort > 0 ? [port('live streams by HTTPS', tls.streamPort, 'tls.streamPort')] : []),
    ...(satip.server.enabled ? [port('SAT>IP server', satip.server.port, 'satip.server.port')] : []),
    ...(hdhomerun.server
      ? [
          port('streams of the HDHomeRun server', hdhomerun.streamPort, 'hdhomerun.streamPort'),
          port('control of the HDHomeRun server', hdhomerun.controlPort, 'hdhomerun.controlPort'),
        ]
      : []),
    ...output(configuration),
    ...power(configuration),
    ...keys(configuration),
  ];
  return Promise.all(checks.map(found));
}

/** The ports of the receiver that runs on this data folder; none if none runs. */
async function portsOfReceiver({ dataDir }: Configuration): Promise<readonly number[]> {
  // If the addon cannot be loaded, another finding reports that.
  const folders = await import('../host/data-folder.ts').catch(() => undefined);
  return folders?.DataFolder.owner(dataDir)?.ports ?? [];
}

/** @throws ReceiverError `file-unwritable` */
async function writeReport(examination: Examination, file: string): Promise<void> {
  const { reportOf } = await import('./report.ts');
  const text = await reportOf(examination, textsOf(examination.findings).join('\n'));
  if (file === '-') {
    print([text]);
    return;
  }
  try {
    // Readable only by its owner. Anything but a file, such as a pipe, cannot be replaced and is written to.
    if (statusOf(file)?.isFile() ?? true) await replaceBy(file, (target) => target.writeFile(text), 0o600);
    else await writeFile(file, text);
  } catch (error) {
    throw fail('file-unwritable', file, systemReason(error));
  }
  console.error(`receiverd: the report is in ${file}; read it before you pass it on`);
}

async function found({ trouble, ...check }: Check): Promise<Finding> {
  try {
    return { ...check, trouble: await trouble() };
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n', 1);
    return { ...check, trouble: reason || 'does not work' };
  }
}

const textsOf = (findings: readonly Finding[]) =>
  findings.map(({ what, trouble, remedy }) =>
    trouble === '' ? `ok    ${plain(what)}` : `FAIL  ${plain(what)}: ${plain(trouble)}\n      ${remedy}`,
  );

/** Names and reasons may come from other machines and programs: control characters could change what a terminal shows. */
const plain = (text: string) => text.replace(/\p{Cc}/gu, ' ');

function print(texts: readonly string[]): void {
  for (const text of texts) console.log(text);
}

/** What `--json` prints (docs/command-line.md). Keys may be added, but keep their meaning. */
function documentOf({ configuration: { dataDir }, findings, receiver }: Examination, healthy: boolean) {
  return {
    healthy,
    receiver: receiver ?? null,
    dataDir,
    findings: findings.map(({ kind, what, trouble, remedy }) => ({
      kind,
      subject: what,
      ok: trouble === '',
      problem: trouble === '' ? null : trouble,
      remedy: trouble === '' ? null : remedy,
    })),
  };
}

const node: Check = {
  kind: 'node',
  what: `Node.js ${process.versions.node}`,
  trouble: () => (isOldNode() ? `older than ${oldestNode}` : ''),
  remedy: `install Node.js ${oldestNode} or newer`,
};

const addon: Check = {
  kind: 'addon',
  what: 'native addon',
  trouble: async () => {
    await import('../base/native.ts');
    return '';
  },
  remedy: 'build it with: npm run build:native',
};

const settingsFile = (trouble: string): Check => ({
  kind: 'settings',
  what: 'configuration file',
  trouble: () => trouble.replaceAll('\n', '; '),
  remedy: 'correct the file, or change a setting on the web page, which writes the file again',
});

function folders({ dataDir, enigma2Dir, locations }: Configuration): Check[] {
  const mounts = new LocationMounts(dataDir);
  return [...new Set([dataDir, enigma2Dir, ...locations])].map((folder) => ({
    kind: 'folder',
    what: `folder ${folder}`,
    trouble: async () => {
      const missing = locations.includes(folder) ? await mounts.create(folder) : '';
      if (missing !== '') return missing;
      await createFolder(folder);
      accessSync(folder, constants.R_OK | constants.W_OK);
      return (await statfs(folder)).bavail > 0 ? '' : 'no space is left';
    },
    remedy: `make it writable for this user, with room for new files, or choose another in the configuration${
      locations.includes(folder)
        ? `; mount its disk, or if it is no longer on a disk of its own, delete ${join(dataDir, 'locations.json')} and restart`
        : ''
    }`,
  }));
}

/** Checks the accounts and the files of the Enigma2 folder for parts that a start would not read. */
function lists({ dataDir, enigma2Dir }: Configuration): Check[] {
  const path = join(enigma2Dir, 'timers.xml');
  return [
    {
      kind: 'lists',
      what: `service lists and settings in ${enigma2Dir}`,
      trouble: async () => {
        const { Services } = await import('../services/services.ts');
        const { missingFiles } = await Services.load(enigma2Dir);
        return missingFiles.map(({ file, text }) => `${file} ${text}`).join('; ');
      },
      remedy: 'put a regular file there, or remove it: it counts as missing',
    },
    {
      kind: 'lists',
      what: `timers ${path}`,
      trouble: async () => {
        const { readTimers } = await import('../timers/timers-file.ts');
        const { timers, damage, problems } = await readTimers(path);
        const wrong = damage === undefined ? [] : [`${damage}; timers read: ${timers.length}`];
        return [...wrong, ...problems, ...(await keptTimers(path))].join('; ');
      },
      remedy: 'add the missing timers again, then delete the damaged file',
    },
    {
      kind: 'lists',
      what: `accounts in ${dataDir}`,
      trouble: async () => {
        const { accountsPath, readAccounts } = await import('../access/accounts-file.ts');
        await readAccounts(accountsPath(dataDir));
        return '';
      },
      remedy: 'nobody can log in until this is corrected',
    },
  ];
}

/** Checks the last readings of the guide sources. */
async function guideSources(configuration: Configuration): Promise<readonly Check[]> {
  const [{ SourcesFile }, { allSources, configuredSources }] = await Promise.all([
    import('../guide-sources/sources-file.ts'),
    import('../guide-sources/source.ts'),
  ]);
  const { added, results, problem } = await SourcesFile.read(configuration.dataDir, { isKept: false });
  const all = allSources(configuredSources(configuration), added).map((source): Check => {
    const { problem, failures } = results.get(source.id) ?? { problem: '', failures: 0 };
    const settings = source.isFixed ? 'guide.sources and iptv.allow' : 'iptv.allow';
    return {
      kind: 'guide',
      what: `guide source ${source.name}`,
      trouble: () => problem,
      remedy:
        failures > 0
          ? `correct the cause, then press Refresh now on the page (Set up, Guide); if it is in the configuration (${settings}), correct it there and restart, which reads the source again`
          : 'choose channels for your services on the page (Set up, Guide), or with: receiverd epg match',
    };
  });
  const file = {
    kind: 'guide',
    what: 'list of guide sources',
    trouble: () => problem,
    remedy: 'remove the file',
  } as const;
  return problem === '' ? all : [...all, file];
}

/** The files in which earlier starts have kept timers that they could not read. */
async function keptTimers(path: string): Promise<readonly string[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  const kept = names.filter((name) => name.startsWith(`${basename(path)}.damaged`)).sort();
  return kept.map((name) => `${name} has timers that could not be read`);
}

/** Checks the tuners that a start would use. */
async function tuners(configuration: Configuration): Promise<readonly Check[]> {
  const { tuners: texts } = configuration;
  for (const text of texts) checkTunerSpec(text);
  // If the addon cannot be loaded, another finding reports that.
  const opening = await import('../dvb/open-tuners.ts').catch(() => undefined);
  if (opening === undefined) return [];
  const present = await opening.findFrontEnds();
  const specs = opening.namedTuners(texts, present);
  const missing = missingFirmware(kernelMessages());
  const needsFirmware = missing.length > 0 || specs.some(({ kind }) => kind === 'dvb');
  const hasDemo = (await import('../base/native.ts')).native.tunerKinds.includes('demo');
  const usesFrontEnds = texts.length === 0 || texts.includes(allFrontEnds);
  return [
    ...(present.length === 0 && usesFrontEnds ? [frontEnds(texts.includes(allFrontEnds), hasDemo)] : []),
    ...specs.map((spec) => tuner(spec, present, configuration.clock === 'broadcast')),
    ...(await Promise.all(texts.filter(namesNetworkTuners).map((text) => server(text, configuration)))),
    ...(await Promise.all(texts.filter(namesEnigma2).map((text) => box(text, configuration)))),
    ...(areAllDemo(specs, texts) ? [channels(configuration)] : []),
    ...(needsFirmware ? [firmware(missing)] : []),
  ];
}

const areAllDemo = (specs: readonly TunerSpec[], texts: readonly string[]) =>
  specs.length > 0 &&
  specs.every(({ kind }) => kind === 'demo') &&
  !texts.some((text) => namesNetworkTuners(text) || namesEnigma2(text));

/** The network of the demo's channels, which are all that it receives. */
const demoNetwork = { originalNetworkId: 0xff0d, namespace: 0xeeee0000 };

/** Checks that the lists have no channels which the demo, as the only tuner, cannot receive. */
const channels = ({ enigma2Dir }: Configuration): Check => ({
  kind: 'channels',
  what: `channels of the lists in ${enigma2Dir}`,
  trouble: async () => {
    const { Services } = await import('../services/services.ts');
    const { length } = (await Services.load(enigma2Dir))
      .all()
      .filter(
        ({ reference: { dvb, namespace } }) =>
          namespace !== demoNetwork.namespace || dvb?.originalNetworkId !== demoNetwork.originalNetworkId,
      );
    return length === 0 ? '' : `channels that cannot be received, because the demo is the only tuner: ${length}`;
  },
  remedy: 'choose your tuner on the page (Set up, Tuner), or name it in the setting tuners',
});

/** That there is no front end. This is a problem only if the configuration names front ends (`dvb:*`). */
const frontEnds = (areNamed: boolean, hasDemo: boolean): Check => ({
  kind: 'tuner',
  what: areNamed ? 'front ends (dvb:*)' : `no front end in /dev/dvb${hasDemo ? ': the demo runs in its place' : ''}`,
  trouble: () => (areNamed ? 'there is none in /dev/dvb' : ''),
  remedy: 'check that the device is plugged in, and with `dmesg` that its driver has found it',
});

function tuner(spec: TunerSpec, present: readonly FrontEndInformation[], followsBroadcast: boolean): Check {
  if (spec.kind !== 'dvb') return source(spec, followsBroadcast);
  const found = present.find((one) => one.adapter === spec.adapter && one.frontend === spec.frontend);
  const { name, systems, trouble } = found ?? { name: '', systems: [], trouble: 'there is no such front end' };
  return {
    kind: 'tuner',
    what: `tuner ${formatTunerSpec(spec)}${name && ` ${name} (${systems.join(', ')})`}`,
    trouble: () => trouble,
    remedy:
      'check with `ls -l /dev/dvb` that it is plugged in and its driver loaded; this user must be in the group video',
  };
}

/** Checks tuners in the network. They are asked before the check runs, because their names are part of its title. */
async function server(text: string, configuration: Configuration): Promise<Check> {
  const [{ findNetworkTuners }, { channelCounter }] = await Promise.all([
    import('../dvb/network-tuners.ts'),
    import('./channel-counter.ts'),
  ]);
  const countChannels = channelCounter(configuration);
  const kinds: string[] = [];
  const [names, addresses] = [new Set<string>(), new Set<string>()];
  const troubles = await findNetworkTuners(
    [text],
    (_, { information, address }) => {
      kinds.push(newest(information.systems));
      names.add(information.name);
      addresses.add(address);
    },
    async (_, url) => {
      const count = await countChannels(url);
      kinds.push(`only channels: ${count}`);
      return count;
    },
  );
  const name = [...names].filter((one) => !text.includes(one)).join(', ');
  return {
    kind: 'tuner',
    what: `tuner ${text}${name && ` ${name}`}${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}`,
    trouble: async () => {
      for (const address of addresses) await tryConnection(address);
      return [...troubles.values()].join('; ');
    },
    remedy: 'check that it is switched on, in the same network, and that this is its address',
  };
}

/** Delivery systems without those that a newer one includes: `DVB-T2/DVB-C`. */
const newest = (systems: readonly string[]) => systems.filter((one) => !systems.includes(`${one}2`)).join('/');

/** Checks an Enigma2 box: its web interface, and that its stream port is open. */
async function box(text: string, configuration: Configuration): Promise<Check> {
  const { findBox } = await import('../enigma2/find-box.ts');
  const { host, streamPort } = parseEnigma2Spec(text);
  const { name, tuners, trouble } = await findBox(parseEnigma2Spec(text), configuration);
  return {
    kind: 'tuner',
    what: `tuner ${text}${name && ` ${name} (tuners: ${tuners})`}`,
    trouble: async () => {
      if (trouble === '') await tryConnection(`${host.includes(':') ? `[${host}]` : host}:${streamPort}`);
      return trouble;
    },
    remedy: 'check that it is switched on, that this is its address, and its login in enigma2.logins',
  };
}

/** Connects to an address such as `192.0.2.9:554`. @throws Error if that takes more than three seconds or fails */
async function tryConnection(address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(3000) });
  } catch (error) {
    throw new Error(
      `${address}: ${error instanceof Error && error.name === 'AbortError' ? 'no answer' : systemReason(error)}`,
    );
  } finally {
    socket.destroy();
  }
}

/** Milliseconds for reading a capture, at full speed. */
const captureTimeoutMs = 5000;

/** Whether a capture, read to its end or for some seconds, carries no time. */
async function isTimeless(path: string): Promise<boolean> {
  const [{ Tuner }, { TunerPool }] = await Promise.all([import('../dvb/tuner.ts'), import('../dvb/tuner-pool.ts')]);
  const tuner = new Tuner({ kind: 'file', path, loop: false, paced: false });
  const pool = new TunerPool([tuner], { linger: 0 });
  const found = new Promise<boolean>((resolve) => {
    tuner.onTime(() => resolve(false));
    tuner.onEnded(({ reason }) => resolve(reason === 'ended'));
    setTimeout(() => resolve(false), captureTimeoutMs).unref();
  });
  for (const pooled of pool.tuners) pooled.lease({ purpose: 'scan', user: 'doctor' });
  return found.finally(() => pool.close());
}

function source(spec: TunerSpec, followsBroadcast: boolean): Check {
  const text = formatTunerSpec(spec);
  return {
    kind: 'tuner',
    what: `tuner ${text}`,
    trouble: async () => {
      const { native } = await import('../base/native.ts');
      if (!native.tunerKinds.includes(spec.kind)) return 'not in this build';
      const problem = captureProblem(text);
      const isExplained = problem !== '' || spec.kind !== 'file' || !followsBroadcast;
      if (isExplained || !(await isTimeless(spec.path))) return problem;
      return 'carries no time (TDT, TOT or STT), so the clock cannot follow it, and its guide may stay empty; it plays all the same';
    },
    remedy:
      spec.kind === 'demo'
        ? 'install a package that contains the demo, or name another tuner with --tuner'
        : 'name another with --tuner (demo needs no hardware)',
  };
}

/** Whether drivers have missed firmware since the machine was started. */
const firmware = (missing: readonly string[]): Check => ({
  kind: 'firmware',
  what: 'firmware of tuners',
  trouble: () => (missing.length > 0 ? `the kernel has not found ${missing.join(', ')}` : ''),
  remedy: 'put it into /lib/firmware (Debian: apt install firmware-misc-nonfree), then unplug the device or restart',
});

interface PortCheck {
  readonly name: string;
  readonly bind: string;
  readonly number: number;
  /** Flag or setting of the port's number. */
  readonly setting: string;
  /** Ports of the running receiver. */
  readonly held: readonly number[];
}

function portCheck({ name, bind, number, setting, held }: PortCheck): Check {
  const isHeld = held.includes(number);
  return {
    kind: 'port',
    what: `port ${number} for the ${name}${isHeld ? ', in use by the running receiver' : ''}`,
    trouble: async () => {
      if (isHeld) return '';
      const server = createServer().listen(number, bind);
      await once(server, 'listening');
      server.close();
      return '';
    },
    remedy: `stop the program that uses it, or choose another with ${setting}`,
  };
}

/** Checks the program that shows the current service, if one is configured. */
function output({ output, mpv }: Configuration): Check[] {
  if (output !== 'mpv') return [];
  const trouble = async () => {
    const { stdout } = await promisify(execFile)(mpv.path, ['--no-config', '--version'], { timeout: 10_000 });
    if (!stdout.startsWith('mpv ')) return 'is not mpv';
    // Development builds have no version number.
    const [, minor] = /^mpv v?0\.(\d+)/.exec(stdout) ?? [];
    return minor !== undefined && Number(minor) < 33 ? 'older than 0.33' : '';
  };
  const remedy = 'install mpv 0.33 or newer, or set mpv.path in the configuration';
  return [{ kind: 'output', what: `output ${mpv.path}`, trouble, remedy }];
}

/** Checks the shutdown and reboot commands and the wake alarm, if clients may shut the machine down. */
function power({ power: { shutdown, shutdownCommand, rebootCommand, wakeAlarm } }: Configuration): Check[] {
  if (!shutdown) return [];
  const programs = [...new Set([shutdownCommand, rebootCommand].map(([program = '']) => program))];
  const commands = programs.map(
    (program): Check => ({
      kind: 'command',
      what: `command ${withoutArguments(program)} for shutting down`,
      trouble: () => (isProgram(program) ? '' : 'no such program'),
      remedy: 'name another in power.shutdownCommand and power.rebootCommand, or set power.shutdown to false',
    }),
  );
  const path = wakeAlarmOf(wakeAlarm)?.path;
  const alarm: Check = {
    kind: 'alarm',
    what:
      path === undefined
        ? 'no alarm that switches the machine on: pending timers keep it on'
        : `alarm ${path} that switches the machine on for a timer`,
    trouble: () => (path === undefined || hasAccess(path, constants.W_OK) ? '' : 'cannot be written'),
    remedy:
      'make it writable for this user, name another in power.wakeAlarm, or set that to none: pending timers then keep the machine on',
  };
  return [...commands, alarm];
}

function isProgram(name: string): boolean {
  const folders = name.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => hasAccess(join(folder, name), constants.X_OK));
}

function keys({ remote: { uinput } }: Configuration): Check[] {
  if (!uinput) return [];
  const trouble = () => {
    if (!existsSync(uinputPath)) return 'it does not exist';
    return hasAccess(uinputPath, constants.W_OK) ? '' : 'this user may not write to it';
  };
  const remedy =
    'load the module (modprobe uinput) and let this user write to the device (udev rule), or set remote.uinput to false';
  return [{ kind: 'keys', what: `${uinputPath} for the keys of the remote control`, trouble, remedy }];
}

function hasAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
