/**
 * `receiverd start`: runs the receiver until a signal. A restart rereads the configuration in the same process. SIGHUP
 * rereads the lists and those settings that need no restart.
 */
import { dirname } from 'node:path';
import { isatty } from 'node:tty';
import type { Logger } from 'pino';
import { SetupCode, setupLink, takeSetupCode } from '../access/setup-code.ts';
import { fail, ReceiverError } from '../base/errors.ts';
import { abandonedAfterMs, removeTemporaries } from '../base/files.ts';
import { knownSecrets, withoutSecrets } from '../base/secrets.ts';
import { type Configuration, type ConfigurationPart, changedSettings, loadConfiguration } from '../config/config.ts';
import { checkBuiltIn, namesSeveral, parseTunerSpec } from '../dvb/tuner.ts';
import type { Host } from '../host/host.ts';
import { LogLines } from '../host/log-lines.ts';
import { openReceiver, type Receiver } from '../receiver/receiver.ts';
import { captureProblem } from './captures.ts';
import { heapLimit, memoryOfMachine, watchHeap } from './heap-bound.ts';
import { openLog } from './log.ts';
import { isOldNode, oldestNode } from './old-node.ts';
import { ServiceManager } from './service-manager.ts';
import { SettingsInFile } from './settings-in-file.ts';

export interface StartFlags
  extends Pick<
    ConfigurationPart,
    'dataDir' | 'enigma2Dir' | 'httpPort' | 'streamPort' | 'bind' | 'clock' | 'logLevel'
  > {
  readonly config?: string;
  readonly tuner?: string[];
}

export async function start(flags: StartFlags): Promise<void> {
  const problems: string[] = [];
  const configuration = configure(flags, (problem) => problems.push(problem));
  checkTuners(flags, configuration);
  if (isOldNode())
    console.error(
      `receiverd: Node.js ${process.versions.node} is older than ${oldestNode}, the oldest it is tested with`,
    );
  const logLines = new LogLines();
  const log = await openLog(configuration.logLevel, logLines);
  for (const problem of problems) log.warn(problem);
  const manager = ServiceManager.of(process.env, log);
  const setupCode = await takeSetupCode(configuration.dataDir);
  const program = new Program(flags, configuration, { log, logLines, setupCode }, manager);
  const onTerminal = isatty(0);
  process
    .on('SIGINT', () => program.end('keyboard'))
    .on('SIGTERM', () => program.end('system'))
    // SIGHUP is also sent when the terminal closes; stdin is then no longer a terminal.
    .on('SIGHUP', () => (onTerminal && !isatty(0) ? program.endWithTerminal() : program.reload()));
  limitHeap(program, log);
  await program.begin();
}

/** Ends the program when its heap is over the limit of heap-bound.ts. */
function limitHeap(program: Program, log: Logger): void {
  const memory = memoryOfMachine();
  const limit = heapLimit(memory);
  if (limit === undefined) return;
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  watchHeap(limit, () => {
    const why = `more than ${megabytes(limit)} of JavaScript heap on a machine with ${megabytes(memory)}`;
    log.fatal(`stopping: ${why}; this is a bug, or the lists are too long for this machine`);
    process.exitCode = 1;
    program.end('system');
  });
}

function configure(flags: StartFlags, warn: (problem: string) => void): Configuration {
  return loadConfiguration({ file: flags.config, flags: settingsOf(flags), warn });
}

function settingsOf({ config, tuner, ...settings }: StartFlags): ConfigurationPart {
  return { ...settings, ...(tuner ? { tuners: tuner } : {}) };
}

/**
 * Checks that the tuners can be opened. A capture named on the command line must exist, because the user has just typed
 * its name. One named in the configuration may be on a disk that is mounted late; without it, recordings and timers
 * must still work.
 * @throws ReceiverError `file-unreadable`, `demo-missing`
 */
function checkTuners({ tuner }: StartFlags, { tuners }: Configuration): void {
  for (const specification of tuners) {
    if (!namesSeveral(specification)) checkBuiltIn(parseTunerSpec(specification));
    const problem = captureProblem(specification);
    if (problem === '') continue;
    if (tuner !== undefined) throw fail('file-unreadable', `--tuner ${specification}`, problem);
    console.error(`receiverd: tuner ${specification}: ${problem}`);
    console.error('receiverd: starting without it; it is opened as soon as the file exists and the tuner is needed');
  }
}

/** A receiver and, after a restart, its successor in the same process. */
class Program {
  readonly #flags: StartFlags;
  readonly #log: Logger;
  readonly #manager: ServiceManager | undefined;
  /** The configuration in effect, with the actual ports. */
  #configuration: Configuration;
  /** The configuration in effect, as it was read. */
  #asRead: Configuration;
  #receiver: Receiver | undefined;
  readonly #host: Host;
  /** Serialises start, restart and stop. */
  #busy: Promise<void> = Promise.resolve();
  #isRestarting = false;
  #isStarting = false;
  readonly #ending = new AbortController();

  constructor(
    flags: StartFlags,
    configuration: Configuration,
    { log, logLines, setupCode }: { readonly log: Logger; readonly logLines: LogLines; readonly setupCode: string },
    manager: ServiceManager | undefined,
  ) {
    const settings = new SettingsInFile({
      config: flags.config,
      flags: settingsOf(flags),
      running: () => this.#asRead,
      reload: () => this.reload(),
    });
    this.#host = {
      restart: () => this.#restart(),
      setupCode: new SetupCode(setupCode, (code) => this.#printSetupLink(code)),
      logLines: {
        after: (number) => {
          const secrets = knownSecrets(this.#asRead);
          return logLines.after(number).map((line) => ({ ...line, text: withoutSecrets(line.text, secrets) }));
        },
      },
      settings,
      examine: async () => {
        const { findingsOf } = await import('./doctor.ts');
        return findingsOf(this.#withPortsInUse(this.#configuration), settings.trouble);
      },
    };
    this.#flags = flags;
    this.#configuration = configuration;
    this.#asRead = configuration;
    this.#log = log;
    this.#manager = manager;
  }

  /** Opens and starts the first receiver. */
  begin(): Promise<void> {
    const begun = this.#begin();
    this.#busy = begun.catch(() => undefined);
    return begun;
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  async #begin(): Promise<void> {
    this.#isStarting = true;
    await this.#open().finally(() => {
      this.#isStarting = false;
    });
  }

  /** Opens and starts a receiver and prints its addresses. */
  async #open(): Promise<void> {
    // Left by a killed change of the configuration file. The receiver itself cleans up the data folder.
    if (this.#flags.config !== undefined) await removeTemporaries(dirname(this.#flags.config), abandonedAfterMs);
    const receiver = await openReceiver(this.#configuration, this.#log, this.#host);
    this.#receiver = receiver;
    if (this.#isEnding) return;
    await receiver.start(this.#ending.signal).catch(async (error: unknown) => {
      // One of the two ports may be open already and would keep the process alive.
      await receiver.stop();
      throw explainListenError(error, this.#configuration);
    });
    if (this.#isEnding) return;
    const { http, https, stream, secureStream } = receiver.addresses();
    console.log(`Web interface and API  ${http}`);
    if (https !== undefined) console.log(`Web interface by HTTPS ${https}`);
    console.log(`Live streams           ${stream}`);
    if (secureStream !== undefined) console.log(`Live streams by HTTPS  ${secureStream}`);
    console.log(`Channels as a playlist ${http}web/services.m3u`);
    const isNew = !receiver.hasAdmin();
    if (isNew) this.#printSetupLink(this.#host.setupCode.current);
    const hasScanned = await receiver.hasScanned(this.#ending.signal);
    if (this.#isEnding) return;
    if (!hasScanned) console.log('Channels               none yet; the service scan continues');
    else if (!receiver.hasChannels())
      console.log(`Channels               none yet; scan or import them: ${http}#/setup`);
    console.log(`receiverd ready http=${http} stream=${stream}`);
    const hint = isNew ? '; its log has a link to set a password' : '';
    this.#manager?.ready(`Web interface ${http}, live streams ${stream}${hint}`);
  }

  #printSetupLink(code: string): void {
    const { https } = this.#receiver?.addresses() ?? {};
    const link = setupLink(this.#withPortsInUse(this.#configuration), https === undefined ? 0 : portOf(https), code);
    console.log(`Set a password         ${link}`);
  }

  /** Stops the receiver cleanly; a second call ends the process at once. */
  end(by: 'keyboard' | 'system'): void {
    const report = by === 'keyboard' ? printToTerminal : () => undefined;
    if (this.#isEnding) {
      report('stopped at once; the latest guide changes may not be on disk');
      process.exit(1);
    }
    // A slow disk or name server may delay the start, and there is nothing yet that a clean stop would save.
    if (this.#isStarting) setTimeout(() => endBySignal('SIGTERM'), abortedStartTimeoutMs).unref();
    this.#ending.abort();
    this.#manager?.stopping();
    report('stopping; press Ctrl-C again to stop at once');
    this.#enqueue(async () => this.#receiver?.stop());
  }

  /** Stops the receiver cleanly and ends by SIGHUP, because `process.exit` aborts when the terminal is gone. */
  endWithTerminal(): void {
    if (this.#isEnding) return;
    this.end('system');
    this.#enqueue(async () => endBySignal('SIGHUP'));
  }

  /** Requests during a restart are covered by that restart. */
  #restart(): void {
    if (this.#isRestarting || this.#isEnding) return;
    this.#isRestarting = true;
    this.#enqueue(async () => {
      try {
        await this.#restartNow();
      } finally {
        this.#isRestarting = false;
      }
    });
  }

  async #restartNow(): Promise<void> {
    const receiver = this.#receiver;
    if (this.#isEnding || receiver === undefined) return;
    const configuration = this.#rereadConfiguration('no restart');
    if (configuration === undefined) return;
    this.#log.info('restarting');
    this.#manager?.status('Restarting');
    // If any free port is allowed, stay on the one that clients know.
    this.#configuration = this.#withPortsInUse(configuration);
    await receiver.stop();
    this.#log.level = configuration.logLevel;
    this.#asRead = configuration;
    if (!this.#isEnding) await this.#begin();
  }

  /** The configuration with the ports of the running receiver in place of 0 (any free port). */
  #withPortsInUse(configuration: Configuration): Configuration {
    const { http, stream } = this.#receiver?.addresses() ?? {};
    const httpPort = configuration.httpPort || (http === undefined ? 0 : portOf(http));
    const streamPort = configuration.streamPort || (stream === undefined ? 0 : portOf(stream));
    return { ...configuration, httpPort, streamPort };
  }

  /** Rereads the configuration; if it is invalid, logs that with the `consequence` and returns undefined. */
  #rereadConfiguration(consequence: string): Configuration | undefined {
    try {
      return configure(this.#flags, (problem) => this.#log.warn(problem));
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      this.#log.error(`${consequence}, the configuration cannot be applied: ${error.message.replaceAll('\n', '; ')}`);
      return undefined;
    }
  }

  /** Rereads the lists and the configuration without a restart. */
  reload(): void {
    this.#enqueue(async () => {
      const receiver = this.#receiver;
      if (this.#isEnding || receiver === undefined) return;
      const configuration = this.#rereadConfiguration('all settings stay as they are');
      if (configuration !== undefined) this.#apply(configuration);
      await receiver.reload(this.#configuration).catch((error: unknown) => this.#log.error(error));
    });
  }

  /** Applies the settings that need no restart. */
  #apply(configuration: Configuration): void {
    const { live, later } = changedSettings(this.#asRead, configuration);
    const { logLevel, cleaning, notifications, enigma2 } = configuration;
    const applied = { logLevel, cleaning, notifications, enigma2 };
    this.#asRead = { ...this.#asRead, ...applied };
    this.#configuration = { ...this.#configuration, ...applied };
    this.#log.level = logLevel;
    if (live.length > 0) this.#log.info(`settings changed: ${live.join(', ')}`);
    if (later.length > 0) this.#log.warn(`settings that take effect after a restart: ${later.join(', ')}`);
  }

  #enqueue(action: () => Promise<void>): void {
    this.#busy = this.#busy.then(action).catch((error: unknown) => {
      this.#log.fatal(error, 'the receiver could not be started again, or stopped cleanly');
      process.exitCode = 1;
    });
  }
}

/** How long to wait for a start that was aborted by a signal. */
const abortedStartTimeoutMs = 1500;

function endBySignal(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Explains why a port cannot be opened, naming the settings; returns other errors unchanged. */
function explainListenError(error: unknown, { bind, httpPort, streamPort }: Configuration): unknown {
  const { code, syscall, port = 0 } = error as NodeJS.ErrnoException & { readonly port?: number };
  const another = '--http-port, --stream-port, or tls and satip in the settings';
  if (code === 'EADDRINUSE' && port === httpPort && port === streamPort)
    return fail('configuration-invalid', `--stream-port ${port}`, 'must be another one than --http-port');
  if (code === 'EADDRINUSE')
    return fail('configuration-invalid', `port ${port}`, `is already in use; choose another (${another})`);
  if (code === 'EACCES' && syscall === 'listen')
    return fail(
      'configuration-invalid',
      `port ${port}`,
      `needs a permission of the system, as ports below 1024 do; choose another (${another})`,
    );
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo')
    return fail('configuration-invalid', `--bind ${bind}`, 'is no address of this machine; :: stands for all of them');
  return error;
}

/** Prints a message for a user at the terminal; a log file does not need it. */
function printToTerminal(text: string): void {
  if (process.stderr.isTTY) console.error(`\nreceiverd: ${text}`);
}

const portOf = (url: string) => Number(new URL(url).port) || (url.startsWith('https:') ? 443 : 80);
