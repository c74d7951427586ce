import { fail } from './errors.ts';

/** Passes bytes on, at most `maxBytes` of them. @throws ReceiverError `too-large`, which names `what` */
export async function* limitBytes(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  what: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  for await (const piece of source) {
    length += piece.length;
    if (length > maxBytes) throw fail('too-large', what, maxBytes);
    yield piece;
  }
}
