/**
 * What the addon exports: every class and function, as the *_binding.cc files implement them. Only src/base/native.ts loads
 * it. The typed facades in src check their arguments; a binding throws a TypeError or RangeError for what it cannot take.
 *
 * Services are packed: a Uint16Array with three numbers each, original network, transport stream, service. A Buffer of
 * JSON is UTF-8.
 */

type PackedServices = Uint16Array;

// --- The guide (native/epg) ---

/** GuideQuery of src/epg/query.ts, which explains it, with packed services. */
export interface NativeQuery {
  readonly text: readonly string[];
  readonly match?: string;
  readonly within?: string;
  readonly caseSensitive?: boolean;
  readonly services: PackedServices | undefined;
  readonly from?: number;
  readonly until?: number;
  readonly genres?: readonly { readonly level1: number; readonly level2?: number }[];
  /** Seconds after midnight; the zone as in NativeMoment. */
  readonly timeOfDay?: { readonly from: number; readonly until: number; readonly zone: Float64Array };
  readonly minimumDuration?: number;
  readonly maximumDuration?: number;
  readonly languages?: readonly string[];
  readonly crid?: { readonly crid: string; readonly type?: string };
  readonly similarTo: { readonly service: PackedServices; readonly id: number } | undefined;
  readonly order?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Bounds and options of the store. The defaults suit a receiver with 512 MB. */
export interface StoreOptions {
  /** ISO 639-2 codes in order of preference, for events in several languages. Default: the broadcaster's order. */
  readonly languages?: readonly string[];
  /** At the bound, the events furthest in the future are dropped. Default 1,500,000. */
  readonly maximumEvents?: number;
  /** At the bound, further services are refused. Default 20,000. */
  readonly maximumServices?: number;
  /** Bytes of distinct texts; at the bound, new events are refused. Default 256 MiB. */
  readonly maximumTextBytes?: number;
  /** Text of an encoding.conf: character sets of texts without a selection byte, by language and multiplex. */
  readonly encodings?: string;
  /** Texts of the Freesat/Freeview Huffman tables 1 and 2 (`freesat.t1`, `freesat.t2`). */
  readonly huffman?: readonly [table1: string, table2: string];
}

/** The store of events, with the thread that fills it. A promise is settled by a worker thread. */
export class Guide {
  constructor(options: StoreOptions);
  /** Rises with every change. */
  readonly generation: number;
  /** JSON: SearchResult. */
  search(query: NativeQuery): Promise<Buffer>;
  /** JSON: Suggestion[], of events that end after `from`. */
  suggest(text: string, from: number, limit: number): Promise<Buffer>;
  /** JSON: [{service, events}]. */
  services(): Promise<Buffer>;
  /** JSON: GuideStatistics. */
  statistics(): Promise<Buffer>;
  /**
   * Removes what ended `history` seconds before `now` or earlier, except what present/following says while it may be on.
   * Resolves to the number of events.
   */
  expire(now: number, history: number): Promise<number>;
  /** Removes everything. Resolves to the number of events. */
  clear(): Promise<number>;
  /** Resolves when all sections handed over are in the store. */
  flush(): Promise<number>;
  /** One EIT section. It is copied. */
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
  /** As load(), of what save() has just written there; {problem} if the guide is no longer of this generation. */
  moveInto(path: string, generation: number): Promise<Buffer>;
  leaveSnapshot(): Promise<number>;
  readonly snapshotLost: boolean;
}

/** The fields of an event that a form may contain (native/epg/answers/event_form.cc says what each contains). JSON puts
 * texts in quotes.. */
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

/** Services in the order of an answer, with the texts shown of each. Immutable. */
export class ServiceList {
  /**
   * `guide` has 1 for each service that may have events, `texts` has `columns` texts for each.
   * @throws RangeError if their numbers do not match, or for 256 MiB of texts
   */
  constructor(services: {
    readonly keys: PackedServices;
    readonly guide: Uint8Array;
    readonly texts: readonly string[];
    readonly columns: number;
  });
}

/** Literals, with fields (by name) and texts of the service (by column) between them. */
export type EventSegments = readonly (string | { readonly of: EventField | number })[];

/** How an event is written, and its absence (empty: not at all). Immutable. */
export class EventForm {
  constructor(form: {
    /** `cleanedJson`: without the control codes of DVB (emphasis, line break). */
    readonly escape: 'xml' | 'json' | 'cleanedJson';
    readonly event: EventSegments;
    readonly missing: EventSegments;
    readonly separator: string;
    /** 256 names, by level 1 * 16 + level 2. */
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

/** `zone`: pairs of a time and the seconds local time is ahead of UTC from then on; empty: UTC. */
export interface NativeMoment {
  readonly now: number;
  readonly zone: Float64Array;
}

/** A piece of an answer: the first `size` of `bytes`, which is the memory given for it, unless it did not fit. */
export interface EventPiece {
  readonly bytes: Buffer;
  readonly size: number;
  /**
   * The next piece, from a worker thread; undefined if this is the last one. To be called once. Nobody touches `memory`
   * until then.
   */
  readonly next?: (memory: Buffer) => Promise<EventPiece>;
  /** Of a search: matching events, and the list entries that the hits are written as. */
  readonly total: number;
  readonly rows: number;
}

type AskedEvents = [
  guide: Guide,
  services: ServiceList,
  form: EventForm,
  question: NativeQuestion,
  moment: NativeMoment,
];

/**
 * Answers a question that is not a search: at once as far as that takes no longer than 0.2 ms and 192 KiB, then on
 * workers in pieces of 256 KiB. A piece ends with a whole event, and so may be longer.
 */
export function listEvents(...asked: [...AskedEvents, memory: Buffer]): EventPiece;
/** Answers any question, on workers only. */
export function searchEvents(...asked: [...AskedEvents, memory: Buffer]): Promise<EventPiece>;
/** How many events the answer will have if nothing changes; not for a search. */
export function countEvents(...asked: AskedEvents): number;

// --- Guide files (native/xmltv) ---

/** Reads an XMLTV document into a guide, one step at a time. Reports are JSON (src/epg/xmltv.ts). */
export class XmltvImport {
  /** `genres` has a byte (level 1 * 16 + level 2) for each of the `categories`. */
  constructor(
    guide: Guide,
    options: {
      readonly notBefore: number;
      readonly languages: readonly string[];
      readonly categories: readonly string[];
      readonly genres: Uint8Array;
    },
  );
  /** The bytes must not change before the report. */
  feed(piece: Uint8Array): Promise<Buffer>;
  finish(): Promise<Buffer>;
  advance(): Promise<Buffer>;
  /** The number of services of each channel asked about, and all of them. */
  answer(counts: Uint8Array, services: PackedServices): void;
}

/** Writes an XMLTV document of about 64 KiB pieces; an empty one is the end. */
export class XmltvExport {
  /** `ids` and `names` are those of the channel for each service, `genres` 256 names. */
  constructor(
    guide: Guide,
    options: {
      readonly services: PackedServices;
      readonly ids: readonly string[];
      readonly names: readonly string[];
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

/** What a tuner opens: src/config/tuner-spec.ts. */
export type TunerSpec =
  | {
      /** /dev/dvb/adapterA/frontendF. */
      readonly kind: 'dvb';
      readonly adapter: number;
      readonly frontend: number;
    }
  | {
      /** The reader of a pipe, which is played in real time. */
      readonly kind: 'pipe';
      readonly descriptor: number;
    }
  | {
      readonly kind: 'multicast';
      /** Numeric, as `sender`, which is empty unless the group is source-specific. */
      readonly group: string;
      readonly port: number;
      readonly sender: string;
      /** The name of a network interface; empty: by the routes. */
      readonly interface: string;
    }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Restart at the end, with continuous counters and clocks. A pipe ends regardless. */
      readonly loop: boolean;
      /** In real time by the PCR. False: as fast as it can be read, for scans, imports and tests. */
      readonly paced: boolean;
    }
  | {
      /** A front end of a SAT>IP server; the order names the server's address. */
      readonly kind: 'satip';
      /** As in the configuration, for people. */
      readonly server: string;
      readonly transport: 'udp' | 'tcp';
      readonly traits: ServerTraits;
    }
  | {
      readonly kind: 'demo';
      /** Seconds of broadcast in a second; 1 is real time, 0 as fast as it is read. */
      readonly speed: number;
      /** Unix seconds at which the broadcast starts; absent: the system clock's time. */
      readonly start?: number | undefined;
    };

/** In what SAT>IP servers differ. */
export interface ServerTraits {
  /** `pids=all` works. */
  readonly passesAll: boolean;
  /** `addpids` and `delpids` work; otherwise every change needs all PIDs. */
  readonly mayAdd: boolean;
  /** PIDs at a time. */
  readonly mostPids: number;
  /** What SETUP asks for; empty: nothing. */
  readonly setupPids: string;
  /** For another multiplex it wants TEARDOWN and SETUP instead of PLAY. */
  readonly tearsDown: boolean;
  /** It does not say whether there is a lock. */
  readonly assumesLock: boolean;
  /** The session is to be named without the leading zeros that it has in replies. */
  readonly trimsSession: boolean;
}

/** A front end of this machine (native/frontend). */
export interface FrontEndInformation {
  readonly adapter: number;
  readonly frontend: number;
  /** The driver's; empty if it could not be asked. */
  readonly name: string;
  /** `DVB-S2`, `DVB-T`, ...: those that a list of transponders can hold, in the driver's order. */
  readonly systems: readonly string[];
  /** Only one of the front ends of its adapter works at a time. */
  readonly shared: boolean;
  /** Why it could not be asked, for people; empty if it could. */
  readonly trouble: string;
}

/** All of them, as FrontEndInformation[] in JSON. Takes seconds while drivers load firmware. */
export function frontEnds(): Promise<Buffer>;

/** A step of moving a satellite dish: milliseconds, the 22 kHz tone, volts (0, 13, 18), a burst, a DiSEqC message. */
export type SatelliteStep =
  | { readonly wait: number }
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
  /** Before tuning: all steps, or those that differ if the dish is as the last order of this front end left it. */
  readonly allSteps: readonly SatelliteStep[];
  readonly changedSteps: readonly SatelliteStep[];
  /** When the front end is no longer needed. */
  readonly endSteps: readonly SatelliteStep[];
  /** Steps of orders with the same one are done one after the other. Empty: a cable of its own. */
  readonly cable: string;
  /** Of a SAT>IP server: `192.0.2.9:554`, and its queries for the transponder, to be tried one after the other. */
  readonly server?: string;
  readonly queries?: readonly string[];
  /** Milliseconds that the signal may take. */
  readonly lockTime: number;
}

/** What the front end reports. Missing: it does not measure that. */
export interface Signal {
  readonly locked: boolean;
  /** Carrier to noise ratio in dB. */
  readonly snr?: number;
  /** dBm */
  readonly strength?: number;
  /** 0..100, in the scale of the driver, or of the delivery system. */
  readonly snrPercent: number;
  /** 0..100 */
  readonly strengthPercent: number;
  /** After correction, in the last measured period; of old drivers in a unit that nobody knows. */
  readonly bitErrors?: number;
  /** The same for each bit. */
  readonly bitErrorRate?: number;
  /** Uncorrected blocks since the tuning. */
  readonly badBlocks?: number;
}

/** Whether a running tuner receives. */
export interface Reception {
  readonly state: 'tuning' | 'locked' | 'lost' | 'retuning';
  /** Why there was no signal the last time; empty if there always was. */
  readonly reason: string;
  /** Seconds since the state has changed. */
  readonly age: number;
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
  /** Width to height on the screen, 1.78 for 16:9. */
  readonly ratio: number;
}

/** Everything that has happened since the last call, in one object. */
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

/** A pipe that never blocks; who opens it closes its ends. @throws Error */
export function openPipe(): [reader: number, writer: number];

/** The kinds of `TunerSpec` that the addon contains. */
export const tunerKinds: readonly TunerSpec['kind'][];

export class Tuner {
  /** `assets`: the folder of the demo's loops. */
  constructor(spec: TunerSpec & { readonly assets?: string }, guide: Guide | undefined);
  /** Starts it, or tunes it elsewhere while it runs, which ends its streams. */
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
  /** Of `pipe` and `multicast`: the events of this service reach the guide as those of that one, and no others. */
  routeGuide(serviceId: number, originalNetworkId: number, transportStreamId: number, asServiceId: number): void;
}

/** One reader of one service. */
export class ServiceStream {
  constructor(tuner: Tuner, serviceId: number, bound: number, ecm: boolean);
  /** A chunk, undefined if there is none yet, or null at the end. */
  read(): Buffer | undefined | null;
  close(): void;
  /** Null while it is open. */
  reason(): StreamEnd | null;
}

/** One reader of the packets of some PIDs. What it does not read in time is lost. */
export class PidStream {
  /** `pids`: undefined for all. `gather`: milliseconds for which packets wait for more of them. */
  constructor(tuner: Tuner, pids: Uint16Array | undefined, bound: number, gather: number);
  /** As of a ServiceStream. */
  read(): Buffer | undefined | null;
  close(): void;
  reason(): StreamEnd | null;
  change(tuner: Tuner, pids: Uint16Array | undefined): void;
}

/** Reads the list that a satellite operator sends on a PID (native/dvb/fast_scan.h). */
export class FastScan {
  constructor(pid: number);
  /** Whole packets in order. JSON: MultiplexInformation, whose services are on several multiplexes; null until complete. */
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

/** Sends packets and reports to a client by UDP. */
export class RtpSender {
  /** Addresses are numeric. @throws Error if there are no ports */
  constructor(local: string, remote: string, rtpPort: number, rtcpPort: number);
  /** Its own, an even one; RTCP has the next. */
  port(): number;
  /** Of the next datagram. */
  sequence(): number;
  /** Sends these PIDs (undefined: all) of the tuner, instead of what it sent before. */
  open(tuner: Tuner, pids: Uint16Array | undefined): void;
  /** Other PIDs of the same tuner. */
  change(tuner: Tuner, pids: Uint16Array | undefined): void;
  /** Nothing but reports. */
  pause(): void;
  /** What the reports say. */
  describe(status: string): void;
  close(): Promise<void>;
}

/** The same for a client that takes them from its RTSP connection. */
export class RtpFrames {
  /** The channel of packets; that of reports is the next. */
  constructor(channel: number);
  packets(packets: Buffer): Buffer;
  report(status: string): Buffer;
  sequence(): number;
}

// --- Recording (native/recording) ---

export interface StreamRecordingOptions {
  /** Path of an existing, empty file. */
  readonly path: string;
  /** Bytes that may wait while the disk accepts nothing. Data beyond that is dropped and counted. */
  readonly queueBound: number;
  /** When written data is synced: left to the system, every `syncInterval` seconds, or after each chunk. */
  readonly sync: 'never' | 'interval' | 'always';
  readonly syncInterval: number;
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
  /** Absolute; it exists, and contains no other files named `NUMBER.ts`. */
  readonly folder: string;
  /** Bound of the bytes on the disk. */
  readonly size: number;
  /** Bytes to leave free on the disk. */
  readonly minimumFree: number;
  /** Number of the first file. */
  readonly firstSequence: number;
  /** Milliseconds after which a file may end, at a picture at which a decoder can start, and after which it must. */
  readonly target: number;
  readonly longest: number;
  /** Milliseconds of a part of a file; 0: there are no parts. With parts, each PES packet is in one piece. */
  readonly part: number;
  /** Bytes that may wait while the disk is stalled; beyond them data is lost, and counted. */
  readonly queueBound: number;
}

/** A file: a transport stream that starts with PAT, PMT and a picture at which a decoder can start. */
export interface RingSegment {
  readonly sequence: number;
  /** Bytes of copied PAT and PMT at its beginning, which are not packets of the service. */
  readonly head: number;
  readonly bytes: number;
  /** Ticks of 90 kHz. */
  readonly ticks: number;
  /** Seconds since its first packet arrived. */
  readonly age: number;
  /** It does not continue where the one before ends, or has other tables. */
  readonly discontinuity: boolean;
  /** A decoder can start with its first picture. */
  readonly entry: boolean;
  /** Those complete: where each ends in the file, and how long it is, in ticks of 90 kHz. */
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
  /** Bytes that the disk did not take in time, or took and lost. */
  readonly lost: number;
  /** errno of the current disk failure; 0: none. */
  readonly error: number;
  /** Recordings that are being made from it. */
  readonly feeds: number;
  /** Why the last stream ended; null while one is open. */
  readonly end: StreamEnd | null;
}

export type StreamJoin = 'pending' | 'joined' | 'failed';

/** A service on its way to a file. */
export class Recording {
  constructor(options: StreamRecordingOptions);
  /** Streams a service into it from now on. */
  openStream(tuner: Tuner, serviceId: number, ecm: boolean): void;
  /**
   * Continues with the same service of another tuner on the same multiplex at a packet that both have: without a gap.
   * `join` tells whether it has. If there is no such packet within four seconds, the present stream goes on.
   */
  joinStream(tuner: Tuner, serviceId: number, ecm: boolean): void;
  /** Of the last `joinStream`; null if there was none. */
  join(): StreamJoin | null;
  /** Writes all data received so far, as far as the disk accepts it, and closes the files. */
  stop(): Promise<void>;
  status(): StreamRecordingStatus;
}

/** A service on disk as far back as there is room. */
export class Ring {
  constructor(options: RingOptions);
  openStream(tuner: Tuner, serviceId: number, ecm: boolean): void;
  /** As of a recording. */
  joinStream(tuner: Tuner, serviceId: number, ecm: boolean): void;
  join(): StreamJoin | null;
  /** Takes the next bytes of a transport stream that comes from no tuner. */
  write(bytes: Buffer): void;
  status(): RingStatus;
  /** The completed files from this number on. */
  segments(from: number): RingSegment[];
  /**
   * Feeds a recording from this file on: up to now, after which its stream ends; or, if `follow`, further data as well,
   * until either of the two ends. Files are kept until they have been read.
   */
  feed(recording: Recording, from: number, follow: boolean): void;
  /** Stops writing, waits for the recordings that do not follow, and removes the files. */
  close(): Promise<void>;
}

// --- The rest: playlists (native/m3u), files (native/storage), the machine (native/device) ---

/** Playlists. `packed` has five NUL-terminated fields for each channel (native/m3u/playlist.h). */
export const m3u: {
  channels(streams: string, web: string, query: string, ticket: string, packed: Buffer): Promise<Buffer>;
  stream(streams: string, query: string, ticket: string, reference: string, name: string): Buffer;
  recording(web: string, ticket: string, path: string, title: string, seconds: number, reference: string): Buffer;
};

/** A lock on a file, which the kernel releases when its holder ends. */
export class FileLock {
  /** @throws Error with `code` BUSY if someone else holds it, otherwise FAILED */
  constructor(path: string);
  /** The note of the holder; undefined if there is none. */
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
 * Sends a message to the service manager at this socket: a path, or `@NAME` of an abstract one. Never blocks. 0, or the
 * errno: EAGAIN if the socket is full.
 */
export function notify(socket: string, message: string): number;
