/** The questions that a guide search can ask. */
import type { UnixSeconds } from '../clock.ts';
import { type DvbTriplet, packServices } from '../dvb/triplet.ts';

/**
 * How a text has to agree with what is looked for:
 * - `contains`: anywhere, also inside a word
 * - `prefix`, `suffix`: at the beginning, at the end
 * - `word`: as it stands, but not inside a longer word
 * - `words`: every word of it, in any order, in any of the texts looked at
 * - `phrase`: its words one after another, whatever blanks and punctuation stand between them
 * - `exact`: the whole text is equal
 */
export type TextMatch = 'contains' | 'prefix' | 'suffix' | 'word' | 'words' | 'phrase' | 'exact';

/** Where to look. `text` is short and extended text; `title+short` both of the short event descriptor. */
export type TextScope = 'title' | 'short' | 'long' | 'text' | 'title+short' | 'all';

export type GuideOrder = 'time' | 'relevance' | 'title';

/** A search over the guide. All texts are compared folded (case, accents, ligatures) unless `caseSensitive`. */
export interface GuideQuery {
  /** What to look for; several texts must all agree. Empty or absent: every event that passes the filters. */
  readonly text?: string | readonly string[];
  /** Default `contains`. */
  readonly match?: TextMatch;
  /** Default `title`. */
  readonly within?: TextScope;
  /** Compare characters as they are. Default false. */
  readonly caseSensitive?: boolean;
  /** Only these services; their order breaks ties of equal start. Absent: every service. */
  readonly services?: readonly DvbTriplet[];
  /** Only events that end after this time. */
  readonly from?: UnixSeconds;
  /** Only events that begin before this time. */
  readonly until?: UnixSeconds;
  /** Only events of one of these genres; without `level2` the whole group. */
  readonly genres?: readonly { readonly level1: number; readonly level2?: number }[];
  /** Seconds, inclusive. */
  readonly minimumDuration?: number;
  /** Seconds, inclusive. */
  readonly maximumDuration?: number;
  /** ISO 639-2 codes of the event's texts. */
  readonly languages?: readonly string[];
  /** Only events with this CRID (compared without regard to case). */
  readonly crid?: { readonly crid: string; readonly type?: 'programme' | 'series' };
  /** Default `time`: by start, then service. */
  readonly order?: GuideOrder;
  /** Hits to skip. Default 0. */
  readonly offset?: number;
  /** Hits to give. Default 100; `total` is exact whatever the limit. */
  readonly limit?: number;
}

/** A title that completes what was typed. */
export interface Suggestion {
  readonly title: string;
  /** Events with this title that have not ended. */
  readonly count: number;
  /** When the first of them begins (or began, when it runs now). */
  readonly start: UnixSeconds;
}

/** A query as native code takes it. */
export function nativeQuery({ services, text, ...rest }: GuideQuery): object {
  const texts = text === undefined ? [] : typeof text === 'string' ? [text] : [...text];
  return { ...rest, text: texts, services: services === undefined ? undefined : packServices(services) };
}
