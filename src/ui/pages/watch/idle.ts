/** Whether the user has been idle, so that the controls are hidden during playback. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

const idleDelayMs = 3000;

interface Idle {
  readonly isIdle: ReadonlySignal<boolean>;
  /** Notes that the user is there. */
  readonly wake: () => void;
}

export function useIdle(): Idle {
  const isIdle = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wake = () => {
    isIdle.value = false;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      isIdle.value = true;
    }, idleDelayMs);
  };
  useEffect(() => {
    wake();
    document.addEventListener('keydown', wake);
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener('keydown', wake);
    };
  }, []);
  return { isIdle, wake };
}
