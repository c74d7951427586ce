// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place events of any length
/**
 * The grid: channels by time, virtualised. The browser scrolls an empty area of the full size; only the visible rows and
 * events, with a margin, are rendered in it. They re-render when the view moves by a step, not on each scroll event.
 */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Timers, timersOf, useTimers } from '../../shared/event-timers.ts';
import { eventCounts } from '../../shared/live.ts';
import { slowClock } from '../../shared/receiver.ts';
import { change } from '../../shared/route.ts';
import type { Service } from '../../shared/services.ts';
import { dayOf, startOfDay, timeOf } from '../../shared/time.ts';
import { Blocks, type View } from './blocks.ts';
import { CellRecord } from './cell-record.tsx';
import { type Cursor, useCursor } from './cursor.ts';
import { days } from './days.ts';
import { leftOf, Row } from './row.tsx';
import { type Sizes, useSizes } from './sizes.ts';

/** The rendered view moves in these steps. */
const step = { rows: 4, seconds: 3600 };
/** The rendered view is larger than the visible part by this margin. */
const overscan = { rows: 3, seconds: 1800 };
/** Time without scroll events after which scrolling has ended. */
const scrollEndMs = 200;

/** Scroll position: the time at the left edge, and the first row. */
export interface Place {
  readonly time: number;
  readonly row: number;
}

interface GridProps {
  readonly services: readonly Service[];
  /** Unix seconds of its left edge. */
  readonly origin: number;
  /** Position to scroll to. A new object scrolls there again. */
  readonly target: Place;
  /** Called once scrolling has ended. */
  readonly onPlace: (place: Place) => void;
  readonly label: string;
  /** Groups of genres (`genre-1`); events of others are pale. All if empty. */
  readonly genres: readonly string[];
}

export function Grid({ services, origin, target, onPlace, label, genres }: GridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const sizes = useSizes();
  const timers = useTimers();
  const blocks = useBlocks(services, origin);
  const { view, place, look } = useView(grid, services.length, origin, sizes, onPlace);
  const cursor = useCursor(grid, { rows: services.length, blocks, origin, sizes }, view);
  useLayoutEffect(() => {
    const left = leftOf(target.time, origin, sizes) - sizes.channels;
    grid.current?.scrollTo({ left, top: target.row * sizes.row, behavior: 'instant' });
    look();
  }, [target, sizes]);
  useEffect(() => {
    if (view) blocks.want(view);
  }, [view, blocks]);
  // Re-renders when events arrive.
  void blocks.version.value;
  const end = startOfDay(origin, days);
  const tabbed = cursor.drawn ?? { ...place, isChannel: false };
  return (
    <>
      {blocks.trouble.value && (
        <p class="notice" role="alert">
          {blocks.trouble.value}
        </p>
      )}
      <div
        ref={grid}
        class={`guide-grid ${genres.length > 0 ? 'some-genres' : ''} ${genres.map((genre) => `some-${genre}`).join(' ')}`}
        role="grid"
        aria-label={label}
        aria-rowcount={services.length}
        aria-keyshortcuts="R"
        tabIndex={-1}
        style={{
          '--row': `${sizes.row}px`,
          '--channels': `${sizes.channels}px`,
          '--head': `${sizes.head}px`,
          '--hour': `${sizes.hour}px`,
        }}
        onScroll={look}
        onKeyDown={cursor.press}
        onFocusIn={cursor.follow}
        onClick={openEvent}
      >
        <Hours view={view} place={place} origin={origin} end={end} sizes={sizes} />
        <div
          class="guide-rows"
          role="rowgroup"
          style={{ width: `${leftOf(end, origin, sizes)}px`, height: `${services.length * sizes.row}px` }}
        >
          <NowLine origin={origin} sizes={sizes} />
          {view && rowsOf(view, services, blocks, timers, tabbed, origin, sizes)}
        </div>
      </div>
      <CellRecord grid={grid} blocks={blocks} sizes={sizes} timers={timers} />
    </>
  );
}

function rowsOf(
  view: View,
  services: readonly Service[],
  blocks: Blocks,
  timers: Timers | undefined,
  tabbed: Cursor,
  origin: number,
  sizes: Sizes,
) {
  return services.slice(view.firstRow, view.endRow).map((service, index) => {
    const row = view.firstRow + index;
    const isTabbed = tabbed.row === row;
    return (
      <Row
        key={row}
        row={row}
        service={service}
        lists={blocks.lists(row, view)}
        view={view}
        timers={timersOf(timers, service.reference)}
        tabTime={isTabbed && !tabbed.isChannel ? tabbed.time : undefined}
        isChannelTabbed={isTabbed && tabbed.isChannel}
        origin={origin}
        sizes={sizes}
      />
    );
  });
}

function useBlocks(services: readonly Service[], origin: number): Blocks {
  const blocks = useMemo(() => new Blocks(services, origin), [services, origin]);
  useEffect(() => {
    let isFirst = true;
    const end = eventCounts.guide.subscribe(() => {
      if (!isFirst) blocks.guideChanged();
    });
    isFirst = false;
    return () => {
      end();
      blocks.stop();
    };
  }, [blocks]);
  return blocks;
}

/** The line at the current time. */
function NowLine({ origin, sizes }: { readonly origin: number; readonly sizes: Sizes }) {
  return <div class="guide-now" aria-hidden="true" style={{ left: `${leftOf(slowClock.value, origin, sizes)}px` }} />;
}

interface HoursProps {
  readonly view: View | undefined;
  readonly place: Place;
  readonly origin: number;
  readonly end: number;
  readonly sizes: Sizes;
}

/** The hours above the rows, and the day in the corner. Hidden from screen readers: each event states its time. */
function Hours({ view, place, origin, end, sizes }: HoursProps) {
  const halves: number[] = [];
  for (let time = view?.from ?? 0; time < Math.min(view?.until ?? 0, end); time += 1800) halves.push(time);
  return (
    <div class="guide-hours" aria-hidden="true" style={{ width: `${leftOf(end, origin, sizes)}px` }}>
      <span class="guide-day">{dayOf(place.time)}</span>
      {halves.map((time) => (
        <span key={time} class="guide-hour" style={{ left: `${leftOf(time, origin, sizes)}px` }}>
          {timeOf(time)}
        </span>
      ))}
    </div>
  );
}

/** The rendered view, the scroll position, and `look`, which updates both from the grid. */
function useView(
  grid: RefObject<HTMLDivElement | null>,
  rows: number,
  origin: number,
  sizes: Sizes,
  onPlace: GridProps['onPlace'],
) {
  const [{ view, place }, setSeen] = useState<{ readonly view?: View; readonly place: Place }>({
    place: { time: origin, row: 0 },
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const look = () => {
    if (grid.current === null) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = grid.current;
    const from = origin + (scrollLeft / sizes.hour) * 3600;
    const until = from + ((clientWidth - sizes.channels) / sizes.hour) * 3600;
    const row = scrollTop / sizes.row;
    const endRow = row + (clientHeight - sizes.head) / sizes.row;
    const next: View = {
      firstRow: Math.max(0, stepDown(row - overscan.rows, step.rows)),
      endRow: Math.min(rows, stepDown(endRow + overscan.rows, step.rows) + step.rows),
      from: origin + Math.max(0, stepDown(from - origin - overscan.seconds, step.seconds)),
      until: origin + stepDown(until - origin + overscan.seconds, step.seconds) + step.seconds,
    };
    // A little inside the first visible event.
    const here = { row: Math.ceil(row - 0.2), time: from + 600 };
    setSeen((seen) => (isSame(seen.view, next) ? seen : { view: next, place: here }));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onPlace({ time: Math.round(from / 60) * 60, row: Math.round(row) }), scrollEndMs);
  };
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    const observer = new ResizeObserver(() => latest.current());
    if (grid.current) observer.observe(grid.current);
    return () => {
      observer.disconnect();
      clearTimeout(timer.current);
    };
  }, []);
  return { view, place, look };
}

const stepDown = (value: number, by: number) => Math.floor(value / by) * by;

function isSame(a: View | undefined, b: View): boolean {
  return a?.firstRow === b.firstRow && a.endRow === b.endRow && a.from === b.from && a.until === b.until;
}

/** Opens the details of an event without moving the grid. The browser handles clicks with modifiers and other buttons. */
function openEvent(click: MouseEvent): void {
  if (click.button !== 0 || click.ctrlKey || click.metaKey || click.shiftKey || click.altKey) return;
  if (!(click.target instanceof Element)) return;
  const { event, of } = click.target.closest<HTMLElement>('a[data-event]')?.dataset ?? {};
  if (event === undefined || of === undefined) return;
  click.preventDefault();
  change({ event, of });
}
