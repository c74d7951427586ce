/**
 * Keyboard navigation of the grid, following the grid pattern of WAI-ARIA: arrows move between events and channels, Page Up
 * and Page Down by a screen, Home to the channel of the row. The Tab key reaches one cell of the grid.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isFocusFree } from '../../shared/focus.ts';
import { startOfDay } from '../../shared/time.ts';
import type { Blocks, View } from './blocks.ts';
import { days } from './days.ts';
import { at, eventsIn, leftOf } from './row.tsx';
import type { Sizes } from './sizes.ts';

/** A cell: the event at a time in a row, or the row's channel. */
export interface Cursor {
  readonly row: number;
  /** Unchanged when the row changes, so that going down and up again returns to the same event. */
  readonly time: number;
  readonly isChannel: boolean;
}

interface GridContext {
  readonly rows: number;
  readonly blocks: Blocks;
  readonly origin: number;
  readonly sizes: Sizes;
}

/** The cursor of the grid that was left, for the way back to it. */
let latest: { readonly cursor: Cursor; readonly origin: number; readonly rows: number } | undefined;

/** The cursor with which a grid begins: the one that it was left with, by the keyboard's way back. */
function firstCursor({ origin, rows }: GridContext): Cursor | undefined {
  return isFocusFree() && latest?.origin === origin && latest.rows === rows ? latest.cursor : undefined;
}

/** Time before and after in which neighbours of an event are searched. */
const searchSeconds = 12 * 3600;

export function useCursor(grid: RefObject<HTMLDivElement | null>, context: GridContext, view: View | undefined) {
  const [cursor, setCursor] = useState(() => firstCursor(context));
  const wantsFocus = useRef(cursor !== undefined);
  const isDrawn = cursor !== undefined && view !== undefined && isIn(cursor, view) && isKnown(cursor, context.blocks);
  // Read before the DOM is updated: a cell that is moved or removed loses the focus.
  const hadFocus = grid.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    const element = grid.current;
    if (element === null || cursor === undefined) return;
    latest = { cursor, origin: context.origin, rows: context.rows };
    if (!element.contains(document.activeElement) && !isFocusFree()) wantsFocus.current = false;
    const cell = isDrawn && element.querySelector<HTMLElement>(`[data-row="${cursor.row}"] [tabindex="0"]`);
    const isLost = hadFocus && !element.contains(document.activeElement);
    if (cell && (wantsFocus.current || isLost)) {
      wantsFocus.current = false;
      cell.focus({ preventScroll: true });
    } else if (isLost) {
      // The focused cell was scrolled away. The grid takes the focus, so that the keys keep working.
      element.focus({ preventScroll: true });
    }
  });
  const press = (event: KeyboardEvent) => {
    const element = grid.current;
    if (element === null || event.altKey || event.metaKey) return;
    const next = moved(cursor ?? cursorOf(event.target, grid.current, context), event, element, context);
    if (next === undefined) return;
    event.preventDefault();
    wantsFocus.current = true;
    setCursor(next);
    show(next, element, context);
  };
  const follow = ({ target }: FocusEvent) => {
    if (wantsFocus.current || target === grid.current) return;
    const found = cursorOf(target, grid.current, context);
    if (found && !(cursor && isSameCell(cursor, found, context.blocks))) setCursor(found);
  };
  return { drawn: isDrawn ? cursor : undefined, press, follow };
}

function isIn({ row, time, isChannel }: Cursor, { firstRow, endRow, from, until }: View): boolean {
  return firstRow <= row && row < endRow && (isChannel || (from <= time && time < until));
}

/** Whether the events at the cursor's time are loaded. */
function isKnown({ row, time, isChannel }: Cursor, blocks: Blocks): boolean {
  return isChannel || blocks.lists(row, { from: time, until: time + 1 }).every((list) => list !== undefined);
}

/** The focused cell. Its time is within the visible part. */
function cursorOf(
  target: EventTarget | null,
  grid: HTMLElement | null,
  { origin, sizes }: GridContext,
): Cursor | undefined {
  if (!(target instanceof HTMLElement) || grid === null) return undefined;
  const row = target.closest<HTMLElement>('[data-row]')?.dataset.row;
  if (row === undefined) return undefined;
  const visibleFrom = origin + (grid.scrollLeft / sizes.hour) * 3600 + 60;
  const { start } = target.dataset;
  return {
    row: Number(row),
    time: Math.max(Number(start ?? visibleFrom), visibleFrom),
    isChannel: start === undefined,
  };
}

function eventsNear({ row, time }: Cursor, blocks: Blocks) {
  const range = { from: time - searchSeconds, until: time + searchSeconds };
  return eventsIn(blocks.lists(row, range), range) ?? [];
}

function isSameCell(a: Cursor, b: Cursor, blocks: Blocks): boolean {
  if (a.row !== b.row || a.isChannel !== b.isChannel) return false;
  const events = eventsNear(a, blocks);
  return a.isChannel || at(events, a.time) === at(events, b.time);
}

/** The cursor after a key press; undefined if the key does nothing here. */
function moved(
  cursor: Cursor | undefined,
  { key, ctrlKey }: KeyboardEvent,
  grid: HTMLElement,
  context: GridContext,
): Cursor | undefined {
  if (cursor === undefined) return undefined;
  const toRow = (row: number) => ({ ...cursor, row: Math.max(0, Math.min(context.rows - 1, row)) });
  const screen = Math.max(1, Math.floor((grid.clientHeight - context.sizes.head) / context.sizes.row) - 1);
  if (key === 'ArrowDown') return toRow(cursor.row + 1);
  if (key === 'ArrowUp') return toRow(cursor.row - 1);
  if (key === 'PageDown') return toRow(cursor.row + screen);
  if (key === 'PageUp') return toRow(cursor.row - screen);
  if (key === 'Home') return ctrlKey ? toRow(0) : { ...cursor, isChannel: true };
  if (key === 'End') return ctrlKey ? toRow(context.rows - 1) : undefined;
  if (key === 'ArrowRight') return cursor.isChannel ? { ...cursor, isChannel: false } : later(cursor, context);
  if (key === 'ArrowLeft') return cursor.isChannel ? undefined : earlier(cursor, context);
  return undefined;
}

function later(cursor: Cursor, { blocks, origin }: GridContext): Cursor {
  const events = eventsNear(cursor, blocks);
  const event = at(events, cursor.time);
  const next = event && events[events.indexOf(event) + 1];
  const time = next?.start ?? (event ? event.start + event.duration : cursor.time + 3600);
  return { ...cursor, time: Math.min(time, startOfDay(origin, days) - 60) };
}

/** The previous event; the channel if there is none. */
function earlier(cursor: Cursor, { blocks, origin }: GridContext): Cursor {
  const events = eventsNear(cursor, blocks);
  const event = at(events, cursor.time);
  const before = event && events[events.indexOf(event) - 1];
  const time = before?.start ?? (event?.start ?? cursor.time) - 60;
  return time < origin ? { ...cursor, isChannel: true } : { ...cursor, time };
}

/** Scrolls the cursor into view, as little as needed. */
function show({ row, time, isChannel }: Cursor, grid: HTMLElement, { origin, sizes }: GridContext): void {
  const top = row * sizes.row;
  const height = grid.clientHeight - sizes.head;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + sizes.row > grid.scrollTop + height) grid.scrollTop = top + sizes.row - height;
  if (isChannel) return;
  const left = leftOf(time, origin, sizes) - sizes.channels;
  const width = grid.clientWidth - sizes.channels;
  if (left < grid.scrollLeft) grid.scrollLeft = left - sizes.hour / 4;
  else if (left > grid.scrollLeft + width - sizes.hour / 3) grid.scrollLeft = left - width / 2;
}
