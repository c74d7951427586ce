/**
 * The receiver as the interfaces need it: the shape of the domain as seen from http/.
 *
 * The receiver (src/receiver.ts) is passed in as a whole and satisfies this interface structurally, so the domain never
 * imports http/. Reads are synchronous and cheap, because some clients poll every few seconds. Calls that touch the
 * machine (disks) return a promise.
 */
import type { AutoTimer } from '../autotimer/autotimer.ts';
import type { Clock, UnixSeconds } from '../clock.ts';
import type { Disk, Memory, NetworkInterface } from '../device/host.ts';
import type { DeviceIdentity } from '../device/identity.ts';
import type { Messages } from '../device/messages.ts';
import type { Power } from '../device/power.ts';
import type { RemoteControl } from '../device/remote.ts';
import type { Settings } from '../device/settings.ts';
import type { SleepTimer } from '../device/sleep-timer.ts';
import type { Volume } from '../device/volume.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { Purpose } from '../dvb/tuner-pool.ts';
import type { Guide } from '../epg/guide.ts';
import type { Events } from '../events.ts';
import type { CurrentService } from '../playback/current-service.ts';
import type { StillOptions } from '../playback/output.ts';
import type { RecordingActions } from '../recordings/actions.ts';
import type { RecordingFolders } from '../recordings/folders.ts';
import type { RecordingLibrary } from '../recordings/library.ts';
import type { Locations } from '../recordings/locations.ts';
import type { RecordingOrder } from '../recordings/recording-order.ts';
import type { Tags } from '../recordings/tags.ts';
import type { Picons } from '../services/picons.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { TimerList } from '../timers/timer-list.ts';
import type { Timeshift } from '../timeshift/timeshift.ts';
import type { KeepOrder } from '../timeshift/timeshifts.ts';
import type { PushOptions } from './push.ts';

export interface ReceiverParts {
  readonly clock: Clock;
  readonly config: InterfaceConfig;
  readonly services: Services;
  readonly guide: Guide;
  readonly guideStore: GuideStore;
  readonly playback: Playback;
  readonly tuners: Tuners;
  readonly streams: Streams;
  readonly device: Device;
  /** The events of all these parts. */
  readonly events: Events;
  /** The Enigma2 settings that clients may read. */
  readonly settings: Settings;
  readonly locations: RecordingFolders;
  /** Adds and removes recording folders. */
  readonly locationChanges: Locations;
  readonly recordings: RecordingLibrary;
  readonly recorder: Recorder;
  readonly recordingActions: RecordingActions;
  /** The tags available for recordings. */
  readonly tags: Tags;
  readonly picons: Picons;
  readonly timers: TimerList;
  readonly timeshifts: Timeshifts;
  /** The rules that create timers. */
  readonly autoTimer: AutoTimer;
}

/** The part of the configuration that is visible through the interfaces. */
export interface InterfaceConfig {
  /** IANA name of the zone in which clock times are written, `Europe/Berlin`. */
  readonly timeZone: string;
  /** The ports as bound (never 0 once the receiver serves). */
  readonly httpPort: number;
  /** The folder with the lists of services. */
  readonly enigma2Dir: string;
  readonly streamPort: number;
  /** Origins whose pages may read; `*` stands for all. Origins listed by name may also make changes. */
  readonly origins: readonly string[];
  /** Host names under which changes are allowed, besides addresses and our own names; `*` stands for all. */
  readonly hostNames: readonly string[];
  /** Limits of the event stream. */
  readonly push: PushOptions;
  /** Whether `/api/evil`, which runs nothing, exists. */
  readonly evil: boolean;
}

export interface Device {
  readonly identity: DeviceIdentity;
  readonly volume: Volume;
  readonly power: Power;
  readonly sleepTimer: SleepTimer;
  readonly messages: Messages;
  readonly remote: RemoteControl;
  /** At least one, each with a valid MAC address. */
  interfaces(): Promise<readonly NetworkInterface[]>;
  /** The file systems that hold the locations and the data folder. */
  disks(): Promise<readonly Disk[]>;
  memory(): Memory;
  /** Seconds since the machine booted. */
  uptime(): number;
}

/** What is watched on this receiver: one current service, with or without a picture. */
export interface Playback {
  /** The current service; undefined if nothing plays. */
  readonly current: CurrentService | undefined;
  /**
   * Makes a service the current one. Rejects with `service-not-found`, `not-receivable`, `no-signal` or `unsupported`;
   * the previous service then continues. `title` replaces the service's name while it plays.
   */
  zap(reference: ServiceReference, options?: { readonly title?: string }): Promise<void>;
  /** Switches to the track with this index in `current.audioTracks`. Returns false if there is no such track. */
  selectAudioTrack(index: number): boolean;
  /** The picture shown at the moment; undefined if there is none. Rejects with `too-many-clients`. */
  still(options: StillOptions): Promise<Buffer | undefined>;
}

/** The file that keeps the guide across restarts. */
export interface GuideStore {
  /** Absolute. */
  readonly path: string;
  /** Rejects with `file-unwritable`. */
  save(): Promise<unknown>;
  /** Writes the guide in the background and logs failures. */
  saveSoon(): void;
  /** Returns null if there is no file. Rejects with `file-unreadable` and leaves the guide unchanged. */
  load(): Promise<unknown>;
}

export interface Tuners {
  /** Every configured tuner. The index is the tuner's number. */
  list(): readonly TunerState[];
  /**
   * Whether a service could be received now, as far as that is known without tuning. `playing` counts as being received
   * already: services on its multiplex need no further tuner.
   */
  canReceive(service: DvbTriplet, playing?: DvbTriplet): boolean;
}

export interface TunerState {
  /** `Tuner A`, `Tuner B`, ... */
  readonly name: string;
  /** Model: `Demo`, `File`, `TurboSight TBS 6903`. */
  readonly model: string;
  /** Delivery system: `DVB-S`, `DVB-S2`, `DVB-C`, `DVB-T`, `DVB-T2`; `TS` if the stream does not indicate it. */
  readonly type: string;
  /** Undefined while the tuner is not tuned. */
  readonly signal: Signal | undefined;
  /** The users and their purposes, highest priority first. */
  readonly users: readonly TunerUser[];
}

export interface Signal {
  readonly locked: boolean;
  /** Quality and strength in percent, 0 to 100. */
  readonly quality: number;
  readonly strength: number;
  /** Signal to noise ratio in dB; undefined if the hardware does not report it. */
  readonly snr: number | undefined;
  /** Bit errors as counted by the hardware, 0 = none. */
  readonly bitErrors: number;
}

export interface TunerUser {
  readonly purpose: Purpose;
  /** The received service; undefined for a user of the whole multiplex. */
  readonly service: ServiceReference | undefined;
}

export interface Recorder {
  /** Active recordings, the longest-running first. */
  readonly active: readonly RunningRecording[];
}

export interface RunningRecording {
  readonly order: RecordingOrder;
  /** Absolute path of the file. */
  readonly path: string;
  readonly began: UnixSeconds;
  /** The current problem that prevents recording, for display. */
  readonly trouble: string | undefined;
}

/** The stored part of the current service, for pausing and rewinding. */
export interface Timeshifts {
  /** Undefined while timeshift is off. */
  readonly active: Timeshift | undefined;
  /** Maximum size in bytes. */
  readonly bound: number;
  /** Rejects with `not-playing`, `unsupported`, `not-receivable`, `no-signal`, `disk-full` and others. */
  start(): Promise<void>;
  /** Stops timeshift and deletes its data. */
  stop(): Promise<void>;
  /**
   * Turns the stored part into a recording. Rejects with `not-found` if timeshift is off, and with the errors of
   * recording.
   */
  keep(order: KeepOrder): Promise<RunningRecording>;
  /** Stops recordings from timeshift that are still growing. */
  endKept(): Promise<readonly RunningRecording[]>;
}

export interface Streams {
  /** The clients of live streams, the longest-running first. */
  clients(): readonly StreamClient[];
}

export interface StreamClient {
  readonly reference: ServiceReference;
  /** The client's address, `192.0.2.20`. */
  readonly address: string;
  readonly since: UnixSeconds;
  readonly tuner: number | undefined;
}
