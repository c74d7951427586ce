/** Search of the whole guide, updated while the user types. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty } from '../../shared/empty.tsx';
import { EventList } from '../../shared/event-list.tsx';
import { fromRow, rowFlags } from '../../shared/guide-event.ts';
import { receiver } from '../../shared/receiver.ts';
import { route } from '../../shared/route.ts';
import { numberOf } from '../../shared/time.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import { Filters, parametersOf, queryOf } from './filters.tsx';
import { Remembered, SaveButton } from './remembered.tsx';
import { type Query, remember } from './saved.ts';

/** Time without a key press before a search starts. */
const debounceMs = 150;
/** Time after which an unchanged search is added to the recent searches. */
const rememberDelayMs = 2000;
/** Number of events loaded first, and on each scroll to the end. */
const pageSize = 200;
/** Limit of the receiver's responses. */
const maxEvents = 20_000;

export default function Search() {
  const query = useDebounced(queryOf(route.value.query));
  const key = JSON.stringify(query);
  const marks = (query.text ?? '').split(/\s+/).filter((word) => word !== '');
  const [shown, setShown] = useState({ key, rows: pageSize });
  const rows = shown.key === key ? shown.rows : pageSize;
  const { value, trouble } = useAnswer((signal) => find(query, marks, rows, signal), [key, rows], ['guide']);
  const isFound = value !== undefined && value.total > 0 && marks.length > 0;
  useEffect(() => {
    if (!isFound) return;
    const timer = setTimeout(() => remember(query), rememberDelayMs);
    return () => clearTimeout(timer);
  }, [key, isFound]);
  const { search } = words.value;
  return (
    <section class="narrow">
      <h1 class="unseen">{search.results}</h1>
      <div class="page-head">
        <p class="count" role="status">
          {value && marks.length > 0 && search.found(numberOf(value.total), value.total === 1)}
        </p>
        {marks.length > 0 && <SaveButton query={query} />}
      </div>
      {marks.length > 0 && <Filters query={route.value.query} />}
      {trouble && <Empty text={trouble} />}
      {marks.length === 0 && <Remembered />}
      {value && marks.length > 0 && value.total === 0 && (
        <Empty title={search.nothingTitle} text={search.nothingText} />
      )}
      {value && marks.length > 0 && <EventList events={value.events} marks={marks} withChannel />}
      {value && value.rows >= rows && rows < maxEvents && (
        <LoadMore key={rows} onSeen={() => setShown({ key, rows: Math.min(maxEvents, rows + pageSize) })} />
      )}
    </section>
  );
}

async function find(query: Query, marks: readonly string[], rows: number, signal: AbortSignal) {
  if (marks.length === 0) return { total: 0, rows: 0, events: [] };
  let total = 0;
  const { len, events } = await receiver.get(
    '/api/eventsearch',
    // All words must match, in any order.
    { what: marks, ...parametersOf(query), flags: rowFlags, max_rows: rows },
    {
      signal,
      onHeaders: (headers) => {
        total = Number(headers.get('x-total-count'));
      },
    },
  );
  return { total, rows: len, events: events.flatMap((row) => fromRow(row) ?? []) };
}

/** Loads more events when the user scrolls near the end. */
function LoadMore({ onSeen }: { readonly onSeen: () => void }) {
  const end = useRef<HTMLParagraphElement>(null);
  const { search } = words.value;
  useEffect(() => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) onSeen();
      },
      { rootMargin: '800px' },
    );
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  return (
    <p ref={end} class="hint">
      {search.further}
    </p>
  );
}

/** The query, debounced; without delay when the page opens. */
function useDebounced(query: Query): Query {
  const [settled, setSettled] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query), debounceMs);
    return () => clearTimeout(timer);
  }, [JSON.stringify(query)]);
  return settled;
}
