/** The entries of one bouquet: order, names, hiding, locking, adding and removing, one by one or several at once. */
import { ArrowLeft, Eye, EyeOff, Lock, LockOpen, Pencil, Plus, Trash2 } from 'lucide';
import { useMemo, useRef, useState } from 'preact/hooks';
import { serialQueue } from '../../../base/serial-queue.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Empty } from '../../shared/empty.tsx';
import { folded } from '../../shared/fold.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { href } from '../../shared/route.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { AddChannels } from './add-channels.tsx';
import { useChoosing } from './choosing.ts';
import { Rename } from './dialogs.tsx';
import { type Edit, editBouquet } from './edit-bouquet.ts';
import { type Entry, filtered, find, identityOf, keysOf, ordered, restored, sectionOf, without } from './edits.ts';
import { changeLock } from './lock.ts';
import { Selection } from './selection.tsx';
import { Sortable } from './sortable.tsx';
import { Tool } from './tool.tsx';

export function Entries({ file }: { readonly file: string }) {
  const { value, trouble, reload } = useResponse(
    (signal) => receiver.get('/bouquets/{file}', { file }, { signal }),
    [file],
    ['services'],
  );
  const [renamed, setRenamed] = useState<Entry>();
  const [isAdding, setAdding] = useState(false);
  const [filter, setFilter] = useState('');
  const { keys: chosenKeys, mark, clear } = useChoosing();
  const { bouquets: texts, common } = words.value;
  // The list on the screen may be older than the last edit, so each edit changes the receiver's current one, in turn.
  const edits = useMemo(serialQueue, [file]);
  const edit: Edit = (edited) =>
    edits(async () => {
      const done = await attempt(() => editBouquet(file, edited));
      await reload();
      return done !== undefined;
    });
  const change = (entry: Entry, to: Partial<Entry>) =>
    edit((now) => {
      const place = find(now, [entry])[0]?.place;
      return now.map((one, index) => (index === place ? { ...one, ...to } : one));
    });
  const order = (moved: readonly Entry[]) => edit((now) => ordered(now, moved));
  const remove = async (removed: readonly Entry[]) => {
    let taken: ReturnType<typeof find> = [];
    const isDone = await edit((now) => {
      taken = find(now, removed);
      return without(now, taken);
    });
    const [first] = taken;
    if (!isDone || first === undefined) return;
    const undo = () => edit((now) => restored(now, taken));
    const text = taken.length === 1 ? texts.entryRemoved(first.entry.name) : texts.removedCount(taken.length);
    showToast(text, { label: common.undo, run: undo });
  };
  const entries = value?.entries ?? none;
  const keyOf = useKeys(entries);
  const names = useMemo(() => entries.map(({ name }) => folded(name)), [entries]);
  const wanted = folded(filter.trim());
  const shown = useMemo(() => filtered(entries, (place) => names[place]?.includes(wanted) ?? false), [entries, wanted]);
  const shownKeys = useMemo(() => new Set(shown.map(keyOf)), [shown]);
  const chosen = entries.filter((entry) => chosenKeys.has(keyOf(entry)));
  // Rows do not re-render with each change of the list.
  const choose = useRef((_entry: Entry, _event: MouseEvent) => {});
  const list = useRef<HTMLElement>(null);
  /** The buttons of the selection go or are disabled with it, so the focus returns to the list. */
  const endSelection = () => {
    const boxIn = (rows: string) => list.current?.querySelector<HTMLElement>(`${rows}:not([hidden]) input`);
    (boxIn('li:has(:checked)') ?? boxIn('.sortable li'))?.focus({ preventScroll: true });
    clear();
  };
  choose.current = (entry, { currentTarget, shiftKey }) => {
    const group = entry.kind === 'marker' ? sectionOf(shown, shown.indexOf(entry)) : [entry];
    mark(group.map(keyOf), (currentTarget as HTMLInputElement).checked, shiftKey ? shown.map(keyOf) : undefined);
  };
  return (
    <section class="bouquets" ref={list}>
      <div class="page-head">
        <a class="button" href={href('bouquets')} aria-label={texts.back}>
          <Icon of={ArrowLeft} />
        </a>
        <h1>{value?.name ?? texts.title}</h1>
        <p class="actions">
          <button type="button" class="button strong" onClick={() => setAdding(true)}>
            <Icon of={Plus} size={16} /> {texts.addService}
          </button>
        </p>
        {entries.length > 0 && (
          <input
            type="search"
            class="filter"
            aria-label={texts.filter}
            placeholder={texts.filter}
            autocomplete="off"
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        )}
      </div>
      {trouble && <Empty text={trouble} />}
      {value?.entries.length === 0 && <Empty title={texts.emptyTitle} text={texts.emptyText} />}
      {entries.length > 0 && shown.length === 0 && <Empty text={texts.nothingFound} />}
      {entries.length > 0 && (
        <Sortable
          items={entries}
          keyOf={identityOf}
          nameOf={({ name }) => name}
          // The order of a part says nothing about the rest.
          onOrder={wanted === '' ? order : undefined}
          isShown={(entry) => shownKeys.has(keyOf(entry))}
          isChosen={(entry) => chosenKeys.has(keyOf(entry))}
          draw={(entry, index, isNear, isChosen) => (
            <>
              <label class="choice">
                <input
                  type="checkbox"
                  checked={isChosen}
                  aria-label={entry.kind === 'marker' ? texts.selectSection(entry.name) : texts.select(entry.name)}
                  onClick={(event) => choose.current(entry, event)}
                  onKeyDown={moveFocus}
                />
                <span class="place">{index + 1}</span>
                <span class={`entry-name ${entry.kind} ${entry.hidden ? 'faded' : ''}`}>{entry.name}</span>
              </label>
              {isNear && (
                <Tools
                  entry={entry}
                  onRename={() => setRenamed(entry)}
                  onHide={() => void change(entry, { hidden: !entry.hidden })}
                  onRemove={() => void remove([entry])}
                />
              )}
            </>
          )}
        />
      )}
      {(chosen.length > 0 || (wanted !== '' && shown.length > 0)) && (
        <Selection
          file={file}
          chosen={chosen}
          count={entries.length}
          edit={edit}
          onAll={() => mark(shown.map(keyOf), true)}
          onRemove={() => void remove(chosen)}
          onEnd={endSelection}
        />
      )}
      {renamed && (
        <Rename
          name={renamed.name}
          isOptional={renamed.kind === 'service'}
          onName={(name) => change(renamed, { own: name })}
          onClose={() => setRenamed(undefined)}
        />
      )}
      {isAdding && <AddChannels listed={entries} edit={edit} onClose={() => setAdding(false)} />}
    </section>
  );
}

const none: readonly never[] = [];

/** Keys of the entries, also of those of an earlier response, which a drag still shows. */
function useKeys(entries: readonly Entry[]): (entry: Entry) => string {
  const keys = useRef(new WeakMap<Entry, string>()).current;
  useMemo(() => {
    for (const [place, key] of keysOf(entries).entries()) {
      const entry = entries[place];
      if (entry) keys.set(entry, key);
    }
  }, [entries]);
  return (entry) => keys.get(entry) ?? '';
}

interface ToolsProps {
  readonly entry: Entry;
  readonly onRename: () => void;
  readonly onHide: () => void;
  readonly onRemove: () => void;
}

function Tools({ entry: { reference, name, kind, hidden, locked }, onRename, onHide, onRemove }: ToolsProps) {
  const { bouquets: texts } = words.value;
  return (
    <span class="tools">
      {kind !== 'bouquet' && <Tool icon={Pencil} label={texts.rename(name)} onClick={onRename} />}
      {kind !== 'marker' && (
        <>
          <Tool icon={hidden ? EyeOff : Eye} label={texts.hide(name)} isPressed={hidden} onClick={onHide} />
          <Tool
            icon={locked ? Lock : LockOpen}
            label={texts.lock(name)}
            isPressed={locked}
            onClick={() => void changeLock(reference, name, !locked)}
          />
        </>
      )}
      <Tool icon={Trash2} label={texts.removeEntry(name)} onClick={onRemove} />
    </span>
  );
}

/** The up and down keys on a checkbox move to that of the previous or next row. */
function moveFocus(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!(target instanceof HTMLInputElement) || (key !== 'ArrowUp' && key !== 'ArrowDown')) return;
  event.preventDefault();
  const boxes = [...(target.closest('ol')?.querySelectorAll<HTMLElement>('li:not([hidden]) input') ?? [])];
  boxes[boxes.indexOf(target) + (key === 'ArrowUp' ? -1 : 1)]?.focus();
}
