/**
 * Parses the regular expressions of filters. The syntax is that of the AutoTimer plug-in (Python's), restricted to what
 * a single pass over a text can match. Back-references and look-around are rejected, because they cannot be matched in
 * bounded time.
 *
 *   pattern      alternative ('|' alternative)*
 *   alternative  (atom ('*' | '+' | '?' | '{n}' | '{n,}' | '{,m}' | '{n,m}')? '?'?)*
 *   atom         character | '.' | '\d \D \w \W \s \S' | '[...]' | '(...)' | '(?:...)' | '(?P<name>...)'
 *                | '^ $ \A \Z \b \B'
 *
 * preceded by an optional `(?i)`, `(?m)`, `(?s)`, `(?u)` or a group of several of these letters.
 */

/** A set of code points. */
export interface CharacterSet {
  /** The members, as written between the brackets of a JavaScript regular expression with the flag `v`. */
  readonly source: string;
  readonly isNegated: boolean;
  /** The only member, if the pattern contains it as a literal character. */
  readonly character?: string;
}

/** A condition on a position: begin or end of the text or of a line, a word boundary, or no word boundary. */
export type Anchor = 'begin' | 'end' | 'line-begin' | 'line-end' | 'word-boundary' | 'no-word-boundary';

export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'anchor'; readonly anchor: Anchor }
  | { readonly kind: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number };

export interface ParsedPattern {
  readonly node: PatternNode;
  readonly ignoresCase: boolean;
}

/** Maximum characters of a pattern. */
export const maxPatternLength = 250;

const codeOf = (character: string) => character.codePointAt(0) as number;
const sourceOf = (character: string) => `\\u{${codeOf(character).toString(16)}}`;
const singleCharacter = (character: string): CharacterSet => ({
  source: sourceOf(character),
  isNegated: false,
  character,
});
const classEscapes: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: '[\\p{L}\\p{N}_]',
  W: '[^\\p{L}\\p{N}_]',
  s: '\\s',
  S: '\\S',
};
const controlEscapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', a: '\u0007' };
const anchorEscapes: Readonly<Record<string, Anchor>> = {
  A: 'begin',
  Z: 'end',
  b: 'word-boundary',
  B: 'no-word-boundary',
};
const punctuation = /^[^\p{L}\p{N}]$/u;

/** @throws Error with a human-readable reason if the pattern is invalid or unsupported */
export function parsePattern(text: string): ParsedPattern {
  if (text.length > maxPatternLength) throw new Error(`it is longer than ${maxPatternLength} characters`);
  const [flags = '', letters = ''] = /^\(\?([a-zA-Z]+)\)/.exec(text) ?? [];
  const unknown = /[^imsu]/.exec(letters);
  if (unknown) throw new Error(`the flag '${unknown[0]}' is not supported`);
  const reader = new PatternReader(text.slice(flags.length), {
    dotIsAll: letters.includes('s'),
    isMultiline: letters.includes('m'),
  });
  return { node: reader.read(), ignoresCase: letters.includes('i') };
}

class PatternReader {
  readonly #characters: readonly string[];
  readonly #flags: { readonly dotIsAll: boolean; readonly isMultiline: boolean };
  #at = 0;

  constructor(text: string, flags: { readonly dotIsAll: boolean; readonly isMultiline: boolean }) {
    this.#characters = [...text];
    this.#flags = flags;
  }

  read(): PatternNode {
    const node = this.#readAlternatives();
    if (this.#next === ')') throw new Error('unmatched )');
    return node;
  }

  get #next(): string | undefined {
    return this.#characters[this.#at];
  }

  /** Consumes `text` if it comes next. Returns whether it did. */
  #consume(text: string): boolean {
    const isNext = [...text].every((character, index) => this.#characters[this.#at + index] === character);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  #readAlternatives(): PatternNode {
    const nodes = [this.#readSequence()];
    while (this.#consume('|')) nodes.push(this.#readSequence());
    return nodes.length === 1 ? (nodes[0] as PatternNode) : { kind: 'choice', nodes };
  }

  #readSequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') nodes.push(this.#readRepeatedAtom());
    return { kind: 'sequence', nodes };
  }

  #readRepeatedAtom(): PatternNode {
    const node = this.#readAtom();
    const count = this.#readRepeat();
    if (count === undefined) return node;
    if (node.kind === 'anchor') throw new Error('an anchor cannot be repeated');
    // Lazy or greedy makes no difference to whether a text matches.
    this.#consume('?');
    if (this.#next === '+' || this.#readRepeat()) throw new Error('a repeat cannot be repeated');
    return { kind: 'repeat', node, ...count };
  }

  #readRepeat(): { readonly min: number; readonly max: number } | undefined {
    if (this.#consume('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#consume('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#consume('?')) return { min: 0, max: 1 };
    if (this.#next !== '{') return undefined;
    const [whole, first, comma, last] = /^\{(\d*)(?:(,)(\d*))?\}/.exec(this.#characters.slice(this.#at).join('')) ?? [];
    // The brace is a literal character, as in Python.
    if (whole === undefined || whole === '{}') return undefined;
    this.#at += whole.length;
    const min = Number(first || 0);
    const max = last ? Number(last) : comma ? Number.POSITIVE_INFINITY : min;
    if (min > max) throw new Error(`${whole}: the first number exceeds the second`);
    return { min, max };
  }

  #readAtom(): PatternNode {
    const character = this.#next as string;
    this.#at++;
    if (character === '(') return this.#readGroup();
    if (character === '[') return { kind: 'set', set: this.#readBrackets() };
    if (character === '\\') return this.#readEscape();
    if (character === '^') return { kind: 'anchor', anchor: this.#flags.isMultiline ? 'line-begin' : 'begin' };
    if (character === '$') return { kind: 'anchor', anchor: this.#flags.isMultiline ? 'line-end' : 'end' };
    if (character === '.')
      return { kind: 'set', set: { source: this.#flags.dotIsAll ? '' : sourceOf('\n'), isNegated: true } };
    if ('*+?'.includes(character)) throw new Error(`nothing to repeat before ${character}`);
    return { kind: 'set', set: singleCharacter(character) };
  }

  #readGroup(): PatternNode {
    if (this.#consume('?') && !this.#consume(':')) {
      const named = /^P<\w+>/.exec(this.#characters.slice(this.#at).join(''));
      if (!named) {
        const kind = this.#characters.slice(this.#at - 2, this.#at + 1).join('');
        const instead = kind === '(?!' ? '; use an exclude filter instead' : '';
        throw new Error(`groups with ${kind} are not supported${instead}`);
      }
      this.#at += [...named[0]].length;
    }
    const node = this.#readAlternatives();
    if (!this.#consume(')')) throw new Error('unclosed (');
    return node;
  }

  #readEscape(): PatternNode {
    const letter = this.#next;
    if (letter !== undefined && Object.hasOwn(anchorEscapes, letter)) {
      this.#at++;
      return { kind: 'anchor', anchor: anchorEscapes[letter] as Anchor };
    }
    const escaped = this.#readEscapedCharacter();
    return { kind: 'set', set: typeof escaped === 'string' ? singleCharacter(escaped) : escaped };
  }

  /** Reads the rest of an escape, after the backslash: a character or a class of characters. */
  #readEscapedCharacter(): string | CharacterSet {
    const letter = this.#next;
    if (letter === undefined) throw new Error('nothing follows the last \\');
    this.#at++;
    if (Object.hasOwn(classEscapes, letter)) return { source: classEscapes[letter] as string, isNegated: false };
    if (letter === 'x' || letter === 'u') {
      const digits = this.#characters.slice(this.#at, this.#at + (letter === 'x' ? 2 : 4)).join('');
      if (!(letter === 'x' ? /^[\da-f]{2}$/i : /^[\da-f]{4}$/i).test(digits))
        throw new Error(`\\${letter} needs ${letter === 'x' ? 2 : 4} hexadecimal digits`);
      this.#at += digits.length;
      return String.fromCodePoint(Number.parseInt(digits, 16));
    }
    const control = Object.hasOwn(controlEscapes, letter) ? controlEscapes[letter] : undefined;
    if (control !== undefined) return control;
    if (/\d/.test(letter)) throw new Error(`\\${letter}: back-references are not supported`);
    if (!punctuation.test(letter)) throw new Error(`unknown escape \\${letter}`);
    return letter;
  }

  #readBrackets(): CharacterSet {
    const isNegated = this.#consume('^');
    let source = '';
    for (let isFirst = true; ; isFirst = false) {
      if (this.#next === undefined) throw new Error('unclosed [');
      if (!isFirst && this.#consume(']')) return { source, isNegated };
      const from = this.#readBracketItem();
      if (typeof from !== 'string') {
        source += from.source;
        continue;
      }
      const isRange = this.#next === '-' && ![']', undefined].includes(this.#characters[this.#at + 1]);
      if (isRange) this.#at++;
      const to = isRange ? this.#readBracketItem() : from;
      if (typeof to !== 'string' || codeOf(to) < codeOf(from)) throw new Error('invalid range in [ ]');
      source += `${sourceOf(from)}-${sourceOf(to)}`;
    }
  }

  #readBracketItem(): string | CharacterSet {
    if (this.#consume('\\')) return this.#consume('b') ? '\b' : this.#readEscapedCharacter();
    const character = this.#next as string;
    this.#at++;
    return character;
  }
}
