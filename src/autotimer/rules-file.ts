/** The rules on disk: `autotimers.json` in the data folder, written atomically. */
import { rename } from 'node:fs/promises';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { fail } from '../base/errors.ts';
import { FileRefused, readRegularFile, replaceWithPieces } from '../base/files.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { maxRules, type Rule, validateRuleSpec } from './rule.ts';
import { maxShowings, type Showing } from './showings.ts';

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
  /** Id of the next rule. Ids are not reused, so that no rule gets the timers of a deleted one. */
  readonly nextId: number;
  readonly showings: readonly Showing[];
  /** Entries of the rule list that are not valid rules: ignored, but kept in the file. */
  readonly invalidEntries: readonly unknown[];
}

export const noRules: RulesContent = {
  settings: { addAutoTimerToTags: true, addNameToTags: true },
  rules: [],
  nextId: 1,
  showings: [],
  invalidEntries: [],
};

const maxFileBytes = 32 * 1024 * 1024;

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
const isShowing = (value: unknown): value is Type.Static<typeof ShowingSchema> => Value.Check(ShowingSchema, value);

/**
 * Parses the text of a file. `problems` describes the invalid entries, human-readable, by their number.
 * @throws Error if the text is not a rule list
 */
export async function parseRules(text: string): Promise<RulesContent & { readonly problems: readonly string[] }> {
  const file: unknown = JSON.parse(text);
  if (!isRecord(file) || !Array.isArray(file.rules)) throw new Error('it has no list of rules');
  const rules: Rule[] = [];
  const invalidEntries: unknown[] = [];
  const problems: string[] = [];
  const ids = new Set<number>();
  let lastId = isId(file.nextId) ? file.nextId - 1 : 0;
  for (const entry of file.rules) if (isRecord(entry) && isId(entry.id)) lastId = Math.max(lastId, entry.id);
  const slice = new TimeSlice();
  for (const [index, entry] of (file.rules as readonly unknown[]).entries()) {
    if (slice.isOver) await slice.next();
    try {
      if (!isRecord(entry)) throw new Error('it is not a rule');
      if (rules.length >= maxRules) throw new Error(`there are ${maxRules} rules already`);
      const spec = await validateRuleSpec(entry, slice);
      const id = isId(entry.id) && !ids.has(entry.id) ? entry.id : ++lastId;
      ids.add(id);
      rules.push({ id, ...spec });
    } catch (error) {
      problems.push(`entry ${index + 1} of the rules: ${(error as Error).message}; it is kept but ignored`);
      invalidEntries.push(entry);
    }
  }
  const settings = isRecord(file.settings) ? file.settings : {};
  const isOn = (name: keyof RuleSettings) => settings[name] !== false;
  const showings = Array.isArray(file.showings) ? file.showings.filter(isShowing).slice(0, maxShowings) : [];
  return {
    settings: { addAutoTimerToTags: isOn('addAutoTimerToTags'), addNameToTags: isOn('addNameToTags') },
    rules,
    nextId: lastId + 1,
    showings,
    invalidEntries,
    problems,
  };
}

/** Formats a file that `parseRules` reads, with a line for each rule and showing. Yields it in pieces. */
export function* formatRules({ settings, rules, nextId, showings, invalidEntries }: RulesContent): Generator<string> {
  yield `{\n  "settings": ${JSON.stringify(settings)},\n  "nextId": ${nextId},\n  "rules": `;
  yield* formatList([...rules, ...invalidEntries]);
  yield `,\n  "showings": `;
  yield* formatList(showings);
  yield '\n}\n';
}

function* formatList(items: readonly unknown[]): Generator<string> {
  let separator = '[\n    ';
  for (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',\n    ';
  }
  yield items.length === 0 ? '[]' : '\n  ]';
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (id: unknown): id is number => Number.isInteger(id) && (id as number) > 0 && (id as number) < 1e9;

export class RulesFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Reads the file, with its problems as `parseRules` reports them. A missing file counts as an empty list. A file that is
   * not a rule list is renamed to `PATH_old` and reported as a problem.
   * @throws ReceiverError `file-unreadable` if the file exists but cannot be read
   */
  async read(): Promise<RulesContent & { readonly problems: readonly string[] }> {
    let bytes: Buffer;
    try {
      bytes = await readRegularFile(this.path, maxFileBytes);
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
    const newPath = `${this.path}_old`;
    await rename(this.path, newPath);
    return { ...noRules, problems: [`${this.path}: ${message}; kept as ${newPath}`] };
  }

  /** Resolves once the content is on the disk. @throws ReceiverError `file-unwritable` */
  write(content: RulesContent): Promise<void> {
    return replaceWithPieces(this.path, formatRules(content));
  }
}
