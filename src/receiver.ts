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
import { Host } from './device/host.ts';
import { deviceIdentity } from './device/identity.ts';
import { Keys } from './device/keys.ts';
import { runCommand } from './device/machine.ts';
import { Messages } from './device/messages.ts';
import { Power } from './device/power.ts';
import { RemoteControl, uinputPath } from './device/remote.ts';
import { Settings } from './device/settings.ts';
import { SleepTimer } from './device/sleep-timer.ts';
import { DeviceState } from './device/state.ts';
import { Volume } from './device/volume.ts';
import { wakeAlarmOf } from './device/wake-alarm.ts';
import type { Announcer } from './discovery/announcer.ts';
import { announcerOf } from './discovery/discovery.ts';
import { parseTunerSpec, Tuner } from './dvb/tuner.ts';
import { TunerPool } from './dvb/tuner-pool.ts';
import { GuideCollector } from './epg/collector.ts';
import type { Guide } from './epg/guide.ts';
import { GuideStore, guideFile } from './epg/guide-store.ts';
import { makeGuide } from './epg/make-guide.ts';
import { Events } from './events.ts';
import { createFolder } from './files.ts';
import { localTime } from './http/local-time.ts';
import type { ReceiverParts } from './http/parts.ts';
import { createServer } from './http/server.ts';
import { StreamServer } from './http/streams.ts';
import { tunerState } from './http/tuner-state.ts';
import { Channels } from './playback/channels.ts';
import { makeOutput } from './playback/make-output.ts';
import { Playback } from './playback/playback.ts';
import { Player } from './playback/player.ts';
import { showMessages } from './playback/screen-messages.ts';
import { TrackKeys } from './playback/track-keys.ts';
import { tellEvents } from './receiver-events.ts';
import { RecordingActions } from './recordings/actions.ts';
import { type RecordingFolders, recordingFolders } from './recordings/folders.ts';
import { Housekeeping } from './recordings/housekeeping.ts';
import { RecordingLibrary } from './recordings/library.ts';
import { Locations } from './recordings/locations.ts';
import { Recorder } from './recordings/recorder.ts';
import { Tags } from './recordings/tags.ts';
import { describeService } from './services/description.ts';
import { guideKey } from './services/guide-key.ts';
import { Picons } from './services/picons.ts';
import { ServiceScanner } from './services/scanner.ts';
import { Services } from './services/services.ts';
import { defaultTimerFolder } from './timers/orders.ts';
import { TimerReception } from './timers/reception.ts';
import { TimerScheduler } from './timers/scheduler.ts';
import { StoredTimers } from './timers/stored-timers.ts';
import type { Timer } from './timers/timer.ts';
import { TimerList } from './timers/timer-list.ts';
import { TimersFile } from './timers/timers-file.ts';
import { WakeUp } from './timers/wake-up.ts';
import { Timeshifts } from './timeshift/timeshifts.ts';

/** Clock changes by the broadcast up to this many seconds are ignored. */
const clockTolerance = 2;
/** Seconds between removals of ended events, and from new events to a removal (a schedule holds the whole day). */
const expiryPace = 60;
const expiryDelay = 3;
/** Seconds for which a stop waits for recordings that are still copying from timeshift. */
const longestCopying = 5;
/** Seconds after power-on by which a machine has started up. */
const longestStart = 600;
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
  readonly device: ReceiverParts['device'];
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
  readonly #state: DeviceState;
  readonly #collector: GuideCollector;
  readonly #scanner: ServiceScanner;
  readonly #web: FastifyInstance;
  readonly #streamServer: StreamServer;
  /** Seconds by which the clock is ahead of the machine's monotonic clock. */
  #clockAhead = Number.NEGATIVE_INFINITY;
  #expiry: NodeJS.Timeout | undefined;
  #expirySoon: NodeJS.Timeout | undefined;
  #firstList: NodeJS.Timeout | undefined;
  readonly #housekeeping: Housekeeping;
  #webPort = 0;
  /** Keys of this machine, if enabled and available. */
  readonly #keys: Keys | undefined;
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
      const guide = makeGuide(configuration, clock);
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
        const [services, picons, tags, { timers, problems }, ownRules] = await Promise.all([
          Services.load(configuration.enigma2Dir),
          Picons.read(configuration.picons),
          Tags.read(join(configuration.enigma2Dir, 'movietags')),
          storedTimers.read(),
          rulesFile.read(),
        ]);
        for (const problem of [...problems, ...ownRules.problems]) log.warn(problem);
        const ofBox = { file: rulesFile, path: join(configuration.enigma2Dir, 'autotimer.xml'), log };
        // A damaged file may have held rules, so those of the box must not take their place.
        const rules = ownRules.problems.length > 0 ? ownRules : await withRulesOfBox(ownRules, ofBox);
        for (const { file, line, text } of services.problems) log.warn(`${file}:${line}: ${text}`);
        const receiver = new Receiver(
          configuration,
          { folder, clock, guide, guideStore, services, picons, tags, storedTimers, timers, rulesFile, rules },
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
    { folder, clock, guide, guideStore, services, picons, tags, storedTimers, timers, rulesFile, rules }: StoredParts,
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
    const tuners = configuration.tuners.map((text) => new Tuner(parseTunerSpec(text), { guide: guide.native }));
    const pool = new TunerPool(tuners, {
      linger: configuration.stream.linger * 1000,
      describe: (service) => describeService(services, service),
    });
    this.#pool = pool;
    if (clock instanceof BroadcastClock) pool.on('time', (time) => clock.set(time));
    pool.on('guide', () => {
      this.#expirySoon ??= setTimeout(() => void this.#expire(), expiryDelay * 1000).unref();
    });
    pool.on('ended', (tuner, end) => {
      if (end.reason === 'failed') log.error(`${tuner.name} (${tuner.source}): ${end.message}`);
    });

    const state = new DeviceState(join(configuration.dataDir, 'state.json'), {
      onError: (error) => log.error(`the state of the receiver cannot be saved: ${error.message}`),
    });
    this.#state = state;
    const volume = new Volume(state);
    const { shutdown, shutdownCommand, rebootCommand } = configuration.power;
    const power = new Power(state, {
      ...(shutdown && {
        shutDown: async () => {
          await this.#wakeUp.armAnyway();
          await runCommand(shutdownCommand);
        },
        reboot: () => runCommand(rebootCommand),
        neededFor: async () => this.#wakeUp.busyWith ?? (await this.#wakeUp.arm()),
        onError: (error) => log.error(error),
      }),
      restart,
    });
    const host = new Host([...configuration.locations, configuration.dataDir]);
    this.settings = Settings.read(join(configuration.enigma2Dir, 'settings'));
    const { locations, locationRoots } = configuration;
    this.locations = recordingFolders(locations, this.settings, locationRoots);
    this.locationChanges = new Locations(
      { folders: this.locations, settings: this.settings },
      locations,
      locationRoots,
    );
    this.recordings = new RecordingLibrary(this.locations, (bytes) => this.guide.eventOfFile(bytes));
    const output = makeOutput(configuration, log);
    const playback = new Playback({ services, pool, state, recordings: this.recordings, output, log });
    this.playback = playback;
    output.setVolume(volume.level, volume.muted);
    volume.onChange(() => output.setVolume(volume.level, volume.muted));
    power.onChange((standby) => {
      if (standby) playback.release();
      else this.#resume();
    });
    this.recorder = new Recorder(
      { pool, services, guide, settings: this.settings, clock, log, timeZone: () => configuration.timeZone },
      configuration.recording,
    );
    const { timeshift, recording, dataDir } = configuration;
    this.timeshifts = new Timeshifts(
      { pool, services, settings: this.settings, clock, log, playback, power, recorder: this.recorder },
      { ...timeshift, queueBound: recording.queueBound, dataDir },
    );

    const messages = new Messages(clock);
    showMessages(messages, output);
    const channels = new Channels({ services, settings: this.settings, guide, playback });
    if (configuration.remote.uinput) this.#keys = openKeys(configuration.name, log);
    const remote = new RemoteControl({
      volume,
      power,
      messages,
      channels,
      player: new Player(playback, this.timeshifts),
      tracks: new TrackKeys(playback),
      keys: this.#keys,
      onError: (error) => log.debug(`remote control key failed: ${error.message}`),
    });
    this.device = {
      identity: deviceIdentity(configuration.name),
      volume,
      power,
      sleepTimer: new SleepTimer({ clock, power, state }),
      messages,
      remote,
      interfaces: () => host.interfaces(),
      disks: () => host.disks(),
      memory: () => host.memory(),
      uptime: () => host.uptime(),
    };
    this.tags = tags;
    this.picons = picons;

    const recordingAt = (path: string) => this.recorder.active.find((one) => one.path === path);
    this.recordingActions = new RecordingActions(
      { folders: this.locations, library: this.recordings, settings: this.settings },
      {
        active: {
          isActive: (path) => recordingAt(path) !== undefined,
          stop: async (path) => {
            // Otherwise the timer would continue in another file.
            await this.#scheduler.end(path);
            await recordingAt(path)?.stop();
          },
        },
        onError: (error) => log.warn(`moving or copying a recording failed: ${error.message}`),
      },
    );
    this.#housekeeping = new Housekeeping(
      {
        folders: this.locations,
        library: this.recordings,
        actions: this.recordingActions,
        settings: this.settings,
        clock,
        log,
        isActive: (path) => recordingAt(path) !== undefined,
      },
      configuration.cleaning,
    );
    const reception = new TimerReception(services, pool);
    const zone = { offset: (time: number) => localTime(configuration.timeZone).offset(time) };
    this.timers = new TimerList(
      {
        file: storedTimers,
        clock,
        zone,
        reception: (reference) => reception.of(reference),
        describe: (reference) => reception.describe(reference),
        log,
      },
      timers,
    );
    this.#scheduler = new TimerScheduler({
      list: this.timers,
      clock,
      zone,
      guide,
      guideKey: (reference) => guideKey(services, reference),
      nameOf: (reference) => services.nameOf(reference),
      recorder: this.recorder,
      tune: (reference, user) => reception.tune(reference, user),
      zap: (reference) => playback.zap(reference),
      power,
      folder: () => defaultTimerFolder(this.locations, this.settings),
      keepDays: () => this.settings.number('config.recording.keep_timers'),
      log,
    });
    this.#wakeUp = new WakeUp({
      timers: this.timers,
      clock,
      zone,
      state,
      alarm: wakeAlarmOf(configuration.power.wakeAlarm),
      lead: configuration.power.wakeLead,
      uptime: () => host.uptime(),
      otherUse: () => {
        const [recordings, clients] = [this.recorder.active.length, this.#streamServer.clients.length];
        return recordings + clients > 0 ? `${recordings} recordings, ${clients} clients watching` : undefined;
      },
      log,
    });
    this.autoTimer = new AutoTimer({
      rules: new RuleList(rulesFile, rules),
      timers: this.timers,
      guide,
      services,
      recordings: this.recordings,
      settings: this.settings,
      locations: this.locations,
      clock,
      zone,
      log,
    });
    // The broadcast has set the clock, for the first time or anew.
    pool.on('time', () => this.#clockSet());
    this.#scanner = new ServiceScanner({ pool, services, log });
    this.#collector = new GuideCollector(
      { pool, guide: this.guide, clock, log },
      { every: configuration.guide.collectEvery },
    );
    this.#streamServer = new StreamServer(
      { pool, clock, log, services },
      { bind: configuration.bind, port: configuration.streamPort, ...configuration.stream },
    );
    tellEvents(this, this.#streamServer);
    this.recorder.onChange(({ path, trouble = 'it goes on' }, change) => {
      if (change === 'trouble') this.#scheduler.note(path, trouble);
    });
    this.streams = { clients: () => this.#streamServer.clients };
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
    this.#expiry = setInterval(() => void this.#expire(), expiryPace * 1000);
    this.#expiry.unref();
    this.#collector.start();
    this.device.sleepTimer.start();
    this.#scheduler.start();
    this.autoTimer.start();
    this.services.onChange(() => this.#chooseFirst());
    this.#lookWhoHasWoken();
    this.#resume();
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
    clearInterval(this.#expiry);
    clearTimeout(this.#expirySoon);
    clearTimeout(this.#firstList);
    this.device.sleepTimer.stop();
    this.device.power.stop();
    // The machine may be shutting down and not wait for the slower steps.
    if (this.#configuration.power.shutdown) await this.#wakeUp.armAnyway();
    this.device.messages.stop();
    this.device.remote.stop();
    this.#keys?.close();
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
    this.#resume();
  }

  /** Shows the current service, without waiting for it. */
  #resume(): void {
    this.playback.resume().catch((error: unknown) => this.#log.error(error));
  }

  /** Rechecks the timers after the clock was set: one may be due earlier or later. */
  #clockSet(): void {
    const { clock } = this;
    this.#lookWhoHasWoken();
    const ahead = clock.now() - performance.now() / 1000;
    if (Math.abs(ahead - this.#clockAhead) > clockTolerance) void this.#scheduler.look();
    this.#clockAhead = ahead;
  }

  /** Runs as soon as the time is known: a machine that was switched on for a timer starts in standby. */
  #lookWhoHasWoken(): void {
    const { power, uptime } = this.device;
    const cause = this.#wakeUp.takeCause();
    if (cause === undefined) return;
    if (cause === 'alarm' || (power.isRetiring && uptime() > longestStart)) power.retireLater();
    else power.stay();
  }

  async #expire(): Promise<void> {
    this.#expirySoon = undefined;
    if (this.clock.synchronised) await this.guide.expire(this.clock.now());
    // The broadcast may have added events meanwhile.
    this.guide.tellChange();
  }
}

/** Returns undefined if the keys are not available: the receiver works without them. */
function openKeys(name: string, log: Logger): Keys | undefined {
  try {
    return new Keys(name);
  } catch (error) {
    log.error(`remote control keys are not available on this machine: ${uinputPath}: ${(error as Error).message}`);
    return undefined;
  }
}
