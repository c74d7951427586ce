/** The tuners of SAT>IP servers and HDHomeRun devices, for commands: found once. */
import { namesHdhomerun, parseHdhomerunSpec } from '../config/hdhomerun-spec.ts';
import { namesServer, parseServerSpec } from '../config/satip-server-spec.ts';
import { type DevicesParts, HdhomerunDevices } from './hdhomerun/devices.ts';
import type { NetworkFrontEnd } from './network-front-end.ts';
import { SatipServers } from './satip/servers.ts';
import { searchOnce } from './server-search.ts';
import type { Tuner } from './tuner.ts';

/**
 * Searches once, and adds the tuners. Returns why some are missing, by their specification. `importLineup`: for HDHomeRun
 * devices without tuner control, which are missing without it.
 */
export async function findNetworkTuners(
  texts: readonly string[],
  add: (tuner: Tuner, frontEnd: NetworkFrontEnd) => void,
  importLineup?: DevicesParts['importLineup'],
): Promise<ReadonlyMap<string, string>> {
  const quiet = () => undefined;
  const parts = { add, log: { info: quiet, warn: quiet }, ...(importLineup && { importLineup }) };
  const [servers, devices] = await Promise.all([
    searchOnce(new SatipServers(texts.filter(namesServer).map(parseServerSpec), parts)),
    searchOnce(new HdhomerunDevices(texts.filter(namesHdhomerun).map(parseHdhomerunSpec), parts)),
  ]);
  const named = (kind: string, troubles: ReadonlyMap<string, string>) =>
    [...troubles].map(([text, why]) => [`${kind}:${text}`, why] as const);
  return new Map([...named('satip', servers), ...named('hdhomerun', devices)]);
}
