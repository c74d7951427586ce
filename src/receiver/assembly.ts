/**
 * Builds the parts in memory and connects them, in six steps: reception, recordings, watching, access, schedule and
 * interfaces. Nothing listens and no tuner runs before the lifecycle starts. Parts that need a later one get a function.
 */
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { AccessControl } from '../access/access-control.ts';
import { Accounts } from '../access/accounts.ts';
import { AutoTimer } from '../autotimer/autotimer.ts';
import { BroadcastClock, type MachineClock, systemClock } from '../base/clock.ts';
import { localTime } from '../base/local-time.ts';
import { isThisMachine } from '../base/network-addresses.ts';
import { once } from '../base/once.ts';
import type { Configuration } from '../config/config.ts';
import { namesEnigma2, parseEnigma2Spec } from '../config/enigma2-spec.ts';
import { Converter } from '../conversion/converter.ts';
import { openDevice, openPower, openState } from '../device/open-device.ts';
import type { Power } from '../device/power.ts';
import type { DeviceState } from '../device/state.ts';
import { deviceIdOf, formatDeviceId } from '../dvb/hdhomerun/device-id.ts';
import { describedDevices } from '../dvb/hdhomerun/devices.ts';
import { findFrontEnds, openTuners } from '../dvb/open-tuners.ts';
import { describedServers } from '../dvb/satip/servers.ts';
import { Enigma2Boxes } from '../enigma2/boxes.ts';
import { findBox, findBoxes } from '../enigma2/find-box.ts';
import { GuideCollector } from '../epg/collector.ts';
import { EpgDatExports } from '../epg/epg-dat-exports.ts';
import { GuideExpiry } from '../epg/expiry.ts';
import type { Guide } from '../epg/guide.ts';
import type { GuideStore } from '../epg/guide-store.ts';
import { Events } from '../events/events.ts';
import type { Exports } from '../exports/exports.ts';
import { openExports } from '../exports/open-exports.ts';
import { GuideSources } from '../guide-sources/guide-sources.ts';
import { configuredSources } from '../guide-sources/source.ts';
import { HdhomerunServer } from '../hdhomerun/hdhomerun-server.ts';
import type { DataFolder } from '../host/data-folder.ts';
import type { Host } from '../host/host.ts';
import { Connections, maxConnections } from '../http/middleware/connections.ts';
import type { ReceiverParts } from '../http/parts/parts.ts';
import { tunerState } from '../http/parts/tuner-state.ts';
import { SecurePorts } from '../http/secure-ports.ts';
import { createServer, webLimits } from '../http/server.ts';
import { hdhomerunPort } from '../http/streams/hdhomerun-port.ts';
import { StreamServer, streamLimits } from '../http/streams/stream-server.ts';
import { importLineup } from '../iptv/hdhomerun-lineup.ts';
import { NetworkStreams } from '../iptv/network-streams.ts';
import { mqttLinkOf } from '../mqtt/mqtt-link.ts';
import { Notifications } from '../notifications/notifications.ts';
import { NoticeWatch } from '../notifications/watch.ts';
import { BroadcastLogos } from '../pictures/broadcast-logos.ts';
import { openPictures } from '../pictures/open-pictures.ts';
import { openPlayback } from '../playback/open-playback.ts';
import { ParentalLock } from '../playback/parental-lock.ts';
import { Player } from '../playback/player.ts';
import { showMessages } from '../playback/screen-messages.ts';
import type { LocationMounts } from '../recordings/library/mounts.ts';
import { openRecordings } from '../recordings/open-recordings.ts';
import { IdentityFile } from '../satip-server/identity.ts';
import { SatipServer } from '../satip-server/satip-server.ts';
import { NetworkScans } from '../scan/network-scans.ts';
import { ServiceScanner } from '../scan/scanner.ts';
import { placeOf } from '../scan/service-scan.ts';
import { describeService } from '../services/description.ts';
import { openTimers, type TimerSystemParts } from '../timers/open-timers.ts';
import { LiveSegments } from '../timeshift/live-segments.ts';
import { Timeshifts } from '../timeshift/timeshifts.ts';
import { publishEvents } from './receiver-events.ts';
import type { StoredFiles } from './stored-files.ts';

/** What was opened and read before the parts are built. */
export interface Opened extends StoredFiles {
  readonly folder: DataFolder;
  readonly clock: BroadcastClock | MachineClock;
  readonly guide: Guide;
  readonly guideStore: GuideStore;
  readonly log: Logger;
  /** Undefined if the receiver is embedded in another program. */
  readonly host: Host | undefined;
  readonly mounts: LocationMounts;
}

/** What the lifecycle sets and the interfaces report. */
interface RunState {
  phase: ReceiverParts['phase'];
  /** 0 until it is bound. */
  webPort: number;
}

type Reception = ReturnType<typeof openReception>;
type Watching = ReturnType<typeof openWatching>;
type Schedule = ReturnType<typeof openSchedule>;
type Recordings = ReturnType<typeof openRecordings>;
export type Assembly = ReturnType<typeof assemble>;

export function assemble(configuration: Configuration, opened: Opened) {
  const { clock, log, host } = opened;
  const run: RunState = { phase: 'starting', webPort: 0 };
  const ownPorts = () => [run.webPort, streamServer.port];
  const state = openState(configuration, log);
  const reception = openReception(configuration, opened, ownPorts);
  const { pool, network } = reception;
  const restart = host && (() => host.restart());
  const power = openPower(configuration, state, { wakeUp: () => schedule.timers.wakeUp, restart, log });
  const recordings = openRecordings(configuration, {
    ...opened,
    pool,
    network,
    endTimer: (path) => schedule.timers.scheduler.endTimerOf(path),
    isReceiving: reception.isReceiving,
  });
  const watching = openWatching(configuration, opened, { reception, recordings, state, power });
  const pictures = openPictures(configuration, { pool, network, folders: recordings.folders, log });
  const exports = openExports(configuration, { ...recordings, pictures: pictures.recordingPictures, log });
  const accounts = new Accounts(configuration.dataDir, clock, log);
  const accessControl = new AccessControl(accounts, configuration.access, host?.setupCode);
  const streamServer = new StreamServer(
    { pool, network, clock, accessControl, log, services: opened.services },
    { bind: configuration.bind, port: configuration.streamPort, ...configuration.stream },
  );
  const schedule = openSchedule(configuration, opened, { reception, recordings, watching, state, power, streamServer });
  const parts = { reception, recordings, watching, pictures, exports, schedule };
  const domain = { ...opened, ...parts, accounts, accessControl, streamServer, state };
  return { ...domain, run, ...openInterfaces(configuration, domain, run) };
}

/** Tuners, network streams, the guide's upkeep, scans, and the SAT>IP server that lends the tuners. */
function openReception(
  configuration: Configuration,
  { clock, guide, guideStore, services, settings, frontEnds, logos, guideChannels, guideSourcesFile, log }: Opened,
  ownPorts: () => readonly number[],
) {
  const expiry = new GuideExpiry(guide, clock);
  const isOwn = (address: string, port: number) => ownPorts().includes(port) && isThisMachine(address);
  const network = new NetworkStreams(
    {
      guide: guide.native,
      log,
      isOwn,
      onGuideData: () => expiry.expireSoon(),
    },
    configuration,
  );
  const boxes = new Enigma2Boxes([...new Set(configuration.tuners.filter(namesEnigma2))].map(parseEnigma2Spec), {
    ...{ dataDir: configuration.dataDir, logins: configuration.enigma2.logins },
    ...{ services, network, guide, guideStore, log, isOwn },
    isBusy: () => isReceiving(),
  });
  const tuners = openTuners(
    configuration,
    frontEnds,
    guide.native,
    {
      describe: (service) => describeService(services, service),
      transpondersOf: (service) => services.transpondersOf(service),
      placeOf: (service, multiplex) => placeOf(services, service, multiplex),
      settings,
      own: () => satip.identity,
      others: boxes,
      hdhomerun: {
        identity: () => identity().current.uuid,
        own: () => formatDeviceId(deviceIdOf(identity().current.uuid)),
        importLineup: (name, url, signal) =>
          importLineup({ services, download: (from) => network.download(from, { signal }) }, name, url),
      },
    },
    log,
  );
  const { pool } = tuners;
  const isReceiving = () =>
    network.running > 0 || pool.tuners.some(({ users: [first] }) => first !== undefined && first.purpose !== 'guide');
  const identity = once(() => new IdentityFile(join(configuration.dataDir, 'satip.json')));
  const satip = new SatipServer({ pool, identity, transponders: () => services.transponders(), log }, configuration);
  const collector = new GuideCollector(
    { pool, clock, log, transponders: () => services.watchedTransponders() },
    { maxAgeSeconds: configuration.guide.collectEvery },
  );
  const guideSources = new GuideSources(
    {
      ...{ guide, guideStore, services, logos, guideChannels, network, clock, log },
      zone: { offset: (time) => localTime(configuration.timeZone).offset(time) },
      file: guideSourcesFile,
    },
    configuredSources(configuration),
  );
  const scanner = new ServiceScanner({ pool, services, log });
  const tables = [configuration.enigma2Dir, ...configuration.scanTables];
  const scans = new NetworkScans({ pool, services, settings }, tables, log);
  pool.onGuide(() => expiry.expireSoon());
  const broadcastLogos = new BroadcastLogos(configuration.dataDir, (problem) => log.warn(problem));
  pool.onTime((_, { tuner }) => void broadcastLogos.keep(tuner.multiplex()));
  return {
    ...tuners,
    isReceiving,
    isOwn,
    boxes,
    network,
    identity,
    satip,
    expiry,
    collector,
    guideSources,
    scanner,
    scans,
  };
}

/** The current service with its output, timeshift, HTTP Live Streaming, and the device with its keys. */
function openWatching(
  configuration: Configuration,
  { clock, guide, services, settings, log }: Opened,
  needs: { readonly reception: Reception; recordings: Recordings; state: DeviceState; power: Power },
) {
  const { state, power, recordings } = needs;
  const { pool, network } = needs.reception;
  const { playback, channels, tracks } = openPlayback(configuration, {
    ...{ services, pool, network, state, settings, guide, power, log },
    recordings: recordings.library,
  });
  const ring = { queueBound: configuration.recording.queueBound, dataDir: configuration.dataDir };
  const timeshifts = new Timeshifts(
    { pool, network, services, settings, clock, log, playback, power, recorder: recordings.recorder },
    { ...configuration.timeshift, ...ring },
  );
  const converter = new Converter(configuration.conversion, log);
  const liveSegments = new LiveSegments(
    { pool, network, services, converter, clock, log },
    { ...configuration.hls, ...ring },
  );
  const player = new Player(playback, timeshifts);
  const device = openDevice(configuration, { clock, state, power, log }, { channels, player, tracks });
  const { volume, messages } = device;
  const setVolume = () => playback.output.setVolume(volume.level, volume.muted);
  setVolume();
  volume.onChange(setVolume);
  showMessages(messages, playback.output);
  return { playback, timeshifts, converter, liveSegments, device };
}

/** Timers, and the rules that create them. */
function openSchedule(
  configuration: Configuration,
  { clock, guide, services, settings, rules, storedTimers, log }: Opened,
  needs: Pick<TimerSystemParts, 'state' | 'power'> & {
    readonly reception: Reception;
    readonly recordings: Recordings;
    readonly watching: Watching;
    readonly streamServer: StreamServer;
  },
) {
  const { pool, network, satip } = needs.reception;
  const { recorder, folders, library } = needs.recordings;
  const { playback, device } = needs.watching;
  const zone = { offset: (time: number) => localTime(configuration.timeZone).offset(time) };
  const timers = openTimers(configuration, storedTimers, {
    ...{ services, pool, network, guide, recorder, folders, settings, clock, zone, log },
    state: needs.state,
    power: needs.power,
    zap: (reference) => playback.zap(reference),
    uptime: device.uptime,
    otherUse: () => {
      const [recorded, clients] = [recorder.active.length, needs.streamServer.clients.length + satip.clients.length];
      return recorded + clients > 0 ? `${recorded} recordings, ${clients} clients watching` : undefined;
    },
  });
  const { scheduler } = timers;
  recorder.onChange(({ path, trouble = 'resumed' }, change) => {
    if (change === 'trouble') scheduler.addLogEntry(path, trouble);
  });
  pool.onTime((time, { frontEnd }) => {
    // The time in a capture is that of its broadcast, not the current time.
    if (clock instanceof BroadcastClock || frontEnd !== undefined) clock.set(time);
    scheduler.clockSet();
  });
  const autoTimer = new AutoTimer({
    ...{ rules, guide, services, settings, clock, zone, log },
    timers: timers.list,
    recordings: library,
    locations: folders,
  });
  return { timers, autoTimer };
}

interface Domain extends Opened {
  readonly reception: Reception;
  readonly recordings: Recordings;
  readonly watching: Watching;
  readonly pictures: ReturnType<typeof openPictures>;
  readonly exports: Exports;
  readonly schedule: Schedule;
  readonly accessControl: AccessControl;
  readonly streamServer: StreamServer;
}

/** The web server, its HTTPS ports and MQTT. */
function openInterfaces(configuration: Configuration, domain: Domain, run: RunState) {
  const { reception, streamServer, accessControl, log } = domain;
  const secureStreamPort = () => secure.streamPort;
  const hdhomerun = openHdhomerun(configuration, domain);
  const events = new Events();
  const notifications = new Notifications({ ...domain, events, network: reception.network }, configuration);
  const parts = partsOf(configuration, { ...domain, hdhomerun, events, notifications }, run, secureStreamPort);
  const watchNotices = () => watchForNotices(domain, notifications);
  publishEvents({ ...parts, pool: reception.pool, boxes: reception.boxes }, streamServer);
  const tuners = () =>
    reception.pool.tuners.map(({ name, condition: { state }, users }) => ({ name, state, users: users.length }));
  const mqtt = mqttLinkOf(configuration, { ...parts, log, tuners });
  const web = createServer(parts, { logger: log });
  const routing: RequestListener = (request, response) => web.routing(request, response);
  const secure = new SecurePorts(
    configuration,
    { web: { answer: routing, limits: webLimits }, streams: { answer: streamServer.answer, limits: streamLimits } },
    // Certificates must be valid at the current time of the clients, not at the time of a capture.
    { clock: configuration.clock === 'broadcast' ? systemClock : domain.clock, log },
  );
  const connections = new Connections(maxConnections(), accessControl.peers, log);
  for (const { server } of [web, streamServer, hdhomerun]) connections.limit(server);
  return { parts, mqtt, web, secure, hdhomerun, connections, notifications, watchNotices };
}

function watchForNotices({ clock, log, services, recordings, schedule }: Domain, notifications: Notifications) {
  const { list: timers, scheduler } = schedule.timers;
  return new NoticeWatch({
    ...{ clock, log, timers, scheduler, recorder: recordings.recorder },
    nameOf: (reference) => services.nameOf(reference),
    isWanted: (kind) => notifications.isWanted(kind),
    publish: notifications.publish,
    withdraw: (isOver) => notifications.withdraw(isOver),
  });
}

function openHdhomerun(
  configuration: Configuration,
  { reception, services, accessControl, streamServer, log }: Domain,
): HdhomerunServer {
  const { pool, network, satip, identity } = reception;
  const find = (number: string) => server.find(number);
  const answer = streamServer.answerOf(hdhomerunPort(find));
  const isAllowed = (address: string) => accessControl.permitsWithoutLogin(address, 'view');
  const server = new HdhomerunServer(
    { pool, network, services, identity, isAllowed, answer, log, lease: (...call) => satip.tuners.lease(...call) },
    configuration,
    streamLimits,
  );
  return server;
}

/** The parts that the interfaces use. */
function partsOf(
  configuration: Configuration,
  domain: Domain & {
    readonly hdhomerun: HdhomerunServer;
    readonly events: Events;
    readonly notifications: Notifications;
  },
  run: RunState,
  secureStreamPort: () => number,
) {
  const { reception, recordings, watching, schedule, streamServer, services, settings, host, hdhomerun } = domain;
  const { pool } = reception;
  return {
    ...{ clock: domain.clock, accessControl: domain.accessControl, log: domain.log, services, settings },
    ...{ guide: domain.guide, guideStore: domain.guideStore, tags: domain.tags, picons: domain.picons },
    ...{ logos: domain.logos, guideChannels: domain.guideChannels },
    ...domain.pictures,
    ...watching,
    get phase() {
      return run.phase;
    },
    config: {
      get timeZone() {
        return configuration.timeZone;
      },
      enigma2Dir: configuration.enigma2Dir,
      tuners: configuration.tuners,
      get httpPort() {
        return run.webPort;
      },
      get streamPort() {
        return streamServer.port;
      },
      get secureStreamPort() {
        return secureStreamPort();
      },
      hsts: configuration.tls.hsts,
      origins: configuration.origins,
      hostNames: configuration.hostNames,
      push: configuration.push,
      evil: configuration.evil,
    },
    epgDatExports: new EpgDatExports(domain.guide),
    collector: reception.collector,
    guideSources: reception.guideSources,
    tuners: {
      list: () => pool.tuners.map((tuner) => tunerState(tuner, services)),
      canReceive: (service, playing) => pool.canReceive(service, playing),
      connect: reception.connect,
      findFrontEnds,
      findServers: () => describedServers(),
      findDevices: () => describedDevices(),
      findBoxes: (used) =>
        findBoxes({ ...configuration, enigma2: { logins: reception.boxes.logins } }, reception.isOwn, used),
      askBox: (tuner, login) => {
        const spec = parseEnigma2Spec(tuner);
        return findBox(spec, { ...configuration, enigma2: { logins: [{ host: spec.host, ...login }] } });
      },
      boxes: () => reception.boxes.list(),
    },
    network: reception.network,
    scans: reception.scans,
    satip: reception.satip,
    get hdhomerun() {
      return hdhomerun.streamPort === 0 ? undefined : hdhomerun;
    },
    streams: {
      clients: () => streamServer.clients,
      get dropped() {
        return streamServer.dropped;
      },
      open: (reference, request) => streamServer.open(reference, request),
      check: (reference, request) => streamServer.check(reference, request),
    },
    ...{ events: domain.events, notifications: domain.notifications },
    locations: recordings.folders,
    locationChanges: recordings.locations,
    recordings: recordings.library,
    recorder: recordings.recorder,
    recordingActions: recordings.actions,
    exports: domain.exports,
    parentalLock: new ParentalLock(services, settings),
    timers: schedule.timers.list,
    autoTimer: schedule.autoTimer,
    ...(host && { host }),
  } satisfies ReceiverParts;
}
