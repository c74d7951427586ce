/** A list of events by day: the guide of a channel, search results, other showings. */
import { Fragment } from 'preact';
import { type Timers, useTimers } from './event-timers.ts';
import { type GuideEvent, isRunning } from './guide-event.ts';
import { firstHit, hasHit, Marked } from './marked.tsx';
import { slowClock } from './receiver.ts';
import { RecordToggle, recordingTimer } from './record-button.tsx';
import { hrefHere } from './route.ts';
import { dateOf, dayKey, dayOf, lengthOf, momentOf, timeOf, weekdayOf } from './time.ts';
import { words } from './words.ts';

interface EventListProps {
  readonly events: readonly GuideEvent[];
  /** Search words to highlight. */
  readonly marks?: readonly string[];
  readonly withChannel?: boolean;
  /** Heading level of the days. */
  readonly level?: 2 | 4;
}

export function EventList({ events, marks = [], withChannel = false, level = 2 }: EventListProps) {
  const timers = useTimers();
  const Heading = `h${level}` as const;
  return (
    <>
      {byDay(events).map(([day, found]) => (
        <section key={day} class="day" id={`day-${day}`}>
          <Heading class="day-head" tabIndex={-1}>
            {weekdayOf(found[0]?.start ?? 0)} <small>{dateOf(found[0]?.start ?? 0)}</small>
          </Heading>
          <ol>
            {found.map((event) => (
              <li key={`${event.reference} ${event.start}`}>
                <EventLine event={event} timers={timers} marks={marks} withChannel={withChannel} />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

/** Groups events by the day on which they start, keeping their order. */
export function byDay(events: readonly GuideEvent[]): readonly (readonly [string, readonly GuideEvent[]])[] {
  const days = new Map<string, GuideEvent[]>();
  for (const event of events) {
    const key = dayKey(event.start);
    const day = days.get(key);
    if (day) day.push(event);
    else days.set(key, [event]);
  }
  return [...days];
}

/** Address that opens the details of an event over the current page. */
export function eventLink({ reference, id }: GuideEvent): string {
  return hrefHere({ event: id, of: reference });
}

interface EventLineProps {
  readonly event: GuideEvent;
  readonly timers: Timers | undefined;
  readonly marks: readonly string[];
  readonly withChannel: boolean;
  /** Outside a list by day. */
  readonly withDay?: boolean;
}

/** A link to the details of an event, and a button that records it. */
export function EventLine({ event, timers, marks, withChannel, withDay = false }: EventLineProps) {
  const { start, duration, title, channel } = event;
  const running = isRunning(event, slowClock.value);
  const { common, time } = words.value;
  const name = title || common.untitled;
  return (
    <div class={`row ${running ? 'running' : ''}`}>
      <a class="event" href={eventLink(event)}>
        <span class="when">
          {withDay && <small>{dayOf(start)}</small>}
          <time dateTime={new Date(start * 1000).toISOString()}>{timeOf(start)}</time>
          <small class="length">{running ? time.now : lengthOf(duration)}</small>
        </span>
        <span class="what">
          {withChannel && <span class="where">{channel}</span>}
          <strong>
            <Marked text={name} words={marks} />
          </strong>
          <Subtitle event={event} marks={marks} />
        </span>
      </a>
      {/* With the time: a list may have many showings of one title. */}
      <RecordToggle event={event} timer={recordingTimer(event, timers)} name={`${name}, ${momentOf(start)}`} isBrief />
    </div>
  );
}

/** The short text; or an excerpt of the description if only the description contains a search word. */
function Subtitle({
  event: { title, short, long },
  marks,
}: {
  readonly event: GuideEvent;
  readonly marks: readonly string[];
}) {
  const isOnlyInDescription = marks.length > 0 && ![title, short].some((text) => hasHit(text, marks));
  const text = (isOnlyInDescription && excerpt(long, firstHit(long, marks))) || short;
  if (!text) return <Fragment />;
  return (
    <span class="sub">
      <Marked text={text} words={marks} />
    </span>
  );
}

/** An excerpt of about 150 characters around the match at `start`; empty if `start` is negative. */
function excerpt(text: string, start: number): string {
  if (start < 0) return '';
  const lead = start > 40 ? `…${text.slice(start - 40, start).replace(/^\S*\s/, '')}` : text.slice(0, start);
  const rest = text.slice(start);
  return lead + (rest.length > 110 ? `${rest.slice(0, 110).replace(/\s\S*$/, '')}…` : rest);
}
