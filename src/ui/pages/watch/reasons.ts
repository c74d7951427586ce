/** Why a stream cannot be played, as far as the receiver knows. */
import { receiver } from '../../shared/receiver.ts';
import { sleep } from './feed.ts';

export type Trouble =
  /** The receiver refused the request. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'codecs'; readonly codecs: readonly string[] }
  | { readonly kind: 'encrypted' }
  /** `message`: what the receiver says about that, in English; may be empty. */
  | { readonly kind: 'noSignal' | 'silent'; readonly message: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'browser' }
  | { readonly kind: 'failed'; readonly message: string };

/** Timeout of the question. */
const timeoutMs = 3000;

/** Why the receiver has refused a stream. */
export async function troubleOf(response: Response): Promise<Trouble> {
  const { message = String(response.status), error } = (await response.json().catch(() => ({}))) as {
    readonly message?: string;
    readonly error?: string;
  };
  if (error === 'scrambled') return { kind: 'encrypted' };
  if (error === 'no-signal') return { kind: 'noSignal', message };
  if (error === 'table-missing') return { kind: 'silent', message };
  return { kind: 'refused', message };
}

/**
 * Why no picture or sound arrives of a live stream with these parameters. To be asked while it has its tuner. `hasTables`:
 * whether its PMT has arrived.
 */
export async function whyNothing(
  { sRef }: Readonly<Record<string, string | number>>,
  hasTables = false,
): Promise<Trouble> {
  const none = { tuners: [] };
  const asked = sRef === undefined ? none : receiver.get('/api/tunerstatus').catch(() => none);
  const { tuners } = await Promise.race([asked, sleep(timeoutMs).then(() => none)]);
  const tuner = tuners.find(({ users }) => users.some((user) => idsOf(user.servicereference) === idsOf(sRef)));
  if (tuner && tuner.state !== 'locked') return { kind: 'noSignal', message: tuner.reason };
  return tuner || hasTables ? { kind: 'silent', message: '' } : { kind: 'empty' };
}

/** The ids of a service in its reference. */
const idsOf = (reference: unknown) => String(reference).split(':').slice(3, 7).join(':').toUpperCase();
