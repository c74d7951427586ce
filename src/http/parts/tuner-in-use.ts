/** The tuner whose signal is reported if a request names none. */
import type { ReceiverParts, Signal, TunerState } from './parts.ts';

/** The tuner of the current service, otherwise that of the newest stream, otherwise the first tuner. */
export function tunerInUse({ tuners, playback, streams }: ReceiverParts): {
  readonly number: number;
  readonly tuner: TunerState | undefined;
} {
  const number = playback.current?.tuner ?? streams.clients().findLast(({ tuner }) => tuner !== undefined)?.tuner ?? 0;
  return { number, tuner: tuners.list()[number] };
}

/** The signal of a tuner that is not tuned. */
export const noSignal: Signal = {
  locked: false,
  quality: 0,
  strength: 0,
  snr: undefined,
  power: undefined,
  bitErrors: 0,
  bitErrorRate: undefined,
  badBlocks: undefined,
};
