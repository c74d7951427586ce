/**
 * Searches texts for a regular expression in time linear in the length of the text: patterns come from the network and
 * must not block the event loop. An automaton follows all alternatives at once; its states are built on demand
 * (K. Thompson, Regular Expression Search Algorithm, CACM 11, 1968).
 *
 *   pattern  ─parsePattern→  nodes  ─Program→  steps  ─Pattern→  states, each a set of steps, and their transitions
 *
 * Why not re2js, the JavaScript port of RE2: it only knows ASCII word boundaries (`\bÖl` would find nothing) and cannot
 * yield, so a hard pattern blocks the event loop for 0.3 s on a text of 32 KB. It would also need a translation from
 * Python's syntax, and adds 273 KB to the program; this file and pattern-syntax.ts have 16 KB.
 *
 * Memory is bounded by the number of steps per pattern, of cached states and of cached characters. A full cache is
 * cleared as a whole.
 */
import type { TimeSlice } from '../base/time-slice.ts';
import { type Anchor, type CharacterSet, type PatternNode, parsePattern } from './pattern-syntax.ts';

/** Per pattern; a repeated part counts once per repetition. */
const maxSteps = 256;
/** While building the steps of a pattern. Limits repeated empty nodes, which add no steps. */
const maxVisitedNodes = 2000;
const maxStates = 512;
/** Characters at or above `kindTableLength` whose kind is cached. */
const maxCachedCharacters = 4096;
/** Code points below this one have their kind in an array, which is faster than a map. */
const kindTableLength = 0x250;

type Step =
  /** `set` is an index into `Program.sets`; `next` and `other` are indices into `Program.steps`. */
  | { readonly kind: 'set'; readonly set: number; readonly next: number }
  | { readonly kind: 'anchor'; readonly place: Anchor; readonly next: number }
  | { readonly kind: 'fork'; next: number; readonly other: number }
  | { readonly kind: 'found' };

/** The steps of a pattern, built from last to first. */
class Program {
  readonly steps: Step[] = [{ kind: 'found' }];
  readonly sets: { readonly members: RegExp; readonly isNegated: boolean }[] = [];
  readonly first: number;
  readonly #setNumbers = new Map<string, number>();
  #visitedNodes = 0;

  /** @throws Error if the pattern is too large */
  constructor(node: PatternNode) {
    this.first = this.#add(node, 0);
  }

  get hasAnchors(): boolean {
    return this.steps.some(({ kind }) => kind === 'anchor');
  }

  /** Adds a node that is followed by step `next`. Returns its first step. */
  #add(node: PatternNode, next: number): number {
    if (++this.#visitedNodes > maxVisitedNodes) throw new Error('it is too large');
    switch (node.kind) {
      case 'set':
        return this.#push({ kind: 'set', set: this.#setNumber(node.set), next });
      case 'anchor':
        return this.#push({ kind: 'anchor', place: node.anchor, next });
      case 'sequence':
        return node.nodes.reduceRight((after, part) => this.#add(part, after), next);
      case 'choice':
        return node.nodes
          .map((alternative) => this.#add(alternative, next))
          .reduceRight((other, first) => this.#push({ kind: 'fork', next: first, other }));
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  #repeat({ node, min, max }: PatternNode & { readonly kind: 'repeat' }, next: number): number {
    let begin = next;
    if (max === Number.POSITIVE_INFINITY) {
      const fork: Step = { kind: 'fork', next, other: next };
      begin = this.#push(fork);
      fork.next = this.#add(node, begin);
    } else {
      for (let count = min; count < max; count++)
        begin = this.#push({ kind: 'fork', next: this.#add(node, begin), other: next });
    }
    for (let count = 0; count < min; count++) begin = this.#add(node, begin);
    return begin;
  }

  #push(step: Step): number {
    if (this.steps.length >= maxSteps) throw new Error('it is too large');
    return this.steps.push(step) - 1;
  }

  #setNumber({ source, isNegated }: CharacterSet): number {
    const key = `${isNegated}${source}`;
    const known = this.#setNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.sets.push({ members: new RegExp(`[${source}]`, 'v'), isNegated }) - 1;
    this.#setNumbers.set(key, number);
    return number;
  }
}

const wordCharacter = /[\p{L}\p{N}_]/u;

/** The character in lower and upper case. A case that is more than one character is left out. */
const caseVariants = (character: string) =>
  [character, character.toLowerCase(), character.toUpperCase()].filter((text) => [...text].length === 1);

/** An equivalence class of characters: the pattern treats all of them alike. */
interface CharacterKind {
  readonly number: number;
  /** Whether the characters are in each of `Program.sets`. */
  readonly inSets: readonly boolean[];
  readonly isWord: boolean;
  readonly isNewline: boolean;
}

/** What comes before a position: the begin of the text, a line break, a word character, or any other character. */
type Before = 'nothing' | 'newline' | 'word' | 'other';

interface State {
  readonly steps: readonly number[];
  readonly before: Before;
  /** The next state by `CharacterKind.number`; undefined until it is computed. */
  readonly next: (State | undefined)[];
}

const foundState: State = { steps: [], before: 'other', next: [] };
const notFoundState: State = { steps: [], before: 'other', next: [] };

/** The progress of a search in a text. `at` is an index of UTF-16 code units. */
interface Search {
  readonly text: string;
  at: number;
  state: State;
}

export class Pattern {
  /** The text to search for, if the pattern is a literal text. */
  readonly #literal: string | undefined;
  readonly #program: Program;
  readonly #ignoresCase: boolean;
  readonly #hasAnchors: boolean;
  readonly #kinds = new Map<string, CharacterKind>();
  readonly #kindCache = new Map<number, CharacterKind>();
  readonly #kindTable: (CharacterKind | undefined)[] = [];
  readonly #states = new Map<string, State>();
  #first: State;

  /** @throws Error with a human-readable reason if the pattern is invalid, unsupported or too large */
  constructor(text: string) {
    const { node, ignoresCase } = parsePattern(text);
    this.#literal = ignoresCase ? undefined : literalText(node);
    this.#program = new Program(node);
    this.#ignoresCase = ignoresCase;
    this.#hasAnchors = this.#program.hasAnchors;
    this.#first = this.#initialState();
  }

  /** Whether the pattern occurs in a text. Returns a promise if the time slice is over before the result is known. */
  occursIn(text: string, slice: TimeSlice): boolean | Promise<boolean> {
    if (this.#literal !== undefined) return text.includes(this.#literal);
    const search: Search = { text, at: 0, state: this.#first };
    return this.#advance(search, slice) ?? this.#advanceInSlices(search, slice);
  }

  async #advanceInSlices(search: Search, slice: TimeSlice): Promise<boolean> {
    for (;;) {
      await slice.next();
      const isFound = this.#advance(search, slice);
      if (isFound !== undefined) return isFound;
    }
  }

  /**
   * Continues a search. Returns undefined if the time slice is over before the result is known. Only missing transitions
   * take time, so the slice is checked only there.
   */
  #advance(search: Search, slice: TimeSlice): boolean | undefined {
    const { text } = search;
    let { at, state } = search;
    while (at < text.length) {
      const code = text.codePointAt(at) as number;
      const kind = (code < kindTableLength ? this.#kindTable[code] : this.#kindCache.get(code)) ?? this.#kindOf(code);
      let next = state.next[kind.number];
      if (next === undefined) {
        if (slice.isOver) {
          Object.assign(search, { at, state });
          return undefined;
        }
        next = this.#transition(state, kind);
        state.next[kind.number] = next;
      }
      if (next === foundState) return true;
      state = next;
      at += code > 0xffff ? 2 : 1;
    }
    return this.#transition(state, undefined) === foundState;
  }

  #kindOf(code: number): CharacterKind {
    const character = String.fromCodePoint(code);
    const variants = this.#ignoresCase ? caseVariants(character) : [character];
    const inSets = this.#program.sets.map(
      ({ members, isNegated }) => variants.some((variant) => members.test(variant)) !== isNegated,
    );
    const isWord = wordCharacter.test(character);
    const isNewline = code === 10;
    const key = `${isWord}${isNewline}${inSets}`;
    const kind = this.#kinds.get(key) ?? { number: this.#kinds.size, inSets, isWord, isNewline };
    this.#kinds.set(key, kind);
    if (code < kindTableLength) this.#kindTable[code] = kind;
    else {
      if (this.#kindCache.size >= maxCachedCharacters) this.#kindCache.clear();
      this.#kindCache.set(code, kind);
    }
    return kind;
  }

  /** The state that follows another one after a character of a kind. An undefined kind is the end of the text. */
  #transition({ steps: from, before }: State, kind: CharacterKind | undefined): State {
    const { steps, first } = this.#program;
    const seen = new Set(from);
    const open = [...from];
    const reached = new Set<number>();
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      const step = steps[number] as Step;
      if (step.kind === 'found') return foundState;
      if (step.kind === 'set') {
        if (kind?.inSets[step.set]) reached.add(step.next);
        continue;
      }
      if (step.kind === 'anchor' && !anchorHolds(step.place, before, kind)) continue;
      for (const next of step.kind === 'fork' ? [step.next, step.other] : [step.next]) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(next);
      }
    }
    if (kind === undefined) return notFoundState;
    // A match may begin at any position.
    reached.add(first);
    const preceding = kind.isNewline ? 'newline' : kind.isWord ? 'word' : 'other';
    return this.#internState(
      [...reached].sort((a, b) => a - b),
      this.#hasAnchors ? preceding : 'other',
    );
  }

  #internState(steps: readonly number[], before: Before): State {
    const key = `${before}${steps}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= maxStates) {
      // States refer to each other, so the cache is cleared as a whole.
      this.#states.clear();
      this.#first = this.#initialState();
    }
    const state: State = { steps, before, next: [] };
    this.#states.set(key, state);
    return state;
  }

  #initialState(): State {
    return { steps: [this.#program.first], before: 'nothing', next: [] };
  }
}

function anchorHolds(place: Anchor, before: Before, after: CharacterKind | undefined): boolean {
  switch (place) {
    case 'begin':
      return before === 'nothing';
    case 'end':
      return after === undefined;
    case 'line-begin':
      return before === 'nothing' || before === 'newline';
    case 'line-end':
      return after === undefined || after.isNewline;
    case 'word-boundary':
      return (before === 'word') !== (after?.isWord ?? false);
    case 'no-word-boundary':
      return (before === 'word') === (after?.isWord ?? false);
  }
}

/** The literal text that a pattern consists of; undefined if it is not a literal. */
function literalText(node: PatternNode): string | undefined {
  if (node.kind === 'sequence') {
    const texts = node.nodes.map(literalText);
    return texts.includes(undefined) ? undefined : texts.join('');
  }
  return node.kind === 'set' ? node.set.character : undefined;
}
