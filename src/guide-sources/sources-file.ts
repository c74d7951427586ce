/**
 * `guide-sources.json` in the data folder: the sources that were added by HTTP, and the last result of every source, so
 * that a restart reads none of them again. The doctor reads it too.
 */
import { join } from 'node:path';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { keepDamaged, readRegularFile, replaceFile } from '../base/files.ts';
import { serialQueue } from '../base/serial-queue.ts';

const Count = Type.Integer({ minimum: 0, default: 0 });
const Text = Type.String({ default: '' });

const Result = Type.Object({
  /** Unix seconds of the last attempt, the last import and the next attempt; 0: never. */
  checked: Count,
  imported: Count,
  due: Count,
  /** Failed attempts in a row. */
  failures: Count,
  /** Why the last attempt failed, or what is wrong with its guide; empty if all is well. */
  problem: Text,
  /** What identifies the version that was imported: header fields of the answer, or size and time of the file. */
  etag: Text,
  lastModified: Text,
  version: Text,
  /** Of the last import: programmes in the guide, channels with and without a service. */
  programmes: Count,
  matched: Count,
  unmatched: Count,
  /** Channels without a service, those with the most programmes first. */
  channels: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), programmes: Count }), { default: [] }),
});
export type SourceResult = Type.Static<typeof Result>;

export const noResult: SourceResult = Value.Create(Result);

const Added = Type.Object({
  url: Type.String(),
  every: Count,
  priority: Type.Integer({ minimum: -9, maximum: 9, default: 0 }),
});
export type AddedSource = Type.Static<typeof Added>;

const Content = Type.Object({
  added: Type.Array(Added, { default: [] }),
  results: Type.Record(Type.String(), Result, { default: {} }),
});

/** Addresses contain passwords of providers. */
const fileMode = 0o600;

export class SourcesFile {
  readonly #path: string;
  readonly #inTurn = serialQueue();
  added: readonly AddedSource[];
  readonly results: Map<string, SourceResult>;
  /** Why the file could not be read; empty if it could. */
  readonly problem: string;

  private constructor(path: string, { added, results }: Type.Static<typeof Content>, problem: string) {
    this.#path = path;
    this.added = added;
    this.results = new Map(Object.entries(results));
    this.problem = problem;
  }

  /** Reads the file. A damaged one counts as empty; `isKept`: it is kept beside the file that will replace it. */
  static async read(dataDir: string, { isKept = true } = {}): Promise<SourcesFile> {
    const path = join(dataDir, 'guide-sources.json');
    try {
      const content = Value.Default(Content, JSON.parse(String(await readRegularFile(path))));
      if (!Value.Check(Content, content)) throw new Error('it is damaged');
      return new SourcesFile(path, content, '');
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!isMissing && isKept) await keepDamaged(path).catch(() => undefined);
      const problem = isMissing ? '' : `${path} cannot be used: ${(error as Error).message}`;
      return new SourcesFile(path, { added: [], results: {} }, problem);
    }
  }

  /** @throws Error of the system */
  save(): Promise<void> {
    return this.#inTurn(() => {
      const content = { added: this.added, results: Object.fromEntries(this.results) };
      return replaceFile(this.#path, Buffer.from(`${JSON.stringify(content, undefined, 1)}\n`), fileMode);
    });
  }
}
