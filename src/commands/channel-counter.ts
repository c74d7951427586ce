/** Reads the channels of HDHomeRun devices that offer only streams by HTTP, without importing them. */
import { pino } from 'pino';
import type { Configuration } from '../config/config.ts';
import { readLineup } from '../iptv/hdhomerun-lineup.ts';
import { NetworkStreams } from '../iptv/network-streams.ts';

/** Milliseconds for the list of channels. */
const timeoutMs = 10_000;

/** Returns a function that counts the channels of the `lineup.json` at an address. It throws why they cannot be read. */
export function channelCounter(configuration: Configuration): (url: string) => Promise<number> {
  const quiet = { log: pino({ level: 'silent' }), isOwn: () => false, onGuideData: () => undefined };
  const network = new NetworkStreams(quiet, configuration);
  return async (url) => {
    const signal = AbortSignal.timeout(timeoutMs);
    return (await readLineup((from) => network.download(from, { signal }), url)).length;
  };
}
