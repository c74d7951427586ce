/** Answers of the receiver in a component: asked for when it appears, and again when something has happened. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Unreachable } from '../../client/client.ts';
import { reasonOf } from './attempt.ts';
import { type EventType, heard } from './live.ts';

/** Milliseconds that one event waits for others. */
const together = 300;
/** Milliseconds before an answer that did not come is asked for again. */
const retry = 3000;

export interface Answer<Value> {
  /** The last one, also while the receiver is lost or a newer one is on its way. */
  readonly value: Value | undefined;
  /** Why there is none; empty if there is, or if the reason is shown elsewhere. */
  readonly trouble: string;
  /** Asks again, now. */
  readonly again: () => Promise<void>;
}

/**
 * Asks by `load` when one of `dependencies` changes and when one of the events of `on` happens. An answer to an older
 * question is dropped.
 */
export function useAnswer<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
  on: readonly EventType[] = [],
): Answer<Value> {
  const [value, setValue] = useState<Value>();
  const [trouble, setTrouble] = useState('');
  const running = useRef<AbortController>(undefined);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const loader = useRef(load);
  loader.current = load;
  const giveUp = () => {
    running.current?.abort();
    clearTimeout(waiting.current);
  };
  const again = async () => {
    giveUp();
    running.current = new AbortController();
    const { signal } = running.current;
    try {
      const answer = await loader.current(signal);
      if (signal.aborted) return;
      setValue(() => answer);
      setTrouble('');
    } catch (error) {
      if (signal.aborted) return;
      setTrouble(reasonOf(error));
      if (error instanceof Unreachable) waiting.current = setTimeout(() => void again(), retry);
    }
  };
  useEffect(() => {
    void again();
    return giveUp;
  }, dependencies);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isFirst = true;
    const soon = () => {
      if (isFirst) return;
      clearTimeout(timer);
      timer = setTimeout(() => void again(), together);
    };
    const ends = on.map((type) => heard[type].subscribe(soon));
    isFirst = false;
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, [on.join()]);
  return { value, trouble, again };
}
