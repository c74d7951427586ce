/** `receiverd/dvb`: tuners and the demultiplexer alone, without a receiver. See docs/embedding.md. */

export { ReceiverError } from '../base/errors.ts';
export type { DvbTriplet } from '../dvb/triplet.ts';
export {
  type BroadcastService,
  type DeliverySystem,
  type ElementaryStream,
  type MultiplexInformation,
  type PidStream,
  type Pids,
  parseTunerSpec,
  type ServiceStream,
  type Signal,
  type StreamEnd,
  type StreamOptions,
  Tuner,
  type TunerEnd,
  type TunerOptions,
  type TunerSpec,
  type TunerStatistics,
} from '../dvb/tuner.ts';
