/** A tuner of an HDHomeRun device. */
import { NetworkFrontEnd } from '../network-front-end.ts';
import type { TransponderParameters } from '../transponder.ts';
import { channelsFor } from './channel.ts';

export class HdhomerunFrontEnd extends NetworkFrontEnd {
  protected queriesFor(transponder: TransponderParameters): readonly string[] {
    return channelsFor(transponder);
  }
}
