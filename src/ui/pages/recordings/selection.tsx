/** Actions on several recordings at once. */
import { useState } from 'preact/hooks';
import { attempt, showToast } from '../../shared/attempt.ts';
import { FolderPicker } from '../../shared/pickers.tsx';
import { sizeOf } from '../../shared/time.ts';
import { isWatched, type Recording } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { DeletePermanently } from './empty-trash.tsx';
import { deleteRecording, folderAbove, folderOf, isTrash, markWatched, moveInto } from './library.ts';

interface SelectionProps {
  readonly chosen: readonly Recording[];
  readonly folder: string;
  /** Paths of the folders in it. */
  readonly folders: readonly string[];
  readonly onAll: () => void;
  readonly onEnd: () => void;
}

export function Selection({ chosen, folder, folders, onAll, onEnd }: SelectionProps) {
  const [target, setTarget] = useState('');
  const [isConfirming, setConfirming] = useState(false);
  const { common, recordings: texts } = words.value;
  const isOfTrash = isTrash(folder);
  const isNone = chosen.length === 0;
  const above = folderAbove(folder);
  const remove = async () => {
    onEnd();
    const trashed: { readonly path: string; readonly from: string }[] = [];
    await each(chosen, async (recording) => {
      const path = (await deleteRecording(recording)).trashed;
      if (path !== undefined) trashed.push({ path, from: folderOf(recording.filename) });
    });
    const undo = () => each(trashed, ({ path, from }) => moveInto(path, from));
    if (trashed.length > 0) showToast(texts.movedToTrash(trashed.length), { label: common.undo, run: undo });
  };
  const move = async () => {
    onEnd();
    const count = await each(chosen, ({ filename }) => moveInto(filename, target));
    if (count > 0) showToast(texts.moved(count));
  };
  const isSeen = !isNone && chosen.every(isWatched);
  const markAll = async () => {
    onEnd();
    await each(chosen, (recording) => markWatched(recording, !isSeen));
  };
  return (
    <section class="save-bar" aria-label={texts.select}>
      <p role="status">{texts.amount(chosen.length, sizeOf(chosen.reduce((sum, one) => sum + one.size, 0)))}</p>
      <button type="button" class="button" onClick={onAll}>
        {common.all}
      </button>
      <button
        type="button"
        class="button"
        disabled={isNone}
        onClick={() => (isOfTrash ? setConfirming(true) : void remove())}
      >
        {isOfTrash ? texts.deletePermanently : common.delete}
      </button>
      {!isOfTrash && (
        <button type="button" class="button" disabled={isNone} onClick={() => void markAll()}>
          {isSeen ? texts.markUnwatched : texts.markWatched}
        </button>
      )}
      <FolderPicker
        label={<span class="unseen">{texts.toFolder}</span>}
        value={target}
        none={texts.toFolder}
        more={isOfTrash ? [above] : [...folders, above]}
        besides={folder}
        within={isOfTrash ? undefined : folder}
        onPick={setTarget}
      />
      <button type="button" class="button" disabled={isNone || target === ''} onClick={() => void move()}>
        {isOfTrash ? texts.restore : texts.move}
      </button>
      <button type="button" class="button" onClick={onEnd}>
        {common.cancel}
      </button>
      {isConfirming && <DeletePermanently recordings={chosen} onClose={() => setConfirming(false)} onDone={onEnd} />}
    </section>
  );
}

/** Runs `act` on one after the other, until one is refused. Returns the number done. */
async function each<One>(all: readonly One[], act: (one: One) => Promise<unknown>): Promise<number> {
  let count = 0;
  await attempt(async () => {
    for (const one of all) {
      await act(one);
      count++;
    }
  });
  return count;
}
