/** Starts and stops the assembled receiver, each step in the order that others depend on. */
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isRegularFile } from '../base/files.ts';
import type { Configuration } from '../config/config.ts';
import { namesHdhomerun } from '../config/hdhomerun-spec.ts';
import type { Announcer } from '../discovery/announcer.ts';
import { announcerOf } from '../discovery/discovery.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { NoticeWatch } from '../notifications/watch.ts';
import { resume } from '../playback/open-playback.ts';
import type { Assembly } from './assembly.ts';

/** How long a start waits for SAT>IP servers to answer. Tuners of servers that answer later are added then. */
const serverTimeoutMs = 3000;
/** How long a start waits for the first scan. A long capture without SDT or NIT takes over 10 s. */
const firstScanTimeoutMs = 20_000;
/** How long a stop waits for recordings that still copy from timeshift. */
const copyTimeoutMs = 5000;
/** How long after the start the recordings are listed for the first time. */
const firstListDelayMs = 10_000;

/** Whether one of the tuners (a file or the demo) has data at once. A pipe may get data only after the receiver is ready. */
async function hasData({ tuners }: TunerPool): Promise<boolean> {
  const sources = tuners.map(({ tuner: { spec } }) =>
    spec.kind === 'file' ? isRegularFile(spec.path) : spec.kind === 'demo',
  );
  return (await Promise.all(sources)).includes(true);
}

/**
 * The host in the receiver's own addresses. Not a name if only IPv4 is bound: `localhost` may mean ::1, where another
 * program could listen and receive the command line's secret.
 */
export function ownHost(bind: string): string {
  if (bind === '::') return 'localhost';
  if (bind === '0.0.0.0') return '127.0.0.1';
  return bind.includes(':') ? `[${bind}]` : bind;
}

/** Base URLs of the interfaces. Those by HTTPS are absent if there are none. */
export interface Addresses {
  readonly http: string;
  readonly stream: string;
  readonly https?: string;
  readonly secureStream?: string;
}

export class Lifecycle {
  readonly #configuration: Configuration;
  readonly #assembly: Assembly;
  #announcer: Announcer | undefined;
  #noticeWatch: NoticeWatch | undefined;
  #firstList: NodeJS.Timeout | undefined;
  #firstScan: Promise<void> = Promise.resolve();

  constructor(configuration: Configuration, assembly: Assembly) {
    this.#configuration = configuration;
    this.#assembly = assembly;
  }

  /** Base URLs of the interfaces, with the actual ports. */
  get addresses(): Addresses {
    const { bind } = this.#configuration;
    const { run, streamServer, secure } = this.#assembly;
    const name = ownHost(bind);
    return {
      http: `http://${name}:${run.webPort}/`,
      stream: `http://${name}:${streamServer.port}/`,
      ...(secure.webPort > 0 && { https: `https://${name}:${secure.webPort}/` }),
      ...(secure.streamPort > 0 && { secureStream: `https://${name}:${secure.streamPort}/` }),
    };
  }

  /** All ports on which the receiver listens. */
  get #ports(): readonly number[] {
    const { run, streamServer, secure, reception, hdhomerun } = this.#assembly;
    const { satip } = reception;
    const ports = [
      run.webPort,
      streamServer.port,
      secure.webPort,
      secure.streamPort,
      satip.port,
      hdhomerun.streamPort,
      hdhomerun.controlPort,
    ];
    return ports.filter((port) => port > 0);
  }

  /** See `start` in receiver.ts. */
  async start(ending: AbortSignal): Promise<void> {
    await this.#listen();
    if (ending.aborted) return;
    await this.#join(ending);
    if (ending.aborted) return;
    this.#work();
    this.#assembly.run.phase = 'running';
  }

  async #listen(): Promise<void> {
    const { accounts, streamServer, web, secure, connections, run, folder } = this.#assembly;
    const { bind, httpPort } = this.#configuration;
    // Read at the start, so that the log reports an unreadable file before the first login.
    await accounts.open();
    await streamServer.start();
    await web.listen({ host: bind, port: httpPort });
    run.webPort = (web.server.address() as AddressInfo).port;
    await secure.start((server) => connections.limit(server));
    folder.announce(this.addresses.http, this.#ports);
  }

  /** Announces the receiver, connects to the MQTT broker, offers the tuners by SAT>IP and looks for those of servers. */
  async #join(ending: AbortSignal): Promise<void> {
    const { streamServer, run, mqtt, reception, hdhomerun, folder, log } = this.#assembly;
    this.#announcer = announcerOf(this.#configuration, { http: run.webPort, stream: streamServer.port }, log);
    this.#announcer?.start();
    mqtt?.start().catch((error: unknown) => log.error(error, 'MQTT does not work'));
    await this.#assembly.notifications.start();
    reception.watch.start();
    // Before the scheduler starts: a timer that is due may need the tuners of servers.
    await reception.servers.listen();
    await reception.satip.start(run.webPort);
    await hdhomerun.start(run.webPort);
    folder.announce(this.addresses.http, this.#ports);
    const timeout = pause(serverTimeoutMs, undefined, { ref: false, signal: ending }).catch(() => undefined);
    // Devices know by it that a lock is ours, also after a crash.
    if (this.#configuration.tuners.some(namesHdhomerun))
      await reception
        .identity()
        .change({})
        .catch((error: unknown) => log.warn(error, 'the identity of this receiver was not saved'));
    const searches = [reception.servers.look(), reception.devices.look(), reception.boxes.look()];
    await Promise.race([Promise.all(searches), timeout]);
  }

  #work(): void {
    const { reception, recordings, watching, schedule, services, clock, log } = this.#assembly;
    reception.expiry.start();
    reception.collector.start();
    reception.guideSources.start();
    watching.device.sleepTimer.start();
    this.#noticeWatch = this.#assembly.watchNotices();
    schedule.timers.scheduler.start();
    schedule.autoTimer.start();
    services.onChange(() => this.#chooseFirst());
    resume(watching.playback, log);
    this.#chooseFirst();
    recordings.housekeeping.start();
    watching.timeshifts.clean().catch((error: unknown) => log.error(error, 'old files of timeshift were not removed'));
    // Fills the cache, so that the first client that requests the list does not have to wait.
    this.#firstList = setTimeout(() => {
      recordings.library
        .all({ trash: true })
        .catch((error: unknown) => log.error(error, 'the recordings could not be listed'));
    }, firstListDelayMs).unref();
    const filled = new Promise<void>((resolve) => reception.scanner.onFilled(resolve));
    const isFirst = services.size === 0;
    const scan = reception.scanner.runUntilFound(this.#configuration.scan, clock);
    if (isFirst) this.#firstScan = Promise.race([filled, scan]);
  }

  /** Makes the first service of the list the current one if there has never been one. */
  #chooseFirst(): void {
    const { services, log } = this.#assembly;
    const { playback } = this.#assembly.watching;
    const [first] = playback.hasCurrent ? [] : services.playableReferences();
    if (!first) return;
    playback.suggest(first);
    resume(playback, log);
  }

  /** See `hasScanned` in receiver.ts. */
  async hasScanned(ending: AbortSignal): Promise<boolean> {
    const { services, reception } = this.#assembly;
    let isOver = false;
    const over = this.#firstScan.then(() => {
      isOver = true;
    });
    if (await hasData(reception.pool)) {
      const timeout = pause(firstScanTimeoutMs, undefined, { ref: false, signal: ending }).catch(() => undefined);
      await Promise.race([over, timeout]);
    }
    return isOver || services.size > 0;
  }

  async stop(): Promise<void> {
    this.#assembly.run.phase = 'stopping';
    this.#noticeWatch?.stop();
    const mqttStopped = this.#assembly.mqtt?.stop();
    await this.#stopWork();
    await this.#saveRecordings();
    await this.#announcer?.stop();
    await mqttStopped;
    await this.#assembly.notifications.stop();
    await this.#closePorts();
    await this.#stopReception();
    this.#assembly.folder.release();
  }

  async #stopWork(): Promise<void> {
    const { reception, recordings, exports, watching, schedule, state } = this.#assembly;
    const { timers, autoTimer } = schedule;
    reception.watch.stop();
    await Promise.all([reception.servers.stop(), reception.devices.stop(), reception.boxes.stop()]);
    reception.expiry.stop();
    clearTimeout(this.#firstList);
    watching.device.stop();
    // Set early: the machine may be shutting down and may not wait for the slower steps.
    if (this.#configuration.power.shutdown) await timers.wakeUp.armOrLog();
    recordings.actions.stop();
    await exports.stop();
    await recordings.indexer.stop();
    await recordings.breakFinder.stop();
    await recordings.housekeeping.stop();
    recordings.library.stop();
    watching.playback.release();
    await autoTimer.stop();
    await timers.scheduler.stop();
    // Saved first: the process may be killed during the slower steps below.
    await Promise.all([timers.list.flush(), state.flush()]);
  }

  async #saveRecordings(): Promise<void> {
    const { recordings, watching, pictures, schedule } = this.#assembly;
    pictures.frames.stop();
    await watching.timeshifts.finishCopies(copyTimeoutMs);
    await Promise.all([recordings.recorder.stop(), schedule.timers.list.flush()]);
    await watching.timeshifts.close();
    await watching.liveSegments.stop();
    watching.converter.stop();
    await watching.playback.output.close();
  }

  async #closePorts(): Promise<void> {
    const { reception, secure, streamServer, hdhomerun, web } = this.#assembly;
    await reception.satip.stop();
    await hdhomerun.stop();
    await secure.stop();
    await streamServer.stop();
    await web.close();
  }

  async #stopReception(): Promise<void> {
    const { pool, network, scans, scanner, collector, guideSources } = this.#assembly.reception;
    // Not awaited: a scan may be waiting for a signal until the tuners are closed below.
    void scans.stop();
    await Promise.all([collector.stop(), guideSources.stop(), scanner.stop()]);
    await Promise.all([pool.close(), network.close()]);
    await Promise.all([this.#assembly.guideStore.stop(), this.#assembly.state.flush()]);
  }
}
