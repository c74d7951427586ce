/** The guide of one channel by day. */
import { ArrowLeft } from 'lucide';
import { PlayLink, WatchLink, ZapButton } from '../../shared/actions.tsx';
import { Empty } from '../../shared/empty.tsx';
import { byDay, EventList } from '../../shared/event-list.tsx';
import { fromOperation } from '../../shared/guide-event.ts';
import { useGuideHint } from '../../shared/guide-hint.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver, setClock } from '../../shared/receiver.ts';
import { route } from '../../shared/route.ts';
import { dateOf, shortDayOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

export default function Channel() {
  const { service: reference = '', name = '' } = route.value.query;
  const { value: events, trouble } = useResponse(
    async (signal) => {
      const { events: rows } = await receiver.get('/api/epgservice', { sRef: reference }, { signal });
      setClock(rows[0]?.now_timestamp);
      return rows.flatMap((row) => fromOperation({ ...row, sref: reference }) ?? []);
    },
    [reference],
    ['guide'],
  );
  const { app, channel } = words.value;
  const title = name || events?.[0]?.channel || app.channels;
  const days = byDay(events ?? []);
  return (
    <section aria-label={title}>
      <div class="page-head">
        <button type="button" class="button" aria-label={channel.back} onClick={() => history.back()}>
          <Icon of={ArrowLeft} />
        </button>
        <h1>{title}</h1>
        <span class="actions">
          <WatchLink reference={reference} name={title} />
          <ZapButton reference={reference} name={title} />
          <PlayLink reference={reference} name={title} />
        </span>
        {days.length > 1 && (
          <nav class="days" aria-label={channel.days}>
            {days.map(([day, [first]]) => (
              <button key={day} type="button" title={dateOf(first?.start ?? 0)} onClick={() => jump(day)}>
                {shortDayOf(first?.start ?? 0)}
              </button>
            ))}
          </nav>
        )}
      </div>
      {trouble && <Empty text={trouble} />}
      {events?.length === 0 && <NoGuide />}
      {events && <EventList events={events} />}
    </section>
  );
}

function NoGuide() {
  return <Empty title={words.value.channels.noGuide} text={useGuideHint()} />;
}

function jump(day: string): void {
  const heading = document.querySelector<HTMLElement>(`[id="day-${day}"] .day-head`);
  const reducesMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
  heading?.closest('section')?.scrollIntoView({ block: 'start', behavior: reducesMotion ? 'auto' : 'smooth' });
  heading?.focus({ preventScroll: true });
}
