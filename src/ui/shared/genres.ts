/** The groups of genres: content_nibble_level_1 (EN 300 468, table 28). */
import type { GuideEvent } from './guide-event.ts';
import { language, words } from './words.ts';

/** Keys of the genre groups, in the texts of the page and in addresses; the index is content_nibble_level_1 - 1. */
export const genreKeys = [
  'film',
  'news',
  'show',
  'sports',
  'children',
  'music',
  'arts',
  'society',
  'education',
  'leisure',
  'special',
] as const;
export type Genre = (typeof genreKeys)[number];

/** The genre's name from the receiver, which is English; in other languages the name of its group. Empty without a genre. */
export function genreText({ genre, genreName }: GuideEvent): string {
  const group = genreKeys[(genre >> 4) - 1];
  return language.value === 'en' || group === undefined ? genreName : words.value.genres[group];
}

/** CSS class that colours an event by its genre; empty without one. */
export function genreClass(genre: number): string {
  const group = genre >> 4;
  return group > 0 && group < 12 ? `genre-${group}` : '';
}
