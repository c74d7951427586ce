/** Search of the whole guide while the person types. */
import { useEffect, useState } from 'preact/hooks';
import { Empty } from '../../shared/empty.tsx';
import { EventList } from '../../shared/event-list.tsx';
import { fromRow, rowFlags } from '../../shared/guide-event.ts';
import { now, receiver } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { numberOf } from '../../shared/time.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';

/** Milliseconds without a key before a search. */
const pause = 150;
/** Events shown; a longer text narrows them. */
const most = 200;

export default function Search() {
  const { text = '', everywhere } = route.value.query;
  const settled = useSettled(text);
  const marks = settled.split(/\s+/).filter((word) => word !== '');
  const { value, trouble } = useAnswer(
    async (signal) => {
      if (marks.length === 0) return { total: 0, events: [] };
      // Words may be anywhere, but all of them must.
      const { len, events } = await receiver.get(
        '/api/eventsearch',
        { what: marks, querytype: everywhere ? 'all' : 'title+short', flags: rowFlags, begin: now(), max_rows: most },
        { signal },
      );
      return { total: len, events: events.flatMap((row) => fromRow(row) ?? []) };
    },
    [settled, everywhere],
    ['guide'],
  );
  const { search } = words.value;
  return (
    <section class="narrow">
      <h1 class="unseen">{search.results}</h1>
      <div class="page-head">
        <p class="count" role="status">
          {value && marks.length > 0 && countOf(value.events.length, value.total)}
        </p>
        <label class="choice">
          <input
            type="checkbox"
            checked={everywhere === '1'}
            onChange={(event) => change({ everywhere: event.currentTarget.checked ? 1 : undefined }, { replace: true })}
          />
          {search.descriptionsToo}
        </label>
      </div>
      {trouble && <Empty text={trouble} />}
      {value && marks.length > 0 && value.events.length === 0 && (
        <Empty title={search.nothingTitle} text={search.nothingText} />
      )}
      {value && <EventList events={value.events} marks={marks} withChannel />}
    </section>
  );
}

function countOf(shown: number, total: number): string {
  const { search } = words.value;
  return shown < total ? search.firstOf(numberOf(shown), numberOf(total)) : search.found(numberOf(total), total === 1);
}

/** The text once no key has been pressed for a moment; at once when the page opens. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
