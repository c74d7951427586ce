/**
 * The parts of the receiver that http/ needs.
 *
 * The receiver (src/receiver/receiver.ts) is passed in as a whole and satisfies this interface structurally, so the domain
 * never imports http/. Reads are synchronous and cheap, because some clients poll every few seconds. Calls that access disks
 * return a promise.
 */
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import type { AccessControl } from '../../access/access-control.ts';
import type { AutoTimer } from '../../autotimer/autotimer.ts';
import type { Clock, UnixSeconds } from '../../base/clock.ts';
import type { FrontEndInformation } from '../../base/native.ts';
import type { Configuration } from '../../config/config.ts';
import type { Settings } from '../../config/enigma2-settings.ts';
import type { Converter } from '../../conversion/converter.ts';
import type { Device } from '../../device/open-device.ts';
import type { DescribedDevice } from '../../dvb/hdhomerun/discover.ts';
import type { AerialSetup } from '../../dvb/satellite/nim-setup.ts';
import type { DescribedServer } from '../../dvb/satip/description.ts';
import type { TunerStatistics, TunerTotals } from '../../dvb/statistics.ts';
import type { PlacedService } from '../../dvb/triplet.ts';
import type { Purpose, TunerCondition } from '../../dvb/tuner-pool.ts';
import type { Login } from '../../enigma2/box.ts';
import type { BoxState } from '../../enigma2/boxes.ts';
import type { findBox, findBoxes } from '../../enigma2/find-box.ts';
import type { GuideCollector } from '../../epg/collector.ts';
import type { EpgDatExports } from '../../epg/epg-dat-exports.ts';
import type { Guide } from '../../epg/guide.ts';
import type { GuideStore } from '../../epg/guide-store.ts';
import type { Events } from '../../events/events.ts';
import type { Exports } from '../../exports/exports.ts';
import type { GuideSources } from '../../guide-sources/guide-sources.ts';
import type { HdhomerunServer } from '../../hdhomerun/hdhomerun-server.ts';
import type { Host } from '../../host/host.ts';
import type { NetworkStreams } from '../../iptv/network-streams.ts';
import type { Notifications } from '../../notifications/notifications.ts';
import type { LiveStills } from '../../pictures/live-stills.ts';
import type { Logos } from '../../pictures/logos.ts';
import type { RecordingPictures } from '../../pictures/recording-pictures.ts';
import type { WebPictures } from '../../pictures/web-pictures.ts';
import type { ParentalLock } from '../../playback/parental-lock.ts';
import type { Playback } from '../../playback/playback.ts';
import type { ActiveRecording } from '../../recordings/active-recording.ts';
import type { Tags } from '../../recordings/files/tags.ts';
import type { RecordingActions } from '../../recordings/library/actions.ts';
import type { RecordingFolders } from '../../recordings/library/folders.ts';
import type { RecordingLibrary } from '../../recordings/library/library.ts';
import type { Locations } from '../../recordings/library/locations.ts';
import type { Recorder } from '../../recordings/recorder.ts';
import type { SatipServer } from '../../satip-server/satip-server.ts';
import type { NetworkScans } from '../../scan/network-scans.ts';
import type { GuideChannels } from '../../services/guide/guide-channels.ts';
import type { Picons } from '../../services/picons.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { Services } from '../../services/services.ts';
import type { TimerList } from '../../timers/timer-list.ts';
import type { LiveSegments } from '../../timeshift/live-segments.ts';
import type { TimeshiftRecordingSpec, Timeshifts } from '../../timeshift/timeshifts.ts';

export interface ReceiverParts {
  readonly clock: Clock;
  readonly accessControl: AccessControl;
  readonly config: InterfaceConfig;
  readonly services: Services;
  readonly guide: Guide;
  readonly epgDatExports: Pick<EpgDatExports, 'open'>;
  readonly guideStore: Pick<GuideStore, 'path' | 'save' | 'saveSoon' | 'load'>;
  readonly collector: Pick<GuideCollector, 'age'>;
  /** The guide files that are imported regularly. */
  readonly guideSources: Pick<GuideSources, 'all' | 'add' | 'remove' | 'refresh' | 'setPriority' | 'readSoon'>;
  readonly playback: Pick<Playback, 'current' | 'zap' | 'selectAudioTrack' | 'still'>;
  readonly tuners: Tuners;
  /** Streams that the receiver gets from the network (IPTV), and its downloads. */
  readonly network: Pick<NetworkStreams, 'running' | 'totals' | 'download'>;
  readonly scans: Pick<NetworkScans, 'status' | 'start' | 'stop' | 'tables' | 'guess' | 'setUp'>;
  readonly streams: Streams;
  readonly device: Omit<Device, 'stop'>;
  /** The bus on which all parts publish their events. */
  readonly events: Events;
  readonly notifications: Pick<Notifications, 'failures' | 'targets' | 'publish' | 'dismiss' | 'test'>;
  /** The Enigma2 settings that clients may read. */
  readonly settings: Settings;
  readonly locations: RecordingFolders;
  /** Adds and removes recording folders. */
  readonly locationChanges: Locations;
  readonly recordings: RecordingLibrary;
  /** The longest-running recording first. */
  readonly recorder: Pick<Recorder, 'totals'> & { readonly active: readonly RunningRecording[] };
  readonly recordingActions: RecordingActions;
  readonly exports: Pick<Exports, 'list' | 'names' | 'add' | 'remove'>;
  /** The PIN of the parental lock, and the locked services. */
  readonly parentalLock: ParentalLock;
  /** The tags available for recordings. */
  readonly tags: Tags;
  readonly picons: Picons;
  /** The addresses of logos, for services without a picon. */
  readonly logos: Pick<Logos, 'generation' | 'isEmpty' | 'addressesOf' | 'refresh' | 'add'>;
  /** The channels of guide files, and those chosen for services by hand. */
  readonly guideChannels: GuideChannels;
  /** Logos, and pictures of events. */
  readonly webPictures: Pick<WebPictures, 'mayHave' | 'isPending' | 'day' | 'find'>;
  readonly liveStills: Pick<LiveStills, 'find'>;
  readonly recordingPictures: Pick<RecordingPictures, 'find' | 'findPreview' | 'findShifted'>;
  readonly timers: TimerList;
  readonly timeshifts: Pick<Timeshifts, 'active' | 'maxBytes' | 'start' | 'stop'> & {
    record(spec: TimeshiftRecordingSpec): Promise<RunningRecording>;
    stopFollowing(): Promise<readonly RunningRecording[]>;
  };
  /** Services as segments of HTTP Live Streaming. */
  readonly liveSegments: Pick<LiveSegments, 'segmentsOf' | 'find'>;
  /** Converts video and audio for clients that cannot decode the broadcast formats. */
  readonly converter: Pick<Converter, 'state' | 'start'>;
  /** The rules that create timers. */
  readonly autoTimer: AutoTimer;
  /** The log, whose level may be changed. */
  readonly log: { level: string };
  /** Requests are already answered while the receiver starts, and until the end of its stop. */
  readonly phase: 'starting' | 'running' | 'stopping';
  /** The SAT>IP server; absent if there is none. */
  readonly satip?: Pick<SatipServer, 'port' | 'description' | 'clients' | 'isAllowed'>;
  /** The HDHomeRun server; undefined while it does not run. */
  readonly hdhomerun: Pick<HdhomerunServer, 'device' | 'channels' | 'streamPort'> | undefined;
  /** What the program offers; absent if the receiver runs inside another program. */
  readonly host?: Host;
}

/** The part of the configuration that the interfaces need. */
export interface InterfaceConfig
  extends Pick<Configuration, 'timeZone' | 'enigma2Dir' | 'tuners' | 'origins' | 'hostNames' | 'push' | 'evil'> {
  /** The port as bound; never 0 once the receiver listens. */
  readonly httpPort: number;
  /** The port as bound; never 0 once the receiver listens. */
  readonly streamPort: number;
  /** Port of the streams by HTTPS; 0: none. */
  readonly secureStreamPort: number;
  /** Whether HTTPS responses have the header Strict-Transport-Security. */
  readonly hsts: boolean;
}

export interface Tuners {
  /** Every configured tuner. The index is the tuner's number. */
  list(): readonly TunerState[];
  /**
   * Whether a service could be received now, as far as that is known without tuning. `playing` is assumed to be received
   * already: other services on its multiplex need no further tuner.
   */
  canReceive(service: PlacedService, playing?: PlacedService): boolean;
  /**
   * Stores how the dish is connected to a tuner, and describes that in words. `cable`: number of a tuner on the same cable.
   * @throws ReceiverError `parameter-invalid`
   */
  connect(tuner: number, setup: AerialSetup, cable?: number): Promise<string>;
  /** Lists the front ends of the machine, also those that are not used. Takes seconds while drivers load firmware. */
  findFrontEnds(): Promise<
    readonly Pick<FrontEndInformation, 'adapter' | 'frontend' | 'name' | 'systems' | 'trouble'>[]
  >;
  /** Searches the local network for SAT>IP servers, for some seconds. */
  findServers(): Promise<readonly Pick<DescribedServer, 'host' | 'name' | 'identity' | 'frontEnds'>[]>;
  /** Searches the local network for HDHomeRun devices, for some seconds. */
  findDevices(): Promise<readonly Pick<DescribedDevice, 'host' | 'model' | 'id' | 'tunerCount'>[]>;
  /** Asks these boxes, and searches the local network for Enigma2 boxes and other receivers, for some seconds. */
  findBoxes(used: readonly string[]): ReturnType<typeof findBoxes>;
  /** Asks a box with a login what it is. */
  askBox(tuner: string, login: Login): ReturnType<typeof findBox>;
  /** The Enigma2 boxes and other receivers that the configuration names. */
  boxes(): readonly BoxState[];
}

export interface TunerState {
  /** `Tuner A`, `Tuner B`, ... */
  readonly name: string;
  /** As in the configuration: `dvb:0`, `demo`. */
  readonly source: string;
  /** Model: `Demo`, `File`, `TurboSight TBS 6903`. */
  readonly model: string;
  /**
   * Delivery system: `DVB-S`, `DVB-S2`, `DVB-C`, `DVB-T`, `DVB-T2`; `TS` if the stream does not indicate it. For a front end:
   * that of its current transponder, otherwise the first one it supports; empty if the device is missing.
   */
  readonly type: string;
  /** Undefined while the tuner is not tuned. */
  readonly signal: Signal | undefined;
  /** Losses since the tuner was last tuned; undefined while it is not tuned. */
  readonly losses: Pick<TunerStatistics, 'continuityErrors' | 'overflows' | 'network'> | undefined;
  /** Data received and lost since the receiver started. */
  readonly totals: TunerTotals;
  readonly condition: TunerCondition;
  /** `11836 MHz H`; empty while the tuner is not tuned, and for a source of one multiplex. */
  readonly tunedTo: string;
  /** The users of the tuner, highest priority first. */
  readonly users: readonly TunerUser[];
}

export interface Signal {
  readonly locked: boolean;
  /** Quality and strength in percent, 0 to 100. */
  readonly quality: number;
  readonly strength: number;
  /** Signal-to-noise ratio in dB; undefined if the hardware does not report it. */
  readonly snr: number | undefined;
  /** Strength in dBm; undefined if the hardware does not report it. */
  readonly power: number | undefined;
  /** Bit errors as counted by the hardware; 0 if there are none or it does not report them. */
  readonly bitErrors: number;
  /** Bit errors per bit; undefined if the hardware does not report it. */
  readonly bitErrorRate: number | undefined;
  /** Uncorrected blocks since the tuner was last tuned; undefined if the hardware does not report them. */
  readonly badBlocks: number | undefined;
}

export interface TunerUser {
  readonly purpose: Purpose;
  /** Name for display: a client's address, a timer's name. */
  readonly user: string;
  /** The received service; undefined for a user of the whole multiplex. */
  readonly service: ServiceReference | undefined;
}

/** A recording in progress. */
export type RunningRecording = Pick<ActiveRecording, 'spec' | 'path' | 'began' | 'trouble'>;

export interface Streams {
  /** The clients of live streams, the longest-running first. */
  clients(): readonly StreamClient[];
  /** Number of clients dropped because they were too slow, since the receiver started. */
  readonly dropped: number;
  /** Opens the stream of a service, as the stream port does. @throws ReceiverError as the stream port answers */
  open(reference: string, request: IncomingMessage): Promise<OpenStream>;
  /** Checks, without tuning, whether the client may have the stream of this service. @throws ReceiverError if not */
  check(reference: string, request: IncomingMessage): ServiceReference;
}

/** A tuned service. The owner must call either `sendTo` or `leave`. */
export interface OpenStream {
  /** Sends until `output` closes, no tuner can be had any longer, or `duration` seconds have passed. */
  sendTo(output: Writable, duration?: number): Promise<void>;
  /** Closes the stream without sending it. */
  leave(): void;
}

export interface StreamClient {
  readonly reference: ServiceReference;
  /** The client's address, `192.0.2.20`. */
  readonly address: string;
  readonly since: UnixSeconds;
  readonly tuner: number | undefined;
}
