/**
 * Declares every class and function that the addon exports; the *_binding.cc files implement them. Only
 * src/base/native.ts loads the addon. The typed facades in src check their arguments; a binding throws a TypeError or
 * RangeError for arguments that it cannot use.
 *
 * Services are packed into a Uint16Array, three numbers each: original_network_id, transport_stream_id, service_id.
 * JSON is a Buffer of UTF-8.
 */

type PackedServices = Uint16Array;

// --- The guide (native/epg) ---

/** Like `GuideQuery` in src/epg/query.ts, which explains the fields, but with packed services. */
export interface NativeQuery {
  readonly text: readonly string[];
  readonly match?: string;
  readonly within?: string;
  readonly caseSensitive?: boolean;
  readonly services: PackedServices | undefined;
  readonly from?: number;
  readonly until?: number;
  readonly genres?: readonly { readonly level1: number; readonly level2?: number }[];
  /** Seconds after local midnight; `zone` as in NativeMoment. */
  readonly timeOfDay?: { readonly from: number; readonly until: number; readonly zone: Float64Array };
  readonly minDurationSeconds?: number;
  readonly maxDurationSeconds?: number;
  readonly languages?: readonly string[];
  readonly crid?: { readonly crid: string; readonly type?: string };
  readonly similarTo: { readonly service: PackedServices; readonly id: number } | undefined;
  readonly order?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Limits and options of the store. The defaults suit a receiver with 512 MB. */
export interface StoreOptions {
  /** ISO 639-2 codes in order of preference, for events in several languages. Default: the broadcaster's order. */
  readonly languages?: readonly string[];
  /** Beyond this, the events furthest in the future are dropped. Default 1,500,000. */
  readonly maxEvents?: number;
  /** Beyond this, further services are refused. Default 20,000. */
  readonly maxServices?: number;
  /** Bytes of distinct texts; beyond this, new events are refused. Default 256 MiB. */
  readonly maxTextBytes?: number;
  /** Text of an encoding.conf: character sets of texts without a selection byte, by language and multiplex. */
  readonly encodings?: string;
  /** Texts of the Freesat/Freeview Huffman tables 1 and 2 (`freesat.t1`, `freesat.t2`). */
  readonly huffman?: readonly [table1: string, table2: string];
}

/** The store of events, with the thread that fills it. Methods that return a promise work on a worker thread. */
export class Guide {
  constructor(options: StoreOptions);
  /** Rises with every change of an event. */
  readonly generation: number;
  /** JSON: SearchResult. */
  search(query: NativeQuery): Promise<Buffer>;
  /** JSON: Suggestion[], from the titles of events that end after `from`. */
  suggest(text: string, from: number, limit: number, forgiving: boolean): Promise<Buffer>;
  /** JSON: [{service, events}]. */
  services(): Promise<Buffer>;
  /** JSON: GuideStatistics. */
  statistics(): Promise<Buffer>;
  /**
   * Removes events that ended at least `history` seconds before `now`, except the present and the following event while
   * they may be on. Resolves to the number of removed events.
   */
  expire(now: number, history: number): Promise<number>;
  /** Removes everything. Resolves to the number of removed events. */
  clear(): Promise<number>;
  /** Resolves when all sections handed over are in the store. */
  flush(): Promise<number>;
  /** Adds one EIT section, which is copied. */
  ingestSection(section: Uint8Array): void;
  /** JSON: the GuideEvent in an `.eit` file, or null. */
  eventOfFile(file: Uint8Array): string;
  /** The bytes of the `.eit` file of an event; empty if it is unknown. */
  eventFile(service: PackedServices, id: number): Promise<Buffer>;
  /** JSON: EpgDatImport or {problem}. */
  importEpgDat(path: string, from: number): Promise<Buffer>;
  /** JSON: EpgDatExport or {problem}. */
  exportEpgDat(path: string, now: number): Promise<Buffer>;
  /** JSON: GuideSaved or {problem}. */
  save(path: string, now: number): Promise<Buffer>;
  /** JSON: GuideLoaded or {problem, missing}. */
  load(path: string): Promise<Buffer>;
  /** Like load(), for a file that save() has just written; {problem} if the guide has another generation by now. */
  moveInto(path: string, generation: number): Promise<Buffer>;
  leaveSnapshot(): Promise<number>;
  readonly snapshotLost: boolean;
}

/** The fields of an event that a template may contain; native/epg/responses/event_template.cc defines them. JSON quotes texts. */
export type EventField =
  | 'id'
  | 'start'
  | 'duration'
  | 'minutes'
  | 'title'
  | 'shortText'
  | 'extendedText'
  | 'language'
  | 'now'
  | 'remaining'
  | 'genre'
  | 'genreId'
  | 'picture'
  | 'genres'
  | 'parental'
  | 'date'
  | 'begin'
  | 'end'
  | 'runningStatus'
  | 'freeCa'
  | 'record';

/** The services of a response in order, with the texts shown for each. Immutable. */
export class ServiceList {
  /**
   * `guide`: 1 for each service that may have events, else 0; `texts`: `columns` texts for each service.
   * @throws RangeError if the lengths do not match, or if the texts exceed 256 MiB
   */
  constructor(services: {
    readonly keys: PackedServices;
    readonly guide: Uint8Array;
    readonly texts: readonly string[];
    readonly columns: number;
  });
}

/** Literals with fields of the event (by name) and texts of the service (by column) between them. */
export type EventSegments = readonly (string | { readonly of: EventField | number })[];

/** How an event is written, and what is written where there is none (`missing`; empty: nothing). Immutable. */
export class EventTemplate {
  constructor(template: {
    /** `cleanedJson`: without the control codes of DVB (emphasis, line break). */
    readonly escape: 'xml' | 'json' | 'cleanedJson';
    readonly event: EventSegments;
    readonly missing: EventSegments;
    readonly separator: string;
    /** 256 names of genres, by level 1 * 16 + level 2. */
    readonly genres: readonly string[];
  });
}

export interface NativeQuestion {
  readonly asked: 'now' | 'next' | 'nowNext' | 'before' | 'id' | 'window' | 'search';
  readonly from?: number;
  readonly until?: number | undefined;
  readonly endInclusive?: boolean;
  readonly id?: number;
  readonly skip?: number;
  readonly limit?: number;
  readonly query?: NativeQuery;
}

/** `zone`: pairs of a time and the offset of local time from UTC since that time, in seconds; empty: UTC. */
export interface NativeMoment {
  readonly now: number;
  readonly zone: Float64Array;
}

/** A piece of a list: the first `size` bytes of `bytes`, which is the given `memory` if the piece fits into it. */
export interface EventPiece {
  readonly bytes: Buffer;
  readonly size: number;
  /**
   * Writes the next piece on a worker thread; undefined for the last piece. Call once, and do not use `memory` before
   * the promise is settled.
   */
  readonly next?: (memory: Buffer) => Promise<EventPiece>;
  /** Of a search: number of matching events, and of rows (list entries) that the hits are written as. */
  readonly total: number;
  readonly rows: number;
}

type AskedEvents = [
  guide: Guide,
  services: ServiceList,
  template: EventTemplate,
  question: NativeQuestion,
  moment: NativeMoment,
];

/**
 * Answers any question but a search. Writes the first piece at once, up to 192 KiB and for 0.2 ms at most; further
 * pieces of 256 KiB are written on worker threads. A piece ends with a whole event, so it may be longer.
 */
export function listEvents(...asked: [...AskedEvents, memory: Buffer]): EventPiece;
/** Answers any question, on worker threads only. */
export function searchEvents(...asked: [...AskedEvents, memory: Buffer]): Promise<EventPiece>;
/** The number of events in the response, as long as the guide does not change. Not for a search. */
export function countEvents(...asked: AskedEvents): number;

// --- Guide files (native/xmltv) ---

/** Reads an XMLTV document into a guide, one step at a time. Reports are JSON (src/epg/xmltv.ts). */
export class XmltvImport {
  /**
   * `genres`: a byte (level 1 * 16 + level 2) for each of the `categories`. `rank`: -9 to 9, over the broadcast's 0;
   * `ranks`: those of the services `ranked`.
   */
  constructor(
    guide: Guide,
    options: {
      readonly rank: number;
      readonly ranked: PackedServices;
      readonly ranks: Int8Array;
      readonly notBefore: number;
      readonly languages: readonly string[];
      readonly categories: readonly string[];
      readonly genres: Uint8Array;
    },
  );
  /** The bytes must not change before the promise is settled. */
  feed(piece: Uint8Array): Promise<Buffer>;
  finish(): Promise<Buffer>;
  advance(): Promise<Buffer>;
  /** `counts`: the number of services for each channel asked about; `services`: all of these services in order. */
  answer(counts: Uint8Array, services: PackedServices): void;
}

/** Writes an XMLTV document in pieces of about 64 KiB; an empty piece is the end. */
export class XmltvExport {
  /** `ids` to `icons`: of the channel for each service; `numbers` and `icons` may be empty. `genres`: 256 names. */
  constructor(
    guide: Guide,
    options: {
      readonly services: PackedServices;
      readonly ids: readonly string[];
      readonly names: readonly string[];
      readonly numbers: readonly string[];
      readonly icons: readonly string[];
      readonly from: number;
      readonly until: number;
      readonly lang: string;
      readonly genreNumbers: boolean;
      readonly generator: string;
      readonly genres: readonly string[];
    },
  );
  next(): Promise<Buffer>;
}

// --- Tuners (native/dvb) ---

/** The source of a tuner (src/config/tuner-spec.ts). */
export type TunerSpec =
  | {
      /** /dev/dvb/adapterA/frontendF. */
      readonly kind: 'dvb';
      readonly adapter: number;
      readonly frontend: number;
    }
  | {
      /** The reading end of a pipe, whose stream is played in real time. */
      readonly kind: 'pipe';
      readonly descriptor: number;
    }
  | {
      readonly kind: 'multicast';
      /** `group` and `sender` are numeric addresses; `sender` is empty unless the group is source-specific. */
      readonly group: string;
      readonly port: number;
      readonly sender: string;
      /** The name of a network interface; empty: chosen by the routing table. */
      readonly interface: string;
    }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Start again at the end, with continuous counters and clocks. A pipe ends in any case. */
      readonly loop: boolean;
      /** True: real time, by the PCR. False: as fast as it can be read, for scans, imports and tests. */
      readonly paced: boolean;
    }
  | {
      /** A front end of a SAT>IP server, whose address is in the TuningOrder. */
      readonly kind: 'satip';
      /** The server as in the configuration, for messages. */
      readonly server: string;
      readonly transport: 'udp' | 'tcp';
      readonly traits: ServerTraits;
    }
  | {
      /** A tuner of an HDHomeRun device, whose address is in the TuningOrder. */
      readonly kind: 'hdhomerun';
      /** The device as in the configuration, for messages. */
      readonly server: string;
      /** From 0. */
      readonly tuner: number;
      /** 1 to 2^32 - 1; the same after each start. */
      readonly lockKey: number;
    }
  | {
      readonly kind: 'demo';
      /** Seconds of broadcast per second: 1 = real time, 0 = as fast as it is read. */
      readonly speed: number;
      /** Unix seconds at which the broadcast starts; absent: the system clock's time. */
      readonly start?: number | undefined;
    };

/** Features and deviations of a SAT>IP server. */
export interface ServerTraits {
  /** `pids=all` works. */
  readonly supportsAllPids: boolean;
  /** `addpids` and `delpids` work; otherwise every change needs all PIDs. */
  readonly supportsAddPids: boolean;
  /** Maximum number of PIDs at a time. */
  readonly maxPids: number;
  /** The PIDs requested with SETUP; empty: none. */
  readonly setupPids: string;
  /** Another multiplex requires TEARDOWN and SETUP instead of PLAY. */
  readonly needsNewSession: boolean;
  /** The server does not report whether there is a lock, so one is assumed. */
  readonly assumesLock: boolean;
  /** Requests must name the session without the leading zeros that it has in replies. */
  readonly trimsSession: boolean;
}

/** A front end of this machine (native/frontend). */
export interface FrontEndInformation {
  readonly adapter: number;
  readonly frontend: number;
  /** The driver's name; empty if the front end cannot be queried. */
  readonly name: string;
  /** `DVB-S2`, `DVB-T`, ...: those that a list of transponders can hold, in the driver's order. */
  readonly systems: readonly string[];
  /** Only one of the front ends of its adapter works at a time. */
  readonly shared: boolean;
  /** Why the front end cannot be queried, for messages; empty if it can. */
  readonly trouble: string;
}

/** All front ends. JSON: FrontEndInformation[]. Takes seconds while drivers load firmware. */
export function frontEnds(): Promise<Buffer>;

/** A step of selecting a satellite signal: a wait in ms, the 22 kHz tone, volts, a tone burst, a DiSEqC message. */
export type SatelliteStep =
  | { readonly waitMs: number }
  | { readonly tone: boolean }
  | { readonly voltage: 0 | 13 | 18 }
  /** About a volt more. */
  | { readonly moreVoltage: boolean }
  | { readonly burst: 'a' | 'b' }
  /** 3 to 6 bytes. */
  | { readonly command: Uint8Array };

/** What a front end is tuned to. */
export interface TuningOrder {
  /** Fields of TransponderParameters (src/dvb/transponder.ts); the frequency of a satellite is that behind the LNB. */
  readonly transponder: { readonly kind: 'satellite' | 'terrestrial' | 'cable' | 'atsc'; readonly frequency: number };
  /** Steps before tuning: all of them, or only the changes if nothing has changed since this front end's last order. */
  readonly allSteps: readonly SatelliteStep[];
  readonly changedSteps: readonly SatelliteStep[];
  /** Steps when the front end is no longer needed. */
  readonly endSteps: readonly SatelliteStep[];
  /** Steps of orders with the same cable are executed one after the other. Empty: a cable of its own. */
  readonly cable: string;
  /**
   * For SAT>IP and HDHomeRun: the server's address (`192.0.2.9:554`), and queries or channels for the transponder, tried
   * one after the other.
   */
  readonly server?: string;
  readonly queries?: readonly string[];
  /** Milliseconds to wait for a lock. */
  readonly lockTimeoutMs: number;
}

/** Signal measurements of a front end. Those it does not support are missing. */
export interface Signal {
  readonly locked: boolean;
  /** Carrier to noise ratio in dB. */
  readonly snr?: number;
  /** dBm */
  readonly strength?: number;
  /** 0..100, on the scale of the driver or of the delivery system. */
  readonly snrPercent: number;
  /** 0..100 */
  readonly strengthPercent: number;
  /** Bit errors after correction in the last period of measurement. Old drivers report it in an unknown unit. */
  readonly bitErrors?: number;
  /** `bitErrors` divided by the number of bits. */
  readonly bitErrorRate?: number;
  /** Uncorrected blocks since tuning. */
  readonly badBlocks?: number;
}

/** The state of reception of a running tuner. */
export interface Reception {
  readonly state: 'tuning' | 'locked' | 'lost' | 'retuning';
  /** Why there was no signal the last time; empty if the signal was never missing. */
  readonly reason: string;
  /** Seconds since the state changed. */
  readonly ageSeconds: number;
}

/**
 * Why a stream ended: `overflow` (the reader was too slow), `closed` (the reader closed it), `stopped` (the tuner was
 * stopped), `ended` (the source has no more), `failed` (the source failed).
 */
export type StreamEnd = 'overflow' | 'closed' | 'stopped' | 'ended' | 'failed';

/** The picture as the stream describes it. */
export interface VideoPicture {
  /** Pixels as displayed. */
  readonly width: number;
  readonly height: number;
  /** Display aspect ratio: width / height, 1.78 for 16:9. */
  readonly ratio: number;
}

/** All changes since the last notification. */
export interface TunerNews {
  /** A stream may have something to read, or has ended. */
  readonly readable: boolean;
  readonly guide: boolean;
  readonly generation?: number;
  readonly time?: number;
  /** `reception()` has changed. */
  readonly reception: boolean;
  /** The source has ended: empty, or the error. */
  readonly ended?: string;
}

/** Creates a non-blocking pipe. The caller must close both ends. @throws Error */
export function openPipe(): [reader: number, writer: number];

/** The kinds of `TunerSpec` that the addon contains. */
export const tunerKinds: readonly TunerSpec['kind'][];

export class Tuner {
  /** `assets`: folder with the loops of the demo multiplex. */
  constructor(spec: TunerSpec & { readonly assets?: string }, guide: Guide | undefined);
  /** Starts the tuner. If it is running, tunes it to another transponder, which ends its streams. */
  start(notify: (news: TunerNews) => void, order?: TuningOrder): void;
  stop(): Promise<void>;
  running(): boolean;
  generation(): number;
  /** JSON: MultiplexInformation. */
  multiplex(): Buffer;
  /** JSON: TunerStatistics. */
  statistics(): Buffer;
  signal(): Signal;
  reception(): Reception;
  /** JSON: GuideProgress[] (src/dvb/tuner.ts). */
  guide(): Buffer;
  /** For `pipe` and `multicast`: only events of `serviceId` enter the guide, as events of the given triplet. */
  routeGuide(serviceId: number, originalNetworkId: number, transportStreamId: number, asServiceId: number): void;
}

/** One reader of one service. */
export class ServiceStream {
  constructor(tuner: Tuner, serviceId: number, maxQueueBytes: number, keepEcm: boolean);
  /** A chunk, undefined if there is none yet, or null at the end. */
  read(): Buffer | undefined | null;
  close(): void;
  /** Null while the stream is open. */
  reason(): StreamEnd | null;
}

/** One reader of the packets of some PIDs. Packets that are not read in time are lost. */
export class PidStream {
  /** `pids`: undefined for all. `gatherMs`: time for which packets may be held to read several at once. */
  constructor(tuner: Tuner, pids: Uint16Array | undefined, maxQueueBytes: number, gatherMs: number);
  /** Like ServiceStream.read(). */
  read(): Buffer | undefined | null;
  close(): void;
  reason(): StreamEnd | null;
  change(tuner: Tuner, pids: Uint16Array | undefined): void;
}

/** Reads the list that a satellite operator sends on a PID (native/dvb/multiplex/fast_scan.h). */
export class FastScan {
  constructor(pid: number);
  /**
   * Takes whole packets in order. JSON: MultiplexInformation with the services of several multiplexes; null until
   * complete.
   */
  feed(packets: Buffer): Buffer | null;
}

export class VideoFormatFinder {
  constructor(pid: number, streamType: number);
  /** The format, or null until it is known. */
  feed(packets: Buffer): VideoPicture | null;
}

/** The unfiltered scanlines of an 8-bit grey PNG with two lines of text. */
export function caption(width: number, height: number, heading: string, text: string): Promise<Buffer>;

// --- SAT>IP (native/satip) ---

/** Sends RTP packets and RTCP reports to a client by UDP. */
export class RtpSender {
  /**
   * Addresses are numeric. `filled-…`: each datagram has seven packets, padded with null packets; `filled-udp`
   * without a header. @throws Error if no ports are free
   */
  constructor(
    local: string,
    remote: string,
    rtpPort: number,
    rtcpPort: number,
    framing?: 'rtp' | 'filled-rtp' | 'filled-udp',
  );
  /** The local RTP port, an even number; RTCP uses the next one. */
  port(): number;
  /** Sequence number of the next datagram. */
  sequence(): number;
  /** Sends these PIDs (undefined: all) of the tuner from now on. */
  open(tuner: Tuner, pids: Uint16Array | undefined): void;
  /** Sends other PIDs of the same tuner. */
  change(tuner: Tuner, pids: Uint16Array | undefined): void;
  /** Sends only reports. */
  pause(): void;
  /** Sets the text of the reports. */
  describe(status: string): void;
  close(): Promise<void>;
}

/** Like RtpSender, but creates frames to be interleaved in the client's RTSP connection. */
export class RtpFrames {
  /** `channel` of the packets; reports use the next one. */
  constructor(channel: number);
  packets(packets: Buffer): Buffer;
  report(status: string): Buffer;
  sequence(): number;
}

// --- Recording (native/recording) ---

export interface StreamRecordingOptions {
  /** Path of an existing, empty file. */
  readonly path: string;
  /** Bytes that may wait while the disk is stalled. Data beyond that is dropped and counted. */
  readonly maxQueueBytes: number;
  /** When written data is synced: left to the system, every `syncIntervalSeconds`, or after each chunk. */
  readonly sync: 'never' | 'interval' | 'always';
  readonly syncIntervalSeconds: number;
}

/**
 * Status of a recording, at most 0.2 s old while data arrives. While the disk hangs, only `waiting` and `lost` change.
 */
export interface StreamRecordingStatus {
  /** Bytes in the file. */
  readonly bytes: number;
  /** Bytes received from the tuner but not yet in the file. */
  readonly waiting: number;
  /** Recorded ticks of 90 kHz, excluding jumps of the broadcaster's clock. */
  readonly ticks: number;
  /** Packets received, and how many of them are scrambled. */
  readonly packets: number;
  readonly scrambled: number;
  /** Gaps in the continuity counters: reception was disturbed, or packets were lost. */
  readonly continuityErrors: number;
  /** Bytes that the disk did not accept in time, or accepted and lost. */
  readonly lost: number;
  /** errno of the current disk error; 0: none. */
  readonly error: number;
  /** The file was deleted during the recording. */
  readonly deleted: boolean;
  /** event_id of the present event in EIT present/following, and the tick of the recording at which it began. */
  readonly present?: { readonly id: number; readonly ticks: number };
  /** Why the last stream ended; null while one is open. */
  readonly end: StreamEnd | null;
}

export interface RingOptions {
  /** An existing folder, as an absolute path, without other files named `NUMBER.ts`. */
  readonly folder: string;
  /** Maximum number of bytes on the disk. */
  readonly maxBytes: number;
  /** Bytes to leave free on the disk. */
  readonly minFreeBytes: number;
  /** Number of the first file. */
  readonly firstSequence: number;
  /** Duration after which a file ends at the next random access point. */
  readonly minSegmentMs: number;
  /** Duration after which a file ends in any case. */
  readonly maxSegmentMs: number;
  /** Milliseconds of a part of a file; 0: no parts. With parts, the packets of a PES packet are contiguous. */
  readonly partMs: number;
  /** Bytes that may wait while the disk is stalled. Data beyond that is dropped and counted. */
  readonly maxQueueBytes: number;
}

/** A file of a ring: a transport stream that starts with PAT, PMT and a random access point. */
export interface RingSegment {
  readonly sequence: number;
  /** Bytes of copied PAT and PMT at its beginning, which are not packets of the service. */
  readonly head: number;
  readonly bytes: number;
  /** Ticks of 90 kHz. */
  readonly ticks: number;
  /** Seconds since its first packet arrived. */
  readonly ageSeconds: number;
  /** The file does not continue the previous one, or has other tables. */
  readonly discontinuity: boolean;
  /** A decoder can start with its first picture. */
  readonly entry: boolean;
  /** The complete parts: end as a byte offset in the file, duration in ticks of 90 kHz. */
  readonly parts: readonly { readonly end: number; readonly ticks: number }[];
}

/** State of a ring; at most 0.5 s old. */
export interface RingStatus {
  /** Number of the oldest file. */
  readonly first: number;
  /** The file being written; 0 bytes if the next one has not started. */
  readonly growing: RingSegment;
  readonly bytes: number;
  /** Packets received. */
  readonly packets: number;
  /** Bytes that the disk did not accept in time, or accepted and lost. */
  readonly lost: number;
  /** errno of the current disk failure; 0: none. */
  readonly error: number;
  /** Number of recordings that are being fed from the ring. */
  readonly feeds: number;
  /** Why the last stream ended; null while one is open. */
  readonly end: StreamEnd | null;
}

export type StreamJoin = 'pending' | 'joined' | 'failed';

/** A recording of a service to a file. */
export class Recording {
  constructor(options: StreamRecordingOptions);
  /** Starts to record a service. */
  openStream(tuner: Tuner, serviceId: number, keepEcm: boolean): void;
  /**
   * Switches to the same service of another tuner on the same multiplex, at a packet that both have received, so that
   * there is no gap. `join()` returns the result. Without such a packet within four seconds, the current stream
   * continues.
   */
  joinStream(tuner: Tuner, serviceId: number, keepEcm: boolean): void;
  /** The result of the last `joinStream`; null if there was none. */
  join(): StreamJoin | null;
  /** Writes all data received so far, as far as the disk accepts it, and closes the files. */
  stop(): Promise<void>;
  status(): StreamRecordingStatus;
}

/** Finds the access points of a recording that exists already. One step at a time. */
export class FileIndex {
  /**
   * Reads the next MiB of an open file. Resolves to the number of bytes read; 0 at the end. Rejects if they cannot be
   * read.
   */
  step(fileDescriptor: number): Promise<number>;
  /** The entries found so far, as in the `.ap` file. */
  entries(): Buffer;
  /** Frees its memory. */
  close(): void;
}

/** A service on disk, as far back as `maxBytes` permits. */
export class Ring {
  constructor(options: RingOptions);
  openStream(tuner: Tuner, serviceId: number, keepEcm: boolean): void;
  /** Like Recording.joinStream(). */
  joinStream(tuner: Tuner, serviceId: number, keepEcm: boolean): void;
  join(): StreamJoin | null;
  /** Adds the next bytes of a transport stream that does not come from a tuner. */
  write(bytes: Buffer): void;
  status(): RingStatus;
  /** The complete files from number `from` on. */
  segments(from: number): RingSegment[];
  /**
   * Feeds a recording with the data from file `from` on. Without `follow`, its stream ends with the data received so
   * far; with `follow`, further data is added until the ring or the recording ends. Files are kept until they have been
   * read.
   */
  feed(recording: Recording, from: number, follow: boolean): void;
  /** Stops writing, waits for the recordings fed without `follow`, and removes the files. */
  close(): Promise<void>;
}

// --- The rest: playlists (native/m3u), files (native/storage), the machine (native/device) ---

/** Writes playlists. `packed` has five NUL-terminated fields for each channel (native/m3u/playlist.h). */
export const m3u: {
  channels(streams: string, web: string, query: string, ticket: string, packed: Buffer): Promise<Buffer>;
  stream(streams: string, query: string, ticket: string, reference: string, name: string): Buffer;
  recording(web: string, ticket: string, path: string, title: string, seconds: number, reference: string): Buffer;
};

/** A lock on a file. The kernel releases it when the process ends. */
export class FileLock {
  /** @throws Error with `code` BUSY if someone else holds it, otherwise FAILED */
  constructor(path: string);
  /** The note of the holder; undefined if the file is not locked. */
  static holder(path: string): string | undefined;
  writeNote(note: string): boolean;
  release(): void;
}

/** A virtual keyboard. */
export class KeyDevice {
  /** @throws Error if it cannot be created */
  constructor(path: string, name: string);
  /** `stroke`: 0 released, 1 pressed, 2 repeated. False if the kernel's queue is full. */
  send(code: number, stroke: number): boolean;
  close(): void;
}

/**
 * Sends a message to the service manager. `socket`: a path, or `@NAME` for an abstract socket. Never blocks. Returns 0
 * or an errno; EAGAIN if the socket is full.
 */
export function notify(socket: string, message: string): number;
