/** The order of search results. */
import { expect, it } from 'vitest';

interface Event {
  readonly title: string;
  readonly start: number;
}
interface Module {
  programmesOf(events: readonly Event[], text: string): readonly { title: string; showings: readonly Event[] }[];
}
// Imported by URL, because its types need those of a browser.
const { href } = new URL('../../src/ui/pages/search/ranking.ts', import.meta.url);
const { programmesOf } = (await import(href)) as Module;

const titlesOf = (text: string, ...titles: readonly string[]) =>
  programmesOf(
    titles.map((title, start) => ({ title, start })),
    text,
  ).map(({ title }) => title);

it('lists the best match first, equal ones by their next showing', () => {
  expect(titlesOf('star', 'Mustard', 'Dinner', 'Movie: Star', 'Stargate', 'Star Trek', 'Star')).toEqual([
    ...['Star', 'Stargate', 'Star Trek', 'Movie: Star', 'Mustard', 'Dinner'],
  ]);
  expect(titlesOf('ETE', 'L’Été', 'Etc', 'Été')).toEqual(['Été', 'L’Été', 'Etc']);
});

it('lists each title once, with its showings in order', () => {
  const events = [
    { title: 'News', start: 30 },
    { title: 'Weather', start: 20 },
    { title: 'NEWS', start: 10 },
  ];
  expect(programmesOf(events, 'weather').map(({ showings }) => showings.map(({ start }) => start))).toEqual([
    [20],
    [10, 30],
  ]);
});
