/**
 * What a multiplex says about itself: the services of its PAT, PMT, SDT, NIT and BAT as one consistent picture. Numbers are
 * as broadcast; texts are UTF-8, decoded from the table the broadcaster named (EN 300 468 Annex A). All of it is a snapshot:
 * it never changes after it was handed out.
 */

import type { UnixSeconds } from '../clock.ts';

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
      readonly constellation: 'auto' | 'qpsk' | '16qam' | '64qam' | '256qam';
      readonly codeRateHigh: string;
      readonly codeRateLow: string;
      /** `auto`, `1/4`, `1/8`, `1/16`, `1/32`, ... */
      readonly guardInterval: string;
      /** `auto`, `2k`, `4k`, `8k`, ... */
      readonly transmissionMode: string;
      /** `none`, `1`, `2`, `4` or `auto`. */
      readonly hierarchy: string;
      /** Physical layer pipe of DVB-T2; null where there is none. */
      readonly plpId: number | null;
    };

/** One transport stream of the network, as the NIT (actual or other) lists it. */
export interface TransportStream {
  readonly transportStreamId: number;
  readonly originalNetworkId: number;
  readonly delivery: DeliverySystem | null;
}

/** One elementary stream of a service, from its PMT (ISO/IEC 13818-1 §2.4.4.8). */
export interface ElementaryStream {
  readonly pid: number;
  /** stream_type as broadcast; `codec` says what it is together with the descriptors. */
  readonly streamType: number;
  readonly kind: 'video' | 'audio' | 'subtitles' | 'teletext' | 'data';
  /** `mpeg2video`, `h264`, `hevc`, `mp2`, `aac`, `ac3`, `eac3`, `dvb-subtitles`, `teletext`, ...; empty where unknown. */
  readonly codec: string;
  /** ISO 639-2 codes in the order of the descriptors; a dual-mono audio stream has two. */
  readonly languages: readonly string[];
  /** 0 undefined, 1 clean effects, 2 hearing impaired, 3 visual impaired commentary (ISO_639_language_descriptor). */
  readonly audioType: number;
  /** component_tag of the stream identifier descriptor; null where there is none. */
  readonly componentTag: number | null;
  /** Subtitle or teletext pages: type as in EN 300 468 tables 26 and 100, composition and ancillary page. */
  readonly pages: readonly {
    readonly language: string;
    readonly type: number;
    readonly page: number;
    readonly ancillary: number;
  }[];
}

export interface BroadcastService {
  readonly originalNetworkId: number;
  readonly transportStreamId: number;
  readonly serviceId: number;
  /** Empty where no SDT has named it. */
  readonly name: string;
  readonly provider: string;
  /** service_type (EN 300 468 table 89); 0 where no SDT has said it. */
  readonly type: number;
  /** free_CA_mode of the SDT, or a CA descriptor in the PMT. */
  readonly scrambled: boolean;
  /** 0 undefined, 1 not running, 2 starts in a few seconds, 3 pausing, 4 running, 5 off air. */
  readonly runningStatus: number;
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
  /** False where the broadcaster asks that the service be left out of the list (visible_service_flag). */
  readonly visible: boolean;
}

/** A bouquet the broadcaster sends (BAT, EN 300 468 §5.2.2). */
export interface BroadcastBouquet {
  readonly bouquetId: number;
  readonly name: string;
  readonly services: readonly {
    readonly originalNetworkId: number;
    readonly transportStreamId: number;
    readonly serviceId: number;
  }[];
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
  /** Services on this multiplex: those of the PAT and of SDT actual, in the order of the PAT. */
  readonly services: readonly BroadcastService[];
  /** Services on other multiplexes (SDT other). They cannot be streamed from here. */
  readonly otherServices: readonly BroadcastService[];
  readonly transportStreams: readonly TransportStream[];
  readonly bouquets: readonly BroadcastBouquet[];
  /** The last TDT or TOT, null where none has come. */
  readonly time: UnixSeconds | null;
}
