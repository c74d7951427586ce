/** The toast. It stays while it is pointed at or has the focus. Ctrl+Z runs its action, which is *Undo* for deletions. */
import { useEffect } from 'preact/hooks';
import { hideToast, hideToastLater, keepToast, toast } from '../shared/attempt.ts';

export function Toast() {
  const { text, action } = toast.value ?? {};
  const act = () => {
    hideToast();
    void action?.run();
  };
  useEffect(() => {
    if (action === undefined) return;
    const press = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).closest('input, textarea, select') !== null;
      if (event.key !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || isTyping) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [action]);
  return (
    <div
      class={`toast ${text ? 'shown' : ''}`}
      role="status"
      onPointerEnter={keepToast}
      onPointerLeave={hideToastLater}
      onFocusIn={keepToast}
      onFocusOut={hideToastLater}
    >
      {text}
      {action && (
        <button type="button" class="plain" aria-keyshortcuts="Control+Z" onClick={act}>
          {action.label}
        </button>
      )}
    </div>
  );
}
