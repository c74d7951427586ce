/** The typed records of the guide. */
import type { UnixSeconds } from '../base/clock.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';

/** One entry of the content_descriptor (EN 300 468 §6.2.9). */
export interface Genre {
  /** content_nibble_level_1, 0 to 15. */
  readonly level1: number;
  /** content_nibble_level_2, 0 to 15. */
  readonly level2: number;
  /** user_byte, defined by the broadcaster. */
  readonly user: number;
}

/** One entry of the parental_rating_descriptor (EN 300 468 §6.2.28). */
export interface ParentalRating {
  /** ISO 3166 country, three letters or digits, as sent. */
  readonly country: string;
  /** 0: undefined; 1 to 15: minimum age less 3; above: defined by the broadcaster. */
  readonly rating: number;
}

/** A component_descriptor (EN 300 468 §6.2.8), which describes one stream of the event. */
export interface EventComponent {
  /** stream_content: 1 MPEG-2 video, 2 MPEG audio, 3 teletext or subtitles, 4 AC-3, 5 H.264, 6 HE-AAC, 9 HEVC ... */
  readonly streamContent: number;
  readonly componentType: number;
  readonly componentTag: number;
  readonly language: string;
  readonly text: string;
}

/**
 * One CRID of the content_identifier_descriptor (TS 102 323 §12.1), of the series_descriptor of ISDB, or an event of its
 * event groups (`dvb://network.stream.service;event`): the same programme elsewhere, where it continues, or came from.
 */
export interface ContentIdentifier {
  readonly type: 'programme' | 'series' | 'recommendation' | 'shared' | 'relayed' | 'moved' | 'other';
  /** As sent: `crid://authority/data`, or `/data` under the default authority of the service. */
  readonly crid: string;
}

/** One event of the guide. Texts are those of the broadcaster in one language, with LF as line end. */
export interface GuideEvent {
  readonly service: DvbTriplet;
  /** event_id, 0 to 65535; reused within the service after some time. */
  readonly id: number;
  readonly start: UnixSeconds;
  /** Seconds; 0 if undefined. */
  readonly duration: number;
  readonly title: string;
  readonly shortText: string;
  /** The joined extended text, then its items as one `description: item` line each. */
  readonly extendedText: string;
  /** ISO 639-2 code of the texts, lower case; '' when there are none. */
  readonly language: string;
  readonly genres: readonly Genre[];
  readonly parental: readonly ParentalRating[];
  /** Words of the content advisory of ATSC, such as `TV-14`; missing if none is sent. */
  readonly rating?: string;
  /**
   * running_status of EIT present/following (EN 300 468 table 6): 0 undefined, 1 not running, 2 starts in a few
   * seconds, 3 pausing, 4 running, 5 off-air.
   */
  readonly runningStatus: number;
  /** free_CA_mode: false if no stream of the event is scrambled. */
  readonly freeCa: boolean;
  readonly components: readonly EventComponent[];
  readonly crids: readonly ContentIdentifier[];
}

/** The running event and the one after it. */
export interface NowNext {
  readonly now: GuideEvent | null;
  readonly next: GuideEvent | null;
}
