/** Locking and freeing services and bouquets. Once there is a code, it is asked for. */
import { signal } from '@preact/signals';
import { attempt, say } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { receiver } from '../../shared/receiver.ts';
import { words } from '../../shared/words.ts';
import { CodeField } from '../../shared/zap.tsx';

interface Asked {
  readonly name: string;
  readonly isLocked: boolean;
  readonly answer: (pin: string) => Promise<void>;
}

const asked = signal<Asked>();

/** After a wrong code, the dialog stays. */
export async function changeLock(service: string, name: string, isLocked: boolean): Promise<void> {
  const state = await attempt(() => receiver.get('/parentallock', { service }));
  if (state === undefined) return;
  const answer = async (pin: string) => {
    const done = await attempt(() => receiver.put('/parentallock', { service, locked: isLocked, pin }));
    if (done === undefined) return;
    asked.value = undefined;
    const { bouquets } = words.peek();
    say(isLocked ? (state.set ? bouquets.nowLocked(name) : bouquets.lockedWithoutCode(name)) : bouquets.free(name));
  };
  if (state.set) asked.value = { name, isLocked, answer };
  else await answer('');
}

export function LockDialog() {
  const { common, parental } = words.value;
  if (asked.value === undefined) return null;
  const { name, isLocked, answer } = asked.value;
  const close = () => {
    asked.value = undefined;
  };
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void answer(String(new FormData(event.currentTarget as HTMLFormElement).get('pin')));
  };
  return (
    <Dialog title={isLocked ? parental.toLock(name) : parental.toFree(name)} onClose={close}>
      <form onSubmit={send}>
        <CodeField name="pin" label={parental.code} />
        <p class="actions">
          <button type="submit" class="button strong">
            {common.ok}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
