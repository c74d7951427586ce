/**
 * The receiver as the interfaces need it: the shape of the domain as seen from http/.
 *
 * The receiver (src/receiver/receiver.ts) is passed in as a whole and satisfies this interface structurally, so the domain never
 * imports http/. Reads are synchronous and cheap, because some clients poll every few seconds. Calls that touch the
 * machine (disks) return a promise.
 */
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import type { AccessControl } from '../../access/access-control.ts';
import type { AutoTimer } from '../../autotimer/autotimer.ts';
import type { Clock, UnixSeconds } from '../../base/clock.ts';
import type { Configuration } from '../../config/config.ts';
import type { Settings } from '../../config/enigma2-settings.ts';
import type { Converter } from '../../conversion/converter.ts';
import type { Device } from '../../device/open-device.ts';
import type { AerialSetup } from '../../dvb/satellite/nim-setup.ts';
import type { TunerStatistics, TunerTotals } from '../../dvb/statistics.ts';
import type { PlacedService } from '../../dvb/triplet.ts';
import type { Purpose, TunerCondition } from '../../dvb/tuner-pool.ts';
import type { GuideCollector } from '../../epg/collector.ts';
import type { EpgDatExports } from '../../epg/epg-dat-exports.ts';
import type { Guide } from '../../epg/guide.ts';
import type { GuideStore } from '../../epg/guide-store.ts';
import type { Events } from '../../events/events.ts';
import type { Host } from '../../host/host.ts';
import type { NetworkStreams } from '../../iptv/network-streams.ts';
import type { ParentalLock } from '../../playback/parental-lock.ts';
import type { Playback } from '../../playback/playback.ts';
import type { RecordingActions } from '../../recordings/actions.ts';
import type { ActiveRecording } from '../../recordings/active-recording.ts';
import type { RecordingFolders } from '../../recordings/folders.ts';
import type { RecordingLibrary } from '../../recordings/library.ts';
import type { Locations } from '../../recordings/locations.ts';
import type { Recorder } from '../../recordings/recorder.ts';
import type { Tags } from '../../recordings/tags.ts';
import type { SatipServer } from '../../satip-server/satip-server.ts';
import type { NetworkScans } from '../../scan/scan-jobs.ts';
import type { Picons } from '../../services/picons.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { Services } from '../../services/services.ts';
import type { TimerList } from '../../timers/timer-list.ts';
import type { LiveSegments } from '../../timeshift/live-segments.ts';
import type { TimeshiftRecordingSpec, Timeshifts } from '../../timeshift/timeshifts.ts';

export interface ReceiverParts {
  readonly clock: Clock;
  /** Who may in. */
  readonly accessControl: AccessControl;
  readonly config: InterfaceConfig;
  readonly services: Services;
  readonly guide: Guide;
  readonly epgDatExports: Pick<EpgDatExports, 'open'>;
  readonly guideStore: Pick<GuideStore, 'path' | 'save' | 'saveSoon' | 'load'>;
  readonly collector: Pick<GuideCollector, 'age'>;
  readonly playback: Pick<Playback, 'current' | 'zap' | 'selectAudioTrack' | 'still'>;
  readonly tuners: Tuners;
  /** The streams of the network. */
  readonly network: Pick<NetworkStreams, 'running' | 'totals'>;
  readonly scans: Pick<NetworkScans, 'status' | 'start' | 'stop' | 'tables' | 'guess' | 'setUp'>;
  readonly streams: Streams;
  readonly device: Omit<Device, 'stop'>;
  /** The events of all these parts. */
  readonly events: Events;
  /** The Enigma2 settings that clients may read. */
  readonly settings: Settings;
  readonly locations: RecordingFolders;
  /** Adds and removes recording folders. */
  readonly locationChanges: Locations;
  readonly recordings: RecordingLibrary;
  /** The longest-running recording first. */
  readonly recorder: Pick<Recorder, 'totals'> & { readonly active: readonly RunningRecording[] };
  readonly recordingActions: RecordingActions;
  /** The code of the parental lock, and what is locked. */
  readonly parentalLock: ParentalLock;
  /** The tags available for recordings. */
  readonly tags: Tags;
  readonly picons: Picons;
  readonly timers: TimerList;
  readonly timeshifts: Pick<Timeshifts, 'active' | 'bound' | 'start' | 'stop'> & {
    keep(order: TimeshiftRecordingSpec): Promise<RunningRecording>;
    endKept(): Promise<readonly RunningRecording[]>;
  };
  /** Services as segments of HTTP Live Streaming. */
  readonly liveSegments: Pick<LiveSegments, 'of' | 'find'>;
  /** Pictures and sound for those who cannot decode what is broadcast. */
  readonly converter: Pick<Converter, 'state' | 'start'>;
  /** The rules that create timers. */
  readonly autoTimer: AutoTimer;
  /** The log, whose level may be changed. */
  readonly log: { level: string };
  /** Requests are answered from before the start is complete until the last step of a stop. */
  readonly phase: 'starting' | 'running' | 'stopping';
  /** Absent: there is none. */
  readonly satip?: Pick<SatipServer, 'port' | 'description' | 'clients' | 'isAllowed'>;
  /** Absent: the receiver runs inside of another program. */
  readonly host?: Host;
}

/** The part of the configuration that is visible through the interfaces. */
export interface InterfaceConfig
  extends Pick<Configuration, 'timeZone' | 'enigma2Dir' | 'tuners' | 'origins' | 'hostNames' | 'push' | 'evil'> {
  /** The ports as bound (never 0 once the receiver serves). */
  readonly httpPort: number;
  readonly streamPort: number;
  /** Of the streams by HTTPS; 0: none. */
  readonly secureStreamPort: number;
  /** HTTPS responses tell browsers to stay with HTTPS. */
  readonly hsts: boolean;
}

export interface Tuners {
  /** Every configured tuner. The index is the tuner's number. */
  list(): readonly TunerState[];
  /**
   * Whether a service could be received now, as far as that is known without tuning. `playing` counts as being received
   * already: services on its multiplex need no further tuner.
   */
  canReceive(service: PlacedService, playing?: PlacedService): boolean;
  /**
   * Writes how the dish is connected to a tuner, and returns that in words. `cable`: a tuner on the same cable.
   * @throws ReceiverError `parameter-invalid`
   */
  connect(tuner: number, setup: AerialSetup, cable?: number): Promise<string>;
}

export interface TunerState {
  /** `Tuner A`, `Tuner B`, ... */
  readonly name: string;
  /** As in the configuration: `dvb:0`, `demo`. */
  readonly source: string;
  /** Model: `Demo`, `File`, `TurboSight TBS 6903`. */
  readonly model: string;
  /**
   * Delivery system: `DVB-S`, `DVB-S2`, `DVB-C`, `DVB-T`, `DVB-T2`; `TS` if the stream does not indicate it. Of a front
   * end: of what it is tuned to, otherwise the first that it can be tuned to; empty if the device is not there.
   */
  readonly type: string;
  /** Undefined while the tuner is not tuned. */
  readonly signal: Signal | undefined;
  /** What was lost since the tuning; undefined while the tuner is not tuned. */
  readonly losses: Pick<TunerStatistics, 'continuityErrors' | 'overflows' | 'network'> | undefined;
  /** What was received and lost since the start. */
  readonly totals: TunerTotals;
  readonly condition: TunerCondition;
  /** `11836 MHz H`; empty while the tuner is not tuned, and for a source of one multiplex. */
  readonly tunedTo: string;
  /** The users and their purposes, highest priority first. */
  readonly users: readonly TunerUser[];
}

export interface Signal {
  readonly locked: boolean;
  /** Quality and strength in percent, 0 to 100. */
  readonly quality: number;
  readonly strength: number;
  /** What follows is undefined if the hardware does not report it. Signal to noise ratio in dB. */
  readonly snr: number | undefined;
  /** Strength in dBm. */
  readonly power: number | undefined;
  /** Bit errors as counted by the hardware, 0 = none. */
  readonly bitErrors: number;
  /** The same for each bit. */
  readonly bitErrorRate: number | undefined;
  /** Uncorrected blocks since the tuning. */
  readonly badBlocks: number | undefined;
}

export interface TunerUser {
  readonly purpose: Purpose;
  /** For people: a client's address, a timer's name. */
  readonly user: string;
  /** The received service; undefined for a user of the whole multiplex. */
  readonly service: ServiceReference | undefined;
}

/** A recording in progress. */
export type RunningRecording = Pick<ActiveRecording, 'order' | 'path' | 'began' | 'trouble'>;

export interface Streams {
  /** The clients of live streams, the longest-running first. */
  clients(): readonly StreamClient[];
  /** Clients that were too slow, since the start. */
  readonly dropped: number;
  /** The stream of a service, as on the stream port. @throws ReceiverError as the stream port answers */
  open(reference: string, request: IncomingMessage): Promise<OpenStream>;
  /** Whether `open` would be tried. @throws ReceiverError */
  check(reference: string, request: IncomingMessage): ServiceReference;
}

/** A tuned service, whose stream is to be sent or left. */
export interface OpenStream {
  /** Sends until the client's output closes, the tuner is lost for good, or `duration` seconds have passed. */
  sendTo(output: Writable, duration?: number): Promise<void>;
  leave(): void;
}

export interface StreamClient {
  readonly reference: ServiceReference;
  /** The client's address, `192.0.2.20`. */
  readonly address: string;
  readonly since: UnixSeconds;
  readonly tuner: number | undefined;
}
