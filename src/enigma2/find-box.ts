/** Asks a box once what it is, without a receiver: for commands. */
import type { Configuration } from '../config/config.ts';
import type { Enigma2Spec } from '../config/enigma2-spec.ts';
import { NetworkStreams } from '../iptv/network-streams.ts';
import { Box, type BoxDescription, whyNot } from './box.ts';

const timeoutMs = 5000;

/** `trouble`: why it does not answer, as text for users; empty if it does. */
export async function findBox(
  spec: Enigma2Spec,
  { enigma2, iptv, stream }: Pick<Configuration, 'enigma2' | 'iptv' | 'stream'>,
): Promise<BoxDescription & { readonly trouble: string }> {
  const quiet = { info: () => undefined, warn: () => undefined };
  const parts = { log: quiet, isOwn: () => false, onGuideData: () => undefined };
  const network = new NetworkStreams(parts, { iptv, stream });
  // Of a running receiver whose file this user may not read, the setting is a placeholder.
  const logins = Array.isArray(enigma2.logins) ? enigma2.logins : [];
  const login = logins.find(({ host }) => host === spec.host);
  try {
    return { ...(await new Box(spec, login, network).describe(AbortSignal.timeout(timeoutMs))), trouble: '' };
  } catch (error) {
    return { name: '', tuners: 0, trouble: whyNot(error) };
  } finally {
    await network.close();
  }
}
