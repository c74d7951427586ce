/** The channel watched before the current one, in this tab. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { route } from '../../shared/route.ts';

interface Watched {
  readonly service: string;
  readonly name: string;
  readonly bouquet?: string | undefined;
}

/** Key in the session storage: the current channel and the one before. */
const storageKey = 'watched';

/** Undefined if no other channel has been watched. */
export function useLastChannel(service: string, name: string): Watched | undefined {
  const { bouquet } = route.value.query;
  const [last, setLast] = useState<Watched>();
  // At once: the next key may already lead back.
  useLayoutEffect(() => {
    const [latest, before] = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]') as (Watched | undefined)[];
    const previous = latest?.service === service ? before : latest;
    sessionStorage.setItem(storageKey, JSON.stringify([{ service, name, bouquet }, ...(previous ? [previous] : [])]));
    setLast(previous);
  }, [service, bouquet]);
  return last;
}
