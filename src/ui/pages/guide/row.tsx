// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place events of any length
// biome-ignore-all lint/a11y/useFocusableInteractive: the links in the cells take the focus
/** A row of the grid: a channel and its events in the view. */
import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Timer, timerOf } from '../../shared/event-timers.ts';
import { genreClass } from '../../shared/genres.ts';
import type { GuideEvent } from '../../shared/guide-event.ts';
import { Picon } from '../../shared/picon.tsx';
import { slowClock } from '../../shared/receiver.ts';
import { href } from '../../shared/route.ts';
import type { Service } from '../../shared/services.ts';
import { spanOf, timeOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import type { View } from './blocks.ts';
import type { Sizes } from './sizes.ts';

/** Events narrower than this are widened for fingers and pointers, in pixels. */
const minWidth = 24;
/** Events wider than this show their time, in pixels. */
const minWidthWithTime = 90;
/** Pixels between two events. */
const gap = 3;
/** The visible left edge is within this time from the start of the view. */
const maxEdgeSeconds = 5400;

/** The clock in steps of a minute. */
const minute = computed(() => slowClock.value - (slowClock.value % 60));

interface RowProps {
  readonly row: number;
  readonly service: Service;
  /** See `Blocks.lists`. */
  readonly lists: readonly (readonly GuideEvent[] | undefined)[];
  readonly view: Pick<View, 'from' | 'until'>;
  readonly timers: readonly Timer[] | undefined;
  /** The time whose event the Tab key reaches; undefined in all rows but one. */
  readonly tabTime: number | undefined;
  /** Whether the Tab key reaches the channel instead. */
  readonly isChannelTabbed: boolean;
  readonly origin: number;
  readonly sizes: Sizes;
}

export function Row({ lists, view: { from, until }, ...rest }: RowProps) {
  const events = useMemo(() => eventsIn(lists, { from, until }), [from, until, lists.length, ...lists]);
  return <EventRow {...rest} events={events} from={from} until={until} />;
}

interface EventRowProps extends Omit<RowProps, 'lists' | 'view'> {
  readonly events: readonly GuideEvent[] | undefined;
  readonly from: number;
  readonly until: number;
}

/**
 * Like `Cell`, it reads a signal, so it re-renders only if that or a property changes (@preact/signals). JSX in `useMemo`
 * would keep the DOM of every view that it was rendered in: 50,000 nodes after a minute of scrolling.
 */
function EventRow(props: EventRowProps) {
  const { row, service, events, from, timers, tabTime, isChannelTabbed, origin, sizes } = props;
  const { channels } = words.value;
  return (
    <div class="guide-row" role="row" aria-rowindex={row + 1} data-row={row} style={{ top: `${row * sizes.row}px` }}>
      <Channel service={service} isTabbed={isChannelTabbed} />
      {events === undefined || events.length === 0 ? (
        <EmptyRow {...props} text={events && channels.nothingListed} />
      ) : (
        events.map((event) => (
          <Cell
            key={event.start}
            event={event}
            left={leftOf(event.start, origin, sizes)}
            width={leftOf(event.start + event.duration, origin, sizes) - leftOf(event.start, origin, sizes) - gap}
            isAcross={event.start < from + maxEdgeSeconds}
            state={stateOf(event, minute.value)}
            timer={timerOf(event, timers)}
            isTabbed={event === at(events, tabTime)}
          />
        ))
      )}
    </div>
  );
}

/** Pixels from the left edge of the grid, including the column of channels. */
export function leftOf(time: number, origin: number, { hour, channels }: Sizes): number {
  return channels + Math.round(((time - origin) / 3600) * hour);
}

/** The events in a period, without duplicates; undefined while no list is loaded. */
export function eventsIn(
  lists: RowProps['lists'],
  { from, until }: RowProps['view'],
): readonly GuideEvent[] | undefined {
  if (lists.every((list) => list === undefined)) return undefined;
  const found: GuideEvent[] = [];
  for (const event of lists.flatMap((list) => list ?? [])) {
    if (event.start >= until || event.start + event.duration <= from) continue;
    if (event.start > (found.at(-1)?.start ?? 0)) found.push(event);
  }
  return found;
}

/** The event at a time, or else the nearest. */
export function at(events: readonly GuideEvent[], time: number | undefined): GuideEvent | undefined {
  if (time === undefined) return undefined;
  const next = events.findIndex(({ start, duration }) => start + duration > time);
  return events[next] ?? events.at(-1);
}

function stateOf({ start, duration }: GuideEvent, time: number) {
  if (time < start) return '';
  return time < start + duration ? 'on-air' : 'over';
}

function Channel({ service, isTabbed }: { readonly service: Service; readonly isTabbed: boolean }) {
  const { reference, name, number, picon } = service;
  return (
    <div class="guide-channel" role="rowheader">
      <a href={href('channel', { service: reference, name })} tabIndex={isTabbed ? 0 : -1} data-channel>
        <span class="number">{number}</span>
        <Picon name={name} source={picon} />
        <span class="name">{name || words.value.common.unnamed}</span>
      </a>
    </div>
  );
}

interface CellProps {
  readonly event: GuideEvent;
  readonly left: number;
  readonly width: number;
  /** Whether the event may start left of the visible part: then its title scrolls along. */
  readonly isAcross: boolean;
  readonly state: ReturnType<typeof stateOf>;
  readonly timer: Timer | undefined;
  readonly isTabbed: boolean;
}

function Cell({ event, left, width, isAcross, state, timer, isTabbed }: CellProps) {
  const { id, reference, start, duration, genre, genreName } = event;
  const { common, guide } = words.value;
  const title = event.title || common.untitled;
  const mark = timer && (timer.justplay ? guide.reminds : guide.records);
  const label = [title, spanOf(start, duration), genreName, mark].filter((one) => one).join(', ');
  const kind = timer ? (timer.justplay ? 'reminded' : 'recorded') : '';
  return (
    <div
      class={`guide-cell ${genreClass(genre)} ${kind} ${state} ${isAcross ? 'across' : ''} ${width < minWidth ? 'short' : ''}`}
      role="gridcell"
      style={{ left: `${left}px`, width: `${Math.max(1, width)}px` }}
    >
      <a
        href={href('guide', { time: start, event: id, of: reference })}
        tabIndex={isTabbed ? 0 : -1}
        aria-label={label}
        title={label}
        aria-current={state === 'on-air' ? 'time' : undefined}
        data-event={id}
        data-of={reference}
        data-start={start}
      >
        <span>{title}</span> {width > minWidthWithTime && <small>{timeOf(start)}</small>}
      </a>
    </div>
  );
}

/** Placeholder for a row whose events are loading, or that has none: then with a text. */
function EmptyRow(props: EventRowProps & { readonly text: string | undefined }) {
  const { service, from, until, origin, sizes, text, tabTime } = props;
  const isLoading = text === undefined;
  const left = leftOf(from, origin, sizes);
  const width = leftOf(until, origin, sizes) - left - gap;
  const tabIndex = tabTime === undefined ? -1 : 0;
  return (
    <div
      class={`guide-cell nothing ${isLoading ? 'loading' : ''}`}
      role="gridcell"
      aria-busy={isLoading}
      style={{ left: `${left}px`, width: `${width}px` }}
    >
      {!isLoading && (
        <a
          href={href('channel', { service: service.reference, name: service.name })}
          tabIndex={tabIndex}
          data-start={from}
        >
          <span>{text}</span>
        </a>
      )}
    </div>
  );
}
