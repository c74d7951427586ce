/**
 * What the interfaces need of the receiver, and nothing more: the shape of the domain as seen from http/.
 *
 * The receiver (src/receiver.ts) is passed in whole; it satisfies this by structure, so that nothing of the domain imports http/.
 * Everything that reads is synchronous and cheap (a look at state that is already there), because some clients ask every few
 * seconds; what has to touch the machine (disks) is a promise.
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
  /** What happens to all of this, as it happens. */
  readonly events: Events;
  /** The Enigma2 settings that clients may read. */
  readonly settings: Settings;
  readonly locations: RecordingFolders;
  /** Adds folders to them and takes some away. */
  readonly locationChanges: Locations;
  readonly recordings: RecordingLibrary;
  readonly recorder: Recorder;
  readonly recordingActions: RecordingActions;
  /** The tags that may be put on recordings. */
  readonly tags: Tags;
  readonly picons: Picons;
  readonly timers: TimerList;
  readonly timeshifts: Timeshifts;
  /** The rules that make timers. */
  readonly autoTimer: AutoTimer;
}

/** The part of the configuration that shows through the interfaces. */
export interface InterfaceConfig {
  /** IANA name of the zone in which clock times are written, `Europe/Berlin`. */
  readonly timeZone: string;
  /** The ports as they are bound (never 0 once the receiver serves). */
  readonly httpPort: number;
  /** The folder with the lists of services. */
  readonly enigma2Dir: string;
  readonly streamPort: number;
  /** Origins whose pages may read; `*` among them is every one. Those that are named may change things too. */
  readonly origins: readonly string[];
  /** Names by which things may be changed, beside addresses and names that are ours anyway; `*` among them is every one. */
  readonly hostNames: readonly string[];
  /** Bounds of the event stream. */
  readonly push: PushOptions;
  /** Whether there is `/api/evil`, which runs nothing. */
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
  /** Seconds since the machine was started. */
  uptime(): number;
}

/** What is watched on this receiver: one current service, whether a picture is put out or not. */
export interface Playback {
  /** What plays, or undefined when nothing does. */
  readonly current: CurrentService | undefined;
  /**
   * Makes a service the current one. Rejects with `service-not-found`, `no-free-tuner`, `no-signal` or `unsupported`; what played
   * before then goes on. `title` is shown in place of the service's name while it plays.
   */
  zap(reference: ServiceReference, options?: { readonly title?: string }): Promise<void>;
  /** Makes the track with this index of `current.audioTracks` the heard one; false when there is no such track. */
  selectAudioTrack(index: number): boolean;
  /** The picture that is put out at this moment; undefined while there is none. Rejects with `too-many-clients`. */
  still(options: StillOptions): Promise<Buffer | undefined>;
}

/** The file in which the guide outlives a restart. */
export interface GuideStore {
  /** Absolute. */
  readonly path: string;
  /** Rejects with `file-unwritable`. */
  save(): Promise<unknown>;
  /** Writes the guide in the background; what goes wrong is logged. */
  saveSoon(): void;
  /** Null when there is no file. Rejects with `file-unreadable`; the guide is as before then. */
  load(): Promise<unknown>;
}

export interface Tuners {
  /** Every configured tuner; its index is its number. */
  list(): readonly TunerState[];
  /**
   * Whether a service could be received now, as far as is known without tuning. `playing` is taken as being received already: what
   * is on its multiplex needs no further tuner.
   */
  canReceive(service: DvbTriplet, playing?: DvbTriplet): boolean;
}

export interface TunerState {
  /** `Tuner A`, `Tuner B`, ... */
  readonly name: string;
  /** What it is: `Demo`, `File`, `TurboSight TBS 6903`. */
  readonly model: string;
  /** Delivery system: `DVB-S`, `DVB-S2`, `DVB-C`, `DVB-T`, `DVB-T2`; `TS` where the stream does not tell. */
  readonly type: string;
  /** Undefined while it is not tuned. */
  readonly signal: Signal | undefined;
  /** Who holds it and why, highest priority first. */
  readonly users: readonly TunerUser[];
}

export interface Signal {
  readonly locked: boolean;
  /** Quality and strength in percent, 0 to 100. */
  readonly quality: number;
  readonly strength: number;
  /** Signal to noise ratio in dB; undefined when the hardware does not tell. */
  readonly snr: number | undefined;
  /** Bit errors as the hardware counts them, 0 = none. */
  readonly bitErrors: number;
}

export interface TunerUser {
  readonly purpose: Purpose;
  /** What it receives; undefined for a user of the whole multiplex. */
  readonly service: ServiceReference | undefined;
}

export interface Recorder {
  /** What is being recorded, the longest-running first. */
  readonly active: readonly RunningRecording[];
}

export interface RunningRecording {
  readonly order: RecordingOrder;
  /** Absolute, of its file. */
  readonly path: string;
  readonly began: UnixSeconds;
  /** What keeps it from being recorded now, for people. */
  readonly trouble: string | undefined;
}

/** What is kept of the current service, to pause it and to go back in it. */
export interface Timeshifts {
  /** Undefined while nothing is kept. */
  readonly active: Timeshift | undefined;
  /** Bytes that it takes at the most. */
  readonly bound: number;
  /** Rejects with `not-playing`, `unsupported`, `no-free-tuner`, `no-signal`, `disk-full` and others. */
  start(): Promise<void>;
  /** Drops what was kept. */
  stop(): Promise<void>;
  /** Makes a recording of it. Rejects with `not-found` when nothing is kept, and as recording does. */
  keep(order: KeepOrder): Promise<RunningRecording>;
  /** Ends the recordings that go on with what comes. */
  endKept(): Promise<readonly RunningRecording[]>;
}

export interface Streams {
  /** The clients that are being served with live streams, the longest-running first. */
  clients(): readonly StreamClient[];
}

export interface StreamClient {
  readonly reference: ServiceReference;
  /** The client's address, `192.0.2.20`. */
  readonly address: string;
  readonly since: UnixSeconds;
  readonly tuner: number | undefined;
}
