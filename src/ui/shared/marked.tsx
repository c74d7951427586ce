import { folded } from './fold.ts';

/** Text with `<mark>` around search words. Ignores case and accents, like the receiver's search. */
export function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  return <>{pieces(text, words).map(({ piece, isHit }) => (isHit ? <mark key={piece}>{piece}</mark> : piece))}</>;
}

/** Whether the text contains one of the words. */
export function hasHit(text: string, words: readonly string[]): boolean {
  return pieces(text, words).some(({ isHit }) => isHit);
}

/** Offset of the first match; -1 without one. */
export function firstHit(text: string, words: readonly string[]): number {
  const [first, second] = pieces(text, words);
  if (first?.isHit) return 0;
  return second?.isHit ? (first?.piece.length ?? 0) : -1;
}

interface Piece {
  readonly piece: string;
  readonly isHit: boolean;
}

function pieces(text: string, words: readonly string[]): readonly Piece[] {
  const { whole, from, to } = fold(text);
  const spans: [number, number][] = [];
  for (const word of words.map((one) => fold(one).whole).filter((one) => one !== '')) {
    for (let at = whole.indexOf(word); at >= 0; at = whole.indexOf(word, at + word.length)) {
      spans.push([from[at] ?? 0, to[at + word.length - 1] ?? text.length]);
    }
  }
  spans.sort(([a], [b]) => a - b);
  const found: Piece[] = [];
  let done = 0;
  for (const [start, end] of spans) {
    if (end <= done) continue;
    const begin = Math.max(start, done);
    if (begin > done) found.push({ piece: text.slice(done, begin), isHit: false });
    found.push({ piece: text.slice(begin, end), isHit: true });
    done = end;
  }
  if (done < text.length) found.push({ piece: text.slice(done), isHit: false });
  return found;
}

/** The folded text, and for each of its UTF-16 units the start and end of the source character in the original. */
function fold(text: string) {
  const [from, to]: [number[], number[]] = [[], []];
  let whole = '';
  let position = 0;
  for (const character of text) {
    const end = position + character.length;
    const plain = folded(character);
    for (let unit = 0; unit < plain.length; unit++) {
      from.push(position);
      to.push(end);
    }
    // A combining mark belongs to the character before it.
    if (plain === '' && to.length > 0) to[to.length - 1] = end;
    whole += plain;
    position = end;
  }
  return { whole, from, to };
}
