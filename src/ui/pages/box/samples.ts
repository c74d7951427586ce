/** The signal of a tuner over the last minutes, as the receiver pushes it. */
import { useEffect, useState } from 'preact/hooks';
import { reasonOf } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';

export interface Sample {
  /** Milliseconds of the browser's clock. */
  readonly time: number;
  readonly locked: boolean;
  /** Percent. */
  readonly quality: number;
  readonly strength: number;
  /** dB; null if the hardware does not report it. */
  readonly snr: number | null;
  readonly bitErrors: number;
}

/** Seconds between two samples. */
const pace = 1;
/** Milliseconds that are kept. */
const kept = 5 * 60_000;
/** Milliseconds between attempts after a break. */
const retry = 2000;

export function useSamples(tuner: number): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    const ending = new AbortController();
    setSamples([]);
    void follow(tuner, ending.signal, (sample) =>
      setSamples((before) => [...before.filter(({ time }) => time > sample.time - kept), sample]),
    );
    return () => ending.abort();
  }, [tuner]);
  return samples;
}

async function follow(tuner: number, signal: AbortSignal, take: (sample: Sample) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { type, data } of receiver.events({ types: ['tuner'], signalEvery: pace, tuner, signal })) {
        if (type === 'signal') take({ ...(data as Omit<Sample, 'time'>), time: Date.now() });
      }
    } catch (error) {
      if (signal.aborted) return;
      reasonOf(error);
      await new Promise((resolve) => setTimeout(resolve, retry));
    }
  }
}
