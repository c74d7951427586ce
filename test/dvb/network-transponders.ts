/** Transponders in the network, for tests of its tuners: each has one service of the same number. */
import { join } from 'node:path';
import { automaticBut, type Transponder } from '../../src/dvb/transponder.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';

const bitRate = 2_000_000;
const network = 0x22d4;

/** The stream of each transponder, by its frequency in MHz followed by `zeros`. */
export function streams(zeros: string, ...frequencies: readonly number[]) {
  const folder = temporaryFolder();
  return Object.fromEntries(
    frequencies.map((frequency) => {
      const path = join(folder, `${frequency}.ts`);
      const services = [{ serviceId: frequency, name: `Service ${frequency}` }];
      const ids = { transportStreamId: frequency, originalNetworkId: network };
      writeTransportStream(path, { ...ids, services, bitRate, seconds: 2 });
      return [`${frequency}${zeros}`, { path, bitRate }];
    }),
  );
}

export const transponder = (frequency: number): Transponder => ({
  namespace: 0xeeee0000,
  transportStreamId: frequency,
  originalNetworkId: network,
  parameters: automaticBut('terrestrial', { frequency: frequency * 1e6, bandwidth: 0, system: 0 }),
});

export const service = (frequency: number) => ({
  originalNetworkId: network,
  transportStreamId: frequency,
  serviceId: frequency,
});
