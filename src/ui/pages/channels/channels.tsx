/** The first page: the channels of a bouquet, each with its present and following event. */
import { useEffect, useRef } from 'preact/hooks';
import { PlayLink, WatchLink, ZapButton } from '../../shared/actions.tsx';
import { Empty } from '../../shared/empty.tsx';
import { fromOperation, type GuideEvent, isRunning } from '../../shared/guide-event.ts';
import { useGuideHint } from '../../shared/guide-hint.ts';
import { Picon } from '../../shared/picon.tsx';
import { receiver, setClock, slowClock } from '../../shared/receiver.ts';
import { change, href, route } from '../../shared/route.ts';
import { type Bouquet, type Service, useBouquets, useServices } from '../../shared/services.ts';
import { lengthOf, timeOf } from '../../shared/time.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import { SetupOffer } from '../setup/offer.tsx';

export default function Channels() {
  const { value: bouquets } = useBouquets();
  const { app, channels } = words.value;
  if (bouquets === undefined) return null;
  if (bouquets.length === 0) {
    return (
      <section class="channels">
        <h1 class="unseen">{app.channels}</h1>
        <Empty title={channels.noneTitle} text={channels.noneText} />
        <SetupOffer />
      </section>
    );
  }
  const shown = shownBouquet(bouquets, route.value.query.bouquet);
  return (
    <section class="channels">
      <h1 class="unseen">{app.channels}</h1>
      <Tabs bouquets={bouquets} shown={shown} />
      <div class="panel" role="tabpanel" aria-label={shown.name}>
        <List bouquet={shown} />
      </div>
      <p class="links">
        <a href={receiver.address('/web/services.m3u', { bRef: shown.reference, bName: shown.name })}>
          {app.playlistOfBouquet}
        </a>
      </p>
    </section>
  );
}

/** The bouquet in the address, or the first one. A nested bouquet has no tab, and its channel numbers start at 1. */
function shownBouquet(bouquets: readonly Bouquet[], reference: string | undefined): Bouquet {
  const listed = bouquets.find((bouquet) => bouquet.reference === reference);
  if (listed) return listed;
  const inner = { reference: reference ?? '', name: words.value.channels.bouquet, kind: 'tv', before: 0 } as const;
  return reference ? inner : (bouquets[0] ?? inner);
}

function Tabs({ bouquets, shown }: { readonly bouquets: readonly Bouquet[]; readonly shown: Bouquet }) {
  const list = useRef<HTMLDivElement>(null);
  const hasKinds = new Set(bouquets.map(({ kind }) => kind)).size > 1;
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shown.reference]);
  const move = (event: KeyboardEvent) => {
    const here = bouquets.findIndex(({ reference }) => reference === shown.reference);
    const target = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: -1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const index = (target + bouquets.length) % bouquets.length;
    change({ bouquet: bouquets[index]?.reference });
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={words.value.channels.bouquets} ref={list} onKeyDown={move}>
      {bouquets.map(({ reference, name, kind }, index) => (
        <>
          {hasKinds && kind !== bouquets[index - 1]?.kind && (
            <span class="kind" aria-hidden="true">
              {kind === 'tv' ? 'TV' : 'Radio'}
            </span>
          )}
          <button
            key={reference}
            type="button"
            role="tab"
            aria-selected={reference === shown.reference}
            tabIndex={reference === shown.reference ? 0 : -1}
            onClick={() => change({ bouquet: reference })}
          >
            {name}
          </button>
        </>
      ))}
    </div>
  );
}

interface NowNext {
  readonly now: GuideEvent | undefined;
  readonly next: GuideEvent | undefined;
}

/** Present and following events by service reference, and the reference of the current service. */
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
  return { found, current: info.result ? decoded(info.ref) : '' };
}

/** The response percent-encodes the reference of the current service. */
function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

function List({ bouquet }: { readonly bouquet: Bouquet }) {
  const { value: services } = useServices(bouquet);
  const { value: events, reload } = useAnswer(
    (signal) => loadNowNext(bouquet, signal),
    [bouquet.reference],
    ['guide', 'service', 'services'],
  );
  const time = slowClock.value;
  const ends = [...(events?.found.values() ?? [])].flatMap(({ now }) => (now ? now.start + now.duration : []));
  const hasEnded = ends.some((end) => end <= time);
  useEffect(() => {
    if (hasEnded) void reload();
  }, [hasEnded, time]);
  const { channels } = words.value;
  if (services === undefined) return null;
  if (services.length === 0) return <Empty title={channels.emptyTitle} text={channels.emptyText} />;
  const isWithoutGuide = events !== undefined && ![...events.found.values()].some(({ now, next }) => now || next);
  return (
    <>
      {services.some(isOfDemo) && <DemoNotice />}
      {isWithoutGuide && <NoGuide />}
      <ol class="list" onKeyDown={moveFocus}>
        {services.map((service) => (
          <Row
            key={service.reference}
            service={service}
            nowNext={events?.found.get(service.reference)}
            isCurrent={service.reference === events?.current}
          />
        ))}
      </ol>
    </>
  );
}

function NoGuide() {
  return <p class="hint">{useGuideHint()}</p>;
}

/** The network of the built-in demo, of the range for private use. */
const isOfDemo = ({ reference }: Service) => reference.includes(':FF0D:EEEE0000:');

/** Shown above the demo's channels while no tuner receives others. */
function DemoNotice() {
  const { value: about } = useAnswer((signal) => receiver.get('/api/about', {}, { signal }), [], ['tuner']);
  const tuners = about?.info.tuners ?? [];
  if (tuners.length === 0 || tuners.some(({ type }) => !type.startsWith('Demo'))) return null;
  return <p class="notice">{words.value.app.demo}</p>;
}

interface RowProps {
  readonly service: Service;
  readonly nowNext: NowNext | undefined;
  readonly isCurrent: boolean;
}

function Row({ service: { kind, reference, name, picon, number }, nowNext, isCurrent }: RowProps) {
  const { channels, common } = words.value;
  if (kind === 'marker') return <li class="marker">{name}</li>;
  if (kind === 'bouquet') {
    return (
      <li>
        <a class="folder" href={href('', { bouquet: reference })}>
          {name}
        </a>
      </li>
    );
  }
  const { now, next } = nowNext ?? {};
  return (
    <li class={`channel ${isCurrent ? 'current' : ''}`}>
      <a
        class="open"
        href={href('channel', { service: reference, name })}
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span class="number">{number}</span>
        <Picon name={name} source={picon} />
        <span class="name">{name || common.unnamed}</span>
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
        <WatchLink reference={reference} name={name} />
        <ZapButton reference={reference} name={name} />
        <PlayLink reference={reference} name={name} />
      </span>
    </li>
  );
}

function Progress({ event }: { readonly event: GuideEvent | undefined }) {
  const time = slowClock.value;
  if (event === undefined || !isRunning(event, time)) return <span class="run" />;
  const left = event.start + event.duration - time;
  return (
    <span class="run">
      <progress max={event.duration} value={time - event.start} aria-hidden="true" />
      <span>{words.value.time.left(lengthOf(left))}</span>
    </span>
  );
}

/** The up and down keys move between channels; the browser handles all other keys. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const list = event.currentTarget as HTMLElement;
  const links = [...list.querySelectorAll<HTMLElement>('a.open, a.folder')];
  const here = (event.target as HTMLElement).closest('li')?.querySelector<HTMLElement>('a.open, a.folder');
  const target = here ? links[links.indexOf(here) + step] : undefined;
  if (target === undefined) return;
  event.preventDefault();
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
}
