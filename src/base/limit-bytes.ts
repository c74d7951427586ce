import { fail } from './errors.ts';

/**
 * Yields the chunks of `source` as they are.
 * @throws ReceiverError `too-large` about `what`, if there are more than `maxBytes`
 */
export async function* limitBytes(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  what: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  for await (const chunk of source) {
    length += chunk.length;
    if (length > maxBytes) throw fail('too-large', what, maxBytes);
    yield chunk;
  }
}
