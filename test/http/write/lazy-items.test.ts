/**
 * Items that are converted while they are written have the same bytes as an array, for any number of items.
 */
import { expect, it } from 'vitest';
import { compactJson, jsonDocument } from '../../../src/http/write/json.ts';
import { documentBytes } from '../../../src/http/write/replies.ts';
import { lazily } from '../../../src/http/write/written-list.ts';
import { each, element, leaf, xmlDocument } from '../../../src/http/write/xml.ts';

interface Answer {
  readonly result: boolean;
  readonly items: Iterable<string>;
}

const view = element<Answer>(
  'list',
  each(
    ({ items }) => items,
    leaf<string>('item', (text) => text),
  ),
  leaf('end', () => 'x'),
);

it.each([0, 1, 31, 32, 33, 64, 1000])('%d items', async (count) => {
  const numbers = Array.from({ length: count }, (_, n) => n);
  // Some items are too long for the memory of a piece.
  const text = (n: number) => `ä & ${n}`.repeat(n === 32 ? 100_000 : 3);
  const answer = { result: true, items: lazily(numbers, text) };
  const plain = { result: true, items: numbers.map(text) };
  for (const write of [jsonDocument, compactJson, (one: object) => xmlDocument(view, one as Answer)]) {
    const [have, want] = await Promise.all([documentBytes(write(answer)), documentBytes(write(plain))]);
    expect(have.toString()).toBe(want.toString());
  }
});
