/** The signal of a tuner over the last five minutes, from the receiver's event stream. */
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

const sampleIntervalSeconds = 1;
/** Older samples are dropped. */
const maxAgeMs = 5 * 60_000;
/** Delay before reconnecting. */
const retryDelayMs = 2000;

export function useSamples(tuner: number): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    setSamples([]);
    void follow(tuner, abort.signal, (sample) =>
      setSamples((before) => [...before.filter(({ time }) => time > sample.time - maxAgeMs), sample]),
    );
    return () => abort.abort();
  }, [tuner]);
  return samples;
}

async function follow(tuner: number, signal: AbortSignal, take: (sample: Sample) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { type, data } of receiver.events({
        types: ['tuner'],
        signalIntervalSeconds: sampleIntervalSeconds,
        tuner,
        signal,
      })) {
        if (type === 'signal') take({ ...(data as Omit<Sample, 'time'>), time: Date.now() });
      }
    } catch (error) {
      if (signal.aborted) return;
      reasonOf(error);
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
    }
  }
}
