/**
 * A list that can be reordered by dragging, or with the arrow keys on a focused grip. `onOrder` is called after each drop and
 * each key press.
 */
import { GripVertical } from 'lucide';
import { Component, type ComponentChildren, createRef } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { words } from '../../shared/words.ts';
import { uniqueKeys } from './edits.ts';
import { forget, whenNear } from './near.ts';

interface SortableProps<Item> {
  readonly items: readonly Item[];
  /** Key that survives a reload. Keys need not be unique. */
  readonly keyOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  /** Saves an order. Resolves once `items` are up to date. Undefined while the order is fixed. */
  readonly onOrder: ((items: readonly Item[]) => Promise<unknown>) | undefined;
  readonly isChosen?: (item: Item) => boolean;
  /** False for items that a filter hides. Their rows stay, which is faster than to make them again. */
  readonly isShown?: (item: Item) => boolean;
  /**
   * A row re-renders only when its item, its index or an argument changes. `isNear`: whether it is close to the visible
   * part of the page, and so needs its controls.
   */
  readonly draw: (item: Item, index: number, isNear: boolean, isChosen: boolean) => ComponentChildren;
}

export function Sortable<Item>({ items, keyOf, nameOf, onOrder, isChosen, isShown, draw }: SortableProps<Item>) {
  /** The order during a drag, and until it has been saved. */
  const [order, setOrder] = useState<readonly Item[]>();
  /** Index of the dragged item. */
  const [dragged, setDragged] = useState<number>();
  const [announcement, setAnnouncement] = useState('');
  const list = useRef<HTMLOListElement>(null);
  /** Index of the grip to focus again after a key press. */
  const focused = useRef<number>(undefined);
  const shown = order ?? items;
  /** Orders that are being saved. Until the last one is, `items` are older than what the user sees. */
  const [saving, setSaving] = useState(0);
  useEffect(() => {
    // A reload does not interrupt a drag.
    if (dragged === undefined && saving === 0) setOrder(undefined);
  }, [items, saving]);
  const save = async (moved: readonly Item[]) => {
    setSaving((count) => count + 1);
    await onOrder?.(moved);
    setSaving((count) => count - 1);
  };
  useLayoutEffect(() => {
    if (focused.current === undefined) return;
    list.current?.children[focused.current]?.querySelector<HTMLElement>('.grip')?.focus();
    focused.current = undefined;
  }, [shown]);
  const { bouquets } = words.value;
  const step = (event: KeyboardEvent, index: number) => {
    const target = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: shown.length - 1 }[event.key];
    const item = shown[index];
    if (item === undefined || target === undefined || target < 0 || target >= shown.length) return;
    event.preventDefault();
    const moved = movedTo(shown, index, target);
    focused.current = target;
    setOrder(moved);
    setAnnouncement(bouquets.movedTo(nameOf(item), target + 1, shown.length));
    void save(moved);
  };
  const start = (event: DragEvent, index: number) => {
    const item = shown[index];
    if (item === undefined) return;
    event.dataTransfer?.setData('text/plain', nameOf(item));
    setOrder(shown);
    setDragged(index);
  };
  const over = (event: DragEvent, index: number) => {
    if (dragged === undefined) return;
    event.preventDefault();
    if (dragged === index) return;
    setOrder(movedTo(shown, dragged, index));
    setDragged(index);
  };
  const end = (isDropped: boolean) => {
    setDragged(undefined);
    if (isDropped && order && order !== items) void save(order);
    else setOrder(undefined);
  };
  const keys = uniqueKeys(shown.map(keyOf));
  const latest = useRef<Handlers<Item>>(undefined);
  latest.current = { nameOf, draw, step, start, over, end };
  return (
    <>
      <ol class="list sortable" ref={list}>
        {shown.map((item, index) => (
          <Line
            key={keys[index]}
            item={item}
            index={index}
            isChosen={isChosen?.(item) ?? false}
            isShown={isShown?.(item) ?? true}
            texts={bouquets}
            isDragged={dragged === index}
            isFixed={onOrder === undefined}
            handlers={latest as { current: Handlers<unknown> }}
          />
        ))}
      </ol>
      <p class="unseen" role="status">
        {announcement}
      </p>
    </>
  );
}

interface Handlers<Item> {
  readonly nameOf: (item: Item) => string;
  readonly draw: SortableProps<Item>['draw'];
  readonly step: (event: KeyboardEvent, index: number) => void;
  readonly start: (event: DragEvent, index: number) => void;
  readonly over: (event: DragEvent, index: number) => void;
  readonly end: (isDropped: boolean) => void;
}

interface LineProps {
  readonly item: unknown;
  readonly index: number;
  readonly isChosen: boolean;
  readonly isShown: boolean;
  readonly texts: typeof words.value.bouquets;
  readonly isDragged: boolean;
  readonly isFixed: boolean;
  /** The latest ones, so that rows do not re-render because of them. */
  readonly handlers: { readonly current: Handlers<unknown> };
}

/** Rows whose controls are rendered at once: more than a screen of them. */
const firstRows = 30;

/** A row. It is drawn when its properties change, not with each change of the list. */
class Line extends Component<LineProps, { readonly isNear: boolean }> {
  override state = { isNear: this.props.index < firstRows };
  readonly #row = createRef<HTMLLIElement>();

  override componentDidMount(): void {
    if (!this.state.isNear && this.#row.current) whenNear(this.#row.current, () => this.setState({ isNear: true }));
  }

  override componentWillUnmount(): void {
    if (this.#row.current) forget(this.#row.current);
  }

  override shouldComponentUpdate(props: LineProps, state: { readonly isNear: boolean }): boolean {
    const names = Object.keys(props) as (keyof LineProps)[];
    const isOther = (name: keyof LineProps) => props[name] !== this.props[name];
    // Rows that are far away have no grip.
    return (
      state.isNear !== this.state.isNear || names.some((name) => isOther(name) && (name !== 'isFixed' || state.isNear))
    );
  }

  override render({
    item,
    index,
    texts,
    isChosen,
    isShown,
    isDragged,
    isFixed,
    handlers,
  }: LineProps): ComponentChildren {
    const { nameOf, draw } = handlers.current;
    const { isNear } = this.state;
    return (
      <li
        ref={this.#row}
        hidden={!isShown}
        class={isDragged ? 'dragged' : ''}
        draggable={isNear && !isFixed}
        onDragStart={(event) => handlers.current.start(event, index)}
        onDragOver={(event) => handlers.current.over(event, index)}
        onDrop={(event) => {
          event.preventDefault();
          handlers.current.end(true);
        }}
        onDragEnd={() => handlers.current.end(false)}
      >
        {isNear && !isFixed && (
          <button
            type="button"
            class="bare grip"
            aria-label={texts.move(nameOf(item))}
            title={texts.moveHint}
            onKeyDown={(event) => handlers.current.step(event, index)}
          >
            <Icon of={GripVertical} size={18} />
          </button>
        )}
        {draw(item, index, isNear, isChosen)}
      </li>
    );
  }
}

function movedTo<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const rest = items.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...items.slice(from, from + 1), ...rest.slice(to)];
}
