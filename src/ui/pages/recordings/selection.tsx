/** What can be done with several recordings at once. */
import { useState } from 'preact/hooks';
import { attempt, say } from '../../shared/attempt.ts';
import { FolderPicker } from '../../shared/pickers.tsx';
import { sizeOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import { DeleteForGood } from './empty-trash.tsx';
import { folderAbove, folderOf, isTrash, moved, type Recording, removed } from './library.ts';

interface SelectionProps {
  readonly chosen: readonly Recording[];
  readonly folder: string;
  /** Names of the folders in it. */
  readonly folders: readonly string[];
  readonly onAll: () => void;
  readonly onEnd: () => void;
}

export function Selection({ chosen, folder, folders, onAll, onEnd }: SelectionProps) {
  const [target, setTarget] = useState('');
  const [isAsked, setAsked] = useState(false);
  const { common, recordings: said } = words.value;
  const isOfTrash = isTrash(folder);
  const isNone = chosen.length === 0;
  const above = folderAbove(folder);
  const remove = async () => {
    onEnd();
    const trashed: { readonly path: string; readonly from: string }[] = [];
    await each(chosen, async (recording) => {
      const path = (await removed(recording)).trashed;
      if (path !== undefined) trashed.push({ path, from: folderOf(recording.filename) });
    });
    const undo = () => each(trashed, ({ path, from }) => moved(path, from));
    if (trashed.length > 0) say(said.movedToTrash(trashed.length), { label: common.undo, run: undo });
  };
  const move = async () => {
    onEnd();
    const count = await each(chosen, ({ filename }) => moved(filename, target));
    if (count > 0) say(said.moved(count));
  };
  return (
    <section class="save-bar" aria-label={said.select}>
      <p role="status">{said.amount(chosen.length, sizeOf(chosen.reduce((sum, one) => sum + one.size, 0)))}</p>
      <button type="button" class="button" onClick={onAll}>
        {common.all}
      </button>
      <button
        type="button"
        class="button"
        disabled={isNone}
        onClick={() => (isOfTrash ? setAsked(true) : void remove())}
      >
        {isOfTrash ? said.deletePermanently : common.delete}
      </button>
      <FolderPicker
        label={<span class="unseen">{said.toFolder}</span>}
        value={target}
        none={said.toFolder}
        more={isOfTrash ? [above] : [...folders.map((name) => `${folder}${name}/`), above]}
        besides={folder}
        within={isOfTrash ? undefined : folder}
        onPick={setTarget}
      />
      <button type="button" class="button" disabled={isNone || target === ''} onClick={() => void move()}>
        {isOfTrash ? said.restore : said.move}
      </button>
      <button type="button" class="button" onClick={onEnd}>
        {common.cancel}
      </button>
      {isAsked && <DeleteForGood recordings={chosen} onClose={() => setAsked(false)} onDone={onEnd} />}
    </section>
  );
}

/** Does it with one after the other, and ends with the first that is refused. Returns with how many it was done. */
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
