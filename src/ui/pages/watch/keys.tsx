/** Keyboard shortcuts of the player, and the list of them. */
import { signal } from '@preact/signals';
import { Keyboard } from 'lucide';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from '../../shared/dialog.tsx';
import { Icon } from '../../shared/icon.tsx';
import { words } from '../../shared/words.ts';

export interface Shortcut {
  /** Values of `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  /** Shown in the list of shortcuts instead of the keys. */
  readonly shown?: string;
  readonly label: string;
  readonly run: (key: string) => void;
}

/** Labels of keys whose `KeyboardEvent.key` is a word. */
const keyLabels: Readonly<Record<string, string>> = {
  ...{ ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' },
  ...{ PageUp: 'PgUp', PageDown: 'PgDn' },
};

/** Whether the focused element handles the key itself. The seek slider leaves all keys to the player. */
function isUsedByFocus({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('dialog, input:not(.seek), textarea, select')) return true;
  return (key === ' ' || key === 'Enter') && target.closest('button, a') !== null;
}

/** Runs the shortcuts while the page is open. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isUsedByFocus(event)) return;
      const shortcut = current.current.find(({ keys }) => keys.includes(event.key));
      if (shortcut === undefined) return;
      event.preventDefault();
      shortcut.run(event.key);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

export const isListShown = signal(false);

/** Opens the list of shortcuts. Touch screens have no keyboard and hide it. */
export function ShortcutsButton() {
  return (
    <button
      type="button"
      class="button shortcuts-button"
      aria-keyshortcuts="?"
      onClick={() => {
        isListShown.value = true;
      }}
    >
      <Icon of={Keyboard} size={16} /> {words.value.remote.shortcuts}
    </button>
  );
}

export function ShortcutList({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  const { remote } = words.value;
  useEffect(
    () => () => {
      isListShown.value = false;
    },
    [],
  );
  if (!isListShown.value) return null;
  const nameOf = (key: string) => (key === ' ' ? remote.space : (keyLabels[key] ?? key.toUpperCase()));
  return (
    <Dialog
      title={remote.shortcuts}
      onClose={() => {
        isListShown.value = false;
      }}
    >
      <dl class="shortcuts">
        {shortcuts.map(({ keys, shown, label }) => (
          <div key={label}>
            <dt>
              {(shown ? [shown] : keys).map((key) => (
                <kbd key={key}>{nameOf(key)}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
