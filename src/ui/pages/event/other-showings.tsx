/** Where else an event is shown, and what else is shown of its series. */
import { EventList } from '../../shared/event-list.tsx';
import { fromRow, type GuideEvent, rowFlags } from '../../shared/guide-event.ts';
import { now, receiver } from '../../shared/receiver.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';

const most = 20;

export function OtherShowings({ event }: { readonly event: GuideEvent }) {
  const { id, reference, start } = event;
  const { value } = useAnswer(
    async (signal) => {
      const found = async (querytype: 'similar' | 'series') => {
        const asked = {
          querytype,
          service_reference: reference,
          event_id: id,
          flags: rowFlags,
          max_rows: most,
        } as const;
        const { events } = await receiver.get('/api/eventsearch', { ...asked, begin: now() }, { signal });
        return events.flatMap((row) => fromRow(row) ?? []);
      };
      const [same, series] = await Promise.all([found('similar'), found('series')]);
      const isOther = (one: GuideEvent) => keyOf(one) !== keyOf({ reference, start });
      const known = new Set(same.map(keyOf));
      return {
        same: same.filter(isOther),
        series: series.filter((one) => isOther(one) && !known.has(keyOf(one))),
      };
    },
    [id, reference],
    ['guide'],
  );
  const { event: said } = words.value;
  return (
    <>
      <Section title={said.others} events={value?.same} />
      <Section title={said.series} events={value?.series} />
    </>
  );
}

/** Without the name that a service has in a bouquet. */
const keyOf = ({ reference, start }: Pick<GuideEvent, 'reference' | 'start'>) =>
  `${reference.split(':', 10).join(':')} ${start}`;

function Section({ title, events }: { readonly title: string; readonly events: readonly GuideEvent[] | undefined }) {
  if (!events?.length) return null;
  return (
    <section class="others">
      <h3>{title}</h3>
      <EventList events={events} withChannel level={4} />
    </section>
  );
}
