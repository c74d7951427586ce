/** Search results by title, the best match first: the next showing of each, and links to its others. */
import { EventLine, eventLink } from '../../shared/event-list.tsx';
import { useTimers } from '../../shared/event-timers.ts';
import type { GuideEvent } from '../../shared/guide-event.ts';
import { href } from '../../shared/route.ts';
import { momentOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import { type Query, wordsOf } from './query.ts';
import { programmesOf } from './ranking.ts';

/** Showings that are named below the first one. */
const maxOthers = 3;

interface ProgrammeListProps {
  readonly events: readonly GuideEvent[];
  readonly text: string;
  readonly query: Query;
}

export function ProgrammeList({ events, text, query }: ProgrammeListProps) {
  const timers = useTimers();
  const marks = wordsOf({ text });
  const programmes = programmesOf(events, text);
  if (programmes.length === 0) return null;
  return (
    <ol class="list programmes">
      {programmes.map(({ title, showings: [first, ...others] }) => (
        <li key={title}>
          {first && <EventLine event={first} timers={timers} marks={marks} withChannel withDay />}
          {others.length > 0 && <Others title={title} showings={others} query={query} />}
        </li>
      ))}
    </ol>
  );
}

interface OthersProps {
  readonly title: string;
  readonly showings: readonly GuideEvent[];
  readonly query: Query;
}

function Others({ title, showings, query }: OthersProps) {
  const { search } = words.value;
  const { text: _, everywhere: __, ...filters } = query;
  return (
    <p class="also">
      {search.also}{' '}
      {showings.slice(0, maxOthers).map((event) => (
        <>
          <a key={`${event.reference} ${event.start}`} href={eventLink(event)}>
            {momentOf(event.start)}, {event.channel}
          </a>{' '}
        </>
      ))}
      {showings.length > maxOthers && (
        <a href={href('search', { ...filters, title })} aria-label={search.allShowingsOf(title)}>
          {search.allShowings}
        </a>
      )}
    </p>
  );
}
