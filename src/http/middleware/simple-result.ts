/** The reply of what only performs an action, and of a failure, on the /web and /api faces. */
import * as Type from 'typebox';
import type { ReceiverError } from '../../base/errors.ts';
import { record } from '../write/record.ts';
import { element, leaf, type View } from '../write/xml.ts';

/** The reply of every operation that only performs an action, and of every failure. */
export const SimpleResult = record({
  result: true,
  message: '',
  error: Type.Optional(Type.String({ description: 'of a failure: what is wrong, as a stable code for programs' })),
});
export type SimpleResult = Type.Static<typeof SimpleResult>;

/** The text is never empty, because a client takes a reply without text for a failure. */
export const simpleResult: View<SimpleResult> = element(
  'e2simplexmlresult',
  leaf('e2state', ({ result }) => result),
  leaf('e2statetext', ({ message }) => message || 'unknown'),
);

/** A success. */
export function done(message: string): SimpleResult {
  return { result: true, message };
}

/** A failure, in the words that clients know it by or in its own. */
export function failure({ code, message }: ReceiverError, words = message): SimpleResult {
  return { result: false, message: words, error: code };
}
