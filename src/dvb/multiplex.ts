/**
 * What a multiplex says about itself: the services of its PAT, PMT, SDT, NIT and BAT as one consistent picture. Numbers are
 * as broadcast; texts are UTF-8, decoded from the table the broadcaster named (EN 300 468 Annex A). All of it is a snapshot:
 * it never changes after it was handed out.
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
      /** input_stream_identifier of DVB-S2; -1 where there is none. */
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
      /** Hz; 0 where only the second-generation descriptor without cells was sent. */
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
      /** Physical layer pipe of DVB-T2; -1 where there is none. */
      readonly plpId: number;
    };

/** One transport stream of the network, as the NIT (actual or other) lists it. */
export interface TransportStream {
  readonly transportStreamId: number;
  readonly originalNetworkId: number;
  /** Of the NIT that lists it; 0 where only an SDT does. */
  readonly networkId: number;
  /** Enigma2's namespace, made of the tuning parameters; null where these are not known. */
  readonly namespace: number | null;
  readonly delivery: DeliverySystem | null;
}

/** One elementary stream of a service, from its PMT (ISO/IEC 13818-1 §2.4.4.8). */
export interface ElementaryStream {
  readonly pid: number;
  /** stream_type as broadcast; `codec` says what it is together with the descriptors. */
  readonly streamType: number;
  readonly kind: 'video' | 'audio' | 'subtitles' | 'teletext' | 'data';
  /** As people know it: `MPEG-2`, `H.264`, `HEVC`, `AC-3`, ...; `data` where unknown. */
  readonly codec: string;
  /** ISO 639-2 codes in the order of the descriptors; a dual-mono audio stream has two. */
  readonly languages: readonly string[];
  /** Whom an audio stream is for (ISO 639 audio_type, supplementary audio descriptor). */
  readonly purpose: 'main' | 'clean-effects' | 'hearing-impaired' | 'visually-impaired' | 'commentary';
  /** component_tag of the stream identifier descriptor; null where there is none. */
  readonly componentTag: number | null;
  /**
   * Of subtitles (EN 300 468 §6.2.41) and teletext (§6.2.43). `page`: 100 to 899, or the composition page; `ancillary` of DVB
   * subtitles only.
   */
  readonly pages: readonly {
    readonly language: string;
    readonly type: number;
    readonly page: number;
    readonly ancillary: number;
    readonly hearingImpaired: boolean;
  }[];
}

/** A channel with further pictures or sound of what runs on a service (linkage descriptor, EN 300 468 §6.2.19). */
export interface SubService extends DvbTriplet {
  readonly name: string;
}

export interface BroadcastService extends DvbTriplet {
  /** Empty where no SDT has named it. */
  readonly name: string;
  /** What the broadcaster marks as the short form of the name (TR 101 211 §4.6.1); mostly empty. */
  readonly shortName: string;
  readonly provider: string;
  /** service_type (EN 300 468 table 89); without an SDT 1 with video, 2 with sound alone, else 0. */
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
  /** 0 where the PAT does not list it (services of other multiplexes). */
  readonly pmtPid: number;
  /** 0x1FFF where there is none. */
  readonly pcrPid: number;
  /** CA_system_id of each CA descriptor, without repeats. */
  readonly caSystems: readonly number[];
  /** In the order of the PMT; empty until it has been received. */
  readonly streams: readonly ElementaryStream[];
  /** Logical channel number of the NIT, null where none is sent. */
  readonly channelNumber: number | null;
  /** Those that the running event links to. */
  readonly subServices: readonly SubService[];
  /** False where the broadcaster asks that the service be left out of the list (visible_service_flag). */
  readonly visible: boolean;
  /** Default authority of CRIDs (TS 102 323); empty where none is sent. */
  readonly defaultAuthority: string;
}

/** A bouquet the broadcaster sends (BAT, EN 300 468 §5.2.2). */
export interface BroadcastBouquet {
  readonly bouquetId: number;
  readonly name: string;
  readonly services: readonly DvbTriplet[];
}

/** A service the guide speaks of. */
export interface GuideService extends DvbTriplet {
  /** Of this multiplex, by its table_id. */
  readonly actual: boolean;
}

export interface MultiplexInformation {
  /** Grows by at least one whenever anything below has changed. 0: nothing has been received yet. */
  readonly generation: number;
  /** Null until the PAT (or SDT actual) has been received. */
  readonly transportStreamId: number | null;
  /** Null until SDT actual or the NIT has been received. */
  readonly originalNetworkId: number | null;
  readonly networkId: number | null;
  readonly networkName: string;
  /** PAT, every PMT it lists and the whole SDT actual have been received. */
  readonly complete: boolean;
  /** Services on this multiplex: those of the PAT and of SDT actual, by service id. */
  readonly services: readonly BroadcastService[];
  /** Services on other multiplexes (SDT other). They cannot be streamed from here. */
  readonly otherServices: readonly BroadcastService[];
  /** Services the guide speaks of (EIT), known from the lists above or not. */
  readonly guideServices: readonly GuideService[];
  readonly transportStreams: readonly TransportStream[];
  readonly bouquets: readonly BroadcastBouquet[];
}
