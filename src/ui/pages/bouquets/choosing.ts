/** A choice of several items of a list: one by one, or a range with the shift key. */
import { useRef, useState } from 'preact/hooks';

export interface Choosing {
  readonly keys: ReadonlySet<string>;
  /**
   * Chooses or drops items. With shift, it does so with all of `shown` from the item used last up to these.
   */
  readonly mark: (keys: readonly string[], isOn: boolean, range?: readonly string[]) => void;
  readonly clear: () => void;
}

export function useChoosing(): Choosing {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string>(undefined);
  const mark: Choosing['mark'] = (marked, isOn, range) => {
    const [from, to] = [range?.indexOf(last.current ?? '') ?? -1, range?.indexOf(marked.at(-1) ?? '') ?? -1];
    const between = from < 0 || to < 0 ? [] : (range ?? []).slice(Math.min(from, to), Math.max(from, to) + 1);
    last.current = marked[0];
    setKeys((before) => {
      const after = new Set(before);
      for (const key of [...marked, ...between]) {
        if (isOn) after.add(key);
        else after.delete(key);
      }
      return after;
    });
  };
  return { keys, mark, clear: () => setKeys(new Set()) };
}
