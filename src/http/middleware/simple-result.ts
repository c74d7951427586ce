/** The response of /web and /api to an action without a result of its own, and to every failure. */
import * as Type from 'typebox';
import type { ReceiverError } from '../../base/errors.ts';
import { recordSchema } from '../write/record.ts';
import { element, leaf, type View } from '../write/xml.ts';

/** Success or failure of an action, with a message. */
export const SimpleResult = recordSchema({
  result: true,
  message: '',
  error: Type.Optional(Type.String({ description: 'of a failure: what is wrong, as a stable code for programs' })),
});
export type SimpleResult = Type.Static<typeof SimpleResult>;

/** The text is never empty, because a client treats a response without text as a failure. */
export const simpleResult: View<SimpleResult> = element(
  'e2simplexmlresult',
  leaf('e2state', ({ result }) => result),
  leaf('e2statetext', ({ message }) => message || 'unknown'),
);

/** A success. */
export function done(message: string): SimpleResult {
  return { result: true, message };
}

/** A failure. `text` replaces the error's own message where clients expect a certain wording. */
export function failure({ code, message }: ReceiverError, text = message): SimpleResult {
  return { result: false, message: text, error: code };
}
