/** The present and the following event of a channel. */
import { useEffect } from 'preact/hooks';
import { eventLink } from '../../shared/event-list.tsx';
import { fromOperation, type GuideEvent } from '../../shared/guide-event.ts';
import { receiver, setClock, slowClock } from '../../shared/receiver.ts';
import { spanOf, timeLeft, timeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

/** The present and the following event, where the guide has them. */
export type NowNext = readonly (GuideEvent | undefined)[];

/** Both undefined until loaded. `name`: of the channel. */
export function useNowNext(reference: string): { readonly events?: NowNext; readonly name?: string } {
  const { value, reload } = useResponse(
    async (signal) => {
      const { events } = await receiver.get('/api/epgservicenownext', { sRef: reference }, { signal });
      setClock(events[0]?.now_timestamp);
      return {
        reference,
        name: events[0]?.sname ?? '',
        events: events.map((row) => fromOperation({ ...row, sref: reference })),
      };
    },
    [reference],
    ['guide'],
  );
  const time = slowClock.value;
  const [running] = value?.events ?? [];
  const hasEnded = running !== undefined && running.start + running.duration <= time;
  useEffect(() => {
    if (hasEnded) void reload();
  }, [hasEnded, time]);
  return value?.reference === reference ? value : {};
}

/** The present event with its progress, and the following event. */
export function OnNow({ events: [running, next] = [] }: { readonly events: NowNext | undefined }) {
  if (running === undefined) return null;
  const time = slowClock.value;
  const { start, duration, title, short } = running;
  return (
    <div class="on-now">
      <h2>
        <EventTitle event={running} />
      </h2>
      <p class="facts">
        {spanOf(start, duration)} · {timeLeft(start + duration - time)}
        {title && short && ` · ${short}`}
      </p>
      <progress max={duration} value={Math.max(0, time - start)} aria-label={words.value.watch.progress} />
      {next && (
        <p class="then">
          {timeOf(next.start)} <EventTitle event={next} />
        </p>
      )}
    </div>
  );
}

function EventTitle({ event }: { readonly event: GuideEvent }) {
  return <a href={eventLink(event)}>{event.title || words.value.common.untitled}</a>;
}
