/**
 * The syntax of filters: regular expressions as in the AutoTimer plug-in (Python's), as far as a single pass over a
 * text can decide them. Back-references and look-around are refused, because they cannot be matched in bounded time.
 *
 *   pattern      alternative ('|' alternative)*
 *   alternative  (atom ('*' | '+' | '?' | '{n}' | '{n,}' | '{,m}' | '{n,m}')? '?'?)*
 *   atom         character | '.' | '\d \D \w \W \s \S' | '[...]' | '(...)' | '(?:...)' | '(?P<name>...)'
 *                | '^ $ \A \Z \b \B'
 *
 * preceded by an optional `(?i)`, `(?m)`, `(?s)`, `(?u)` or a group of several of these letters.
 */

/** A set of characters (code points). */
export interface CharacterSet {
  /** Its members, as in the brackets of a JavaScript regular expression with the flag `v`. */
  readonly source: string;
  readonly isNegated: boolean;
  /** Set if it is a character of the pattern. */
  readonly character?: string;
}

/** Positions in a text: its begin and end, those of a line, a word boundary, and anything but a word boundary. */
export type Place = 'begin' | 'end' | 'line-begin' | 'line-end' | 'edge' | 'no-edge';

export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly least: number; readonly most: number };

export interface ParsedPattern {
  readonly node: PatternNode;
  readonly ignoresCase: boolean;
}

/** Maximum characters of a pattern. */
export const longestPattern = 250;

const codeOf = (character: string) => character.codePointAt(0) as number;
const sourceOf = (character: string) => `\\u{${codeOf(character).toString(16)}}`;
const single = (character: string): CharacterSet => ({ source: sourceOf(character), isNegated: false, character });
const classes: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: '[\\p{L}\\p{N}_]',
  W: '[^\\p{L}\\p{N}_]',
  s: '\\s',
  S: '\\S',
};
const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', a: '\u0007' };
const places: Readonly<Record<string, Place>> = { A: 'begin', Z: 'end', b: 'edge', B: 'no-edge' };
const punctuation = /^[^\p{L}\p{N}]$/u;

/** @throws Error that says, in words for people, what is invalid or unsupported */
export function parsePattern(text: string): ParsedPattern {
  if (text.length > longestPattern) throw new Error(`it is longer than ${longestPattern} characters`);
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
    const node = this.#choice();
    if (this.#next === ')') throw new Error('unmatched )');
    return node;
  }

  get #next(): string | undefined {
    return this.#characters[this.#at];
  }

  /** Consumes `text` if it comes next, and returns whether it did. */
  #takes(text: string): boolean {
    const is = [...text].every((character, index) => this.#characters[this.#at + index] === character);
    if (is) this.#at += text.length;
    return is;
  }

  #choice(): PatternNode {
    const nodes = [this.#sequence()];
    while (this.#takes('|')) nodes.push(this.#sequence());
    return nodes.length === 1 ? (nodes[0] as PatternNode) : { kind: 'choice', nodes };
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') nodes.push(this.#repeated());
    return { kind: 'sequence', nodes };
  }

  #repeated(): PatternNode {
    const node = this.#atom();
    const times = this.#times();
    if (times === undefined) return node;
    if (node.kind === 'place') throw new Error('an anchor cannot be repeated');
    // Lazy or greedy makes no difference to whether a text matches.
    this.#takes('?');
    if (this.#next === '+' || this.#times()) throw new Error('a repeat cannot be repeated');
    return { kind: 'repeat', node, ...times };
  }

  #times(): { readonly least: number; readonly most: number } | undefined {
    if (this.#takes('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#takes('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#takes('?')) return { least: 0, most: 1 };
    if (this.#next !== '{') return undefined;
    const [whole, first, comma, last] = /^\{(\d*)(?:(,)(\d*))?\}/.exec(this.#characters.slice(this.#at).join('')) ?? [];
    // Otherwise it is a literal character.
    if (whole === undefined || whole === '{}') return undefined;
    this.#at += whole.length;
    const least = Number(first || 0);
    const most = last ? Number(last) : comma ? Number.POSITIVE_INFINITY : least;
    if (least > most) throw new Error(`${whole}: the first number exceeds the second`);
    return { least, most };
  }

  #atom(): PatternNode {
    const character = this.#next as string;
    this.#at++;
    if (character === '(') return this.#group();
    if (character === '[') return { kind: 'set', set: this.#brackets() };
    if (character === '\\') return this.#escape();
    if (character === '^') return { kind: 'place', place: this.#flags.isMultiline ? 'line-begin' : 'begin' };
    if (character === '$') return { kind: 'place', place: this.#flags.isMultiline ? 'line-end' : 'end' };
    if (character === '.')
      return { kind: 'set', set: { source: this.#flags.dotIsAll ? '' : sourceOf('\n'), isNegated: true } };
    if ('*+?'.includes(character)) throw new Error(`nothing to repeat before ${character}`);
    return { kind: 'set', set: single(character) };
  }

  #group(): PatternNode {
    if (this.#takes('?') && !this.#takes(':')) {
      const named = /^P<\w+>/.exec(this.#characters.slice(this.#at).join(''));
      if (!named) {
        const kind = this.#characters.slice(this.#at - 2, this.#at + 1).join('');
        const instead = kind === '(?!' ? '; use an exclude filter instead' : '';
        throw new Error(`groups with ${kind} are not supported${instead}`);
      }
      this.#at += [...named[0]].length;
    }
    const node = this.#choice();
    if (!this.#takes(')')) throw new Error('unclosed (');
    return node;
  }

  #escape(): PatternNode {
    const letter = this.#next;
    if (letter !== undefined && Object.hasOwn(places, letter)) {
      this.#at++;
      return { kind: 'place', place: places[letter] as Place };
    }
    const one = this.#escaped();
    return { kind: 'set', set: typeof one === 'string' ? single(one) : one };
  }

  /** Reads what follows a backslash: a character, or a class of characters. */
  #escaped(): string | CharacterSet {
    const letter = this.#next;
    if (letter === undefined) throw new Error('nothing follows the last \\');
    this.#at++;
    if (Object.hasOwn(classes, letter)) return { source: classes[letter] as string, isNegated: false };
    if (letter === 'x' || letter === 'u') {
      const digits = this.#characters.slice(this.#at, this.#at + (letter === 'x' ? 2 : 4)).join('');
      if (!(letter === 'x' ? /^[\da-f]{2}$/i : /^[\da-f]{4}$/i).test(digits))
        throw new Error(`\\${letter} needs ${letter === 'x' ? 2 : 4} hexadecimal digits`);
      this.#at += digits.length;
      return String.fromCodePoint(Number.parseInt(digits, 16));
    }
    const control = Object.hasOwn(controls, letter) ? controls[letter] : undefined;
    if (control !== undefined) return control;
    if (/\d/.test(letter)) throw new Error(`\\${letter}: back-references are not supported`);
    if (!punctuation.test(letter)) throw new Error(`unknown escape \\${letter}`);
    return letter;
  }

  #brackets(): CharacterSet {
    const isNegated = this.#takes('^');
    let source = '';
    for (let isFirst = true; ; isFirst = false) {
      if (this.#next === undefined) throw new Error('unclosed [');
      if (!isFirst && this.#takes(']')) return { source, isNegated };
      const from = this.#inBrackets();
      if (typeof from !== 'string') {
        source += from.source;
        continue;
      }
      const isRange = this.#next === '-' && ![']', undefined].includes(this.#characters[this.#at + 1]);
      if (isRange) this.#at++;
      const to = isRange ? this.#inBrackets() : from;
      if (typeof to !== 'string' || codeOf(to) < codeOf(from)) throw new Error('invalid range in [ ]');
      source += `${sourceOf(from)}-${sourceOf(to)}`;
    }
  }

  #inBrackets(): string | CharacterSet {
    if (this.#takes('\\')) return this.#takes('b') ? '\b' : this.#escaped();
    const character = this.#next as string;
    this.#at++;
    return character;
  }
}
