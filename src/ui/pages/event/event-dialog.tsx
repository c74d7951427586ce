/**
 * The details of an event over any page: opened by `event` and `of` (its service) in the address, so that it can be linked
 * and the back button closes it.
 */
import { PlayLink, ZapButton } from '../../shared/actions.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { EventList } from '../../shared/event-list.tsx';
import { fromOperation, fromRow, type GuideEvent, rowFlags } from '../../shared/guide-event.ts';
import { now, receiver } from '../../shared/receiver.ts';
import { change, href, route } from '../../shared/route.ts';
import { dayOf, lengthOf, spanOf } from '../../shared/time.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import { RecordButton } from './record-button.tsx';

export function EventDialog() {
  const { event: id, of: reference } = route.value.query;
  if (!id || !reference) return null;
  return <Details key={`${reference} ${id}`} id={Number(id)} reference={reference} />;
}

function Details({ id, reference }: { readonly id: number; readonly reference: string }) {
  const { value, trouble } = useAnswer(
    async (signal) => {
      const { event } = await receiver.get('/api/event', { sref: reference, idev: id }, { signal });
      return fromOperation({ ...event, sref: reference });
    },
    [id, reference],
    ['guide'],
  );
  const { common, event: said } = words.value;
  const close = () => change({ event: undefined, of: undefined });
  return (
    <Dialog title={value?.title || (trouble ? said.gone : common.untitled)} class="event-details" onClose={close}>
      {value && <Contents event={value} />}
    </Dialog>
  );
}

function Contents({ event }: { readonly event: GuideEvent }) {
  const { reference, channel, start, duration, short, long, genreName } = event;
  const { channel: said } = words.value;
  return (
    <>
      <p class="facts">
        <a href={href('channel', { service: reference, name: channel })}>{channel}</a> · {dayOf(start)},{' '}
        {spanOf(start, duration)} · {lengthOf(duration)} {genreName && <span class="genre">{genreName}</span>}
      </p>
      <p class="actions">
        <RecordButton event={event} />
        <ZapButton reference={reference} name={channel} />
        <PlayLink reference={reference} name={channel} />
      </p>
      {short && <p class="sub">{short}</p>}
      <p class="long">{long || (short ? '' : said.noDescription)}</p>
      <Others event={event} />
    </>
  );
}

/** Other showings of the event, on this and other services. */
function Others({ event: { id, reference, start } }: { readonly event: GuideEvent }) {
  const { value } = useAnswer(
    async (signal) => {
      const asked = { querytype: 'similar', service_reference: reference, event_id: id, flags: rowFlags } as const;
      const { events } = await receiver.get('/api/eventsearch', { ...asked, begin: now(), max_rows: 20 }, { signal });
      return events
        .flatMap((row) => fromRow(row) ?? [])
        .filter((one) => one.start !== start || one.reference !== reference);
    },
    [id, reference],
  );
  if (!value?.length) return null;
  return (
    <section class="others">
      <h3>{words.value.event.others}</h3>
      <EventList events={value} withChannel level={4} />
    </section>
  );
}
