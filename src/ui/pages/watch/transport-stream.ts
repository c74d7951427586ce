/**
 * Reads PAT and PMT at the beginning of a transport stream, and removes unwanted streams from the PMT, because the player
 * plays the first audio stream listed there (ISO/IEC 13818-1 §2.4.4; EN 300 468 §6.2, TS 101 154).
 */

export interface ElementaryStream {
  readonly pid: number;
  readonly kind: 'video' | 'audio' | 'other';
  /** Common name: `H.264`, `AC-3`. */
  readonly codec: string;
  /** ISO 639-2 code; empty if none is sent. */
  readonly language: string;
  /** stream_type that the player expects for the codec. */
  readonly type: number;
  /** Of a sound track that is not the main one. */
  readonly purpose?: SoundPurpose;
}

/** For blind people, for the hard of hearing, or with the subtitles read out. */
export type SoundPurpose = 'description' | 'hardOfHearing' | 'spokenSubtitles';

/** Subtitles of one language. One PID may carry several. */
export interface Subtitles {
  readonly pid: number;
  readonly coding: 'DVB' | 'teletext' | 'CTA-608';
  /** ISO 639-2 code. */
  readonly language: string;
  /** For the hard of hearing. */
  readonly isForHardOfHearing: boolean;
  /** DVB: composition page and ancillary page. Teletext: one page, 100 to 899. CTA-608: its channel, 1 to 4. */
  readonly pages: readonly number[];
}

/** A service in the PMT. */
export interface Program {
  readonly pmtPid: number;
  readonly streams: readonly ElementaryStream[];
  readonly subtitles: readonly Subtitles[];
  /** ISO 639-2 codes of closed captions by their channel, 1 to 4, as far as the PMT says them. */
  readonly captions: Readonly<Record<number, string>>;
}

const packetSize = 188;
const syncByte = 0x47;
/** Bytes of a PMT section before its descriptors. */
const sectionHead = 12;
const crcSize = 4;
/** A longer step of the time stamps is a jump: of a broadcast, or of a recording with a gap. */
const maxStepSeconds = 10;
/** stream_type that no decoder knows, so the player ignores the stream. */
const absentType = 0xfe;

/** Kind and codec by stream_type. */
const types: Readonly<Record<number, readonly [ElementaryStream['kind'], string]>> = {
  1: ['video', 'MPEG-1'],
  2: ['video', 'MPEG-2'],
  3: ['audio', 'MPEG'],
  4: ['audio', 'MPEG'],
  15: ['audio', 'AAC'],
  16: ['video', 'MPEG-4'],
  17: ['audio', 'HE-AAC'],
  27: ['video', 'H.264'],
  36: ['video', 'HEVC'],
  51: ['video', 'VVC'],
  129: ['audio', 'AC-3'],
  135: ['audio', 'E-AC-3'],
};

/** Codec of a stream of private PES data, by the tag of its descriptor; and the stream_type that the player expects. */
const privateTypes: Readonly<Record<number, readonly [codec: string, type: number]>> = {
  106: ['AC-3', 129],
  122: ['E-AC-3', 135],
  123: ['DTS', 6],
};
const languageTag = 10;
/** AC-3 and E-AC-3 of ATSC, by stream_type (A/52 annexes A and G). */
const atscAudioTags: Readonly<Record<number, number>> = { 129: 0x81, 135: 0xcc };
/** caption_service_descriptor (A/65 §6.9.2). */
const captionsTag = 0x86;
const ac3Tag = 106;
const extensionTag = 127;
const supplementaryAudioTag = 6;
const privateType = 6;
/** By audio_type of the ISO 639 language descriptor (ISO/IEC 13818-1 table 2-60). */
const purposesByAudioType: Readonly<Record<number, SoundPurpose>> = { 2: 'hardOfHearing', 3: 'description' };
/** By editorial_classification of the supplementary audio descriptor (EN 300 468 §6.4.11). */
const purposesByClass: Readonly<Record<number, SoundPurpose>> = {
  ...{ 1: 'description', 2: 'hardOfHearing', 3: 'spokenSubtitles' },
};
/** By the service type in component_type of the AC-3 descriptor (EN 300 468 table D.1). */
const purposesByService: Readonly<Record<number, SoundPurpose>> = { 2: 'description', 3: 'hardOfHearing' };
/** Descriptor tags of EN 300 468 §6.2.43 and §6.2.41. */
const teletextTag = 86;
const dvbSubtitlesTag = 89;
/** teletext_type of subtitle pages, and of those for the hard of hearing. */
const teletextTypes = { plain: 2, deaf: 5 };
/** subtitling_type values from here on are for the hard of hearing (table 26). */
const firstForDeaf = 0x20;

export class TransportStreamReader {
  #rest = new Uint8Array();
  #pmtPid: number | undefined;
  #section: number[] = [];
  #program: Program | undefined;
  readonly #arrived = new Set<number>();

  /** PIDs of the payloads so far. */
  get arrived(): ReadonlySet<number> {
    return this.#arrived;
  }

  /** Undefined until the PMT has been read. */
  get program(): Program | undefined {
    return this.#program;
  }

  feed(bytes: Uint8Array): void {
    const all = joined(this.#rest, bytes);
    let at = firstPacket(all);
    for (; at + packetSize <= all.length; at += packetSize) {
      this.#take(all.subarray(at, at + packetSize));
    }
    this.#rest = all.slice(at);
  }

  #take(packet: Uint8Array): void {
    const payload = payloadOf(packet);
    const pid = pidOf(packet);
    if (payload === undefined) return;
    this.#arrived.add(pid);
    if (this.#program !== undefined || (pid !== 0 && pid !== this.#pmtPid)) return;
    const isStart = startsUnit(packet);
    if (pid === 0 && isStart) this.#pmtPid ??= firstPmtPid(payload.subarray(1 + (payload[0] ?? 0)));
    if (pid === 0) return;
    if (isStart) this.#section = [...payload.subarray(1 + (payload[0] ?? 0))];
    else if (this.#section.length > 0) this.#section.push(...payload);
    const section = Uint8Array.from(this.#section);
    if (section.length >= 3 && section.length >= sectionLength(section)) {
      this.#program = programOf(pid, section.subarray(0, sectionLength(section)));
    }
  }
}

export interface ChoiceOptions {
  /** Gets each packet of the kept streams. */
  readonly onPacket?: (pid: number, packet: Uint8Array) => void;
  /** PIDs that did not arrive at first. */
  readonly awaited?: ReadonlySet<number>;
  /** Called when they do. */
  readonly onArrival?: () => void;
}

/** Filters the PMT of a stream, so that it lists only the given streams and the subtitles. Works on whole packets. */
export class StreamChoice {
  readonly #pmtPid: number;
  /** stream_type by PID of the streams to keep. */
  readonly #kept: ReadonlyMap<number, number>;
  readonly #subtitles: ReadonlySet<number>;
  readonly #more: ChoiceOptions;
  #rest = new Uint8Array();
  #clear = 0;
  #scrambled = 0;
  #latest: number | undefined;
  #seconds = 0;

  constructor({ pmtPid, subtitles }: Program, kept: readonly ElementaryStream[], more: ChoiceOptions = {}) {
    this.#pmtPid = pmtPid;
    this.#subtitles = new Set(subtitles.map(({ pid }) => pid));
    this.#kept = new Map(kept.map(({ pid, type }) => [pid, type]));
    this.#more = more;
  }

  /** Whether all payloads of these streams so far are scrambled (transport_scrambling_control). */
  get isEncrypted(): boolean {
    return this.#scrambled > 0 && this.#clear === 0;
  }

  /** Duration of what was passed, by its time stamps. Jumps do not count. */
  get seconds(): number {
    return this.#seconds;
  }

  /** Returns the whole packets so far. An incomplete packet waits for the next call. */
  pass(bytes: Uint8Array): Uint8Array {
    const all = joined(this.#rest, bytes);
    const start = firstPacket(all);
    let at = start;
    for (; at + packetSize <= all.length; at += packetSize) {
      const packet = all.subarray(at, at + packetSize);
      const pid = pidOf(packet);
      if (pid === this.#pmtPid) this.#filterPmt(packet);
      else if (this.#kept.has(pid)) {
        this.#count(packet);
        this.#more.onPacket?.(pid, packet);
      } else if (this.#more.awaited?.has(pid)) this.#more.onArrival?.();
    }
    this.#rest = all.slice(at);
    return all.subarray(start, at);
  }

  #count(packet: Uint8Array): void {
    const payload = payloadOf(packet);
    if ((packet[3] ?? 0) & 0xc0) this.#scrambled++;
    else if (payload) this.#clear++;
    const time = payload && startsUnit(packet) ? timesOf(payload)?.shown : undefined;
    if (time === undefined) return;
    const step = time - (this.#latest ?? time);
    // Pictures are not sent in the order in which they are shown.
    if (step < 0 && step > -maxStepSeconds) return;
    if (step > 0 && step < maxStepSeconds) this.#seconds += step;
    this.#latest = time;
  }

  /** Changes the PMT. Of a PMT longer than one packet, which is rare, only the streams in the first packet. */
  #filterPmt(packet: Uint8Array): void {
    const payload = payloadOf(packet);
    if (payload === undefined || !startsUnit(packet)) return;
    const section = payload.subarray(1 + (payload[0] ?? 0));
    for (const { at, pid } of entriesOf(section)) {
      section[at] = this.#kept.get(pid) ?? (this.#subtitles.has(pid) ? privateType : absentType);
    }
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Offset of the first packet: of a sync byte with another one 188 bytes later, or with the end of the data before that. */
function firstPacket(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; at++) {
    const next = bytes[at + packetSize];
    if (bytes[at] === syncByte && (next === undefined || next === syncByte)) return at;
  }
  return bytes.length;
}

const pidOf = (packet: Uint8Array) => (((packet[1] ?? 0) & 0x1f) << 8) | (packet[2] ?? 0);
export const startsUnit = (packet: Uint8Array) => ((packet[1] ?? 0) & 0x40) !== 0;

/** The time stamps of a PES packet (ISO/IEC 13818-1, 2.4.3.6), in seconds: when it is shown, and when it is decoded. */
export function timesOf(packet: Uint8Array): { readonly shown: number; readonly decoded: number } | undefined {
  const [zero, one, two, , , , , flags = 0, size = 0] = packet;
  if (zero !== 0 || one !== 0 || two !== 1 || size < 5 || !(flags & 0x80) || packet.length < 14) return undefined;
  const shown = stampAt(packet, 9);
  return { shown, decoded: flags & 0x40 && size >= 10 && packet.length >= 19 ? stampAt(packet, 14) : shown };
}

function stampAt(packet: Uint8Array, at: number): number {
  const [high = 0, a = 0, b = 0, c = 0, d = 0] = packet.subarray(at, at + 5);
  return (((high >> 1) & 7) * 2 ** 30 + ((a << 22) | ((b >> 1) << 15) | (c << 7) | (d >> 1))) / 90_000;
}

export function payloadOf(packet: Uint8Array): Uint8Array | undefined {
  const control = ((packet[3] ?? 0) >> 4) & 3;
  if (packet[0] !== syncByte || !(control & 1)) return undefined;
  const from = control === 3 ? 5 + (packet[4] ?? 0) : 4;
  return from < packetSize ? packet.subarray(from) : undefined;
}

const twelveBits = (bytes: Uint8Array, at: number) => (((bytes[at] ?? 0) & 0x0f) << 8) | (bytes[at + 1] ?? 0);
const sixteenBits = (bytes: Uint8Array, at: number) => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
const thirteenBits = (bytes: Uint8Array, at: number) => (((bytes[at] ?? 0) & 0x1f) << 8) | (bytes[at + 1] ?? 0);
const sectionLength = (section: Uint8Array) => 3 + twelveBits(section, 1);

/** PID of the first PMT in a PAT. */
function firstPmtPid(section: Uint8Array): number | undefined {
  const end = Math.min(section.length, sectionLength(section)) - crcSize;
  for (let at = 8; at + 4 <= end; at += 4) {
    if (section[at] !== 0 || section[at + 1] !== 0) return thirteenBits(section, at + 2);
  }
  return undefined;
}

interface Entry {
  /** Offset of its stream_type in the section. */
  readonly at: number;
  readonly pid: number;
  readonly descriptors: Uint8Array;
}

/** The entries of a PMT that are complete in these bytes. */
function* entriesOf(section: Uint8Array): Generator<Entry> {
  if (section[0] !== 2) return;
  const end = Math.min(section.length, sectionLength(section) - crcSize);
  let at = sectionHead + twelveBits(section, 10);
  while (at + 5 <= end) {
    const length = twelveBits(section, at + 3);
    yield {
      at,
      pid: thirteenBits(section, at + 1),
      descriptors: section.subarray(at + 5, Math.min(end, at + 5 + length)),
    };
    at += 5 + length;
  }
}

function programOf(pmtPid: number, section: Uint8Array): Program {
  const entries = [...entriesOf(section)];
  return {
    pmtPid,
    captions: Object.fromEntries(entries.flatMap(({ descriptors }) => [...captionLanguages(descriptors)])),
    streams: entries.map(({ at, pid, descriptors }) => streamOf(pid, section[at] ?? 0, descriptors)),
    subtitles: entries
      .filter(({ at }) => section[at] === privateType)
      .flatMap(({ pid, descriptors }) => [...dvbSubtitles(pid, descriptors), ...teletextSubtitles(pid, descriptors)]),
  };
}

function* dvbSubtitles(pid: number, descriptors: Uint8Array): Generator<Subtitles> {
  for (const entry of entriesIn(find(descriptors, dvbSubtitlesTag), 8)) {
    const isForHardOfHearing = (entry[3] ?? 0) >= firstForDeaf;
    const pages = [sixteenBits(entry, 4), sixteenBits(entry, 6)];
    yield { pid, coding: 'DVB', language: latin(entry.subarray(0, 3)), isForHardOfHearing, pages };
  }
}

function* teletextSubtitles(pid: number, descriptors: Uint8Array): Generator<Subtitles> {
  for (const entry of entriesIn(find(descriptors, teletextTag), 5)) {
    const type = (entry[3] ?? 0) >> 3;
    const digits = entry[4] ?? 0;
    const page = ((entry[3] ?? 0) & 7 || 8) * 100 + (digits >> 4) * 10 + (digits & 15);
    if (type !== teletextTypes.plain && type !== teletextTypes.deaf) continue;
    const isForHardOfHearing = type === teletextTypes.deaf;
    yield { pid, coding: 'teletext', language: latin(entry.subarray(0, 3)), isForHardOfHearing, pages: [page] };
  }
}

/**
 * Channels and their languages. Of captions that are sent by CTA-708 alone, the first two are those of CC1 and CC3, whose
 * texts they have.
 */
function captionLanguages(descriptors: Uint8Array): readonly (readonly [channel: number, language: string])[] {
  const [, ...body] = find(descriptors, captionsTag) ?? [];
  const all = [...entriesIn(Uint8Array.from(body), 6)].map((entry) => {
    const flags = entry[3] ?? 0;
    const isDigital = (flags & 0x80) !== 0;
    const channel = isDigital ? 2 * (flags & 0x3f) - 1 : 1 + 2 * (flags & 1);
    return { isDigital, channel, language: latin(entry.subarray(0, 3)).toLowerCase() };
  });
  // Later ones win.
  all.sort((one, other) => Number(other.isDigital) - Number(one.isDigital));
  return all.map(({ channel, language }) => [channel, language]);
}

function* entriesIn(body: Uint8Array = new Uint8Array(), size: number): Generator<Uint8Array> {
  for (let at = 0; at + size <= body.length; at += size) yield body.subarray(at, at + size);
}

const latin = (bytes: Iterable<number>) => String.fromCharCode(...bytes);

function streamOf(pid: number, type: number, descriptors: Uint8Array): ElementaryStream {
  const atsc = atscAudioOf(type, descriptors);
  const language = latin(find(descriptors, languageTag)?.subarray(0, 3) ?? atsc?.language ?? []).toLowerCase();
  const [tag] = type === privateType ? Object.keys(privateTypes).filter((one) => find(descriptors, Number(one))) : [];
  const [privateCodec, playedType] = privateTypes[Number(tag)] ?? [];
  const [kind, codec] = types[type] ?? ['other', ''];
  const purpose = purposeOf(descriptors) ?? purposesByService[atsc?.service ?? 0];
  const common = { pid, language, ...(purpose && { purpose }) };
  return privateCodec && playedType
    ? { ...common, kind: 'audio', codec: privateCodec, type: playedType }
    : { ...common, kind, codec, type };
}

function purposeOf(descriptors: Uint8Array): SoundPurpose | undefined {
  const [, supplementary = 0] = find(descriptors, extensionTag, supplementaryAudioTag) ?? [];
  const [flags = 0, componentType = 0] = find(descriptors, ac3Tag) ?? [];
  return (
    purposesByClass[(supplementary >> 2) & 31] ??
    purposesByAudioType[find(descriptors, languageTag)?.[3] ?? 0] ??
    (flags & 0x80 ? purposesByService[(componentType >> 3) & 7] : undefined)
  );
}

/** Kind of service and language in the audio descriptor of ATSC. */
function atscAudioOf(type: number, descriptors: Uint8Array) {
  const tag = atscAudioTags[type];
  const body = tag === undefined ? undefined : find(descriptors, tag);
  if (body === undefined) return undefined;
  const [flags = 0, second = 0, third = 0] = body;
  const languageAt = (flagAt: number, at: number) =>
    (body[flagAt] ?? 0) & 0x80 ? body.subarray(at, at + 3) : undefined;
  if (types[type]?.[1] === 'AC-3') {
    // Behind one or two obsolete codes of the language, a byte of options, and a text.
    const textAt = third & 0x1e ? 5 : 6;
    const flagAt = textAt + 1 + ((body[textAt] ?? 0) >> 1);
    return { service: third >> 5, language: languageAt(flagAt, flagAt + 1) };
  }
  const options = [0x20, 0x10, 4, 2, 1].filter((bit) => flags & bit).length;
  return { service: (second >> 3) & 7, language: languageAt(2, 3 + options) };
}

/** The body of the first descriptor with this tag; of an extension descriptor, with `extension` as its first byte. */
function find(descriptors: Uint8Array, tag: number, extension?: number): Uint8Array | undefined {
  for (let at = 0; at + 2 <= descriptors.length; at += 2 + (descriptors[at + 1] ?? 0)) {
    const body = descriptors.subarray(at + 2, at + 2 + (descriptors[at + 1] ?? 0));
    if (descriptors[at] === tag && (extension === undefined || body[0] === extension)) return body;
  }
  return undefined;
}
