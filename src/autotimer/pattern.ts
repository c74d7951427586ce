/**
 * Finds a regular expression in texts, in time linear in the text: patterns come from the network and must not block
 * the event loop. All alternatives are followed at once by an automaton whose states are built on demand (K. Thompson,
 * Regular Expression Search Algorithm, CACM 11, 1968).
 *
 *   pattern  ─parsePattern→  nodes  ─Program→  steps  ─Pattern→  states, each a set of steps, and their transitions
 *
 * re2js, the JavaScript port of RE2, is not used because it only knows ASCII word boundaries (`\bÖl` would find nothing)
 * and cannot yield: a hard pattern holds the event loop for 0.3 s in a text of 32 KB. Python's syntax would have to be
 * translated all the same, and it adds 273 KB to the program; this file and the syntax are 16.
 *
 * Bounds: steps of a pattern; cached states and kinds of characters, which are all dropped at the maximum.
 */
import type { TimeSlice } from '../base/time-slice.ts';
import { type CharacterSet, type PatternNode, type Place, parsePattern } from './pattern-syntax.ts';

/** Maximum steps of a pattern; a repeated part counts once per repetition. */
const maximumSteps = 256;
/** Maximum nodes visited while building the steps: empty nodes can be repeated too. */
const maximumWork = 2000;
const maximumStates = 512;
/** Characters whose kind is cached. */
const maximumCharacters = 4096;
/** Lower code points have a table of their own. */
const tableLength = 0x250;

type Step =
  | { readonly kind: 'set'; readonly set: number; readonly next: number }
  | { readonly kind: 'place'; readonly place: Place; readonly next: number }
  | { readonly kind: 'fork'; next: number; readonly other: number }
  | { readonly kind: 'found' };

/** The steps of a pattern, built from last to first. */
class Program {
  readonly steps: Step[] = [{ kind: 'found' }];
  readonly sets: { readonly members: RegExp; readonly isNegated: boolean }[] = [];
  readonly first: number;
  readonly #numbers = new Map<string, number>();
  #work = 0;

  /** @throws Error if the pattern is too large */
  constructor(node: PatternNode) {
    this.first = this.#add(node, 0);
  }

  get looksAtPlaces(): boolean {
    return this.steps.some(({ kind }) => kind === 'place');
  }

  /** Adds a node that is followed by step `next`. Returns its first step. */
  #add(node: PatternNode, next: number): number {
    if (++this.#work > maximumWork) throw new Error('it is too large');
    switch (node.kind) {
      case 'set':
        return this.#step({ kind: 'set', set: this.#numberOf(node.set), next });
      case 'place':
        return this.#step({ kind: 'place', place: node.place, next });
      case 'sequence':
        return node.nodes.reduceRight((after, one) => this.#add(one, after), next);
      case 'choice':
        return node.nodes
          .map((one) => this.#add(one, next))
          .reduceRight((other, one) => this.#step({ kind: 'fork', next: one, other }));
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  #repeat({ node, least, most }: PatternNode & { readonly kind: 'repeat' }, next: number): number {
    let begin = next;
    if (most === Number.POSITIVE_INFINITY) {
      const fork: Step = { kind: 'fork', next, other: next };
      begin = this.#step(fork);
      fork.next = this.#add(node, begin);
    } else {
      for (let more = least; more < most; more++)
        begin = this.#step({ kind: 'fork', next: this.#add(node, begin), other: next });
    }
    for (let times = 0; times < least; times++) begin = this.#add(node, begin);
    return begin;
  }

  #step(step: Step): number {
    if (this.steps.length >= maximumSteps) throw new Error('it is too large');
    return this.steps.push(step) - 1;
  }

  #numberOf({ source, isNegated }: CharacterSet): number {
    const key = `${isNegated}${source}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.sets.push({ members: new RegExp(`[${source}]`, 'v'), isNegated }) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

const word = /[\p{L}\p{N}_]/u;

/** A character in both cases, where each case is a single character. */
const cases = (character: string) =>
  [character, character.toLowerCase(), character.toUpperCase()].filter((text) => [...text].length === 1);

/** A class of characters that the pattern does not distinguish. */
interface CharacterKind {
  readonly number: number;
  readonly inSets: readonly boolean[];
  readonly isWord: boolean;
  readonly isNewline: boolean;
}

/** What precedes a position: nothing, a line break, a word character, or anything else. */
type Before = 'nothing' | 'newline' | 'word' | 'other';

interface State {
  readonly steps: readonly number[];
  readonly before: Before;
  /** The transition for each kind of character, as far as known. */
  readonly next: (State | undefined)[];
}

const found: State = { steps: [], before: 'other', next: [] };
const notFound: State = { steps: [], before: 'other', next: [] };

/** Progress of a search in a text. */
interface Search {
  readonly text: string;
  at: number;
  state: State;
}

export class Pattern {
  /** Set if the pattern is plain text. */
  readonly #plain: string | undefined;
  readonly #program: Program;
  readonly #ignoresCase: boolean;
  readonly #looksAtPlaces: boolean;
  readonly #kinds = new Map<string, CharacterKind>();
  readonly #kindOfCode = new Map<number, CharacterKind>();
  readonly #table: (CharacterKind | undefined)[] = [];
  readonly #states = new Map<string, State>();
  #first: State;

  /** @throws Error that says, in words for people, what is invalid or unsupported */
  constructor(text: string) {
    const { node, ignoresCase } = parsePattern(text);
    this.#plain = ignoresCase ? undefined : plainText(node);
    this.#program = new Program(node);
    this.#ignoresCase = ignoresCase;
    this.#looksAtPlaces = this.#program.looksAtPlaces;
    this.#first = this.#begin();
  }

  /** Whether the pattern occurs in a text. The result is a promise if the turn ends before it is known. */
  isIn(text: string, slice: TimeSlice): boolean | Promise<boolean> {
    if (this.#plain !== undefined) return text.includes(this.#plain);
    const search: Search = { text, at: 0, state: this.#first };
    return this.#look(search, slice) ?? this.#lookInTurns(search, slice);
  }

  async #lookInTurns(search: Search, slice: TimeSlice): Promise<boolean> {
    for (;;) {
      await slice.next();
      const isFound = this.#look(search, slice);
      if (isFound !== undefined) return isFound;
    }
  }

  /** Undefined if the turn is over. Only missing transitions take time, so only they check the turn. */
  #look(search: Search, slice: TimeSlice): boolean | undefined {
    const { text } = search;
    let { at, state } = search;
    while (at < text.length) {
      const code = text.codePointAt(at) as number;
      const kind = (code < tableLength ? this.#table[code] : this.#kindOfCode.get(code)) ?? this.#kindOf(code);
      let next = state.next[kind.number];
      if (next === undefined) {
        if (slice.isOver) {
          Object.assign(search, { at, state });
          return undefined;
        }
        next = this.#step(state, kind);
        state.next[kind.number] = next;
      }
      if (next === found) return true;
      state = next;
      at += code > 0xffff ? 2 : 1;
    }
    return this.#step(state, undefined) === found;
  }

  #kindOf(code: number): CharacterKind {
    const character = String.fromCodePoint(code);
    const some = this.#ignoresCase ? cases(character) : [character];
    const inSets = this.#program.sets.map(
      ({ members, isNegated }) => some.some((one) => members.test(one)) !== isNegated,
    );
    const isWord = word.test(character);
    const isNewline = code === 10;
    const key = `${isWord}${isNewline}${inSets}`;
    const kind = this.#kinds.get(key) ?? { number: this.#kinds.size, inSets, isWord, isNewline };
    this.#kinds.set(key, kind);
    if (code < tableLength) this.#table[code] = kind;
    else {
      if (this.#kindOfCode.size >= maximumCharacters) this.#kindOfCode.clear();
      this.#kindOfCode.set(code, kind);
    }
    return kind;
  }

  /** The transition from a state for a kind of character; undefined is the end of the text. */
  #step({ steps: from, before }: State, kind: CharacterKind | undefined): State {
    const { steps, first } = this.#program;
    const seen = new Set(from);
    const open = [...from];
    const reached = new Set<number>();
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      const step = steps[number] as Step;
      if (step.kind === 'found') return found;
      if (step.kind === 'set') {
        if (kind?.inSets[step.set]) reached.add(step.next);
        continue;
      }
      if (step.kind === 'place' && !isAt(step.place, before, kind)) continue;
      for (const next of step.kind === 'fork' ? [step.next, step.other] : [step.next]) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(next);
      }
    }
    if (kind === undefined) return notFound;
    // A match may begin at any character.
    reached.add(first);
    const behind = kind.isNewline ? 'newline' : kind.isWord ? 'word' : 'other';
    return this.#state(
      [...reached].sort((a, b) => a - b),
      this.#looksAtPlaces ? behind : 'other',
    );
  }

  #state(steps: readonly number[], before: Before): State {
    const key = `${before}${steps}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= maximumStates) {
      // Dropped together, because states refer to each other.
      this.#states.clear();
      this.#first = this.#begin();
    }
    const state: State = { steps, before, next: [] };
    this.#states.set(key, state);
    return state;
  }

  #begin(): State {
    return { steps: [this.#program.first], before: 'nothing', next: [] };
  }
}

function isAt(place: Place, before: Before, after: CharacterKind | undefined): boolean {
  switch (place) {
    case 'begin':
      return before === 'nothing';
    case 'end':
      return after === undefined;
    case 'line-begin':
      return before === 'nothing' || before === 'newline';
    case 'line-end':
      return after === undefined || after.isNewline;
    case 'edge':
      return (before === 'word') !== (after?.isWord ?? false);
    case 'no-edge':
      return (before === 'word') === (after?.isWord ?? false);
  }
}

/** The only text that matches the pattern; undefined if there are others. */
function plainText(node: PatternNode): string | undefined {
  if (node.kind === 'sequence') {
    const texts = node.nodes.map(plainText);
    return texts.includes(undefined) ? undefined : texts.join('');
  }
  return node.kind === 'set' ? node.set.character : undefined;
}
