/** Sizes of the grid in pixels. They follow the browser's font size and the width of the screen. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

export interface Sizes {
  readonly row: number;
  readonly hour: number;
  /** Width of the column of channels. */
  readonly channels: number;
  /** Height of the row of hours. */
  readonly head: number;
}

/** Factors for the width of an hour. With the last one, an event of five minutes is wide enough to be clicked. */
const zooms = [1, 1.6, 2.4] as const;
const storageKey = 'zoom';
const zoom = signal(read());

function read(): number {
  const stored = Number(localStorage.getItem(storageKey));
  return stored in zooms ? stored : 0;
}

/** The next step in a direction, 1 or -1; undefined at the end. */
export function zoomTo(direction: 1 | -1): (() => void) | undefined {
  const next = zoom.value + direction;
  if (!(next in zooms)) return undefined;
  return () => {
    zoom.value = next;
    localStorage.setItem(storageKey, String(next));
  };
}

const phone = '(max-width: 40rem)';

function measured(): Sizes {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  const isPhone = matchMedia(phone).matches;
  return {
    row: Math.round(3.6 * rem),
    hour: Math.round((isPhone ? 11 : 15) * rem * (zooms[zoom.peek()] ?? 1)),
    channels: Math.round((isPhone ? 4.2 : 13) * rem),
    head: Math.round(2.2 * rem),
  };
}

export function useSizes(): Sizes {
  const [sizes, setSizes] = useState(measured);
  useEffect(() => {
    const follow = () => setSizes((known) => (known.hour === measured().hour ? known : measured()));
    addEventListener('resize', follow);
    const end = zoom.subscribe(follow);
    return () => {
      end();
      removeEventListener('resize', follow);
    };
  }, []);
  return sizes;
}
