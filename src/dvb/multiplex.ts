/**
 * The state of a multiplex as its own tables describe it: the services of PAT, PMT, SDT, NIT and BAT as one consistent
 * whole. Numbers are as broadcast; texts are UTF-8, decoded from the character table the broadcaster named (EN 300 468
 * Annex A). Every object is an immutable snapshot.
 */
import type { DvbTriplet } from './triplet.ts';

/** How the signal is transmitted: the delivery system descriptor of the NIT (EN 300 468 §6.2.13). */
export type DeliverySystem =
  | {
      readonly system: 'satellite';
      readonly secondGeneration: boolean;
      /** kHz */
      readonly frequency: number;
      /** Tenths of a degree, east is positive: Astra 19.2° E is 192, Hispasat 30° W is -300. */
      readonly orbitalPosition: number;
      readonly polarisation: 'horizontal' | 'vertical' | 'left' | 'right';
      /** Symbols per second. */
      readonly symbolRate: number;
      /** `auto`, `1/2`, `2/3`, ... or `none`. */
      readonly innerFec: string;
      readonly modulation: 'auto' | 'qpsk' | '8psk' | '16qam';
      /** Per cent: 35, 25 or 20. */
      readonly rollOff: number;
      /** input_stream_identifier of DVB-S2; -1 if there is none. */
      readonly inputStream: number;
      /** Gold sequence index of DVB-S2. */
      readonly scramblingSequence: number;
    }
  | {
      readonly system: 'cable';
      /** Hz */
      readonly frequency: number;
      /** Symbols per second. */
      readonly symbolRate: number;
      readonly innerFec: string;
      readonly modulation: 'auto' | '16qam' | '32qam' | '64qam' | '128qam' | '256qam';
    }
  | {
      readonly system: 'terrestrial';
      readonly secondGeneration: boolean;
      /** ISDB-T: of the other parameters, only bandwidth, guard interval and mode are known. */
      readonly isdb?: boolean;
      /** Hz; 0 if only the second-generation descriptor without cells was sent. */
      readonly frequency: number;
      /** Hz */
      readonly bandwidth: number;
      readonly constellation: 'auto' | 'qpsk' | '16qam' | '64qam';
      readonly codeRateHigh: string;
      readonly codeRateLow: string;
      /** `auto`, `1/4`, `1/8`, `1/16`, `1/32`, ... */
      readonly guardInterval: string;
      /** `auto`, `2k`, `4k`, `8k`, ... */
      readonly transmissionMode: string;
      /** `none`, `1`, `2`, `4` or `auto`. */
      readonly hierarchy: string;
      /** Physical layer pipe of DVB-T2; -1 if there is none. */
      readonly plpId: number;
    };

/** One transport stream of the network, as the NIT (actual or other) lists it. */
export interface TransportStream {
  readonly transportStreamId: number;
  readonly originalNetworkId: number;
  /** network_id of the NIT that lists it; 0 if only an SDT does. */
  readonly networkId: number;
  /** Enigma2's namespace, derived from the tuning parameters; null if these are unknown. */
  readonly namespace: number | null;
  readonly delivery: DeliverySystem | null;
}

/** One elementary stream of a service, from its PMT (ISO/IEC 13818-1 §2.4.4.8). */
export interface ElementaryStream {
  readonly pid: number;
  /** stream_type as broadcast; `codec` interprets it together with the descriptors. */
  readonly streamType: number;
  readonly kind: 'video' | 'audio' | 'subtitles' | 'teletext' | 'data';
  /** Common name: `MPEG-2`, `H.264`, `HEVC`, `AC-3`, ...; `data` if unknown. */
  readonly codec: string;
  /** ISO 639-2 codes in the order of the descriptors; a dual-mono audio stream has two. */
  readonly languages: readonly string[];
  /** Intended audience of an audio stream (ISO 639 audio_type, supplementary audio descriptor). */
  readonly purpose: 'main' | 'clean-effects' | 'hearing-impaired' | 'visually-impaired' | 'commentary';
  /** component_tag of the stream identifier descriptor; null if there is none. */
  readonly componentTag: number | null;
  /**
   * Pages of subtitles (EN 300 468 §6.2.41) and teletext (§6.2.43). `page`: 100 to 899, or the composition page;
   * `ancillary` of DVB subtitles only.
   */
  readonly pages: readonly {
    readonly language: string;
    readonly type: number;
    readonly page: number;
    readonly ancillary: number;
    readonly hearingImpaired: boolean;
  }[];
}

/** A channel with further pictures or sound of a service's current event (linkage descriptor, EN 300 468 §6.2.19). */
export interface SubService extends DvbTriplet {
  readonly name: string;
}

export interface BroadcastService extends DvbTriplet {
  /** Empty if no SDT names it. */
  readonly name: string;
  /** The part of the name that the broadcaster marks as its short form (TR 101 211 §4.6.1); mostly empty. */
  readonly shortName: string;
  readonly provider: string;
  /** service_type (EN 300 468 table 89); without an SDT 1 for video, 2 for sound alone, else 0. */
  readonly type: number;
  /** free_CA_mode of the SDT, or a CA descriptor in the PMT. */
  readonly scrambled: boolean;
  /** 0 undefined, 1 not running, 2 starts in a few seconds, 3 pausing, 4 running, 5 off air. */
  readonly runningStatus: number;
  /** An SDT has described it: name, type and flags are the broadcaster's. */
  readonly described: boolean;
  /** The SDT announces EIT present/following, and schedule. */
  readonly hasPresentFollowing: boolean;
  readonly hasSchedule: boolean;
  /** 0 if the PAT does not list it (services of other multiplexes). */
  readonly pmtPid: number;
  /** 0x1FFF if there is none. */
  readonly pcrPid: number;
  /** CA_system_id of each CA descriptor, without repeats. */
  readonly caSystems: readonly number[];
  /** In the order of the PMT; empty until it has been received. */
  readonly streams: readonly ElementaryStream[];
  /** Logical channel number of the NIT; null if none is sent. */
  readonly channelNumber: number | null;
  /**
   * HD simulcast number (descriptor 0x88 of EACEM): the number of the service that sends the same programme in standard
   * definition. `channelNumbers` of src/scan/service-scan.ts applies it. Null if none is sent.
   */
  readonly simulcastNumber: number | null;
  /** ATSC: 1 in channel number 10.1, while `channelNumber` is 10. Null for a number of one part. */
  readonly minorNumber: number | null;
  /** ATSC: the number that the guide knows the service by; 0 if it has none. */
  readonly sourceId: number;
  /** ATSC: what the ETT says of the channel; absent until it has been received. */
  readonly description?: string;
  /** ISDB: the PNG of the channel in hexadecimal; absent until it has been received. */
  readonly logo?: string;
  /** ISDB: made for telephones and cars. */
  readonly oneSeg?: boolean;
  /** Sub-services linked to by the running event. */
  readonly subServices: readonly SubService[];
  /** False if the broadcaster asks for the service to be left out of lists (visible_service_flag). */
  readonly visible: boolean;
  /** Default authority of CRIDs (TS 102 323); empty if none is sent. */
  readonly defaultAuthority: string;
}

/** A bouquet the broadcaster sends (BAT, EN 300 468 §5.2.2). */
export interface BroadcastBouquet {
  readonly bouquetId: number;
  readonly name: string;
  readonly services: readonly DvbTriplet[];
}

/** A service that the guide covers. */
export interface GuideService extends DvbTriplet {
  /** True for a service of this multiplex, by the table_id. */
  readonly actual: boolean;
}

export interface MultiplexInformation {
  /** Increases whenever anything below has changed. 0: nothing has been received yet. */
  readonly generation: number;
  /** Null until the PAT (or SDT actual) has been received. */
  readonly transportStreamId: number | null;
  /** Null until SDT actual or the NIT has been received. */
  readonly originalNetworkId: number | null;
  readonly networkId: number | null;
  readonly networkName: string;
  /** The whole PAT has been received: no more services than it lists can be streamed from here. */
  readonly hasPat: boolean;
  /** PAT, every PMT it lists and the whole SDT actual have been received. */
  readonly complete: boolean;
  /** The source has delivered all it has (a file that loops): nothing more will appear, complete or not. */
  readonly exhausted: boolean;
  /** Services on this multiplex: those of the PAT and of SDT actual, by service id. */
  readonly services: readonly BroadcastService[];
  /** Services on other multiplexes (SDT other). They cannot be streamed from here. */
  readonly otherServices: readonly BroadcastService[];
  /** Services with guide data (EIT), whether listed above or not. */
  readonly guideServices: readonly GuideService[];
  readonly transportStreams: readonly TransportStream[];
  readonly bouquets: readonly BroadcastBouquet[];
}
