/** Queries for searches of the guide. */
import type { UnixSeconds } from '../base/clock.ts';
import type { NativeQuery } from '../base/native.ts';
import { type DvbTriplet, packServices } from '../dvb/triplet.ts';

/**
 * How an event's text has to match the search text:
 * - `contains`: anywhere, also inside a word
 * - `prefix`, `suffix`: at the beginning, at the end
 * - `word`: unchanged, but not inside a longer word
 * - `words`: every word of it, in any order, in any of the texts searched
 * - `phrase`: its words in succession, with any blanks and punctuation in between
 * - `exact`: the whole text is equal
 */
export const textMatches = ['contains', 'prefix', 'suffix', 'word', 'words', 'phrase', 'exact'] as const;
export type TextMatch = (typeof textMatches)[number];

/** Where to search. `text` is short and extended text; `title+short` is both texts of the short event descriptor. */
export type TextScope = 'title' | 'short' | 'long' | 'text' | 'title+short' | 'all';

export type GuideOrder = 'time' | 'relevance' | 'title';

/** A search over the guide. All texts are compared folded (case, accents, ligatures) unless `caseSensitive`. */
export interface GuideQuery {
  /**
   * Only other showings of this event's programme: with the same title and texts, or the same programme CRID. Then
   * texts, genres, languages and CRID of the query are ignored, and the order is by time.
   */
  readonly similarTo?: { readonly service: DvbTriplet; readonly id: number };
  /** Search text; if there are several, all must match. Empty or undefined: every event that passes the filters. */
  readonly text?: string | readonly string[];
  /** Default `contains`. */
  readonly match?: TextMatch;
  /** Default `title`. */
  readonly within?: TextScope;
  /** Compare characters as they are. Default false. */
  readonly caseSensitive?: boolean;
  /** Only these services; their order breaks ties of equal start. Default: every service. */
  readonly services?: readonly DvbTriplet[];
  /** Only events that end after this time. */
  readonly from?: UnixSeconds;
  /** Only events that start before this time. */
  readonly until?: UnixSeconds;
  /** Only events of one of these genres; without `level2` the whole group. */
  readonly genres?: readonly { readonly level1: number; readonly level2?: number }[];
  /**
   * Only events that begin in this part of the day: seconds after midnight, local time by `zone` (`LocalTime.changes`).
   * An `until` at or before `from` is on the next day.
   */
  readonly timeOfDay?: { readonly from: number; readonly until: number; readonly zone: Float64Array };
  /** Seconds, inclusive. */
  readonly minDurationSeconds?: number;
  /** Seconds, inclusive. */
  readonly maxDurationSeconds?: number;
  /** ISO 639-2 codes of the event's texts. */
  readonly languages?: readonly string[];
  /** Only events with this CRID (case-insensitive). */
  readonly crid?: { readonly crid: string; readonly type?: 'programme' | 'series' };
  /** Default `time`: by start, then service. */
  readonly order?: GuideOrder;
  /** Hits to skip. Default 0. */
  readonly offset?: number;
  /** Hits to return. Default 100; `total` counts all hits. */
  readonly limit?: number;
}

/** A title that completes the input. */
export interface Suggestion {
  readonly title: string;
  /** Events with this title that have not ended. */
  readonly count: number;
  /** Start of the first of them, which may be running. */
  readonly start: UnixSeconds;
}

/** Converts a query for native code. */
export function nativeQuery({ services, text, similarTo, ...rest }: GuideQuery): NativeQuery {
  return {
    ...rest,
    text: text === undefined ? [] : typeof text === 'string' ? [text] : text,
    services: services && packServices(services),
    similarTo: similarTo && { service: packServices([similarTo.service]), id: similarTo.id },
  };
}
