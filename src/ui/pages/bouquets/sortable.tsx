/**
 * A list that can be reordered by dragging, or with the arrow keys on a focused grip. `onOrder` is called after each drop and
 * each key press.
 */
import { GripVertical } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { words } from '../../shared/words.ts';

interface SortableProps<Item> {
  readonly items: readonly Item[];
  /** Key that survives a reload. Keys need not be unique. */
  readonly keyOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  /** Saves an order. Resolves once `items` are up to date. */
  readonly onOrder: (items: readonly Item[]) => Promise<unknown>;
  readonly draw: (item: Item, index: number) => ComponentChildren;
}

export function Sortable<Item>({ items, keyOf, nameOf, onOrder, draw }: SortableProps<Item>) {
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
    await onOrder(moved);
    setSaving((count) => count - 1);
  };
  useLayoutEffect(() => {
    if (focused.current === undefined) return;
    list.current?.querySelectorAll<HTMLElement>('.grip')[focused.current]?.focus();
    focused.current = undefined;
  }, [shown]);
  const { bouquets } = words.value;
  const step = (event: KeyboardEvent, item: Item, index: number) => {
    const target = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: shown.length - 1 }[event.key];
    if (target === undefined || target < 0 || target >= shown.length) return;
    event.preventDefault();
    const moved = movedTo(shown, index, target);
    focused.current = target;
    setOrder(moved);
    setAnnouncement(bouquets.movedTo(nameOf(item), target + 1, shown.length));
    void save(moved);
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
  return (
    <>
      <ol class="list sortable" ref={list}>
        {shown.map((item, index) => (
          <li
            key={keys[index]}
            class={dragged === index ? 'dragged' : ''}
            draggable
            onDragStart={(event) => {
              event.dataTransfer?.setData('text/plain', nameOf(item));
              setOrder(shown);
              setDragged(index);
            }}
            onDragOver={(event) => over(event, index)}
            onDrop={(event) => {
              event.preventDefault();
              end(true);
            }}
            onDragEnd={() => end(false)}
          >
            <button
              type="button"
              class="bare grip"
              aria-label={bouquets.move(nameOf(item))}
              title={bouquets.moveHint}
              onKeyDown={(event) => step(event, item, index)}
            >
              <Icon of={GripVertical} size={18} />
            </button>
            {draw(item, index)}
          </li>
        ))}
      </ol>
      <p class="unseen" role="status">
        {announcement}
      </p>
    </>
  );
}

/** Numbers equal keys. Stable keys keep the elements, and so a running drag. */
function uniqueKeys(keys: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return keys.map((key) => {
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return `${key} ${count}`;
  });
}

function movedTo<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const rest = items.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...items.slice(from, from + 1), ...rest.slice(to)];
}
