/** Search of the guide, the channels and the recordings, updated while the user types. Without a text, browses by filters. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Empty } from '../../shared/empty.tsx';
import { EventList } from '../../shared/event-list.tsx';
import { fromRow, rowFlags } from '../../shared/guide-event.ts';
import { aheadSeconds, receiver } from '../../shared/receiver.ts';
import { href, route } from '../../shared/route.ts';
import { fullName } from '../../shared/same-names.ts';
import { numberOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { Filters } from './filters.tsx';
import { Others, useOthers } from './others.tsx';
import { ProgrammeList } from './programmes.tsx';
import { hasFilters, parametersOf, type Query, queryOf, wordsOf } from './query.ts';
import { eachOnce } from './ranking.ts';
import { Remembered, SaveButton } from './remembered.tsx';
import { remember } from './saved.ts';
import { Similar } from './similar.tsx';

/** Time without a key press before a search starts. */
const debounceMs = 150;
/** Time after which an unchanged search is added to the recent searches. */
const rememberDelayMs = 2000;
/** Number of events loaded first, and on each scroll to the end. */
const pageSize = 200;
/** Limit of the receiver's responses. */
const maxEvents = 20_000;
/** Events whose title begins with the text. They come first, even if they are broadcast after the first page of the others. */
const maxBest = 100;

export default function Search() {
  const address = queryOf(route.value.query);
  const query = useDebounced(address);
  const key = JSON.stringify(query);
  const marks = wordsOf(query);
  const isText = marks.length > 0;
  const isAsked = isText || query.title !== undefined || hasFilters(query);
  const [shown, setShown] = useState({ key, rows: pageSize });
  const rows = shown.key === key ? shown.rows : pageSize;
  const { value, trouble } = useResponse(
    async (signal) => (isAsked ? find(query, rows, signal) : undefined),
    [key, rows, aheadSeconds.value],
    ['guide'],
  );
  const others = useOthers();
  const names = useMemo(
    () => new Map(others?.channels.map((channel) => [channel.reference, fullName(channel)])),
    [others?.channels],
  );
  // Together, so that nothing moves.
  const found = isAsked && others ? value : undefined;
  const events = eachOnce(found?.events ?? [], names);
  const isFound = isText && (found?.total ?? 0) > 0;
  useEffect(() => {
    if (!isFound) return;
    const timer = setTimeout(() => remember(query), rememberDelayMs);
    return () => clearTimeout(timer);
  }, [key, isFound]);
  const { search } = words.value;
  return (
    <section>
      <div class="page-head">
        <h1>{query.title ?? words.value.app.search}</h1>
        <p class="count" role="status">
          {found && search.found(numberOf(found.total), found.total === 1)}
        </p>
      </div>
      <Filters query={address}>{isAsked && <SaveButton query={query} />}</Filters>
      {trouble && <Empty text={trouble} />}
      {!isAsked && <Remembered />}
      {found && others && isText && <Others text={query.text ?? ''} {...others} />}
      {found?.total === 0 && (
        <Empty title={search.nothingTitle} text={isText ? search.nothingText : search.nothingFiltered}>
          {isText && hasFilters(query) && (
            <a class="button strong" href={href('search', { text: query.text })}>
              {search.removeFilters}
            </a>
          )}
        </Empty>
      )}
      {found?.total === 0 && isText && <Similar text={query.text ?? ''} />}
      {found && isText && <ProgrammeList events={events} text={query.text ?? ''} query={query} />}
      {found && !isText && <EventList events={events} withChannel />}
      {found && found.rows >= rows && rows < maxEvents && (
        <LoadMore key={rows} onSeen={() => setShown({ key, rows: Math.min(maxEvents, rows + pageSize) })} />
      )}
    </section>
  );
}

async function find(query: Query, rows: number, signal: AbortSignal) {
  let total = 0;
  const parameters = { ...parametersOf(query), flags: rowFlags };
  const onHeaders = (headers: Headers) => {
    total = Number(headers.get('x-total-count'));
  };
  const ask = (more: object, options = {}) =>
    receiver.get('/api/eventsearch', { ...parameters, ...more }, { signal, ...options });
  const isText = wordsOf(query).length > 0;
  const [{ len, events }, best] = await Promise.all([
    ask({ max_rows: rows }, { onHeaders }),
    isText ? ask({ what: [query.text ?? ''], querytype: 'title-starts', max_rows: maxBest }) : undefined,
  ]);
  const listed = [...(best?.events ?? []), ...events].flatMap((row) => fromRow(row) ?? []);
  return { total, rows: len, events: listed };
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
