/** Deletes recordings in the trash for good, once somebody has confirmed it. */
import { useState } from 'preact/hooks';
import { attempt, say } from '../../shared/attempt.ts';
import { Question } from '../../shared/dialog.tsx';
import { sizeOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import { type Recording, removed } from './library.ts';

export function EmptyTrash({ recordings }: { readonly recordings: readonly Recording[] }) {
  const [isAsked, setAsked] = useState(false);
  const { recordings: said } = words.value;
  return (
    <div class="trash-head">
      {said.amount(recordings.length, sizeOf(recordings.reduce((sum, one) => sum + one.size, 0)))}
      <button type="button" class="button" data-needs="record" onClick={() => setAsked(true)}>
        {said.emptyTrash}
      </button>
      {isAsked && (
        <DeleteForGood
          recordings={recordings}
          onClose={() => setAsked(false)}
          onDone={() => say(words.peek().recordings.trashEmptied)}
        />
      )}
    </div>
  );
}

interface DeleteForGoodProps {
  readonly recordings: readonly Recording[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function DeleteForGood({ recordings, onClose, onDone }: DeleteForGoodProps) {
  const { recordings: said } = words.value;
  const remove = async () => {
    onClose();
    const done = await attempt(async () => {
      for (const recording of recordings) await removed(recording);
      return true;
    });
    if (done) onDone();
  };
  return (
    <Question
      title={said.deletePermanently}
      effect={said.emptyTrashText(recordings.length)}
      action={said.deletePermanently}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
