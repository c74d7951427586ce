/** The tuners and their users. */
import type { Result } from '../../client/client.ts';
import { receiver } from './receiver.ts';
import { useResponse } from './use-response.ts';
import { words } from './words.ts';

export type Tuner = Result<'get', '/api/tunerstatus'>['tuners'][number];

/** Signal and losses change without events. */
export const tunerPollDelayMs = 5000;

export function useTuners(): readonly Tuner[] | undefined {
  const { value } = useResponse(
    (signal) => receiver.get('/api/tunerstatus', {}, { signal }),
    [],
    ['tuner'],
    () => tunerPollDelayMs,
  );
  return value?.tuners;
}

export const isDemoTuner = ({ model }: Tuner) => model === 'Demo';

/** Whether a scan can find channels with it. The demo and a capture are one multiplex, which is read when the receiver starts. */
export const canScan = ({ source }: Tuner) => !/^(?:demo|file)\b/.test(source);

/** Why no scan is possible; undefined if one is. */
export function scanObstacle(tuners: readonly Tuner[]): string | undefined {
  const { setup } = words.value;
  if (tuners.some(canScan)) return undefined;
  if (tuners.length === 0) return setup.noTuners;
  return tuners.every(isDemoTuner) ? setup.demoOnly : setup.fileOnly;
}
