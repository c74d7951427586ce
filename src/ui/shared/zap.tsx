/** Zapping, and the code of the parental lock: a locked service is only shown to those who know it. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Refused } from '../../client/client.ts';
import { attempt, say } from './attempt.ts';
import { Dialog } from './dialog.tsx';
import { receiver } from './receiver.ts';
import { words } from './words.ts';

interface Asked {
  readonly title: string;
  readonly act: (pin: string) => Promise<unknown>;
}

const asked = signal<Asked>();

/** Asks for the code of the parental lock, and again as long as `act` throws, which is told. */
export function askCode(title: string, act: (pin: string) => Promise<unknown>): void {
  asked.value = { title, act };
}

export async function zap(reference: string, name: string): Promise<void> {
  const { channels, parental } = words.peek();
  await attempt(async () => {
    try {
      await receiver.post('/api/zap', { sRef: reference });
    } catch (error) {
      if (!(error instanceof Refused) || !(await asksForCode(reference))) throw error;
      return askCode(parental.locked(name), async (pin) => {
        await receiver.post('/api/zap', { sRef: reference, pin });
        say(channels.zapped(name));
      });
    }
    say(channels.zapped(name));
  });
}

/** Those for which somebody has given the code since the page was opened. */
const freed = new Set<string>();

/** Whether the service may be shown in the page; undefined until that is known. `ask` asks for the code. */
export function useFree(reference: string, name: string): { readonly isFree: boolean | undefined; ask(): void } {
  const [known, setKnown] = useState<{ readonly reference: string; readonly isFree: boolean }>();
  const ask = () =>
    askCode(words.peek().parental.locked(name), async (pin) => {
      await receiver.post('/parentallock/check', { pin });
      freed.add(reference);
      setKnown({ reference, isFree: true });
    });
  useEffect(() => {
    let isWanted = true;
    const find = async () => {
      // Whatever keeps the receiver from saying so keeps it from streaming too.
      const isFree = freed.has(reference) || !(await asksForCode(reference).catch(() => false));
      if (!isWanted) return;
      setKnown({ reference, isFree });
      if (!isFree) ask();
    };
    void find();
    return () => {
      isWanted = false;
    };
  }, [reference]);
  return { isFree: known?.reference === reference ? known.isFree : undefined, ask };
}

/** Also if the lock comes from its bouquet or from the age of its event: the refusal says so in words only. */
async function asksForCode(service: string): Promise<boolean> {
  const { set, refuses } = await receiver.get('/parentallock', { service });
  return set && refuses;
}

/** The dialog, which the frame of the page holds. */
export function CodeDialog() {
  const { common, parental } = words.value;
  if (asked.value === undefined) return null;
  const { title, act } = asked.value;
  const close = () => {
    asked.value = undefined;
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
        <CodeField name="pin" label={parental.pin} />
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
