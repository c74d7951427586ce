/** Other showings of an event, and other episodes of its series. */
import { EventList } from '../../shared/event-list.tsx';
import { fromRow, type GuideEvent, rowFlags } from '../../shared/guide-event.ts';
import { now, receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

const maxRows = 20;

export function OtherShowings({ event }: { readonly event: GuideEvent }) {
  const { id, reference, start } = event;
  const { value } = useResponse(
    async (signal) => {
      const search = async (querytype: 'similar' | 'series') => {
        const query = {
          querytype,
          service_reference: reference,
          event_id: id,
          flags: rowFlags,
          max_rows: maxRows,
        } as const;
        const { events } = await receiver.get('/api/eventsearch', { ...query, begin: now() }, { signal });
        return events.flatMap((row) => fromRow(row) ?? []);
      };
      const [same, series] = await Promise.all([search('similar'), search('series')]);
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
  const { event: texts } = words.value;
  return (
    <>
      <Section title={texts.others} events={value?.same} />
      <Section title={texts.series} events={value?.series} />
    </>
  );
}

/** Key of a showing, without the name that a service reference may end with. */
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
