/**
 * The receiver: builds the parts from the configuration and connects them. The interfaces use its public fields.
 */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { AutoTimer } from './autotimer/autotimer.ts';
import { RuleList } from './autotimer/rule-list.ts';
import { type RulesContent, RulesFile } from './autotimer/rules-file.ts';
import { withRulesOfBox } from './autotimer/take-over.ts';
import { BroadcastClock, type Clock, systemClock } from './clock.ts';
import type { Configuration } from './config.ts';
import { DataFolder } from './data-folder.ts';
import { type Device, openDevice, openPower, openState } from './device/open-device.ts';
import { Settings } from './device/settings.ts';
import type { DeviceState } from './device/state.ts';
import type { Announcer } from './discovery/announcer.ts';
import { announcerOf } from './discovery/discovery.ts';
import type { FrontEndWatch } from './dvb/front-end-watch.ts';
import { findFrontEnds, openTuners } from './dvb/open-tuners.ts';
import type { DvbTriplet } from './dvb/triplet.ts';
import type { TunerPool } from './dvb/tuner-pool.ts';
import { GuideCollector } from './epg/collector.ts';
import { GuideExpiry } from './epg/expiry.ts';
import type { Guide } from './epg/guide.ts';
import { GuideStore, guideFile } from './epg/guide-store.ts';
import { makeGuide } from './epg/make-guide.ts';
import { Events } from './events.ts';
import { createFolder } from './files.ts';
import type { ReceiverParts } from './http/parts/parts.ts';
import { tunerState } from './http/parts/tuner-state.ts';
import { createServer } from './http/server.ts';
import { StreamServer } from './http/streams/streams.ts';
import { localTime } from './local-time.ts';
import type { FrontEndInformation } from './native.ts';
import { openPlayback, resume } from './playback/open-playback.ts';
import type { Playback } from './playback/playback.ts';
import { Player } from './playback/player.ts';
import { showMessages } from './playback/screen-messages.ts';
import { tellEvents } from './receiver-events.ts';
import type { RecordingActions } from './recordings/actions.ts';
import type { RecordingFolders } from './recordings/folders.ts';
import type { Housekeeping } from './recordings/housekeeping.ts';
import type { RecordingLibrary } from './recordings/library.ts';
import type { Locations } from './recordings/locations.ts';
import { openRecordings } from './recordings/open-recordings.ts';
import type { Recorder } from './recordings/recorder.ts';
import { Tags } from './recordings/tags.ts';
import { describeService } from './services/description.ts';
import { Picons } from './services/picons.ts';
import { ServiceScanner } from './services/scanner.ts';
import { Services } from './services/services.ts';
import { openTimers } from './timers/open-timers.ts';
import type { TimerScheduler } from './timers/scheduler.ts';
import { StoredTimers } from './timers/stored-timers.ts';
import type { Timer } from './timers/timer.ts';
import type { TimerList } from './timers/timer-list.ts';
import { TimersFile } from './timers/timers-file.ts';
import type { WakeUp } from './timers/wake-up.ts';
import { Timeshifts } from './timeshift/timeshifts.ts';

/** Seconds for which a stop waits for recordings that are still copying from timeshift. */
const longestCopying = 5;
/** Seconds after the start at which the recordings are listed for the first time. */
const firstListAfter = 10;

/** The parts read from disk, and the clock that the guide uses. */
interface StoredParts {
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly guide: Guide;
  readonly guideStore: GuideStore;
  readonly services: Services;
  readonly picons: Picons;
  readonly tags: Tags;
  readonly storedTimers: StoredTimers;
  readonly timers: readonly Timer[];
  readonly rulesFile: RulesFile;
  readonly rules: RulesContent;
  readonly frontEnds: readonly FrontEndInformation[];
}

export class Receiver implements ReceiverParts {
  readonly clock: Clock;
  readonly config: ReceiverParts['config'];
  readonly services: Services;
  readonly guide: Guide;
  readonly guideStore: GuideStore;
  readonly playback: Playback;
  readonly tuners: ReceiverParts['tuners'];
  readonly streams: ReceiverParts['streams'];
  readonly device: Device;
  readonly events = new Events();
  readonly settings: Settings;
  readonly locations: RecordingFolders;
  readonly locationChanges: Locations;
  readonly recordings: RecordingLibrary;
  readonly recorder: Recorder;
  readonly recordingActions: RecordingActions;
  readonly tags: Tags;
  readonly picons: Picons;
  readonly timers: TimerList;
  readonly timeshifts: Timeshifts;
  readonly autoTimer: AutoTimer;
  readonly #scheduler: TimerScheduler;
  readonly #wakeUp: WakeUp;
  readonly #configuration: Configuration;
  readonly #folder: DataFolder;
  readonly #log: Logger;
  readonly #pool: TunerPool;
  readonly #frontEndWatch: FrontEndWatch;
  readonly #state: DeviceState;
  readonly #collector: GuideCollector;
  readonly #scanner: ServiceScanner;
  readonly #web: FastifyInstance;
  readonly #streamServer: StreamServer;
  readonly #expiry: GuideExpiry;
  readonly #housekeeping: Housekeeping;
  #firstList: NodeJS.Timeout | undefined;
  #webPort = 0;
  #announcer: Announcer | undefined;

  /**
   * Locks the data folder, reads the service lists and the guide, and builds all parts. Nothing listens and no tuner
   * runs before `start()`; `stop()` releases the folder.
   * @param restart called when a client requests a restart
   * @throws ReceiverError `folder-in-use` while another receiver has the folder
   */
  static async open(configuration: Configuration, log: Logger, restart?: () => void): Promise<Receiver> {
    const folder = await DataFolder.lock(configuration.dataDir);
    try {
      for (const other of [configuration.enigma2Dir, ...configuration.locations]) await createFolder(other);
      const clock = configuration.clock === 'broadcast' ? new BroadcastClock() : systemClock;
      const guide = await makeGuide(configuration, clock);
      const options = { path: guideFile(folder.path), every: configuration.guide.saveEvery };
      const guideStore = new GuideStore({ guide, log }, options);
      // Runs on its own threads while this one reads the lists. Never fails: an unreadable guide starts empty.
      const guideRead = guideStore.open();
      try {
        const storedTimers = new StoredTimers(
          new TimersFile(join(configuration.enigma2Dir, 'timers.xml')),
          new TimersFile(join(folder.path, 'instant-timers.xml')),
        );
        const rulesFile = new RulesFile(join(folder.path, 'autotimers.json'));
        const [services, picons, tags, { timers, problems }, ownRules, frontEnds] = await Promise.all([
          Services.load(configuration.enigma2Dir),
          Picons.read(configuration.picons),
          Tags.read(join(configuration.enigma2Dir, 'movietags')),
          storedTimers.read(),
          rulesFile.read(),
          findFrontEnds(),
        ]);
        for (const problem of [...problems, ...ownRules.problems]) log.warn(problem);
        const ofBox = { file: rulesFile, path: join(configuration.enigma2Dir, 'autotimer.xml'), log };
        // A damaged file may have held rules, so those of the box must not take their place.
        const rules = ownRules.problems.length > 0 ? ownRules : await withRulesOfBox(ownRules, ofBox);
        for (const { file, line, text } of services.problems) log.warn(`${file}:${line}: ${text}`);
        const receiver = new Receiver(
          configuration,
          {
            folder,
            clock,
            guide,
            guideStore,
            services,
            picons,
            tags,
            storedTimers,
            timers,
            rulesFile,
            rules,
            frontEnds,
          },
          log,
          restart,
        );
        await guideRead;
        return receiver;
      } catch (error) {
        await guideRead;
        await guideStore.stop();
        throw error;
      }
    } catch (error) {
      folder.release();
      throw error;
    }
  }

  private constructor(
    configuration: Configuration,
    {
      folder,
      clock,
      guide,
      guideStore,
      services,
      picons,
      tags,
      storedTimers,
      timers,
      rulesFile,
      rules,
      frontEnds,
    }: StoredParts,
    log: Logger,
    restart: (() => void) | undefined,
  ) {
    this.#configuration = configuration;
    this.#folder = folder;
    this.#log = log;
    this.services = services;
    this.clock = clock;
    this.guide = guide;
    this.guideStore = guideStore;
    this.tags = tags;
    this.picons = picons;
    const zone = { offset: (time: number) => localTime(configuration.timeZone).offset(time) };
    const settings = Settings.read(join(configuration.enigma2Dir, 'settings'));
    this.settings = settings;
    const state = openState(configuration, log);
    this.#state = state;
    const describe = (service: DvbTriplet) => describeService(services, service);
    const transpondersOf = (service: DvbTriplet) => services.transpondersOf(service);
    const { pool, watch } = openTuners(configuration, frontEnds, guide.native, { describe, transpondersOf }, log);
    this.#pool = pool;
    this.#frontEndWatch = watch;
    const power = openPower(configuration, state, { wakeUp: () => this.#wakeUp, restart, log });

    const endTimer = (path: string) => this.#scheduler.end(path);
    const recordings = openRecordings(configuration, { pool, services, guide, settings, clock, log, endTimer });
    this.locations = recordings.folders;
    this.locationChanges = recordings.locations;
    this.recordings = recordings.library;
    this.recorder = recordings.recorder;
    this.recordingActions = recordings.actions;
    this.#housekeeping = recordings.housekeeping;

    const { recorder } = recordings;
    const { playback, channels, tracks } = openPlayback(configuration, {
      services,
      pool,
      state,
      recordings: recordings.library,
      settings,
      guide,
      power,
      log,
    });
    this.playback = playback;
    this.timeshifts = new Timeshifts(
      { pool, services, settings, clock, log, playback, power, recorder },
      { ...configuration.timeshift, queueBound: configuration.recording.queueBound, dataDir: configuration.dataDir },
    );

    const player = new Player(playback, this.timeshifts);
    this.device = openDevice(configuration, { clock, state, power, log }, { channels, player, tracks });
    const { volume, messages, uptime } = this.device;
    playback.output.setVolume(volume.level, volume.muted);
    volume.onChange(() => playback.output.setVolume(volume.level, volume.muted));
    showMessages(messages, playback.output);

    this.#streamServer = new StreamServer(
      { pool, clock, log, services },
      { bind: configuration.bind, port: configuration.streamPort, ...configuration.stream },
    );
    const clients = () => this.#streamServer.clients;
    const stored = { file: storedTimers, timers };
    const { list, scheduler, wakeUp } = openTimers(configuration, stored, {
      services,
      pool,
      guide,
      recorder,
      folders: recordings.folders,
      settings,
      power,
      state,
      clock,
      zone,
      log,
      zap: (reference) => playback.zap(reference),
      uptime,
      otherUse: () => {
        const [recorded, watching] = [recorder.active.length, clients().length];
        return recorded + watching > 0 ? `${recorded} recordings, ${watching} clients watching` : undefined;
      },
    });
    this.timers = list;
    this.#scheduler = scheduler;
    this.#wakeUp = wakeUp;
    recorder.onChange(({ path, trouble = 'it goes on' }, change) => {
      if (change === 'trouble') scheduler.note(path, trouble);
    });
    this.autoTimer = new AutoTimer({
      rules: new RuleList(rulesFile, rules),
      timers: list,
      guide,
      services,
      recordings: recordings.library,
      settings,
      locations: recordings.folders,
      clock,
      zone,
      log,
    });

    this.#expiry = new GuideExpiry(guide, clock);
    const transponders = () => services.watchedTransponders();
    this.#collector = new GuideCollector(
      { pool, clock, log, transponders },
      { every: configuration.guide.collectEvery },
    );
    this.#scanner = new ServiceScanner({ pool, services, log });
    pool.on('guide', () => this.#expiry.soon());
    if (clock instanceof BroadcastClock) pool.on('time', (time) => clock.set(time));
    pool.on('time', () => this.#clockSet());

    tellEvents(this, this.#streamServer);
    this.streams = { clients };
    this.tuners = {
      list: () => pool.tuners.map((one) => tunerState(one, services)),
      canReceive: (service, playing) => pool.canReceive(service, playing),
    };
    const receiver = this;
    this.config = {
      get timeZone() {
        return configuration.timeZone;
      },
      enigma2Dir: configuration.enigma2Dir,
      get httpPort() {
        return receiver.#webPort;
      },
      get streamPort() {
        return receiver.#streamServer.port;
      },
      origins: configuration.origins,
      hostNames: configuration.hostNames,
      push: configuration.push,
      evil: configuration.evil,
    };
    this.#web = createServer(this, { logger: log });
  }

  /** Base URLs of the interfaces for people, with the bound ports. */
  get addresses(): { readonly http: string; readonly stream: string } {
    const { bind } = this.#configuration;
    const name = bind === '::' || bind === '0.0.0.0' ? 'localhost' : bind.includes(':') ? `[${bind}]` : bind;
    return { http: `http://${name}:${this.#webPort}/`, stream: `http://${name}:${this.#streamServer.port}/` };
  }

  /** Starts listening, scanning the tuners as configured, and collecting the guide. @throws Error if a port is in use */
  async start(): Promise<void> {
    const { bind, httpPort, scan } = this.#configuration;
    await this.#streamServer.start();
    await this.#web.listen({ host: bind, port: httpPort });
    this.#webPort = (this.#web.server.address() as AddressInfo).port;
    this.#folder.announce(this.addresses.http);
    const ports = { http: this.#webPort, stream: this.#streamServer.port };
    this.#announcer = announcerOf(this.#configuration, ports, this.#log);
    this.#announcer?.start();
    this.#frontEndWatch.start();
    this.#expiry.start();
    this.#collector.start();
    this.device.sleepTimer.start();
    this.#scheduler.start();
    this.autoTimer.start();
    this.services.onChange(() => this.#chooseFirst());
    this.#wakeUp.settle(this.device.power);
    resume(this.playback, this.#log);
    this.#chooseFirst();
    this.#housekeeping.start();
    this.timeshifts.clean().catch((error: unknown) => this.#log.error(error));
    // Fills the cache, so that the first client that requests the list need not wait.
    this.#firstList = setTimeout(() => {
      this.recordings.all({ trash: true }).catch((error: unknown) => this.#log.error(error));
    }, firstListAfter * 1000).unref();
    void this.#scanner.runUntilFound(scan, this.clock);
  }

  /** Ends every stream, stops the tuners, closes the ports and releases the data folder. */
  async stop(): Promise<void> {
    this.#frontEndWatch.stop();
    this.#expiry.stop();
    clearTimeout(this.#firstList);
    this.device.stop();
    // The machine may be shutting down and not wait for the slower steps.
    if (this.#configuration.power.shutdown) await this.#wakeUp.armAnyway();
    this.recordingActions.stop();
    await this.#housekeeping.stop();
    this.recordings.stop();
    this.playback.release();
    await this.autoTimer.stop();
    await this.#scheduler.stop();
    // Saved first: the process may be killed during the slower steps below.
    await Promise.all([this.timers.flush(), this.#state.flush()]);
    await this.timeshifts.finishCopies(longestCopying * 1000);
    await Promise.all([this.recorder.stop(), this.timers.flush()]);
    await this.timeshifts.close();
    await this.playback.output.close();
    await this.#announcer?.stop();
    await this.#streamServer.stop();
    await this.#web.close();
    await Promise.all([this.#collector.stop(), this.#scanner.stop()]);
    await this.#pool.close();
    await Promise.all([this.guideStore.stop(), this.#state.flush()]);
    this.#folder.release();
  }

  /** Makes the first service of the list the current one if there has never been one. */
  #chooseFirst(): void {
    if (this.playback.hasCurrent) return;
    const [first] = this.services.playableReferences();
    if (!first) return;
    this.playback.suggest(first);
    resume(this.playback, this.#log);
  }

  /** The broadcast has set the clock, for the first time or anew. */
  #clockSet(): void {
    this.#wakeUp.settle(this.device.power);
    this.#scheduler.clockSet();
  }
}
