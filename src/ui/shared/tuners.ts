/** The tuners and their users. */
import type { Result } from '../../client/client.ts';
import { clock, receiver } from './receiver.ts';
import { useResponse } from './use-response.ts';

export type Tuner = Result<'get', '/api/tunerstatus'>['tuners'][number];

/** Signal and losses change without events. */
const pollIntervalSeconds = 5;

export function useTuners(): readonly Tuner[] | undefined {
  const step = Math.floor(clock.value / pollIntervalSeconds);
  const { value } = useResponse((signal) => receiver.get('/api/tunerstatus', {}, { signal }), [step], ['tuner']);
  return value?.tuners;
}

export const isDemoTuner = ({ model }: Tuner) => model === 'Demo';
