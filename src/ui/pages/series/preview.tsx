/** Preview of the events that a rule would record, updated while the rule is edited. */
import { useEffect, useState } from 'preact/hooks';
import type { AutoTimerMatch } from '../../../client/client.ts';
import { receiver } from '../../shared/receiver.ts';
import { dayOf, numberOf, timeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { type Draft, sentOf } from './rules.ts';

/** Time without changes before the preview is loaded. */
const debounceMs = 400;
const maxShown = 50;

export function Preview({ draft, id }: { readonly draft: Draft; readonly id: number | undefined }) {
  const settled = useDebounced(draft);
  const isComplete = settled.match.trim() !== '';
  const { value, trouble } = useResponse(
    async (signal) => {
      if (!isComplete) return [];
      const { items } = await receiver.post(
        '/autotimers/preview',
        { ...sentOf(settled), ...(id !== undefined && { id }) },
        { signal },
      );
      return items;
    },
    [settled, id],
    ['guide', 'timers'],
  );
  const { series } = words.value;
  const recorded = value?.filter(({ verdict }) => verdict === 'planned' || verdict === 'timer').length ?? 0;
  return (
    <section class="preview" aria-label={series.preview}>
      <h3>{series.preview}</h3>
      <p class="hint" role="status">
        {trouble || (isComplete && value && series.wouldRecord(recorded, value.length))}
      </p>
      <ol>
        {(trouble ? [] : value)?.slice(0, maxShown).map((match) => (
          <Match key={`${match.service_reference} ${match.start_time}`} match={match} />
        ))}
      </ol>
      {value && !trouble && value.length > maxShown && (
        <p class="hint">{series.further(numberOf(value.length - maxShown))}</p>
      )}
    </section>
  );
}

function Match({ match }: { readonly match: AutoTimerMatch }) {
  const { title, shortinfo, service_name: channel, start_time: start, verdict, message } = match;
  const { series } = words.value;
  const isRecorded = verdict === 'planned' || verdict === 'timer';
  return (
    <li class={isRecorded ? '' : 'passed-over'}>
      <span class="what">
        <strong>{title}</strong>
        {shortinfo && <span class="sub">{shortinfo}</span>}
        <span class="sub">
          {dayOf(start)}, {timeOf(start)} · {channel}
        </span>
      </span>
      <span class="verdict" title={message}>
        {series[verdict]}
      </span>
    </li>
  );
}

/** The draft, debounced; without delay when the form opens. */
function useDebounced(draft: Draft): Draft {
  const [settled, setSettled] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(draft), debounceMs);
    return () => clearTimeout(timer);
  }, [draft]);
  return settled;
}
