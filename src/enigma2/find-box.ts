/** Finds boxes, and asks them once what they are, without using them. */
import type { Configuration } from '../config/config.ts';
import { type Enigma2Spec, parseEnigma2Spec } from '../config/enigma2-spec.ts';
import { searchReceivers } from '../discovery/search.ts';
import { addressOf } from '../dvb/server-search.ts';
import { NetworkStreams } from '../iptv/network-streams.ts';
import { Box, type BoxDescription, needsLogin, whyNot } from './box.ts';

const timeoutMs = 5000;

export interface FoundBox extends BoxDescription {
  /** Why it does not describe itself, as text for users; empty if it does. */
  readonly trouble: string;
  readonly needsLogin: boolean;
}

export type BoxSettings = Pick<Configuration, 'enigma2' | 'iptv' | 'stream'>;

export async function findBox(spec: Enigma2Spec, { enigma2, iptv, stream }: BoxSettings): Promise<FoundBox> {
  const quiet = { info: () => undefined, warn: () => undefined };
  const parts = { log: quiet, isOwn: () => false, onGuideData: () => undefined };
  const network = new NetworkStreams(parts, { iptv, stream });
  // Of a running receiver whose file this user may not read, the setting is a placeholder.
  const logins = Array.isArray(enigma2.logins) ? enigma2.logins : [];
  const login = logins.find(({ host }) => host === spec.host);
  try {
    const box = await new Box(spec, login, network).describe(AbortSignal.timeout(timeoutMs));
    return { ...box, trouble: '', needsLogin: false };
  } catch (error) {
    return { name: '', tuners: 0, trouble: whyNot(error), needsLogin: needsLogin(error) };
  } finally {
    await network.close();
  }
}

/**
 * The boxes that these specifications name, also if they do not answer, and the others that answer in the local network.
 * `host`: as in a specification, `HOST`, `HOST:PORT`, `HOST,stream=PORT`.
 */
export async function findBoxes(
  settings: BoxSettings,
  isOwn: (address: string, port: number) => boolean,
  used: readonly string[] = [],
): Promise<readonly (FoundBox & { readonly host: string })[]> {
  const usedBoxes = Promise.all(
    used.map(async (tuner) => {
      const spec = parseEnigma2Spec(tuner);
      const address = await addressOf(spec.host).catch(() => spec.host);
      return { ...(await findBox(spec, settings)), host: spec.text, place: `${address}:${spec.webPort}` };
    }),
  );
  const others = (await searchReceivers()).filter(({ address, streamPort }) => !isOwn(address, streamPort));
  const described = await Promise.all(
    others.map(async ({ name, address, webPort, streamPort }) => {
      const host = `${address}${webPort === 80 ? '' : `:${webPort}`}${streamPort === 8001 ? '' : `,stream=${streamPort}`}`;
      const box = await findBox(parseEnigma2Spec(`enigma2:${host}`), settings);
      return { ...box, name, host, place: `${address}:${webPort}` };
    }),
  );
  const known = await usedBoxes;
  const isNew = ({ trouble, needsLogin, place }: (typeof described)[number]) =>
    (trouble === '' || needsLogin) && known.every((box) => box.place !== place);
  return [...known, ...described.filter(isNew)];
}
