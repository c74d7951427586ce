/** The groups of genres: content_nibble_level_1 (EN 300 468, table 28). */
import type { GuideEvent } from './guide-event.ts';
import { language, words } from './words.ts';

/** Names of the genre groups by content_nibble_level_1. */
export function genreNames(): ReadonlyMap<number, string> {
  const { film, news, show, sports, children, music, arts, society, education, leisure, special } = words.value.genres;
  const names = [film, news, show, sports, children, music, arts, society, education, leisure, special];
  return new Map(names.map((name, index) => [index + 1, name]));
}

/** The genre's name from the receiver, which is English; in other languages the name of its group. Empty without a genre. */
export function genreText({ genre, genreName }: GuideEvent): string {
  return language.value === 'en' ? genreName : (genreNames().get(genre >> 4) ?? genreName);
}

/** CSS class that colours an event by its genre; empty without one. */
export function genreClass(genre: number): string {
  const group = genre >> 4;
  return group > 0 && group < 12 ? `genre-${group}` : '';
}
