/** Deletes everything in the trash for good, once somebody has confirmed it. */
import { useState } from 'preact/hooks';
import { attempt, say } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { receiver } from '../../shared/receiver.ts';
import { sizeOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import { folderOf, nameOf, type Recording } from './library.ts';

export function EmptyTrash({ recordings }: { readonly recordings: readonly Recording[] }) {
  const [isAsked, setAsked] = useState(false);
  const { common, recordings: said } = words.value;
  const size = sizeOf(recordings.reduce((sum, one) => sum + one.size, 0));
  const empty = async () => {
    setAsked(false);
    const done = await attempt(async () => {
      for (const { filename } of recordings) {
        await receiver.delete('/recordings/{path}', { path: nameOf(filename), folder: folderOf(filename) });
      }
      return true;
    });
    if (done) say(said.trashEmptied);
  };
  return (
    <div class="trash-head">
      {said.inTrash(recordings.length, size)}
      <button type="button" class="button" onClick={() => setAsked(true)}>
        {said.emptyTrash}
      </button>
      {isAsked && (
        <Dialog title={said.emptyTrash} onClose={() => setAsked(false)}>
          <p>{said.emptyTrashText(recordings.length)}</p>
          <p class="actions">
            <button type="button" class="button strong" onClick={() => void empty()}>
              {said.deleteForGood}
            </button>
            <button type="button" class="button" onClick={() => setAsked(false)}>
              {common.cancel}
            </button>
          </p>
        </Dialog>
      )}
    </div>
  );
}
