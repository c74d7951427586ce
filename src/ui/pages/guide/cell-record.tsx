/** The record button of the grid: one for all cells, at the end of the event under the pointer or with the focus. Its key is R. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Timers } from '../../shared/event-timers.ts';
import type { GuideEvent } from '../../shared/guide-event.ts';
import { missingRights } from '../../shared/login.ts';
import { RecordToggle, recordingTimer } from '../../shared/record-button.tsx';
import type { Blocks } from './blocks.ts';
import { eventsIn } from './row.tsx';
import type { Sizes } from './sizes.ts';

/** Width and height of the button, in pixels. */
const size = 32;
/** The visible part of a narrower event has no room for the button, in pixels. */
const minWidth = 3 * size;

interface CellRecordProps {
  readonly grid: RefObject<HTMLDivElement | null>;
  readonly blocks: Blocks;
  readonly sizes: Sizes;
  readonly timers: Timers | undefined;
}

interface Shown {
  readonly event: GuideEvent;
  readonly left: number;
  readonly top: number;
  readonly hasRoom: boolean;
  /** Whether the key was pressed. */
  readonly isPressed: boolean;
}

export function CellRecord({ grid, blocks, sizes, timers }: CellRecordProps) {
  const [shown, setShown] = useState<Shown>();
  const frame = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const element = grid.current;
    if (element === null) return;
    const ended = new AbortController();
    const at = (target: EventTarget | null, isPressed = false) => {
      const link = target instanceof Element ? target.closest<HTMLElement>('a[data-event]') : null;
      setShown(link ? shownAt(link, element, blocks, sizes, isPressed) : undefined);
    };
    const listen = <Name extends keyof HTMLElementEventMap>(
      name: Name,
      react: (event: HTMLElementEventMap[Name]) => void,
    ) => element.addEventListener(name, react, { signal: ended.signal, passive: true });
    const focused = () => {
      const { activeElement } = document;
      return element.contains(activeElement) && activeElement?.matches(':focus-visible') ? activeElement : null;
    };
    const leave = ({ relatedTarget }: PointerEvent | FocusEvent) => {
      if (!frame.current?.contains(relatedTarget as Node | null)) setShown(undefined);
    };
    let over: Element | null = null;
    listen('pointermove', ({ target, pointerType }) => {
      const link = target instanceof Element ? target.closest('a[data-event]') : null;
      if (pointerType !== 'mouse' || link === over) return;
      over = link;
      at(link);
    });
    listen('pointerleave', (event) => {
      over = null;
      leave(event);
    });
    listen('focusin', () => at(focused()));
    listen('focusout', leave);
    listen('scroll', () => {
      over = null;
      at(focused());
    });
    listen('keydown', ({ key, target, ctrlKey, altKey, metaKey }) => {
      if (key.toLowerCase() === 'r' && !ctrlKey && !altKey && !metaKey) at(target, true);
    });
    return () => ended.abort();
  }, [blocks, sizes]);
  useLayoutEffect(() => {
    if (shown?.isPressed) frame.current?.querySelector('button')?.click();
  }, [shown]);
  if (shown === undefined || missingRights.value.has('record')) return null;
  const { event, left, top, hasRoom } = shown;
  return (
    <span
      ref={frame}
      class={`cell-record ${hasRoom ? '' : 'narrow'}`}
      style={{ left: `${left}px`, top: `${top}px` }}
      onWheel={({ target, deltaX, deltaY }) => {
        if (!(target as Element).closest('dialog')) grid.current?.scrollBy(deltaX, deltaY);
      }}
    >
      <RecordToggle
        key={`${event.reference} ${event.start}`}
        event={event}
        timer={recordingTimer(event, timers)}
        isBrief
      />
    </span>
  );
}

/** What to show at the link of an event; its place is that in the parent of the grid. */
function shownAt(
  link: HTMLElement,
  grid: HTMLElement,
  blocks: Blocks,
  sizes: Sizes,
  isPressed: boolean,
): Shown | undefined {
  const start = Number(link.dataset.start);
  const row = Number(link.closest<HTMLElement>('[data-row]')?.dataset.row);
  const span = { from: start, until: start + 1 };
  const [event] = eventsIn(blocks.lists(row, span), span) ?? [];
  if (event === undefined) return undefined;
  const [cell, frame] = [link.getBoundingClientRect(), grid.getBoundingClientRect()];
  const right = Math.min(cell.right - frame.left, grid.clientWidth);
  const top = cell.top - frame.top + (cell.height - size) / 2;
  return {
    event,
    left: grid.offsetLeft + right - size - 4,
    top: grid.offsetTop + top,
    hasRoom:
      right - Math.max(cell.left - frame.left, sizes.channels) >= minWidth &&
      top >= sizes.head &&
      top + size <= grid.clientHeight,
    isPressed,
  };
}
