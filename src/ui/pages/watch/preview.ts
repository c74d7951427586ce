/** Previews: the picture of a position that the user looks at on the seek slider. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** The receiver has previews of the multiples of this many seconds. */
const stepSeconds = 10;
/** After this many positions without a preview, a recording has none: there is no ffmpeg, or it is radio. */
const maxMissing = 3;

interface Preview {
  /** URL. */
  readonly source: string;
  /** Whether it is of the position. Otherwise it is the last one, until the right one has been made. */
  readonly isRight: boolean;
}

/** What is known about the previews of a recording. */
interface Known {
  /** Addresses without a preview. */
  readonly missing: Set<string>;
  /** The latest preview. */
  shown?: string;
}

/**
 * Undefined without a position, and until there is a preview. Requests one at a time, because the receiver makes it only then.
 * `base`: URL of the previews, without their time.
 */
export function usePreview(base: string | undefined, position: number | undefined): Preview | undefined {
  const known = useRef<Known>({ missing: new Set() });
  const wanted =
    base === undefined || position === undefined
      ? undefined
      : `${base}&time=${Math.floor(position / stepSeconds) * stepSeconds}`;
  const latest = useRef(wanted);
  latest.current = wanted;
  const [, render] = useState<string>();
  const show = (address: string) => {
    known.current.shown = address;
    render(address);
  };
  const isLoading = useRef(false);
  const load = async () => {
    if (isLoading.current) return;
    isLoading.current = true;
    for (;;) {
      const { current: address } = latest;
      const { missing, shown } = known.current;
      const isHopeless = shown === undefined && missing.size >= maxMissing;
      if (address === undefined || address === shown || missing.has(address) || isHopeless) break;
      const status = await statusOf(address);
      if (status === 204) missing.add(address);
      else if (status === 200) show(address);
      else if (status !== 202) break;
    }
    isLoading.current = false;
  };
  useEffect(() => {
    known.current = { missing: new Set() };
  }, [base]);
  useEffect(() => void load(), [wanted]);
  const { shown } = known.current;
  return wanted && shown ? { source: shown, isRight: shown === wanted } : undefined;
}

/** 202: the preview is not ready yet, although the receiver has waited for it; 0: the receiver does not respond. */
async function statusOf(address: string): Promise<number> {
  const response = await fetch(address, { method: 'HEAD' }).catch(() => undefined);
  return response?.status ?? 0;
}
