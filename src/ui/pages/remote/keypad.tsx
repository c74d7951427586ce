/** The remote control. While the page is open, the keyboard presses its keys too. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { serialQueue } from '../../../base/serial-queue.ts';
import { attempt } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { words } from '../../shared/words.ts';
import { byShortcut, type RemoteKey, rows } from './keys.ts';

/** How long a key is highlighted after the keyboard has pressed it. */
const highlightMs = 200;
/** Labels of keyboard keys. */
const keyLabels: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
};
/** Key in the local storage; set if the user has turned the keyboard off. */
const storageKey = 'remote-without-keyboard';

/** Requests that are sent at the same time may arrive in another order. */
const inOrder = serialQueue();

async function press({ code }: RemoteKey): Promise<void> {
  await inOrder(() => attempt(() => receiver.post('/api/remotecontrol', { command: String(code) })));
}

export function Keypad() {
  const [isKeyboardOn, setKeyboardOn] = useState(localStorage.getItem(storageKey) === null);
  const pressed = useKeyboard(isKeyboardOn);
  const { remote } = words.value;
  const choose = (isOn: boolean) => {
    if (isOn) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, '1');
    setKeyboardOn(isOn);
  };
  return (
    <section class="card keypad" aria-label={remote.keys}>
      {rows.map(({ name, keys }, row) => (
        <div key={row} class={`keys ${name}`}>
          {keys.map((key) => (
            <Key key={key.code} of={key} isPressed={key.code === pressed} />
          ))}
        </div>
      ))}
      <label class="choice">
        <input type="checkbox" checked={isKeyboardOn} onChange={(event) => choose(event.currentTarget.checked)} />
        {remote.byKeyboard}
      </label>
      <details>
        <summary>{remote.shortcuts}</summary>
        <dl class="shortcuts">
          {[...byShortcut].map(([shortcut, key]) => (
            <div key={key.code}>
              <dt>
                <kbd>{shortcut === ' ' ? remote.space : (keyLabels[shortcut] ?? shortcut)}</kbd>
              </dt>
              <dd>{key.name(remote)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}

function Key({ of, isPressed }: { readonly of: RemoteKey; readonly isPressed: boolean }) {
  const { code, icon, mark } = of;
  const { remote } = words.value;
  const name = of.name(remote);
  return (
    <button
      type="button"
      class={`key code-${code} ${isPressed ? 'pressed' : ''}`}
      aria-label={name}
      title={name}
      onClick={() => void press(of)}
    >
      {icon ? <Icon of={icon} /> : (mark?.(remote) ?? name)}
    </button>
  );
}

/** Presses keys of the remote control by keyboard. Returns the code of the highlighted key. */
function useKeyboard(isOn: boolean): number | undefined {
  const [pressed, setPressed] = useState<number>();
  useLayoutEffect(() => {
    if (!isOn) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent) => {
      const key = byShortcut.get(event.key);
      if (key === undefined || event.ctrlKey || event.altKey || event.metaKey || isUsedByFocus(event)) return;
      event.preventDefault();
      void press(key);
      setPressed(key.code);
      clearTimeout(timer);
      timer = setTimeout(() => setPressed(undefined), highlightMs);
    };
    document.addEventListener('keydown', onKey);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', onKey);
    };
  }, [isOn]);
  return pressed;
}

/** Whether the focused element handles the key itself: fields take all keys, buttons and links Enter and the space bar. */
function isUsedByFocus({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('input, textarea, select, dialog')) return true;
  return (key === 'Enter' || key === ' ') && target.closest('button, a, summary') !== null;
}
