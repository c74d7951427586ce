/** The channels of a bouquet, each with its present and following event. */
import { EllipsisVertical, Pencil } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { PlayLink, WatchLink, watchHref, ZapButton } from '../../shared/actions.tsx';
import { BouquetPicker, shownBouquet } from '../../shared/bouquets.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { Empty } from '../../shared/empty.tsx';
import { type Timers, useTimers } from '../../shared/event-timers.ts';
import { fromOperation, type GuideEvent, isRunning } from '../../shared/guide-event.ts';
import { useGuideHint } from '../../shared/guide-hint.ts';
import { Icon } from '../../shared/icon.tsx';
import { moveFocus } from '../../shared/move-focus.ts';
import { Picon } from '../../shared/picon.tsx';
import { receiver, setClock, slowClock } from '../../shared/receiver.ts';
import { RecordToggle, recordingTimer } from '../../shared/record-button.tsx';
import { change, href, route } from '../../shared/route.ts';
import { differences } from '../../shared/same-names.ts';
import { type Bouquet, type Service, useBouquets, useServices } from '../../shared/services.ts';
import { timeLeft, timeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { DemoNotice, NoChannels, useIsDemo } from './notices.tsx';

export default function Channels() {
  const { value: bouquets } = useBouquets();
  if (bouquets === undefined) return null;
  const shown = nested(bouquets) ?? shownBouquet(bouquets);
  if (shown === undefined) return <NoChannels />;
  const { app } = words.value;
  const { edit } = words.value.bouquets;
  return (
    <section class="channels">
      <div class="page-head">
        <h1>{app.channels}</h1>
        <BouquetPicker bouquets={bouquets} shown={shown} onPick={({ reference }) => change({ bouquet: reference })} />
        {bouquets.includes(shown) && (
          <a
            class="button"
            data-needs="admin"
            aria-label={edit}
            title={edit}
            href={href('bouquets', { file: shown.reference.split('"')[1] })}
          >
            <Icon of={Pencil} size={16} />
          </a>
        )}
      </div>
      <List bouquet={shown}>
        <p class="links">
          <a href={receiver.address('/web/services.m3u', { bRef: shown.reference, bName: shown.name })}>
            {app.playlistOfBouquet}
          </a>
        </p>
      </List>
    </section>
  );
}

/** The bouquet in the address, if it is inside another one: it is not listed, and its channel numbers start at 1. */
function nested(bouquets: readonly Bouquet[]): Bouquet | undefined {
  const { bouquet: reference } = route.value.query;
  if (!reference || bouquets.some((bouquet) => bouquet.reference === reference)) return undefined;
  return { reference, name: words.value.channels.bouquet, kind: 'tv', before: 0 };
}

interface NowNext {
  readonly now: GuideEvent | undefined;
  readonly next: GuideEvent | undefined;
}

/** Present and following events by service reference, and the references of the bouquet and the current service. */
async function loadNowNext(bouquet: Bouquet, signal: AbortSignal) {
  const { events, info } = await receiver.get('/api/epgnownext', { bRef: bouquet.reference }, { signal });
  setClock(events.find(({ now_timestamp }) => now_timestamp)?.now_timestamp);
  const found = new Map<string, NowNext>();
  for (let slot = 0; slot + 1 < events.length; slot += 2) {
    const [running, following] = [events[slot], events[slot + 1]];
    if (running && following) {
      found.set(running.sref, { now: fromOperation(running), next: fromOperation(following) });
    }
  }
  return { bouquet: bouquet.reference, found, current: info.result ? decoded(info.ref) : '' };
}

/** The response percent-encodes the reference of the current service. */
function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

interface ListProps {
  readonly bouquet: Bouquet;
  /** Below the list, once it is there. */
  readonly children: ComponentChildren;
}

function List({ bouquet, children }: ListProps) {
  const services = useServices(bouquet);
  const {
    value: loaded,
    trouble,
    reload,
  } = useResponse((signal) => loadNowNext(bouquet, signal), [bouquet.reference], ['guide', 'service', 'services']);
  const events = loaded?.bouquet === bouquet.reference ? loaded : undefined;
  const time = slowClock.value;
  const ends = [...(events?.found.values() ?? [])].flatMap(({ now }) => (now ? now.start + now.duration : []));
  const hasEnded = ends.some((end) => end <= time);
  useEffect(() => {
    if (hasEnded) void reload();
  }, [hasEnded, time]);
  const timers = useTimers();
  const isDemo = useIsDemo(services);
  const { channels } = words.value;
  // With their events at once, so that no row moves.
  if (services === undefined || isDemo === undefined || (events === undefined && !trouble)) return null;
  if (services.length === 0)
    return (
      <>
        <Empty title={channels.emptyTitle} text={channels.emptyText} />
        {children}
      </>
    );
  const different = differences(services);
  const digits = Math.max(2, ...services.map(({ number }) => number.length));
  const isWithoutGuide = events !== undefined && ![...events.found.values()].some(({ now, next }) => now || next);
  return (
    <>
      {isDemo && <DemoNotice />}
      {isWithoutGuide && <NoGuide />}
      {/* New in each bouquet: the menu of a row closes when the bouquet changes. */}
      <ol key={bouquet.reference} class="list" style={{ '--number': `${digits}ch` }} onKeyDown={moveFocus}>
        {services.map((service) => (
          <Row
            key={service.reference}
            service={service}
            difference={different.get(service.reference)}
            bouquet={bouquet.reference}
            nowNext={events?.found.get(service.reference)}
            isCurrent={service.reference === events?.current}
            timers={timers}
          />
        ))}
      </ol>
      {children}
    </>
  );
}

function NoGuide() {
  return <p class="hint">{useGuideHint()}</p>;
}

interface RowProps {
  readonly service: Service;
  /** What differs from other channels of its name. */
  readonly difference: string | undefined;
  readonly bouquet: string;
  readonly nowNext: NowNext | undefined;
  readonly isCurrent: boolean;
  readonly timers: Timers | undefined;
}

function Row({ service, difference, bouquet, nowNext, isCurrent, timers }: RowProps) {
  const { kind, reference, name, picon, number } = service;
  const { channels, common } = words.value;
  if (kind === 'marker') return <li class="marker">{name}</li>;
  if (kind === 'bouquet') {
    return (
      <li>
        <a class="folder" href={href('channels', { bouquet: reference })}>
          {name}
        </a>
      </li>
    );
  }
  const { now, next } = nowNext ?? {};
  const title = name || common.unnamed;
  return (
    <li class={`channel ${isCurrent ? 'current' : ''}`}>
      <a class="open" href={watchHref(reference, name, bouquet)} aria-current={isCurrent ? 'true' : undefined}>
        <span class="number">{number}</span>
        <Picon name={name} source={picon} />
        <span class="name">
          {title} {difference && <small>{difference}</small>}
        </span>
        <span class="now">
          <span class={`title ${now ? '' : 'unknown'}`}>
            {now ? now.title || common.untitled : next ? channels.nothingListed : channels.noGuide}
          </span>
          <Progress event={now} />
        </span>
        <span class="next">
          {next && (
            <>
              <time>{timeOf(next.start)}</time>
              <span>{next.title || common.untitled}</span>
            </>
          )}
        </span>
      </a>
      <span class="actions">
        {now && <RecordToggle event={now} timer={recordingTimer(now, timers)} isBrief />}
        <MoreButton reference={reference} name={title} />
      </span>
    </li>
  );
}

/** A button that opens the further actions on a channel. */
function MoreButton({ reference, name }: { readonly reference: string; readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  const { app, common } = words.value;
  return (
    <>
      <button
        type="button"
        class="bare"
        aria-haspopup="dialog"
        aria-label={`${common.more}: ${name}`}
        onClick={() => setOpen(true)}
      >
        <Icon of={EllipsisVertical} />
      </button>
      {isOpen && (
        <Dialog title={name} onClose={() => setOpen(false)}>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons in it have the keys */}
          <p class="actions" onClick={() => setOpen(false)}>
            <WatchLink reference={reference} name={name} />
            <a class="button" href={href('channel', { service: reference, name })}>
              {app.guide}
            </a>
            <ZapButton reference={reference} name={name} />
            <PlayLink reference={reference} name={name} />
          </p>
        </Dialog>
      )}
    </>
  );
}

function Progress({ event }: { readonly event: GuideEvent | undefined }) {
  const time = slowClock.value;
  if (event === undefined || !isRunning(event, time)) return <span class="run" />;
  const left = event.start + event.duration - time;
  return (
    <span class="run">
      <progress max={event.duration} value={time - event.start} aria-hidden="true" />
      <span>{timeLeft(left)}</span>
    </span>
  );
}
