/**
 * A receiver for tests of the interfaces: real services read from a folder written here, a real guide filled from real
 * sections, and a playback without a tuner. Its data are those of the examples in the interface's reference: Alpha HD and
 * Beta in one bouquet, the clock at 2026-01-01 19:10 in a zone one hour ahead of UTC.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { AutoTimer } from '../../src/autotimer/autotimer.ts';
import { RuleList } from '../../src/autotimer/rule-list.ts';
import { noRules, RulesFile } from '../../src/autotimer/rules-file.ts';
import { fail } from '../../src/base/errors.ts';
import { localTime } from '../../src/base/local-time.ts';
import { loadConfiguration } from '../../src/config/config.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { Converter } from '../../src/conversion/converter.ts';
import { Messages } from '../../src/device/messages.ts';
import { Power } from '../../src/device/power.ts';
import { RemoteControl } from '../../src/device/remote.ts';
import { SleepTimer } from '../../src/device/sleep-timer.ts';
import { DeviceState } from '../../src/device/state.ts';
import { Volume } from '../../src/device/volume.ts';
import { noTotals } from '../../src/dvb/statistics.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { EpgDatExports } from '../../src/epg/epg-dat-exports.ts';
import { Guide } from '../../src/epg/guide.ts';
import { GuideStore, guideFile } from '../../src/epg/guide-store.ts';
import { Events } from '../../src/events/events.ts';
import { Exports } from '../../src/exports/exports.ts';
import { GuideSources } from '../../src/guide-sources/guide-sources.ts';
import { SourcesFile } from '../../src/guide-sources/sources-file.ts';
import type { ReceiverParts, RunningRecording, StreamClient, TunerState } from '../../src/http/parts/parts.ts';
import { createServer } from '../../src/http/server.ts';
import { Notifications } from '../../src/notifications/notifications.ts';
import { Logos } from '../../src/pictures/logos.ts';
import { openPictures } from '../../src/pictures/open-pictures.ts';
import { Channels } from '../../src/playback/channels.ts';
import type { CurrentService } from '../../src/playback/current-service.ts';
import type { StillOptions } from '../../src/playback/output.ts';
import { ParentalLock } from '../../src/playback/parental-lock.ts';
import { Tags } from '../../src/recordings/files/tags.ts';
import { RecordingActions } from '../../src/recordings/library/actions.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { Locations } from '../../src/recordings/library/locations.ts';
import { NetworkScans } from '../../src/scan/network-scans.ts';
import { GuideChannels } from '../../src/services/guide/guide-channels.ts';
import { Picons } from '../../src/services/picons.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { Services } from '../../src/services/services.ts';
import { StoredTimers } from '../../src/timers/stored-timers.ts';
import { TimerList } from '../../src/timers/timer-list.ts';
import { TimersFile } from '../../src/timers/timers-file.ts';
import { openAccessControl } from '../fixtures/access-control.ts';
import { eitSections, type SentEvent } from '../fixtures/eit.ts';
import { networkStreams } from '../fixtures/network.ts';
import { waitTimeoutMs } from '../fixtures/waits.ts';
import { openHost } from './host.ts';
import { push } from './push-options.ts';

export const now = 1767291000;

export const alpha = '1:0:19:2B66:3F3:1:C00000:0:0:0:';
export const beta = '1:0:1:2B67:3F3:1:C00000:0:0:0:';
export const gamma = '1:0:2:2B68:3F3:1:C00000:0:0:0:';
export const marker = '1:64:1:0:0:0:0:0:0:0::-- News --';
export const stream = '4097:0:1:0:0:0:0:0:0:0:http%3a//host%3a8080/live.ts:IPTV & Co';
export const hidden = '1:512:1:2B69:3F3:1:C00000:0:0:0:';
export const renamed = '1:0:1:2B6A:3F3:1:C00000:0:0:0::Own Name';
export const group = '1:134:1:0:0:0:0:0:0:0:FROM BOUQUET "alternatives.alpha.tv" ORDER BY bouquet';
/** A sub-service linked from Alpha HD. */
export const option = '1:0:7:2B70:3F3:1:C00000:2B66:3F3:0:';
export const unknown = '1:0:1:7777:3F3:1:C00000:0:0:0:';

export const favourites = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet';
export const second = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.second.tv" ORDER BY bouquet';
export const empty = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.empty.tv" ORDER BY bouquet';
export const radio = '1:7:2:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.radio" ORDER BY bouquet';

const lines = (...all: string[]) => `${all.join('\n')}\n`;

const lamedb = lines(
  'eDVB services /4/',
  'transponders',
  '00c00000:03f3:0001',
  '\ts 11836000:27500000:0:3:192:2:0',
  '/',
  'end',
  'services',
  ...['2b66:25:Alpha HD', '2b67:1:Beta', '2b68:2:Gamma Radio', '2b69:1:Hidden', '2b6a:1:Renamed'].flatMap((entry) => {
    const [id, type, name] = entry.split(':');
    return [`${id}:00c00000:03f3:0001:${type}:0:0`, String(name), 'p:Demo'];
  }),
  'end',
  'Have a lot of bugs!',
);

function bouquet(name: string, ...references: string[]): string {
  return lines(`#NAME ${name}`, ...references.map((reference) => `#SERVICE ${reference}`));
}

/** Writes the Enigma2 folder of the test receiver. */
function writeFolder(folder: string): void {
  const files = {
    lamedb,
    'bouquets.tv': bouquet('Bouquets (TV)', favourites, second, empty),
    'bouquets.radio': bouquet('Bouquets (Radio)', radio),
    'userbouquet.favourites.tv': bouquet('Favourites (TV)', alpha, marker, beta, hidden),
    'userbouquet.second.tv': bouquet('Second', renamed, stream, group, unknown),
    'userbouquet.empty.tv': bouquet('Empty'),
    'userbouquet.favourites.radio': bouquet('Favourites (Radio)', gamma),
    'alternatives.alpha.tv': bouquet('Alpha anywhere', alpha, beta),
    movietags: lines('News', 'Series'),
    settings: lines(
      'config.recording.margin_before=7',
      'config.ParentalControl.servicepin.0=1234',
      'config.osd.empty=',
    ),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** A PNG of one pixel. */
export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

export const alphaEvents: readonly SentEvent[] = [
  {
    id: 4711,
    start: 1767290400,
    duration: 2700,
    title: 'Ships & Harbours',
    shortText: 'Episode 3',
    extendedText: 'The pilot boats of a large river.\nThen: the weather.',
    genre: 0x23,
    component: [5, 11],
  },
  { id: 4712, start: 1767293100, duration: 1800, title: 'Weather', extendedText: 'Outlook for the week.' },
  { id: 4713, start: 1767294900, duration: 3600, title: 'Weather again', extendedText: 'Outlook for the week.' },
];

export interface TestReceiver {
  readonly app: FastifyInstance;
  readonly parts: ReceiverParts;
  readonly playback: TestPlayback;
  /** The clients of the stream port. */
  clients: StreamClient[];
  /** Active recordings. */
  running: RunningRecording[];
  tuners: TunerState[];
  /** The Enigma2 folder. */
  readonly folder: string;
  close(): Promise<void>;
}

type TestedPlayback = ReceiverParts['playback'];

/** A playback of services in the service list, without video. */
export class TestPlayback implements TestedPlayback {
  current: CurrentService | undefined;
  /** The picture on the screen. */
  picture: Buffer | undefined;
  /** The options of the last requested still. */
  wanted: StillOptions | undefined;
  readonly #services: Services;
  readonly #recordings: RecordingLibrary;

  constructor(services: Services, recordings: RecordingLibrary) {
    this.#services = services;
    this.#recordings = recordings;
  }

  async zap(reference: ServiceReference, { title = '' }: { readonly title?: string } = {}): Promise<void> {
    if (reference.isFile) return this.#playFile(reference.path);
    const known = this.#services.find(reference);
    if (known === undefined && !reference.isStream) throw fail('service-not-found', reference.format());
    this.current = {
      reference,
      name: title || this.#services.nameOf(reference),
      provider: this.#services.providerOf(reference),
      bouquet: { reference: favourites, name: 'Favourites (TV)' },
      tuner: 0,
      pids: { pmt: 100, pcr: 511, video: 511, audio: 640, teletext: 32 },
      video: { width: 1920, height: 1080, aspect: 3 },
      audioTracks: [
        { pid: 640, codec: 'AC3', language: 'deu', active: true },
        { pid: 641, codec: 'MPEG', language: 'eng', active: false },
      ],
      played: undefined,
      subServices:
        reference.serviceId === 0x2b66 ? [{ reference: ServiceReference.parse(option), name: 'Lap times' }] : [],
      subtitles: [
        { kind: 'dvb', pid: 701, page: 1, ancillary: 2, language: 'deu', hearingImpaired: false },
        { kind: 'teletext', pid: 32, page: 888, ancillary: 0, language: 'eng', hearingImpaired: true },
      ],
    };
  }

  /** Plays a recording, at the position of one minute. */
  async #playFile(path: string): Promise<void> {
    const recording = await this.#recordings.find(path);
    this.current = {
      reference: recording.reference,
      name: recording.title,
      provider: '',
      bouquet: undefined,
      tuner: undefined,
      pids: { pmt: undefined, pcr: undefined, video: undefined, audio: undefined, teletext: undefined },
      video: undefined,
      audioTracks: [],
      subtitles: [],
      subServices: [],
      played: { recording, position: 60, length: recording.length },
    };
  }

  async still(options: StillOptions): Promise<Buffer | undefined> {
    this.wanted = options;
    return this.picture;
  }

  selectAudioTrack(index: number): boolean {
    if (this.current?.audioTracks[index] === undefined) return false;
    const audioTracks = this.current.audioTracks.map((track, i) => ({ ...track, active: i === index }));
    this.current = { ...this.current, audioTracks };
    return true;
  }
}

/** Responses wait until the changed rules have been run, however slow the machine is. */
export class PatientAutoTimer extends AutoTimer {
  override runChangedRules(): Promise<void> {
    return super.runChangedRules(waitTimeoutMs);
  }
}

/** Opens the test receiver. `changes` replaces some of its parts. */
export async function openReceiver(changes: Partial<ReceiverParts> = {}): Promise<TestReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'receiverd-http-'));
  writeFolder(folder);
  mkdirSync(join(folder, 'picon'));
  mkdirSync(join(folder, 'movie'));
  writeFileSync(join(folder, 'picon', '1_0_19_2B66_3F3_1_C00000_0_0_0.png'), picture);
  writeFileSync(join(folder, 'picon', 'beta.png'), picture);
  const clock = { now: () => now, synchronised: true };
  const locations = new RecordingFolders([join(folder, 'movie')]);
  const services = await Services.load(folder);
  const guide = await openGuide(clock);
  const state = new DeviceState(join(folder, 'state.json'));
  state.set({ volume: 55 });
  const power = new Power(state);
  const recordings = new RecordingLibrary(locations, (bytes) => guide.eventOfFile(bytes));
  const playback = new TestPlayback(services, recordings);
  const volume = new Volume(state);
  const messages = new Messages(clock);
  const settings = Settings.read(join(folder, 'settings'));
  const world: Pick<TestReceiver, 'clients' | 'running' | 'tuners'> = {
    clients: [],
    running: [],
    tuners: [
      {
        name: 'Tuner A',
        source: 'dvb:0',
        model: 'Demo',
        type: 'DVB-S2',
        signal: {
          locked: true,
          quality: 80,
          strength: 70,
          snr: 12.5,
          power: undefined,
          bitErrors: 0,
          bitErrorRate: 0,
          badBlocks: 3,
        },
        losses: { continuityErrors: 2, overflows: 0, network: { lost: 5, reordered: 1, late: 0, refused: 0 } },
        totals: {
          bytes: 123_456_789,
          continuityErrors: 7,
          transportErrors: 0,
          sectionCrcErrors: 3,
          sectionsLost: 1,
          overflows: 0,
          networkLost: 5,
        },
        condition: { state: 'locked', reason: '', ageSeconds: 12.5 },
        tunedTo: '11836 MHz H',
        users: [],
      },
    ],
  };
  const zone = localTime('Europe/Berlin');
  const log = pino({ level: 'silent' });
  const timers = new TimerList(
    {
      file: new StoredTimers(
        new TimersFile(join(folder, 'timers.xml')),
        new TimersFile(join(folder, 'instant-timers.xml')),
      ),
      clock,
      zone,
      reception: ({ dvb }) =>
        dvb && { multiplex: `${dvb.transportStreamId}`, tuners: dvb.serviceId === 0x7777 ? [] : [0] },
      log,
    },
    [],
  );
  const rules = new RuleList(new RulesFile(join(folder, 'autotimers.json')), noRules);
  const guideStore = new GuideStore({ guide, log }, { path: guideFile(folder), saveIntervalSeconds: 0 });
  const guideChannels = await GuideChannels.read(folder);
  const logos = await Logos.read(folder);
  const network = networkStreams();
  const guideSources = new GuideSources(
    {
      ...{ guide, guideStore, services, logos, guideChannels, network, clock, zone, log },
      file: await SourcesFile.read(folder),
    },
    [],
  );
  const events = new Events();
  const notifications = new Notifications(
    { clock, log, events, network },
    { ...loadConfiguration({ environment: { RECEIVERD_DATA_DIR: folder } }), timeZone: 'Europe/Berlin' },
  );
  const recordingActions = new RecordingActions({ folders: locations, library: recordings, settings });
  const parts: ReceiverParts = {
    clock,
    events,
    notifications,
    accessControl: openAccessControl(folder),
    log: { level: 'info' },
    phase: 'running',
    parentalLock: new ParentalLock(services, settings),
    host: openHost(folder),
    config: {
      timeZone: 'Europe/Berlin',
      httpPort: 8080,
      streamPort: 8001,
      secureStreamPort: 0,
      hsts: false,
      enigma2Dir: folder,
      tuners: [],
      origins: ['*'],
      hostNames: [],
      push,
      evil: true,
    },
    services,
    guide,
    epgDatExports: new EpgDatExports(guide),
    guideStore,
    collector: { age: 90 },
    playback,
    hdhomerun: undefined,
    tuners: {
      list: () => world.tuners,
      canReceive: ({ serviceId }) => serviceId !== 0x7777,
      findFrontEnds: async () => [
        { adapter: 0, frontend: 1, name: 'TurboSight TBS 6903', systems: ['DVB-S2'], trouble: '' },
      ],
      findServers: async () => [
        { host: '192.0.2.9', name: 'Attic', identity: 'uuid:1', frontEnds: [{ systems: ['DVB-S2'] }] },
      ],
      findBoxes: async () => [{ host: '192.0.2.7:8080', name: 'Cellar', tuners: 2, trouble: '', needsLogin: false }],
      askBox: async (_, { password }) => ({
        ...{ name: '', tuners: 0, trouble: 'it does not answer' },
        needsLogin: password === 'wrong',
      }),
      boxes: () => [
        {
          ...{
            name: '192.0.2.7',
            source: 'enigma2:192.0.2.7',
            model: 'duo',
            state: 'receiving',
            reason: '',
            needsLogin: false,
          },
          ...{ tunerCount: 2, serviceCount: 30 },
          streams: [
            {
              reference: ServiceReference.parse(alpha),
              users: [{ purpose: 'stream', user: '192.0.2.20' }],
            },
          ],
        },
      ],
      findDevices: async () => [{ host: '192.0.2.8', model: 'HDHR4-2DT', id: '10A1B2C7', tunerCount: 2 }],
      connect: async (tuner, setup, cable) => JSON.stringify({ tuner, ...setup, cable }),
    },
    network: {
      running: 1,
      totals: { ...noTotals, bytes: 47_000, continuityErrors: 6 },
      download: (url) => networkStreams().download(url),
    },
    scans: new NetworkScans({ pool: new TunerPool([], { linger: 0 }), services, settings }, [folder], log),
    streams: {
      clients: () => world.clients,
      dropped: 4,
      check: (text) => {
        const reference = services.resolve(text);
        if (!services.find(reference)) throw fail('service-not-found', text);
        return reference;
      },
      open: async (text) => {
        throw fail('not-receivable', text);
      },
    },
    device: {
      identity: {
        brand: 'receiverd',
        model: 'Living room',
        chipset: 'x64',
        version: '0.1.0',
        released: '2026-01-02',
        system: 'Debian GNU/Linux 12 (bookworm)',
        kernel: '6.1.0',
      },
      volume,
      power,
      sleepTimer: new SleepTimer({ clock, power, state }),
      messages,
      remote: new RemoteControl({
        volume,
        power,
        messages,
        channels: new Channels({ services, settings, guide, playback }),
      }),
      interfaces: async () => [
        {
          name: 'eth0',
          mac: '02:00:00:00:00:01',
          ipv4: { address: '192.0.2.10', prefix: 24, gateway: '192.0.2.1' },
          ipv6: [],
          dhcp: true,
          speed: 1000,
        },
      ],
      disks: async () => [{ model: 'Demo Disk', mount: '/media/hdd', capacity: 1000204886016, free: 657453056819 }],
      memory: () => ({ total: 512000 * 1024, free: 203400 * 1024 }),
      uptime: () => 3 * 86400 + 4 * 3600 + 5 * 60,
    },
    settings,
    locations,
    locationChanges: new Locations({ folders: locations, settings }, locations.all),
    recordings,
    recorder: {
      get active() {
        return world.running;
      },
      totals: { bytes: 5_000_000_000, lost: 188, continuityErrors: 2 },
    },
    recordingActions,
    exports: new Exports({
      ...{ folders: locations, library: recordings, actions: recordingActions, log },
      ffmpeg: 'ffmpeg',
      timeZone: () => 'UTC',
      names: 'recording',
    }),
    tags: await Tags.read(join(folder, 'movietags')),
    picons: await Picons.read([join(folder, 'picon')]),
    logos,
    guideChannels,
    guideSources,
    ...openPictures(
      { dataDir: folder, pictures: { size: 10 }, conversion: { path: 'ffmpeg', maximum: 2 } },
      { pool: { receiving: () => undefined }, network: networkStreams(), folders: locations, log },
    ),
    timers,
    autoTimer: new PatientAutoTimer({
      rules,
      timers,
      guide,
      services,
      recordings,
      settings,
      locations,
      clock,
      zone,
      log,
    }),
    timeshifts: {
      active: undefined,
      maxBytes: 4_000_000_000,
      start: async () => {
        throw fail('not-playing');
      },
      stop: async () => undefined,
      record: async () => {
        throw fail('not-found', 'timeshift');
      },
      stopFollowing: async () => [],
    },
    liveSegments: {
      segmentsOf: async ({ reference }) => {
        throw fail('not-receivable', reference.format());
      },
      find: () => undefined,
    },
    converter: new Converter({ path: 'ffmpeg', maximum: 2 }, log),
    ...changes,
  };
  const app = createServer(parts);
  return Object.assign(world, {
    app,
    parts,
    playback,
    folder,
    async close() {
      await app.close();
      await parts.autoTimer.stop();
      await Promise.all([guideStore.stop(), state.flush(), parts.timers.flush()]);
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

/** Opens a guide and fills it from the sections of the test receiver. */
async function openGuide(clock: ReceiverParts['clock']): Promise<Guide> {
  const guide = new Guide({ clock, history: 86400 });
  await fillGuide(guide);
  return guide;
}

/** Sends the sections of the test receiver to a guide, which restores deleted events. */
export async function fillGuide(guide: Guide): Promise<void> {
  const service = { serviceId: 0x2b66, transportStreamId: 0x3f3, originalNetworkId: 1 };
  for (const section of eitSections(service, now, alphaEvents)) guide.ingestSection(section);
  await guide.flush();
}
