/**
 * The receiver: builds the parts from the configuration and connects them.
 */
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AccessControl } from '../access/access-control.ts';
import { Accounts } from '../access/accounts.ts';
import { AutoTimer } from '../autotimer/autotimer.ts';
import { RuleList } from '../autotimer/rule-list.ts';
import { RulesFile } from '../autotimer/rules-file.ts';
import { withRulesOfBox } from '../autotimer/take-over.ts';
import { BroadcastClock, MachineClock, systemClock } from '../base/clock.ts';
import { systemReason } from '../base/errors.ts';
import { createFolder, isRegularFile, removeTemporaries } from '../base/files.ts';
import { localTime } from '../base/local-time.ts';
import { isThisMachine } from '../base/network-addresses.ts';
import type { Configuration } from '../config/config.ts';
import { Settings } from '../config/enigma2-settings.ts';
import { Converter } from '../conversion/converter.ts';
import { openDevice, openPower, openState } from '../device/open-device.ts';
import type { Announcer } from '../discovery/announcer.ts';
import { announcerOf } from '../discovery/discovery.ts';
import { findFrontEnds, openTuners } from '../dvb/open-tuners.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import { GuideCollector } from '../epg/collector.ts';
import { EpgDatExports } from '../epg/epg-dat-exports.ts';
import { GuideExpiry } from '../epg/expiry.ts';
import type { Guide } from '../epg/guide.ts';
import { GuideStore, guideFile } from '../epg/guide-store.ts';
import { makeGuide } from '../epg/make-guide.ts';
import { Events } from '../events/events.ts';
import { DataFolder } from '../host/data-folder.ts';
import type { Host } from '../host/host.ts';
import { Connections, mostConnections } from '../http/middleware/connections.ts';
import type { ReceiverParts } from '../http/parts/parts.ts';
import { tunerState } from '../http/parts/tuner-state.ts';
import { SecurePorts } from '../http/secure-ports.ts';
import { createServer, webLimits } from '../http/server.ts';
import { StreamServer, streamLimits } from '../http/streams/streams.ts';
import { NetworkStreams } from '../iptv/network-streams.ts';
import { mqttLinkOf } from '../mqtt/mqtt-link.ts';
import { openPlayback, resume } from '../playback/open-playback.ts';
import { ParentalLock } from '../playback/parental-lock.ts';
import { Player } from '../playback/player.ts';
import { showMessages } from '../playback/screen-messages.ts';
import { LocationMounts } from '../recordings/mounts.ts';
import { openRecordings } from '../recordings/open-recordings.ts';
import { Tags } from '../recordings/tags.ts';
import { SatipServer } from '../satip-server/satip-server.ts';
import { NetworkScans } from '../scan/scan-jobs.ts';
import { placeOf } from '../scan/scan-merge.ts';
import { ServiceScanner } from '../scan/scanner.ts';
import { describeService } from '../services/description.ts';
import { bouquetFolders } from '../services/folder.ts';
import { Picons } from '../services/picons.ts';
import { type Problem, Services } from '../services/services.ts';
import { openTimers } from '../timers/open-timers.ts';
import { StoredTimers } from '../timers/stored-timers.ts';
import { TimersFile } from '../timers/timers-file.ts';
import { LiveSegments } from '../timeshift/live-segments.ts';
import { Timeshifts } from '../timeshift/timeshifts.ts';
import { publishEvents } from './receiver-events.ts';

/** Milliseconds for which a start waits for the tuners of SAT>IP servers; those that answer later follow. */
const serverPatience = 3000;
/** Milliseconds for which a start waits for the first scan: without SDT or NIT, one of a long capture takes over 10 s. */
const firstScanTime = 20_000;
/** Seconds for which a stop waits for recordings that are still copying from timeshift. */
const longestCopying = 5;
/** Seconds after the start at which the recordings are listed for the first time. */
const firstListAfter = 10;

/** Whether one of the tuners has data as soon as it runs. A pipe may be fed only once the receiver is ready. */
async function hasData({ tuners }: TunerPool): Promise<boolean> {
  const sources = tuners.map(({ tuner: { spec } }) =>
    spec.kind === 'file' ? isRegularFile(spec.path) : spec.kind === 'demo',
  );
  return (await Promise.all(sources)).includes(true);
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/**
 * Locks the data folder, reads the service lists and the guide, and builds all parts. Nothing listens and no tuner runs
 * before `start()`; `stop()` releases the folder.
 * @param host absent inside of another program
 * @throws ReceiverError `folder-in-use` while another receiver has the folder
 */
export async function openReceiver(configuration: Configuration, log: Logger, host?: Host) {
  const folder = await DataFolder.lock(configuration.dataDir);
  try {
    await createFolder(configuration.enigma2Dir);
    await removeLeftovers(configuration);
    // Such as one on a disk that is not there: the receiver is needed to choose another.
    const mounts = new LocationMounts(folder.path, (error) =>
      log.warn(`locations.json is not saved: ${error.message}`),
    );
    for (const one of configuration.locations)
      await mounts
        .create(one)
        .catch((error) => log.warn(`nothing can be recorded into ${one}: ${systemReason(error)}`));
    const clock = configuration.clock === 'broadcast' ? new BroadcastClock() : new MachineClock();
    const guide = await makeGuide(configuration, clock, (problem) => log.warn(problem));
    const options = { path: guideFile(folder.path), every: configuration.guide.saveEvery };
    const guideStore = new GuideStore({ guide, log }, options);
    // Runs on its own threads while this one reads the lists. Never fails: an unreadable guide starts empty.
    const guideRead = guideStore.open();
    try {
      const stored = await readStored(configuration, folder.path, log);
      const receiver = connect(configuration, { folder, clock, guide, guideStore, ...stored, log, host, mounts });
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

/** Removes what a killed receiver was writing; only the recording folders are left to housekeeping. */
async function removeLeftovers({ dataDir, enigma2Dir }: Configuration): Promise<void> {
  const folders = [dataDir, join(dataDir, 'tls'), ...bouquetFolders.map((name) => join(enigma2Dir, name))];
  for (const folder of folders) await removeTemporaries(folder);
}

/** Reads all other files, and logs what is wrong with them. */
async function readStored({ enigma2Dir, picons: piconFolders }: Configuration, dataDir: string, log: Logger) {
  const timersFile = new StoredTimers(
    new TimersFile(join(enigma2Dir, 'timers.xml')),
    new TimersFile(join(dataDir, 'instant-timers.xml')),
  );
  const rulesFile = new RulesFile(join(dataDir, 'autotimers.json'));
  const [services, picons, tags, { timers, problems }, ownRules, frontEnds] = await Promise.all([
    Services.load(enigma2Dir),
    Picons.read(piconFolders),
    Tags.read(join(enigma2Dir, 'movietags')),
    timersFile.read(),
    rulesFile.read(),
    findFrontEnds(),
  ]);
  const ofTags = tags.problem === undefined ? [] : [tags.problem];
  for (const problem of [...problems, ...ofTags, ...ownRules.problems]) log.warn(problem);
  const ofBox = { file: rulesFile, path: join(enigma2Dir, 'autotimer.xml'), log };
  // A damaged file may have held rules, so those of the box must not take their place.
  const rules = ownRules.problems.length > 0 ? ownRules : await withRulesOfBox(ownRules, ofBox);
  for (const problem of services.problems) log.warn(problemText(problem));
  return {
    services,
    picons,
    tags,
    frontEnds,
    settings: Settings.read(join(enigma2Dir, 'settings')),
    storedTimers: { file: timersFile, timers },
    rules: new RuleList(rulesFile, rules),
  };
}

const problemText = ({ file, line, text }: Problem) => `${file}${line === 0 ? '' : `:${line}`}: ${text}`;

interface Opened extends Awaited<ReturnType<typeof readStored>> {
  readonly folder: DataFolder;
  readonly clock: BroadcastClock | MachineClock;
  readonly guide: Guide;
  readonly guideStore: GuideStore;
  readonly log: Logger;
  readonly host: Host | undefined;
  readonly mounts: LocationMounts;
}

/** Builds the parts in memory and connects them. */
function connect(configuration: Configuration, opened: Opened) {
  const { folder, clock, guide, guideStore, services, picons, tags, settings, rules, log, host, mounts } = opened;
  const { bind } = configuration;
  const zone = { offset: (time: number) => localTime(configuration.timeZone).offset(time) };
  const state = openState(configuration, log);
  const {
    pool,
    watch,
    servers,
    connect: connectDish,
  } = openTuners(
    configuration,
    opened.frontEnds,
    guide.native,
    {
      describe: (service) => describeService(services, service),
      transpondersOf: (service) => services.transpondersOf(service),
      placeOf: (service, multiplex) => placeOf(services, service, multiplex),
      settings,
      own: () => satip.identity,
    },
    log,
  );
  const network = new NetworkStreams(
    {
      guide: guide.native,
      log,
      isOwn: (address, port) => [webPort, streamServer.port].includes(port) && isThisMachine(address),
      guideFed: () => expiry.soon(),
    },
    configuration,
  );
  const power = openPower(configuration, state, { wakeUp: () => wakeUp, restart: host && (() => host.restart()), log });

  const endTimer = (path: string) => scheduler.end(path);
  const recordings = openRecordings(configuration, {
    pool,
    network,
    services,
    guide,
    settings,
    clock,
    log,
    endTimer,
    mounts,
  });
  const { recorder, library, folders, housekeeping } = recordings;
  const { playback, channels, tracks } = openPlayback(configuration, {
    services,
    pool,
    network,
    state,
    recordings: library,
    settings,
    guide,
    power,
    log,
  });
  const timeshifts = new Timeshifts(
    { pool, network, services, settings, clock, log, playback, power, recorder },
    { ...configuration.timeshift, queueBound: configuration.recording.queueBound, dataDir: configuration.dataDir },
  );
  const converter = new Converter(configuration.conversion, log);
  const liveSegments = new LiveSegments(
    { pool, network, services, converter, clock, log },
    { ...configuration.hls, queueBound: configuration.recording.queueBound, dataDir: configuration.dataDir },
  );
  const player = new Player(playback, timeshifts);
  const device = openDevice(configuration, { clock, state, power, log }, { channels, player, tracks });
  const { volume, messages, uptime } = device;
  playback.output.setVolume(volume.level, volume.muted);
  volume.onChange(() => playback.output.setVolume(volume.level, volume.muted));
  showMessages(messages, playback.output);

  const accounts = new Accounts(configuration.dataDir, clock, log);
  const accessControl = new AccessControl(accounts, configuration.access, host?.setupCode);
  const streamServer = new StreamServer(
    { pool, network, clock, accessControl, log, services },
    { bind, port: configuration.streamPort, ...configuration.stream },
  );
  const clients = () => streamServer.clients;
  const satip = new SatipServer({ pool, transponders: () => services.transponders(), log }, configuration);
  const timers = openTimers(configuration, opened.storedTimers, {
    services,
    pool,
    network,
    guide,
    recorder,
    folders,
    settings,
    power,
    state,
    clock,
    zone,
    log,
    zap: (reference) => playback.zap(reference),
    uptime,
    otherUse: () => {
      const [recorded, watching] = [recorder.active.length, clients().length + satip.clients.length];
      return recorded + watching > 0 ? `${recorded} recordings, ${watching} clients watching` : undefined;
    },
  });
  const { scheduler, wakeUp } = timers;
  recorder.onChange(({ path, trouble = 'it goes on' }, change) => {
    if (change === 'trouble') scheduler.note(path, trouble);
  });
  const autoTimer = new AutoTimer({
    rules,
    timers: timers.list,
    guide,
    services,
    recordings: library,
    settings,
    locations: folders,
    clock,
    zone,
    log,
  });

  const expiry = new GuideExpiry(guide, clock);
  const collector = new GuideCollector(
    { pool, clock, log, transponders: () => services.watchedTransponders() },
    { every: configuration.guide.collectEvery },
  );
  const scanner = new ServiceScanner({ pool, services, log });
  const scans = new NetworkScans(
    { pool, services, settings },
    [configuration.enigma2Dir, ...configuration.scanTables],
    log,
  );
  pool.on('guide', () => expiry.soon());
  pool.on('time', (time, { frontEnd }) => {
    // A capture tells the time of its broadcast, which is not the present.
    if (clock instanceof BroadcastClock || frontEnd !== undefined) clock.set(time);
    // It may have set the clock, for the first time or anew.
    scheduler.clockSet();
  });

  let webPort = 0;
  let firstScan: Promise<void> = Promise.resolve();
  let phase: ReceiverParts['phase'] = 'starting';
  const parts = {
    clock,
    accessControl,
    log,
    get phase() {
      return phase;
    },
    config: {
      get timeZone() {
        return configuration.timeZone;
      },
      enigma2Dir: configuration.enigma2Dir,
      tuners: configuration.tuners,
      get httpPort() {
        return webPort;
      },
      get streamPort() {
        return streamServer.port;
      },
      get secureStreamPort() {
        return secure.streamPort;
      },
      hsts: configuration.tls.hsts,
      origins: configuration.origins,
      hostNames: configuration.hostNames,
      push: configuration.push,
      evil: configuration.evil,
    },
    services,
    guide,
    epgDatExports: new EpgDatExports(guide),
    guideStore,
    collector,
    playback,
    tuners: {
      list: () => pool.tuners.map((one) => tunerState(one, services)),
      canReceive: (service, playing) => pool.canReceive(service, playing),
      connect: connectDish,
    },
    network,
    scans,
    streams: {
      clients,
      get dropped() {
        return streamServer.dropped;
      },
      open: (reference, request) => streamServer.open(reference, request),
      check: (reference, request) => streamServer.check(reference, request),
    },
    device,
    events: new Events(),
    settings,
    locations: folders,
    locationChanges: recordings.locations,
    recordings: library,
    recorder,
    recordingActions: recordings.actions,
    tags,
    parentalLock: new ParentalLock(services, settings),
    picons,
    timers: timers.list,
    timeshifts,
    liveSegments,
    converter,
    autoTimer,
    satip,
    ...(host && { host }),
  } satisfies ReceiverParts;
  publishEvents({ ...parts, pool }, streamServer);
  const tuners = () =>
    pool.tuners.map(({ name, condition: { state }, users }) => ({ name, state, users: users.length }));
  const mqtt = mqttLinkOf(configuration, { ...parts, log, tuners });
  const web = createServer(parts, { logger: log });
  const routing: RequestListener = (request, response) => web.routing(request, response);
  const secure = new SecurePorts(
    configuration,
    { web: { answer: routing, limits: webLimits }, streams: { answer: streamServer.answer, limits: streamLimits } },
    // Clients do not live in the time of a capture.
    { clock: configuration.clock === 'broadcast' ? systemClock : clock, log },
  );
  const connections = new Connections(mostConnections(), accessControl.peers, log);
  for (const { server } of [web, streamServer]) connections.bound(server);
  let announcer: Announcer | undefined;
  let firstList: NodeJS.Timeout | undefined;

  /** Makes the first service of the list the current one if there has never been one. */
  const chooseFirst = () => {
    const [first] = playback.hasCurrent ? [] : services.playableReferences();
    if (!first) return;
    playback.suggest(first);
    resume(playback, log);
  };
  /** Base URLs of the interfaces for people, with the bound ports. */
  const addresses = () => {
    const name = bind === '::' || bind === '0.0.0.0' ? 'localhost' : bind.includes(':') ? `[${bind}]` : bind;
    return {
      http: `http://${name}:${webPort}/`,
      stream: `http://${name}:${streamServer.port}/`,
      ...(secure.webPort > 0 && { https: `https://${name}:${secure.webPort}/` }),
    };
  };

  /** All on which it listens. */
  const ports = () =>
    [webPort, streamServer.port, secure.webPort, secure.streamPort, satip.port].filter((port) => port > 0);

  return {
    parts,
    addresses,

    /** Whether an account may administer. */
    hasAdmin: () => accounts.hasAdmin,

    /**
     * Starts listening, scanning the tuners as configured, and collecting the guide. Returns early once `ending` is
     * aborted; `stop()` is to follow then. @throws Error if a port is in use
     */
    async start(ending: AbortSignal = new AbortController().signal): Promise<void> {
      // A file that cannot be read is named in the log before somebody has tried to log in.
      await accounts.open();
      await streamServer.start();
      await web.listen({ host: bind, port: configuration.httpPort });
      webPort = (web.server.address() as AddressInfo).port;
      await secure.start((server) => connections.bound(server));
      folder.announce(addresses().http, ports());
      if (ending.aborted) return;
      announcer = announcerOf(configuration, { http: webPort, stream: streamServer.port }, log);
      announcer?.start();
      mqtt?.start().catch((error: unknown) => log.error(error, 'MQTT does not work'));
      watch.start();
      // A timer that is due needs their tuners.
      await servers.listen();
      await satip.start(webPort);
      folder.announce(addresses().http, ports());
      const patience = pause(serverPatience, undefined, { ref: false, signal: ending }).catch(() => undefined);
      await Promise.race([servers.look(), patience]);
      if (ending.aborted) return;
      expiry.start();
      collector.start();
      device.sleepTimer.start();
      scheduler.start();
      autoTimer.start();
      services.onChange(chooseFirst);
      resume(playback, log);
      chooseFirst();
      housekeeping.start();
      timeshifts.clean().catch((error: unknown) => log.error(error, 'old files of timeshift were not removed'));
      // Fills the cache, so that the first client that requests the list need not wait.
      firstList = setTimeout(() => {
        library.all({ trash: true }).catch((error: unknown) => log.error(error, 'the recordings could not be listed'));
      }, firstListAfter * 1000).unref();
      const filled = new Promise<void>((resolve) => scanner.onFilled(resolve));
      const isFirst = services.size === 0;
      const scan = scanner.runUntilFound(configuration.scan, clock);
      if (isFirst) firstScan = Promise.race([filled, scan]);
      phase = 'running';
    },

    /**
     * After a start with an empty service list: waits for its scan if a capture or the demo has data for it, at most
     * `firstScanTime`. Resolves to false if the scan then still runs without a service.
     */
    async hasScanned(ending: AbortSignal): Promise<boolean> {
      let isOver = false;
      const over = firstScan.then(() => {
        isOver = true;
      });
      if (await hasData(pool)) {
        const limit = pause(firstScanTime, undefined, { ref: false, signal: ending }).catch(() => undefined);
        await Promise.race([over, limit]);
      }
      return isOver || services.size > 0;
    },

    /**
     * Rereads what others may have changed: the service lists, settings, tags and picons. The timers are ours alone.
     * Takes over the settings that need no restart (`changedSettings`). @throws ReceiverError if a file cannot be read
     */
    async reload({ cleaning }: Configuration): Promise<void> {
      housekeeping.changeRules(cleaning);
      // What a scan has found would be lost.
      await services.save();
      await Promise.all([services.reload(), settings.reload(), picons.reload(), tags.reload()]);
      for (const problem of services.problems) log.warn(problemText(problem));
      log.info(`service lists, settings, tags and picons read again; services: ${services.size}`);
    },

    /** Ends every stream, stops the tuners, closes the ports and releases the data folder. */
    async stop(): Promise<void> {
      phase = 'stopping';
      const farewell = mqtt?.stop();
      watch.stop();
      await servers.stop();
      expiry.stop();
      clearTimeout(firstList);
      device.stop();
      // The machine may be shutting down and not wait for the slower steps.
      if (configuration.power.shutdown) await wakeUp.armAnyway();
      recordings.actions.stop();
      await housekeeping.stop();
      library.stop();
      playback.release();
      await autoTimer.stop();
      await scheduler.stop();
      // Saved first: the process may be killed during the slower steps below.
      await Promise.all([timers.list.flush(), state.flush()]);
      await timeshifts.finishCopies(longestCopying * 1000);
      await Promise.all([recorder.stop(), timers.list.flush()]);
      await timeshifts.close();
      await liveSegments.stop();
      converter.stop();
      await playback.output.close();
      await announcer?.stop();
      await farewell;
      await satip.stop();
      await secure.stop();
      await streamServer.stop();
      await web.close();
      // It may wait for a signal, which the end of the tuners spares it.
      void scans.stop();
      await Promise.all([collector.stop(), scanner.stop()]);
      await Promise.all([pool.close(), network.close()]);
      await Promise.all([guideStore.stop(), state.flush()]);
      folder.release();
    },
  };
}
