/** Edits of several entries of a bouquet, applied to a list that has changed since. */
import { expect, it } from 'vitest';

interface Entry {
  readonly reference: string;
  readonly name: string;
  readonly own: string;
  readonly kind: 'service' | 'marker' | 'bouquet';
  readonly hidden: boolean;
  readonly locked: boolean;
}
interface Taken {
  readonly place: number;
  readonly entry: Entry;
}
interface Module {
  find(now: readonly Entry[], chosen: readonly Entry[]): readonly Taken[];
  ordered(now: readonly Entry[], wanted: readonly Entry[]): readonly Entry[];
  without(now: readonly Entry[], taken: readonly Taken[]): readonly Entry[];
  restored(now: readonly Entry[], taken: readonly Taken[]): readonly Entry[];
  filtered(entries: readonly Entry[], matches: (place: number) => boolean): readonly Entry[];
}
// Imported by URL, because its types need those of a browser.
const { href } = new URL('../../src/ui/pages/bouquets/edits.ts', import.meta.url);
const { find, ordered, without, restored, filtered } = (await import(href)) as Module;

const plain = { own: '', hidden: false, locked: false } as const;
const service = (id: number, name: string): Entry => ({
  ...plain,
  reference: `1:0:1:${id}:1:1:C00000:0:0:0:`,
  name,
  kind: 'service',
});
const marker = (name: string): Entry => ({
  ...plain,
  reference: `1:64:0:0:0:0:0:0:0:0::${name}`,
  name,
  kind: 'marker',
});
const hidden = (entry: Entry) => ({ ...entry, reference: entry.reference.replace('1:0:', '1:512:'), hidden: true });
const namesOf = (entries: readonly Entry[]) => entries.map(({ name }) => name).join('');

const [a, b, c, d] = [service(1, 'a'), service(2, 'b'), service(3, 'c'), service(4, 'd')];
const [x, y] = [marker('X'), marker('Y')];
const list = [x, a, b, y, c, d];

it('finds entries that another client has hidden or moved since, each once', () => {
  const now = [d, hidden(b), x, a, b];
  const places = (...chosen: readonly Entry[]) => find(now, chosen).map(({ place }) => place);
  expect(places(a, d)).toEqual([0, 3]);
  expect(places(b)).toEqual([4]);
  expect(places(b, b)).toEqual([1, 4]);
  expect(places(x, y, c)).toEqual([2]);
});

it('puts what was removed back to its places', () => {
  const taken = find(list, [d, a, y]);
  const left = without(list, taken);
  expect(namesOf(left)).toBe('Xbc');
  expect(namesOf(restored(left, taken))).toBe(namesOf(list));
  expect(namesOf(restored([], taken))).toBe('aYd');
});

it('keeps what an order lacks at the end', () => {
  expect(namesOf(ordered(list, [d, c, x, a]))).toBe('dcXabY');
  expect(namesOf(ordered([a, b], [d, b, a]))).toBe('ba');
});

it('filters by names, and shows a section whose marker matches', () => {
  const found = (text: string) => namesOf(filtered(list, (place) => list[place]?.name === text));
  expect(found('b')).toBe('b');
  expect(found('Y')).toBe('Ycd');
  expect(found('X')).toBe('Xab');
  expect(found('z')).toBe('');
});
