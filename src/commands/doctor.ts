/** `receiverd doctor`: what works on this machine, what does not, and how to fix it. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Configuration, loadConfiguration } from '../config.ts';
import { uinputPath } from '../device/remote.ts';
import { wakeAlarmOf } from '../device/wake-alarm.ts';
import { parseTunerSpec } from '../dvb/tuner-spec.ts';
import { createFolder } from '../files.ts';
import { captureProblem } from './captures.ts';

interface Finding {
  readonly kind: 'node' | 'addon' | 'folder' | 'tuner' | 'port' | 'output' | 'command' | 'alarm' | 'keys';
  readonly what: string;
  /** Empty if it works. */
  readonly trouble: string;
  readonly remedy: string;
}

export interface DoctorFlags {
  readonly config?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
}

/** Prints the findings. Returns true if there is nothing to report. @throws ReceiverError for a bad configuration */
export async function examine({ config, dataDir, json = false }: DoctorFlags): Promise<boolean> {
  const configuration = loadConfiguration({ file: config, flags: dataDir === undefined ? {} : { dataDir } });
  const findings = [
    node(),
    await addon(),
    ...(await folders(configuration)),
    ...(await tuners(configuration)),
    ...(await ports(configuration)),
    ...(await output(configuration)),
    ...power(configuration),
    ...keys(configuration),
  ];
  const healthy = findings.every(({ trouble }) => trouble === '');
  if (json) console.log(JSON.stringify(documentOf(findings, healthy), undefined, 2));
  else print(findings);
  return healthy;
}

function print(findings: readonly Finding[]): void {
  for (const { what, trouble, remedy } of findings) {
    console.log(trouble === '' ? `ok    ${what}` : `FAIL  ${what}: ${trouble}\n      ${remedy}`);
  }
}

/** What `--json` prints (docs/command-line.md). Keys may be added, but keep their meaning. */
function documentOf(findings: readonly Finding[], healthy: boolean) {
  return {
    healthy,
    findings: findings.map(({ kind, what, trouble, remedy }) => ({
      kind,
      subject: what,
      ok: trouble === '',
      problem: trouble === '' ? null : trouble,
      remedy: trouble === '' ? null : remedy,
    })),
  };
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < 20 || (major === 20 && minor < 19);
  return {
    kind: 'node',
    what: `Node.js ${process.versions.node}`,
    trouble: old ? 'older than 20.19' : '',
    remedy: 'install Node.js 20.19 or newer',
  };
}

async function addon(): Promise<Finding> {
  const finding = { kind: 'addon' as const, what: 'native addon', remedy: 'build it with: npm run build:native' };
  try {
    await import('../native.ts');
    return { ...finding, trouble: '' };
  } catch (error) {
    return { ...finding, trouble: (error as Error).message.split('\n', 1)[0] ?? 'cannot be loaded' };
  }
}

function folders({ dataDir, enigma2Dir, locations }: Configuration): Promise<Finding[]> {
  const used = [...new Set([dataDir, enigma2Dir, ...locations])].map(async (folder) => {
    const finding = {
      kind: 'folder' as const,
      what: `folder ${folder}`,
      remedy: 'make it writable for this user, or choose another in the configuration',
    };
    try {
      await createFolder(folder);
      accessSync(folder, constants.R_OK | constants.W_OK);
      return { ...finding, trouble: '' };
    } catch (error) {
      return { ...finding, trouble: (error as Error).message };
    }
  });
  return Promise.all(used);
}

async function tuners({ tuners: specifications }: Configuration): Promise<Finding[]> {
  // An addon that cannot be loaded is a finding of its own.
  const { checkBuiltIn } = await import('../dvb/tuner.ts').catch(() => ({ checkBuiltIn: () => undefined }));
  return specifications.map((text) => {
    const spec = parseTunerSpec(text);
    const finding = {
      kind: 'tuner' as const,
      what: `tuner ${text}`,
      remedy:
        spec.kind === 'demo'
          ? 'install a package that contains the demo, or name another tuner with --tuner file:PATH'
          : 'name another with --tuner (demo needs no hardware)',
    };
    try {
      checkBuiltIn(spec);
      return { ...finding, trouble: captureProblem(text) };
    } catch {
      return { ...finding, trouble: 'not in this build' };
    }
  });
}

async function ports({ bind, httpPort, streamPort }: Configuration): Promise<Finding[]> {
  const used = [
    { name: 'web interface', port: httpPort, flag: '--http-port' },
    { name: 'live streams', port: streamPort, flag: '--stream-port' },
  ];
  return Promise.all(
    used.map(async ({ name, port, flag }) => ({
      kind: 'port' as const,
      what: `port ${port} for the ${name}`,
      trouble: await free(bind, port),
      remedy: `stop the program that uses it, or choose another with ${flag}`,
    })),
  );
}

/** The program that shows the current service, if one is configured. */
async function output({ output, mpv }: Configuration): Promise<Finding[]> {
  if (output !== 'mpv') return [];
  const finding = {
    kind: 'output' as const,
    what: `output ${mpv.path}`,
    remedy: 'install mpv 0.33 or newer, or set mpv.path in the configuration',
  };
  try {
    const { stdout } = await promisify(execFile)(mpv.path, ['--no-config', '--version'], { timeout: 10_000 });
    if (!stdout.startsWith('mpv ')) return [{ ...finding, trouble: 'is not mpv' }];
    // A build between releases has no version number.
    const [, minor] = /^mpv v?0\.(\d+)/.exec(stdout) ?? [];
    return [{ ...finding, trouble: minor !== undefined && Number(minor) < 33 ? 'older than 0.33' : '' }];
  } catch (error) {
    return [{ ...finding, trouble: (error as Error).message.split('\n', 1)[0] ?? 'does not run' }];
  }
}

/** The shutdown and reboot commands if clients may use them, and the alarm that switches the machine on for a timer. */
function power({ power: { shutdown, shutdownCommand, rebootCommand, wakeAlarm } }: Configuration): Finding[] {
  if (!shutdown) return [];
  const programs = [...new Set([shutdownCommand, rebootCommand].map(([program = '']) => program))];
  const commands = programs.map((program) => ({
    kind: 'command' as const,
    what: `command ${program} for shutting down`,
    trouble: isProgram(program) ? '' : 'no such program',
    remedy: 'name another in power.shutdownCommand and power.rebootCommand, or set power.shutdown to false',
  }));
  const path = wakeAlarmOf(wakeAlarm)?.path;
  if (path === undefined) {
    return [
      ...commands,
      {
        kind: 'alarm',
        what: 'no alarm that switches the machine on: pending timers keep it on',
        trouble: '',
        remedy: '',
      },
    ];
  }
  const alarm = {
    kind: 'alarm' as const,
    what: `alarm ${path} that switches the machine on for a timer`,
    trouble: canBe(path, constants.W_OK) ? '' : 'cannot be written',
    remedy:
      'make it writable for this user, name another in power.wakeAlarm, or set that to none: pending timers then keep the machine on',
  };
  return [...commands, alarm];
}

function isProgram(name: string): boolean {
  const folders = name.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => canBe(join(folder, name), constants.X_OK));
}

function keys({ remote: { uinput } }: Configuration): Finding[] {
  if (!uinput) return [];
  const trouble = !existsSync(uinputPath)
    ? 'it does not exist'
    : canBe(uinputPath, constants.W_OK)
      ? ''
      : 'this user may not write to it';
  return [
    {
      kind: 'keys',
      what: `${uinputPath} for the keys of the remote control`,
      trouble,
      remedy:
        'load the module (modprobe uinput) and let this user write to the device (udev rule), or set remote.uinput to false',
    },
  ];
}

function canBe(path: string, used: number): boolean {
  try {
    accessSync(path, used);
    return true;
  } catch {
    return false;
  }
}

/** Returns an empty string if the port can be opened, otherwise the reason. */
function free(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(error.message));
    server.listen(port, host, () => server.close(() => resolve('')));
  });
}
