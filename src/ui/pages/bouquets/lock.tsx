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
  readonly answer: (pin: string | undefined) => void;
}

const asked = signal<Asked>();

/** Resolves when it is done, refused or given up. */
export async function changeLock(service: string, name: string, isLocked: boolean): Promise<void> {
  const state = await attempt(() => receiver.get('/parentallock', { service }));
  if (state === undefined) return;
  const pin = state.set
    ? await new Promise<string | undefined>((answer) => {
        asked.value = { name, isLocked, answer };
      })
    : '';
  asked.value = undefined;
  if (pin === undefined) return;
  const done = await attempt(() => receiver.put('/parentallock', { service, locked: isLocked, pin }));
  const { bouquets } = words.peek();
  if (done)
    say(isLocked ? (state.set ? bouquets.nowLocked(name) : bouquets.lockedWithoutCode(name)) : bouquets.free(name));
}

export function LockDialog() {
  const { common, parental } = words.value;
  if (asked.value === undefined) return null;
  const { name, isLocked, answer } = asked.value;
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    answer(String(new FormData(event.currentTarget as HTMLFormElement).get('pin')));
  };
  return (
    <Dialog title={isLocked ? parental.toLock(name) : parental.toFree(name)} onClose={() => answer(undefined)}>
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
