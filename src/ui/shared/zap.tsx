/** Zapping, and the PIN of the parental lock, which locked services require. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Refused } from '../../client/client.ts';
import { attempt, showToast } from './attempt.ts';
import { Dialog } from './dialog.tsx';
import { receiver } from './receiver.ts';
import { words } from './words.ts';

interface PinRequest {
  readonly title: string;
  readonly act: (pin: string) => Promise<unknown>;
}

const pinRequest = signal<PinRequest>();

/** Asks for the PIN and runs `act` with it. If `act` throws, shows the error and asks again. */
export function askPin(title: string, act: (pin: string) => Promise<unknown>): void {
  pinRequest.value = { title, act };
}

export async function zap(reference: string, name: string): Promise<void> {
  const { channels, parental } = words.peek();
  await attempt(async () => {
    try {
      await receiver.post('/api/zap', { sRef: reference });
    } catch (error) {
      if (!(error instanceof Refused) || !(await requiresPin(reference))) throw error;
      return askPin(parental.locked(name), async (pin) => {
        await receiver.post('/api/zap', { sRef: reference, pin });
        showToast(channels.zapped(name));
      });
    }
    showToast(channels.zapped(name));
  });
}

/** References of services unlocked with the PIN since the page was loaded. */
const unlocked = new Set<string>();

/** Whether the page may play the service; `isUnlocked` is undefined until known. `ask` asks for the PIN. */
export function useParentalLock(
  reference: string,
  name: string,
): { readonly isUnlocked: boolean | undefined; ask(): void } {
  const [known, setKnown] = useState<{ readonly reference: string; readonly isUnlocked: boolean }>();
  const ask = () =>
    askPin(words.peek().parental.locked(name), async (pin) => {
      await receiver.post('/parentallock/check', { pin });
      unlocked.add(reference);
      setKnown({ reference, isUnlocked: true });
    });
  useEffect(() => {
    let isWanted = true;
    const find = async () => {
      // If this request fails, so does the stream.
      const isUnlocked = unlocked.has(reference) || !(await requiresPin(reference).catch(() => false));
      if (!isWanted) return;
      setKnown({ reference, isUnlocked });
      if (!isUnlocked) ask();
    };
    void find();
    return () => {
      isWanted = false;
    };
  }, [reference]);
  return { isUnlocked: known?.reference === reference ? known.isUnlocked : undefined, ask };
}

/** Asks the receiver, because a bouquet or the age rating of the event can lock a service too. */
async function requiresPin(service: string): Promise<boolean> {
  const { set, refuses } = await receiver.get('/parentallock', { service });
  return set && refuses;
}

/** The dialog that asks for the PIN. The frame of the page renders it once. */
export function PinDialog() {
  const { common, parental } = words.value;
  if (pinRequest.value === undefined) return null;
  const { title, act } = pinRequest.value;
  const close = () => {
    pinRequest.value = undefined;
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const pin = String(new FormData(event.currentTarget as HTMLFormElement).get('pin'));
    await attempt(async () => {
      await act(pin);
      close();
    });
  };
  return (
    <Dialog title={title} onClose={close}>
      <form onSubmit={(event) => void send(event)}>
        <PinField name="pin" label={parental.pin} />
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

export function PinField({ name, label }: { readonly name: string; readonly label: string }) {
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
