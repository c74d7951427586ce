/**
 * The details of an event, over any page. `event` (event_id) and `of` (service reference) in the address open the dialog, so
 * it can be linked and the back button closes it.
 */
import { ListVideo, MonitorPlay } from 'lucide';
import { PlayLink, watchHref, ZapButton } from '../../shared/actions.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { genreText } from '../../shared/genres.ts';
import { fromRow, type GuideEvent, isRunning, rowFlags } from '../../shared/guide-event.ts';
import { Icon } from '../../shared/icon.tsx';
import { EventPicture } from '../../shared/picture.tsx';
import { receiver, slowClock } from '../../shared/receiver.ts';
import { RecordButton, RemindButton } from '../../shared/record-button.tsx';
import { change, href, route } from '../../shared/route.ts';
import { dayOf, lengthOf, spanOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { OtherShowings } from './other-showings.tsx';
import { ShareButton } from './share-button.tsx';

export function EventDialog() {
  const { event: id, of: reference } = route.value.query;
  if (!id || !reference) return null;
  return <Details key={`${reference} ${id}`} id={Number(id)} reference={reference} />;
}

interface Found {
  readonly event: GuideEvent | undefined;
  /** Years; undefined without a parental rating. */
  readonly minAge: number | undefined;
  /** Content advisory of ATSC: TV-14. */
  readonly rating: string | undefined;
}

/** Uses eventlookup, because the epg operations do not return the parental rating. */
async function find(reference: string, id: number, signal: AbortSignal): Promise<Found> {
  const query = { service_reference: [reference], querytype: 2, event_id: id, flags: `${rowFlags}PL` } as const;
  const { events } = await receiver.get('/api/eventlookup', query, { signal });
  const [row] = events;
  return { event: row && fromRow(row), minAge: row?.parental?.minimum_age ?? undefined, rating: row?.parental?.words };
}

function Details({ id, reference }: { readonly id: number; readonly reference: string }) {
  const { value, trouble } = useResponse((signal) => find(reference, id, signal), [id, reference], ['guide']);
  const { common, event: texts } = words.value;
  const close = () => change({ event: undefined, of: undefined });
  const isGone = trouble !== '' || (value !== undefined && value.event === undefined);
  const title = value === undefined ? '…' : value.event?.title || common.untitled;
  return (
    <Dialog title={isGone ? texts.gone : title} class="event-details" onClose={close}>
      {value?.event && <Contents {...value} event={value.event} />}
    </Dialog>
  );
}

function Contents({ event, minAge, rating }: Found & { readonly event: GuideEvent }) {
  const { reference, channel, start, duration, short, long } = event;
  const genre = genreText(event);
  const { channel: guide, event: texts } = words.value;
  return (
    <>
      {event.hasPicture && <EventPicture of={event} />}
      <p class="facts">
        <a href={href('channel', { service: reference, name: channel })}>{channel}</a> · {dayOf(start)},{' '}
        {spanOf(start, duration)} · {lengthOf(duration)} {genre && <span class="genre">{genre}</span>}
        {(rating || minAge !== undefined) && <span class="genre">{rating || texts.fromAge(minAge ?? 0)}</span>}
      </p>
      <Actions event={event} />
      {short && <p class="sub">{short}</p>}
      <p class="long">{long || (short ? '' : guide.noDescription)}</p>
      <OtherShowings event={event} />
    </>
  );
}

function Actions({ event }: { readonly event: GuideEvent }) {
  const { reference, channel, title } = event;
  const { channels, event: texts } = words.value;
  return (
    <p class="actions">
      {isRunning(event, slowClock.value) && (
        <a class="button strong" href={watchHref(reference, channel)} aria-label={channels.watchOn(channel)}>
          <Icon of={MonitorPlay} size={16} /> {channels.watch}
        </a>
      )}
      <RecordButton event={event} />
      <a
        class="button"
        data-needs="record"
        href={href('series', { title, service: reference })}
        aria-label={texts.recordEvery(title)}
      >
        <Icon of={ListVideo} size={16} /> {texts.recordAll}
      </a>
      <RemindButton event={event} />
      <ZapButton reference={reference} name={channel} />
      <PlayLink reference={reference} name={channel} />
      <ShareButton event={event} />
    </p>
  );
}
