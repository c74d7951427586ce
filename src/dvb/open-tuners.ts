/** Builds the tuners that the configuration names, in their pool. */
import type { Logger } from 'pino';
import type { Configuration } from '../config.ts';
import type { Guide } from '../native.ts';
import { parseTunerSpec, Tuner } from './tuner.ts';
import { TunerPool, type TunerPoolOptions } from './tuner-pool.ts';

/** No tuner runs yet. `guide` receives what they broadcast. @throws ReceiverError for a wrong specification */
export function openTuners(
  { tuners, stream }: Configuration,
  guide: Guide,
  describe: NonNullable<TunerPoolOptions['describe']>,
  log: Logger,
): TunerPool {
  const pool = new TunerPool(
    tuners.map((text) => new Tuner(parseTunerSpec(text), { guide })),
    { linger: stream.linger * 1000, describe },
  );
  pool.on('ended', (tuner, end) => {
    if (end.reason === 'failed') log.error(`${tuner.name} (${tuner.source}): ${end.message}`);
  });
  return pool;
}
