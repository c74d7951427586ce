/** The order of search results, and what is shown once. */
import { describe, expect, it } from 'vitest';

interface Event {
  readonly title: string;
  readonly start: number;
}
interface Shown {
  readonly reference: string;
  readonly start: number;
  readonly channel: string;
}
interface Module {
  eachOnce(events: readonly Shown[], names: ReadonlyMap<string, string>): readonly Shown[];
  programmesOf(events: readonly Event[], text: string): readonly { title: string; showings: readonly Event[] }[];
}
// Imported by URL, because its types need those of a browser.
const { href } = new URL('../../src/ui/pages/search/ranking.ts', import.meta.url);
const { eachOnce, programmesOf } = (await import(href)) as Module;

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

describe('events of a service that a list has twice', () => {
  const of = (reference: string, start: number) => ({ reference, start, channel: 'One' });
  const [unused, listed] = ['1:0:19:1:2:3:0:0:0:0:', '1:0:19:1:2:3:10000:0:0:0:'];

  it('are shown once, on the channel of a bouquet', () => {
    const events = [of(unused, 1), of(listed, 1), of(listed, 2), of(unused, 2)];
    const shown = { reference: listed, channel: 'One (HD)' };
    expect(eachOnce(events, new Map([[listed, 'One (HD)']]))).toEqual([
      { ...shown, start: 1 },
      { ...shown, start: 2 },
    ]);
  });

  it('are all shown of channels without identifiers', () => {
    const streams = ['4097:0:1:0:0:0:0:0:0:0:a:A', '4097:0:1:0:0:0:0:0:0:0:b:B'].map((one) => of(one, 1));
    expect(eachOnce(streams, new Map())).toEqual(streams);
  });
});
