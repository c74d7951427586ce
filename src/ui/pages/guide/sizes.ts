/** Sizes of the grid in pixels. They follow the browser's font size and the width of the screen. */
import { useEffect, useState } from 'preact/hooks';

export interface Sizes {
  readonly row: number;
  readonly hour: number;
  /** Width of the column of channels. */
  readonly channels: number;
  /** Height of the row of hours. */
  readonly head: number;
}

const phone = '(max-width: 40rem)';

function measured(): Sizes {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  const isPhone = matchMedia(phone).matches;
  return {
    row: Math.round(3.6 * rem),
    hour: Math.round((isPhone ? 11 : 15) * rem),
    channels: Math.round((isPhone ? 4.2 : 13) * rem),
    head: Math.round(2.2 * rem),
  };
}

export function useSizes(): Sizes {
  const [sizes, setSizes] = useState(measured);
  useEffect(() => {
    const follow = () => setSizes((known) => (known.hour === measured().hour ? known : measured()));
    addEventListener('resize', follow);
    return () => removeEventListener('resize', follow);
  }, []);
  return sizes;
}
