/**
 * The toast. It stays while it is pointed at or has the focus, and above the footer. Ctrl+Z runs its action, which is *Undo*
 * for deletions.
 */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { hideToast, hideToastLater, keepToast, toast } from '../shared/attempt.ts';

export function Toast() {
  const { text, action } = toast.value ?? {};
  const element = useAboveFooter(text !== undefined);
  const run = action && 'run' in action ? action.run : undefined;
  const act = () => {
    hideToast();
    void run?.();
  };
  useLayoutEffect(() => {
    if (run === undefined) return;
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
      ref={element}
      class={`toast ${text ? 'shown' : ''}`}
      role="status"
      onPointerEnter={keepToast}
      onPointerLeave={hideToastLater}
      onFocusIn={keepToast}
      onFocusOut={hideToastLater}
    >
      {text}
      {run && (
        <button type="button" class="plain" aria-keyshortcuts="Control+Z" onClick={act}>
          {action?.label}
        </button>
      )}
      {action && 'href' in action && (
        <a href={action.href} onClick={hideToast}>
          {action.label}
        </a>
      )}
    </div>
  );
}

/** Sets `--foot` of the element to the visible height of the footer. */
function useAboveFooter(isShown: boolean) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isShown) return;
    const lift = () => {
      const top = document.querySelector('.bottom')?.getBoundingClientRect().top ?? innerHeight;
      element.current?.style.setProperty('--foot', `${Math.max(0, innerHeight - top)}px`);
    };
    // Calls it at the start, and whenever another page has another height.
    const resized = new ResizeObserver(lift);
    resized.observe(document.body);
    addEventListener('scroll', lift, { passive: true });
    addEventListener('resize', lift);
    return () => {
      resized.disconnect();
      removeEventListener('scroll', lift);
      removeEventListener('resize', lift);
    };
  }, [isShown]);
  return element;
}
