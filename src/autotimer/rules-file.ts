/** The rules on disk: `autotimers.json` in the data folder, written atomically. */
import { rename } from 'node:fs/promises';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { fail } from '../base/errors.ts';
import { FileRefused, readRegularFile, replaceWithPieces } from '../base/files.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { checkedOrder, maximumRules, type Rule } from './rule.ts';
import { maximumShowings, type Showing } from './showings.ts';

/** Settings common to the timers of all rules. */
export interface RuleSettings {
  /** Tags timers with `AutoTimer`. */
  readonly addAutoTimerToTags: boolean;
  /** Tags timers with the name of their rule. */
  readonly addNameToTags: boolean;
}

export interface RulesContent {
  readonly settings: RuleSettings;
  readonly rules: readonly Rule[];
  /** Id of the next rule. Never reused, so that no rule gets the timers of a deleted one. */
  readonly nextId: number;
  readonly showings: readonly Showing[];
  /** Entries that are not rules: preserved in the file but ignored. */
  readonly others: readonly unknown[];
}

export const noRules: RulesContent = {
  settings: { addAutoTimerToTags: true, addNameToTags: true },
  rules: [],
  nextId: 1,
  showings: [],
  others: [],
};

/** Maximum bytes of a file. */
const longestFile = 32 * 1024 * 1024;

const word16 = Type.Integer({ minimum: 0, maximum: 0xffff });
const time = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });
const ShowingSchema = Type.Object({
  rule: Type.Integer({ minimum: 0 }),
  service: Type.Object({ originalNetworkId: word16, transportStreamId: word16, serviceId: word16 }),
  event: word16,
  start: time,
  end: time,
  crid: Type.String({ maxLength: 4096 }),
  digest: Type.String({ maxLength: 64 }),
});
const isShowing = (one: unknown): one is Type.Static<typeof ShowingSchema> => Value.Check(ShowingSchema, one);

/**
 * Parses the text of a file, in turns. Reports problems in words for people, by entry number.
 * @throws Error if this is not a rule list at all
 */
export async function parseRules(text: string): Promise<RulesContent & { readonly problems: readonly string[] }> {
  const file: unknown = JSON.parse(text);
  if (!isRecord(file) || !Array.isArray(file.rules)) throw new Error('it has no list of rules');
  const rules: Rule[] = [];
  const others: unknown[] = [];
  const problems: string[] = [];
  const ids = new Set<number>();
  let next = isId(file.nextId) ? file.nextId - 1 : 0;
  for (const entry of file.rules) if (isRecord(entry) && isId(entry.id)) next = Math.max(next, entry.id);
  const slice = new TimeSlice();
  for (const [index, entry] of (file.rules as readonly unknown[]).entries()) {
    if (slice.isOver) await slice.next();
    try {
      if (!isRecord(entry)) throw new Error('it is not a rule');
      if (rules.length >= maximumRules) throw new Error(`there are ${maximumRules} rules already`);
      const order = await checkedOrder(entry, slice);
      const id = isId(entry.id) && !ids.has(entry.id) ? entry.id : ++next;
      ids.add(id);
      rules.push({ id, ...order });
    } catch (error) {
      problems.push(`entry ${index + 1} of the rules: ${(error as Error).message}; it is kept but ignored`);
      others.push(entry);
    }
  }
  const settings = isRecord(file.settings) ? file.settings : {};
  const isOn = (name: keyof RuleSettings) => settings[name] !== false;
  const showings = Array.isArray(file.showings) ? file.showings.filter(isShowing).slice(0, maximumShowings) : [];
  return {
    settings: { addAutoTimerToTags: isOn('addAutoTimerToTags'), addNameToTags: isOn('addNameToTags') },
    rules,
    nextId: next + 1,
    showings,
    others,
    problems,
  };
}

/** Formats a file for `parseRules`, in pieces: one line per rule and showing. */
export function* formatRules({ settings, rules, nextId, showings, others }: RulesContent): Generator<string> {
  yield `{\n  "settings": ${JSON.stringify(settings)},\n  "nextId": ${nextId},\n  "rules": `;
  yield* list([...rules, ...others]);
  yield `,\n  "showings": `;
  yield* list(showings);
  yield '\n}\n';
}

function* list(all: readonly unknown[]): Generator<string> {
  let before = '[\n    ';
  for (const one of all) {
    yield before + JSON.stringify(one);
    before = ',\n    ';
  }
  yield all.length === 0 ? '[]' : '\n  ]';
}

const isRecord = (one: unknown): one is Readonly<Record<string, unknown>> =>
  typeof one === 'object' && one !== null && !Array.isArray(one);
const isId = (id: unknown): id is number => Number.isInteger(id) && (id as number) > 0 && (id as number) < 1e9;

export class RulesFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Returns the content of the file and its problems. A missing file has no content; a file that is not a rule list is
   * renamed to `PATH_old`.
   * @throws ReceiverError `file-unreadable` if the file exists but cannot be read
   */
  async read(): Promise<RulesContent & { readonly problems: readonly string[] }> {
    let bytes: Buffer;
    try {
      bytes = await readRegularFile(this.path, longestFile);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { ...noRules, problems: [] };
      if (error instanceof FileRefused) return this.#setAside(error);
      throw fail('file-unreadable', this.path, (error as Error).message);
    }
    try {
      const content = await parseRules(bytes.toString());
      return { ...content, problems: content.problems.map((problem) => `${this.path}: ${problem}`) };
    } catch (error) {
      return this.#setAside(error as Error);
    }
  }

  async #setAside({ message }: Error): Promise<RulesContent & { readonly problems: readonly string[] }> {
    const aside = `${this.path}_old`;
    await rename(this.path, aside);
    return { ...noRules, problems: [`${this.path}: ${message}; kept as ${aside}`] };
  }

  /** Resolves once the content is on the disk. @throws ReceiverError `file-unwritable` */
  write(content: RulesContent): Promise<void> {
    return replaceWithPieces(this.path, formatRules(content));
  }
}
