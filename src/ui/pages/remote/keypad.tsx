/** The remote control on the screen. While the page is open, the keyboard presses its keys, too. */
import { useEffect, useState } from 'preact/hooks';
import { attempt } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { words } from '../../shared/words.ts';
import { byShortcut, type RemoteKey, rows } from './keys.ts';

/** Milliseconds for which a key shows that the keyboard has pressed it. */
const shownFor = 200;
/** As they are written on keyboards. */
const marks: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
};
/** Where the choice against the keyboard is kept. */
const stored = 'remote-without-keyboard';

async function press({ code }: RemoteKey): Promise<void> {
  await attempt(() => receiver.post('/api/remotecontrol', { command: String(code) }));
}

export function Keypad() {
  const [isKeyboardOn, setKeyboardOn] = useState(localStorage.getItem(stored) === null);
  const pressed = useKeyboard(isKeyboardOn);
  const { remote } = words.value;
  const choose = (isOn: boolean) => {
    if (isOn) localStorage.removeItem(stored);
    else localStorage.setItem(stored, '1');
    setKeyboardOn(isOn);
  };
  return (
    <section class="card keypad" aria-label={remote.keys}>
      {rows.map(({ name, keys }, row) => (
        <div key={row} class={`keys ${name}`}>
          {keys.map((key) =>
            key ? <Key key={key.code} of={key} isPressed={key.code === pressed} /> : <span key="gap" />,
          )}
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
                <kbd>{shortcut === ' ' ? remote.space : (marks[shortcut] ?? shortcut)}</kbd>
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

/** Presses keys by the keyboard, and returns the code of the one that was pressed a moment ago. */
function useKeyboard(isOn: boolean): number | undefined {
  const [pressed, setPressed] = useState<number>();
  useEffect(() => {
    if (!isOn) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = (event: KeyboardEvent) => {
      const key = byShortcut.get(event.key);
      if (key === undefined || event.ctrlKey || event.altKey || event.metaKey || isTaken(event)) return;
      event.preventDefault();
      void press(key);
      setPressed(key.code);
      clearTimeout(timer);
      timer = setTimeout(() => setPressed(undefined), shownFor);
    };
    document.addEventListener('keydown', hear);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', hear);
    };
  }, [isOn]);
  return pressed;
}

/** Whether what has the focus needs the key: a field every one, a button or link those that press it. */
function isTaken({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('input, textarea, select, dialog')) return true;
  return (key === 'Enter' || key === ' ') && target.closest('button, a, summary') !== null;
}
