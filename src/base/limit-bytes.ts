import { fail } from './errors.ts';

/** Passes bytes on, at most `bound` of them. @throws ReceiverError `too-large`, which names `what` */
export async function* bounded(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  what: string,
  bound: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  for await (const piece of source) {
    length += piece.length;
    if (length > bound) throw fail('too-large', what, bound);
    yield piece;
  }
}
