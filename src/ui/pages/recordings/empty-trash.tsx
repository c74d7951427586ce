/** Permanently deletes recordings in the trash, after confirmation. */
import { useState } from 'preact/hooks';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Question } from '../../shared/dialog.tsx';
import { sizeOf } from '../../shared/time.ts';
import type { Recording } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { deleteRecording } from './library.ts';

export function EmptyTrash({ recordings }: { readonly recordings: readonly Recording[] }) {
  const [isConfirming, setConfirming] = useState(false);
  const { recordings: texts } = words.value;
  return (
    <div class="trash-head">
      {texts.amount(recordings.length, sizeOf(recordings.reduce((sum, one) => sum + one.size, 0)))}
      <button type="button" class="button" data-needs="record" onClick={() => setConfirming(true)}>
        {texts.emptyTrash}
      </button>
      {isConfirming && (
        <DeletePermanently
          recordings={recordings}
          onClose={() => setConfirming(false)}
          onDone={() => showToast(words.peek().recordings.trashEmptied)}
        />
      )}
    </div>
  );
}

interface DeletePermanentlyProps {
  readonly recordings: readonly Recording[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function DeletePermanently({ recordings, onClose, onDone }: DeletePermanentlyProps) {
  const { recordings: texts } = words.value;
  const remove = async () => {
    onClose();
    const done = await attempt(async () => {
      for (const recording of recordings) await deleteRecording(recording);
      return true;
    });
    if (done) onDone();
  };
  return (
    <Question
      title={texts.deletePermanently}
      effect={texts.emptyTrashText(recordings.length)}
      action={texts.deletePermanently}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
