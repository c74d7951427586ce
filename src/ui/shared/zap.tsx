/** Zapping. A service that is locked is only shown to those who know the code, for which it asks. */
import { signal } from '@preact/signals';
import { Refused } from '../../client/client.ts';
import { attempt, say } from './attempt.ts';
import { Dialog } from './dialog.tsx';
import { receiver } from './receiver.ts';
import { words } from './words.ts';

interface Wanted {
  readonly reference: string;
  readonly name: string;
}

/** The service that waits for the code. */
const locked = signal<Wanted>();

export async function zap(reference: string, name: string): Promise<void> {
  const done = await attempt(async () => {
    try {
      return await receiver.post('/api/zap', { sRef: reference });
    } catch (error) {
      if (!(error instanceof Refused) || !(await asksForCode(reference))) throw error;
      locked.value = { reference, name };
      return undefined;
    }
  });
  if (done) say(words.peek().channels.zapped(name));
}

/** Also if the lock comes from its bouquet or from the age of its event: the refusal says so in words only. */
async function asksForCode(service: string): Promise<boolean> {
  const { set, refuses } = await receiver.get('/parentallock', { service });
  return set && refuses;
}

/** The dialog, which the frame of the page holds. */
export function CodeDialog() {
  const wanted = locked.value;
  const { common, parental } = words.value;
  if (wanted === undefined) return null;
  const close = () => {
    locked.value = undefined;
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const pin = String(new FormData(event.currentTarget as HTMLFormElement).get('pin'));
    const done = await attempt(() => receiver.post('/api/zap', { sRef: wanted.reference, pin }));
    if (done === undefined) return;
    close();
    say(words.peek().channels.zapped(wanted.name));
  };
  return (
    <Dialog title={parental.locked(wanted.name)} onClose={close}>
      <form onSubmit={(event) => void send(event)}>
        <CodeField name="pin" label={parental.code} />
        <p class="actions">
          <button type="submit" class="button strong">
            {common.ok}
          </button>
          <button type="button" class="button" onClick={close}>
            {common.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

export function CodeField({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <label>
      {label}
      <input
        name={name}
        type="password"
        inputMode="numeric"
        required
        pattern="\d{1,4}"
        maxLength={4}
        autocomplete="off"
      />
    </label>
  );
}
