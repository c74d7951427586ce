/** The groups of genres: content_nibble_level_1 (EN 300 468, table 28). */
import type { GuideEvent } from './guide-event.ts';
import { language, words } from './words.ts';

/** Names of the groups by number. */
export function genreNames(): ReadonlyMap<number, string> {
  const { film, news, show, sports, children, music, arts, society, education, leisure, special } = words.value.genres;
  const names = [film, news, show, sports, children, music, arts, society, education, leisure, special];
  return new Map(names.map((name, index) => [index + 1, name]));
}

/** The genre in the receiver's words, which are English; in other languages its group. Empty for none. */
export function genreText({ genre, genreName }: GuideEvent): string {
  return language.value === 'en' ? genreName : (genreNames().get(genre >> 4) ?? genreName);
}

/** The class that colours an event by its genre; empty for none. */
export function genreClass(genre: number): string {
  const group = genre >> 4;
  return group > 0 && group < 12 ? `genre-${group}` : '';
}
