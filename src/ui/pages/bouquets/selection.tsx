/** Actions on several entries of a bouquet at once. */
import { useState } from 'preact/hooks';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { Check, Choice } from '../../shared/pickers.tsx';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { type Edit, editBouquet } from './edit-bouquet.ts';
import { type Entry, find, identityOf, inserted, restored, without } from './edits.ts';

interface SelectionProps {
  readonly file: string;
  readonly chosen: readonly Entry[];
  /** Number of entries in the bouquet. */
  readonly count: number;
  readonly edit: Edit;
  readonly onAll: () => void;
  readonly onRemove: () => void;
  readonly onEnd: () => void;
}

export function Selection({ file, chosen, count, edit, onAll, onRemove, onEnd }: SelectionProps) {
  const [isMoving, setMoving] = useState(false);
  const { bouquets: texts, common, recordings } = words.value;
  const hideable = chosen.filter(({ kind }) => kind !== 'marker');
  const isHidden = hideable.length > 0 && hideable.every(({ hidden }) => hidden);
  const isNone = chosen.length === 0;
  const setHidden = (some: readonly Entry[], hidden: boolean) =>
    edit((now) => {
      const places = new Set(find(now, some).map(({ place }) => place));
      return now.map((entry, place) => (places.has(place) ? { ...entry, hidden } : entry));
    });
  const hide = async () => {
    onEnd();
    const changed = hideable.filter(({ hidden }) => hidden === isHidden);
    if (!(await setHidden(changed, !isHidden))) return;
    const text = isHidden ? texts.shownCount(changed.length) : texts.hiddenCount(changed.length);
    showToast(text, { label: common.undo, run: () => setHidden(changed, isHidden) });
  };
  const hideEverywhere = async () => {
    onEnd();
    const services = hideable.map(({ reference }) => reference);
    const done = await attempt(() => receiver.put('/bouquets/services', { services, hidden: !isHidden }));
    // Also reloads the list.
    await edit((now) => now);
    if (done === undefined) return;
    const undo = () =>
      attempt(async () => {
        for (const { file, services } of done.bouquets) {
          const changed = new Set(services.map((reference) => identityOf({ reference })));
          await editBouquet(file, (now) =>
            now.map((entry) => (changed.has(identityOf(entry)) ? { ...entry, hidden: isHidden } : entry)),
          );
        }
      });
    const text = isHidden ? texts.shownIn(done.bouquets.length) : texts.hiddenIn(done.bouquets.length);
    showToast(text, { label: common.undo, run: undo });
  };
  return (
    <section class="save-bar" aria-label={texts.selection}>
      <p role="status">{texts.chosen(chosen.length, count)}</p>
      <button type="button" class="button" onClick={onAll}>
        {common.all}
      </button>
      <button type="button" class="button" disabled={hideable.length === 0} onClick={() => void hide()}>
        {isHidden ? texts.showChosen : texts.hideChosen}
      </button>
      <button type="button" class="button" disabled={hideable.length === 0} onClick={() => void hideEverywhere()}>
        {isHidden ? texts.showEverywhere : texts.hideEverywhere}
      </button>
      <button type="button" class="button" aria-haspopup="dialog" disabled={isNone} onClick={() => setMoving(true)}>
        {recordings.move}
      </button>
      <button
        type="button"
        class="button"
        disabled={isNone}
        onClick={() => {
          onEnd();
          onRemove();
        }}
      >
        {texts.removeChosen}
      </button>
      <button type="button" class="button" disabled={isNone} onClick={onEnd}>
        {common.cancel}
      </button>
      {isMoving && (
        <MoveDialog
          file={file}
          chosen={chosen}
          count={count}
          edit={edit}
          onDone={onEnd}
          onClose={() => setMoving(false)}
        />
      )}
    </section>
  );
}

type MoveProps = Pick<SelectionProps, 'file' | 'chosen' | 'count' | 'edit'> & {
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Moves the chosen entries within their bouquet, or moves or copies them to another one. */
function MoveDialog({ file, chosen, count, edit, onDone, onClose }: MoveProps) {
  const { value } = useResponse((signal) => receiver.get('/bouquets', {}, { signal }), []);
  const [target, setTarget] = useState(file);
  const [to, setTo] = useState<'top' | 'end' | 'number'>('top');
  const [number, setNumber] = useState(1);
  const [isCopy, setCopy] = useState(false);
  const { bouquets: texts, channels, common, recordings } = words.value;
  const isHere = target === file;
  const place = { top: 0, end: Number.POSITIVE_INFINITY, number: number - 1 }[to];
  const name = value?.bouquets.find((bouquet) => bouquet.file === target)?.name ?? '';
  const kind = value?.bouquets.find((one) => one.file === file)?.kind;
  const inBouquet = async () => {
    let taken: ReturnType<typeof find> = [];
    const isDone = await edit((now) => {
      taken = find(now, chosen);
      const moved = taken.map(({ entry }) => entry);
      return inserted(without(now, taken), moved, place);
    });
    if (!isDone) return;
    const undo = () =>
      edit((now) => {
        const moved = taken.map(({ entry }) => entry);
        return restored(without(now, find(now, moved)), taken);
      });
    onDone();
    showToast(texts.movedCount(taken.length), { label: common.undo, run: undo });
  };
  const toOther = async () => {
    const added = await attempt(() => editBouquet(target, (now) => inserted(now, chosen, place)));
    if (added === undefined) return;
    let taken: ReturnType<typeof find> = [];
    const isRemoved =
      !isCopy &&
      (await edit((now) => {
        taken = find(now, chosen);
        return without(now, taken);
      }));
    const undo = async () => {
      if (isRemoved && !(await edit((now) => restored(now, taken)))) return;
      await attempt(() => editBouquet(target, (now) => without(now, find(now, chosen))));
    };
    onDone();
    const text = isCopy ? texts.copiedTo(chosen.length, name) : texts.movedToOther(chosen.length, name);
    showToast(text, { label: common.undo, run: undo });
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    // First: nothing outside an open dialog can get the focus.
    onClose();
    await (isHere ? inBouquet() : toOther());
  };
  const others = value?.bouquets.filter((bouquet) => bouquet.kind === kind) ?? [];
  return (
    <Dialog title={texts.moveCount(chosen.length)} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Choice
          label={texts.position}
          value={to}
          options={[
            ['top', texts.atTop],
            ['end', texts.atEnd],
            ['number', texts.atNumber],
          ]}
          onPick={setTo}
        />
        {to === 'number' && (
          <label>
            {texts.number}
            <input
              type="number"
              required
              min={1}
              max={isHere ? count : 20_000}
              value={number}
              onInput={({ currentTarget: { valueAsNumber } }) => setNumber(valueAsNumber)}
            />
          </label>
        )}
        <Choice
          label={channels.bouquet}
          value={target}
          options={others.map((one) => [one.file, one.file === file ? texts.thisBouquet : one.name])}
          onPick={setTarget}
        />
        {!isHere && <Check label={texts.keepHere} isOn={isCopy} onChange={setCopy} />}
        <button type="submit" class="button strong">
          {isCopy && !isHere ? recordings.copy : recordings.move}
        </button>
      </form>
    </Dialog>
  );
}
