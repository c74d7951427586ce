/** Steps back and forward, by keys and by buttons. */
import { type Signal, useSignal } from '@preact/signals';
import { RotateCcw, RotateCw } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../../shared/words.ts';
import { Control } from './controls.tsx';
import type { Shortcut } from './keys.tsx';
import type { Timeline } from './seek.tsx';

const backSeconds = 10;
const forwardSeconds = 30;
/** Further steps within this time are one seek with it, because each seek opens the stream again. */
const delayMs = 350;

interface Skip {
  /** The position that is being chosen; undefined while none is. */
  readonly chosen: Signal<number | undefined>;
  readonly shortcuts: readonly Shortcut[];
  readonly controls: ComponentChildren;
}

export function useSkip(timeline: Timeline | undefined): Skip {
  const chosen = useSignal<number>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(timeline);
  latest.current = timeline;
  useEffect(() => () => clearTimeout(timer.current), []);
  const finish = () => {
    const target = chosen.peek();
    chosen.value = undefined;
    if (target !== undefined) latest.current?.seek(target);
  };
  const step = (seconds: number) => {
    if (latest.current === undefined) return;
    const { begin, end, position } = latest.current;
    chosen.value = Math.min(end, Math.max(begin, (chosen.peek() ?? position) + seconds));
    clearTimeout(timer.current);
    timer.current = setTimeout(finish, delayMs);
  };
  if (timeline === undefined) return { chosen, shortcuts: [], controls: null };
  const { back, forward } = words.value.watch;
  const shortcuts: readonly Shortcut[] = [
    { keys: ['ArrowLeft'], label: back, run: () => step(-backSeconds) },
    { keys: ['ArrowRight'], label: forward, run: () => step(forwardSeconds) },
  ];
  const controls = (
    <>
      <Control icon={RotateCcw} mark="10" label={back} onClick={() => step(-backSeconds)} />
      <Control icon={RotateCw} mark="30" label={forward} onClick={() => step(forwardSeconds)} />
    </>
  );
  return { chosen, shortcuts, controls };
}
