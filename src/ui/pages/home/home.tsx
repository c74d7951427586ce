/**
 * The first page: what is on, and what to watch tonight, on the channels of one bouquet. It takes 12 requests: two for the
 * bouquets, one each for channels, present events, timers, recordings and the prime time, and five searches, six when prime
 * time is over. Plus one for the picture of each visible channel.
 */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { watchHref } from '../../shared/actions.tsx';
import { BouquetPicker, shownBouquet } from '../../shared/bouquets.tsx';
import { eventLink } from '../../shared/event-list.tsx';
import { type Timer, type Timers, useTimers } from '../../shared/event-timers.ts';
import { Failures } from '../../shared/failures.tsx';
import { fromRow, type GuideEvent, isRunning, rowFlags } from '../../shared/guide-event.ts';
import { Picon } from '../../shared/picon.tsx';
import { EventPicture, RecordingPicture } from '../../shared/picture.tsx';
import { primeTime } from '../../shared/prime-time.ts';
import { aheadSeconds, now, receiver, setClock, slowClock } from '../../shared/receiver.ts';
import { RecordToggle, recordingTimer } from '../../shared/record-button.tsx';
import { href } from '../../shared/route.ts';
import { type Bouquet, type Service, useBouquets, useServices } from '../../shared/services.ts';
import { dayOf, positionOf, timeLeft, timeOf } from '../../shared/time.ts';
import { type Loaded, useResponse } from '../../shared/use-response.ts';
import { isExport, type Recording, resumeOf } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { DemoNotice, NoChannels, useIsDemo } from '../channels/notices.tsx';
import { Card } from './card.tsx';
import { type HomeEvents, loadEvents, maxCards, type Topic, topicNames } from './events.ts';
import { LivePicture } from './live-picture.tsx';
import { Shelf } from './shelf.tsx';

/** How many of the newest recordings are searched for unfinished ones. */
const maxRecordingsSearched = 200;

export default function Home() {
  const { value: bouquets } = useBouquets();
  // Requested together with the bouquets, since they do not depend on them.
  const { value: recordings } = useResponse(
    async (signal) => {
      const { items } = await receiver.get('/recordings', { limit: maxRecordingsSearched }, { signal });
      return items.filter((one) => !isExport(one));
    },
    [],
    ['recordings', 'recording'],
  );
  const timers = useTimers();
  const prime = primeTime(now());
  if (bouquets === undefined) return null;
  const shown = shownBouquet(bouquets);
  if (shown === undefined) return <NoChannels />;
  return <Shelves key={shown.reference} {...{ bouquets, shown, recordings, timers, prime }} />;
}

interface ShelvesProps {
  readonly bouquets: readonly Bouquet[];
  readonly shown: Bouquet;
  readonly recordings: readonly Recording[] | undefined;
  readonly timers: Timers | undefined;
  /** Prime time of today, in Unix seconds. */
  readonly prime: number;
}

function Shelves({ bouquets, shown, recordings, timers, prime }: ShelvesProps) {
  const listed = useServices(shown);
  const services = listed?.filter(({ kind }) => kind === 'service');
  const onNow = services?.slice(0, maxCards) ?? [];
  // Requested here, so that it does not wait for the other shelves.
  const running = useResponse(
    (signal) => loadRunning(onNow, signal),
    [onNow.map(({ reference }) => reference).join()],
    ['guide'],
  );
  const { value: events } = useResponse(
    (signal) => loadEvents(shown.reference, signal),
    [shown.reference, prime, aheadSeconds.value],
    ['guide', 'services'],
  );
  const { app, home } = words.value;
  const isDemo = useIsDemo(services);
  const isReady =
    services !== undefined &&
    isDemo !== undefined &&
    events !== undefined &&
    recordings !== undefined &&
    timers !== undefined;
  const context = { services: services ?? [], timers };
  const bouquet = shown.reference;
  return (
    <section>
      <div class="page-head">
        <h1>{app.home}</h1>
        <BouquetPicker bouquets={bouquets} shown={shown} onPick={() => undefined} />
      </div>
      {/* All shelves appear at once: one after the other, they would push each other down. */}
      {isReady && (
        <>
          {isDemo && <DemoNotice />}
          <Failures />
          <OnNow services={onNow} running={running} bouquet={bouquet} timers={timers} />
          <Continue recordings={recordings} />
          {topicNames.map((topic) => (
            <Topical key={topic} topic={topic} events={events} bouquet={bouquet} {...context} />
          ))}
          <ComingUp {...context} />
          <Recorded title={home.recorded} recordings={recordings} />
        </>
      )}
    </section>
  );
}

interface Context {
  readonly services: readonly Service[];
  readonly timers: Timers | undefined;
}

interface OnNowProps extends Context {
  readonly running: Loaded<ReadonlyMap<string, GuideEvent>>;
  readonly bouquet: string;
}

/** The first channels of the bouquet, with their present events. */
function OnNow({ services, running: { value: running, reload }, timers, bouquet }: OnNowProps) {
  const time = slowClock.value;
  const hasEnded = [...(running?.values() ?? [])].some(({ start, duration }) => start + duration <= time);
  useEffect(() => {
    if (hasEnded) void reload();
  }, [hasEnded, time]);
  const { channels, common, home } = words.value;
  return (
    <Shelf title={home.onNow} link={href('channels', { bouquet })}>
      {services.map(({ reference, name, picon }) => {
        const event = running?.get(reference);
        const isOn = event !== undefined && isRunning(event, time);
        const timer = event && recordingTimer(event, timers);
        const title = isOn ? event.title || common.untitled : name || common.unnamed;
        const left = isOn && timeLeft(event.start + event.duration - time);
        return (
          <Card
            key={reference}
            link={watchHref(reference, name, bouquet)}
            verb={channels.watch}
            picture={
              <LivePicture reference={reference}>
                {event?.hasPicture ? <EventPicture of={event} /> : <Picon name={name} source={picon} />}
              </LivePicture>
            }
            title={title}
            facts={[isOn && (name || common.unnamed), left].filter(Boolean).join(' · ')}
            genre={event?.genre ?? 0}
            progress={isOn ? (time - event.start) / event.duration : undefined}
            mark={markOf(timer)}
            action={isOn && <RecordToggle event={event} timer={timer} isBrief />}
          />
        );
      })}
    </Shelf>
  );
}

async function loadRunning(services: readonly Service[], signal: AbortSignal) {
  if (services.length === 0) return new Map<string, GuideEvent>();
  const service_reference = services.map(({ reference }) => reference);
  const query = { service_reference, querytype: 0, minutes: 0, flags: `${rowFlags}CXL` } as const;
  const { events: rows } = await receiver.get('/api/eventlookup', query, { signal });
  setClock(rows[0]?.current_time);
  return new Map(rows.flatMap((row) => fromRow(row) ?? []).map((event) => [event.reference, event]));
}

function markOf(timer: Timer | undefined): string | undefined {
  const { guide } = words.value;
  return timer && (timer.justplay ? guide.reminds : guide.records);
}

interface TopicalProps extends Context {
  readonly topic: Topic;
  readonly events: HomeEvents;
  readonly bouquet: string;
}

/** Events of one topic, each title once. */
function Topical({ topic, events, bouquet, ...context }: TopicalProps) {
  const { found, query } = events[topic];
  const { home } = words.value;
  if (found.length === 0) return null;
  return (
    <Shelf title={home[topic]} link={href('search', { ...query, bouquet })}>
      {found.map((event) => (
        <EventCard key={`${event.reference} ${event.start}`} event={event} {...context} />
      ))}
    </Shelf>
  );
}

function EventCard({ event, services, timers }: Context & { readonly event: GuideEvent }) {
  const { reference, channel, start, duration, genre } = event;
  const timer = recordingTimer(event, timers);
  const time = slowClock.value;
  return (
    <Card
      link={eventLink(event)}
      picture={
        event.hasPicture ? (
          <EventPicture of={event} />
        ) : (
          <Picon name={channel} source={services.find((service) => service.reference === reference)?.picon} />
        )
      }
      title={event.title || words.value.common.untitled}
      facts={`${whenOf(start)} · ${channel}`}
      genre={genre}
      progress={isRunning(event, time) ? (time - start) / duration : undefined}
      mark={markOf(timer)}
      action={<RecordToggle event={event} timer={timer} isBrief />}
    />
  );
}

/** `20:15` today, otherwise with the day: `Tomorrow 20:15`. */
function whenOf(start: number): string {
  const day = dayOf(start);
  return day === dayOf(now()) ? timeOf(start) : `${day} ${timeOf(start)}`;
}

/** The next timers, earliest first. */
function ComingUp({ services, timers }: Context) {
  const time = slowClock.value;
  const next = [...(timers?.values() ?? [])]
    .flat()
    .filter(({ end, disabled, justplay }) => end > time && !disabled && !justplay)
    .sort((a, b) => a.begin - b.begin)
    .slice(0, maxCards);
  const { common, guide, home } = words.value;
  if (next.length === 0) return null;
  return (
    <Shelf title={home.comingUp} link={href('timers')}>
      {next.map(({ serviceref, servicename, name, begin }) => (
        <Card
          key={`${serviceref} ${begin}`}
          link={href('timers')}
          picture={
            <Picon name={servicename} source={services.find(({ reference }) => reference === serviceref)?.picon} />
          }
          title={name || common.untitled}
          facts={`${whenOf(begin)} · ${servicename}`}
          mark={guide.records}
        />
      ))}
    </Shelf>
  );
}

function Continue({ recordings }: { readonly recordings: readonly Recording[] }) {
  const started = recordings.filter((recording) => resumeOf(recording) > 0);
  return <Recorded title={words.value.home.continue} recordings={started} />;
}

interface RecordedProps {
  readonly title: string;
  /** Newest first. */
  readonly recordings: readonly Recording[];
}

function Recorded({ title, recordings }: RecordedProps) {
  if (recordings.length === 0) return null;
  return (
    <Shelf title={title} link={href('recordings')}>
      {recordings.slice(0, maxCards).map((recording) => (
        <RecordingCard key={recording.filename} recording={recording} />
      ))}
    </Shelf>
  );
}

function RecordingCard({ recording }: { readonly recording: Recording }): ComponentChildren {
  const { filename, label, recording_servicename: channel, begin, length } = recording;
  const { common, recordings: texts } = words.value;
  const title = label || common.untitled;
  const resume = resumeOf(recording);
  const action = resume > 0 ? texts.resumeAt(positionOf(resume)) : texts.play;
  return (
    <Card
      link={href('watch', { recording: filename })}
      verb={action}
      picture={<RecordingPicture of={recording} />}
      title={title}
      facts={[dayOf(begin), channel].filter(Boolean).join(' · ')}
      progress={resume > 0 && length ? resume / length : undefined}
      mark={recording.recording ? texts.isRunning : undefined}
    />
  );
}
