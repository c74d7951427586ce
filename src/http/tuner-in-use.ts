/** The tuner whose signal is meant when nobody says which. */
import type { ReceiverParts, Signal, TunerState } from './parts.ts';

/** The one that carries the current service, or else the youngest stream, or else the first. */
export function tunerInUse({ tuners, playback, streams }: Pick<ReceiverParts, 'tuners' | 'playback' | 'streams'>): {
  readonly number: number;
  readonly tuner: TunerState | undefined;
} {
  const number = playback.current?.tuner ?? streams.clients().findLast(({ tuner }) => tuner !== undefined)?.tuner ?? 0;
  return { number, tuner: tuners.list()[number] };
}

/** What is measured at a tuner that is not tuned. */
export const noSignal: Signal = { locked: false, quality: 0, strength: 0, snr: 0, bitErrors: 0 };
