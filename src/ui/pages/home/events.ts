/** The events of the shelves: what is on tonight, and films, sport, series and children's programmes of the coming days. */
import { isEveningOver, restOfEvening } from '../../shared/evening.ts';
import { folded } from '../../shared/fold.ts';
import { fromRow, type GuideEvent, rowFlags } from '../../shared/guide-event.ts';
import { primeTime } from '../../shared/prime-time.ts';
import { now, receiver } from '../../shared/receiver.ts';
import { startOfDay } from '../../shared/time.ts';
import { parametersOf, type Query } from '../search/query.ts';

/** Cards on a shelf. */
export const maxCards = 30;
/** Events that are loaded for a shelf: many are other showings of the same title. */
const maxEvents = 120;
/** The searches begin at a full hour: so the service worker has their responses when the receiver does not respond. */
const beginSeconds = 3600;
/** The shelves look this many days ahead. */
const days = 7;

export const topicNames = ['tonight', 'tomorrow', 'films', 'sports', 'series', 'children'] as const;
export type Topic = (typeof topicNames)[number];

/** The shelves have few events, so that the receiver writes little: 30 cards with short texts. */
export type HomeEvents = Readonly<
  Record<
    Topic,
    {
      readonly found: readonly GuideEvent[];
      /** The search that shows all of them. */
      readonly query: Query;
    }
  >
>;

const topics: Readonly<Record<Topic, Query>> = {
  tonight: { when: 'tonight' },
  tomorrow: { when: 'tomorrow-night' },
  films: { genre: 'film', part: 'evening', length: 'long' },
  sports: { genre: 'sports' },
  series: { genre: 'film', part: 'evening', length: 'short' },
  children: { genre: 'children' },
};

export async function loadEvents(bouquet: string, signal: AbortSignal): Promise<HomeEvents> {
  const time = now();
  const prime = primeTime(time);
  const load = async (topic: Topic) => {
    const query = topics[topic];
    if (topic === 'tomorrow' && !isEveningOver(prime, time)) return [topic, { found: [], query }] as const;
    const { begin = time, ...parameters } = {
      ...parametersOf({ ...query, bouquet }),
      ...(topic === 'tonight' && restOfEvening(prime, time)),
    };
    const { events } = await receiver.get(
      '/api/eventsearch',
      {
        begin: begin - (begin % beginSeconds),
        end: startOfDay(time, days),
        ...parameters,
        flags: `${rowFlags.replaceAll(/[SE]/g, '')}L`,
        max_rows: maxEvents,
      },
      { signal },
    );
    const rows = events.flatMap((row) => fromRow(row) ?? []).filter(({ start, duration }) => start + duration > time);
    return [topic, { found: eachTitleOnce(rows), query }] as const;
  };
  return Object.fromEntries(await Promise.all(topicNames.map(load))) as HomeEvents;
}

function eachTitleOnce(events: readonly GuideEvent[]): readonly GuideEvent[] {
  const titles = new Set<string>();
  const isNew = ({ title }: GuideEvent) => !titles.has(folded(title)) && titles.add(folded(title));
  return events.filter(isNew).slice(0, maxCards);
}
