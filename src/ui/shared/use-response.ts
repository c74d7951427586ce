/** Loads responses of the receiver in a component: when it mounts, and after events of the receiver. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Unreachable } from '../../client/client.ts';
import { reasonOf } from './attempt.ts';
import { type EventType, eventCounts, noteRequest } from './live.ts';

/** Events within this time cause one reload. */
const debounceMs = 300;
/** Delay before a request without a response is repeated, and a failed one of a response that is polled. */
const retryDelayMs = 3000;

export interface Loaded<Value> {
  /** The latest response, also while the receiver is lost or a newer one is loading. */
  readonly value: Value | undefined;
  /** Why loading failed; empty if it succeeded, or if the page shows the error elsewhere. */
  readonly trouble: string;
  /** Reloads now. Resolves once `value` is as new as that, also if another reload has replaced this one. */
  readonly reload: () => Promise<void>;
}

/**
 * Calls `load` when one of `dependencies` changes, and after each event of the types in `on`. A new call aborts the previous
 * one. `pollDelayMs`: the time from a response to the next call, for what changes without events; undefined ends the polling.
 */
export function useResponse<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
  on: readonly EventType[] = [],
  pollDelayMs?: (value: Value) => number | undefined,
): Loaded<Value> {
  const [value, setValue] = useState<Value>();
  const [trouble, setTrouble] = useState('');
  const running = useRef<AbortController>(undefined);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const loader = useRef(load);
  loader.current = load;
  const cancel = () => {
    running.current?.abort();
    clearTimeout(waiting.current);
  };
  const latest = useRef<Promise<void>>(undefined);
  const reload = () => {
    latest.current = loadNow();
    return latest.current;
  };
  const loadNow = async (): Promise<void> => {
    cancel();
    running.current = new AbortController();
    const { signal } = running.current;
    const isOutdated = noteRequest(on);
    try {
      const answer = await loader.current(signal);
      if (signal.aborted) return replaced(signal);
      setValue(() => answer);
      setTrouble('');
      loadLater(isOutdated() ? debounceMs : pollDelayMs?.(answer));
    } catch (error) {
      if (signal.aborted) return replaced(signal);
      setTrouble(reasonOf(error));
      if (error instanceof Unreachable || pollDelayMs) loadLater(retryDelayMs);
    }
  };
  const loadLater = (delayMs: number | undefined) => {
    if (delayMs !== undefined) waiting.current = setTimeout(() => void reload(), delayMs);
  };
  const replaced = (signal: AbortSignal) => (running.current?.signal === signal ? undefined : latest.current);
  useEffect(() => {
    void reload();
    return cancel;
  }, dependencies);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isFirst = true;
    const reloadSoon = () => {
      if (isFirst) return;
      clearTimeout(timer);
      timer = setTimeout(() => void reload(), debounceMs);
    };
    const unsubscribes = on.map((type) => eventCounts[type].subscribe(reloadSoon));
    isFirst = false;
    return () => {
      clearTimeout(timer);
      for (const unsubscribe of unsubscribes) unsubscribe();
    };
  }, [on.join()]);
  return { value, trouble, reload };
}
