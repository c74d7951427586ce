/**
 * The recordings of one folder, cached. The system reports changes (inotify), so listing ten thousand recordings costs
 * one check of the folder and one of each changed file. Where the system does not report all changes (network file
 * systems) or no longer can, every file is checked each time, and unchanged files are not read again.
 */
import { type FSWatcher, type Stats, watch } from 'node:fs';
import { lstat, stat, statfs } from 'node:fs/promises';
import { parse } from 'node:path';
import { serialQueue } from '../base/serial-queue.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { isRecordingName } from './file-set.ts';
import { folderEntries } from './folder-entries.ts';
import type { Recording } from './recording.ts';
import { sortedInTurns } from './sorting.ts';

export interface KnownRecording {
  /** Differs if any of its files has changed. */
  readonly signature: string;
  readonly recording: Recording;
}

export interface ContentsOptions {
  /** The current recording: `before` if nothing has changed; undefined if it no longer exists. */
  look(
    at: string,
    name: string,
    names: ReadonlySet<string>,
    before: KnownRecording | undefined,
  ): Promise<KnownRecording | undefined>;
  /** Whether to watch for changes. */
  readonly watches: boolean;
}

export interface Contents {
  /** Newest first. */
  readonly recordings: readonly Recording[];
  /** Names of the subfolders, sorted. */
  readonly folders: readonly string[];
}

/** Newest first, then by path. */
export const newestFirst = (a: Recording, b: Recording) => b.begin - a.begin || (a.path < b.path ? -1 : 1);

/** Files checked concurrently. */
const atOnce = 16;
/** Above this number of changes, the whole folder is read again. */
const mostChanges = 1000;
/** Milliseconds between full rescans, whatever inotify has reported. */
const longestTrust = 3_600_000;

/** `f_type` of file systems that others may change without notice: NFS, SMB, CIFS, 9P, FUSE, Ceph, AFS, Coda, NCP. */
const untold = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x00c36400, 0x5346414f, 0x73757245, 0x564c,
]);

export class FolderContents {
  readonly #folder: string;
  readonly #options: ContentsOptions;
  #names = new Set<string>();
  #folders = new Set<string>();
  #known = new Map<string, KnownRecording>();
  #listed: Contents | undefined;
  #watcher: FSWatcher | undefined;
  /** Names reported since the last check. */
  readonly #changed = new Set<string>();
  #isLost = true;
  /** The folder's identity and modification time at the last check. */
  #identity = '';
  #modified = 0;
  #lookedAt = 0;
  readonly #inTurn = serialQueue();

  /** @param folder absolute, with a trailing slash */
  constructor(folder: string, options: ContentsOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** The current contents. `at`: the path by which the folder is reached, with a trailing slash. */
  now(at: string): Promise<Contents> {
    return this.#inTurn(() => this.#look(at));
  }

  /** A recording as last read. */
  known(name: string): KnownRecording | undefined {
    return this.#known.get(name);
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#isLost = true;
  }

  async #look(at: string): Promise<Contents> {
    const found = await stat(at);
    const isOther = this.#identity !== identityOf(found);
    // Names have changed without a report: the inotify queue has overflowed.
    const isUntold = this.#changed.size === 0 && this.#modified !== found.mtimeMs;
    const isOld = performance.now() - this.#lookedAt > longestTrust;
    if (this.#watcher === undefined || this.#isLost || isOther || isUntold || isOld || this.#changed.size > mostChanges)
      await this.#readAll(at, found);
    else if (this.#changed.size > 0) await this.#readChanged(at, found);
    this.#listed ??= {
      recordings: await sortedInTurns(
        Array.from(this.#known.values(), ({ recording }) => recording),
        newestFirst,
      ),
      folders: [...this.#folders].sort(),
    };
    return this.#listed;
  }

  async #readAll(at: string, found: Stats): Promise<void> {
    await this.#watch();
    this.#changed.clear();
    this.#identity = identityOf(found);
    this.#modified = found.mtimeMs;
    this.#lookedAt = performance.now();
    const entries = await folderEntries(at).catch(() => []);
    const slice = new TimeSlice();
    const [names, folders, files] = [new Set<string>(), new Set<string>(), [] as string[]];
    for (const entry of entries) {
      if (slice.isOver) await slice.next();
      names.add(entry.name);
      if (entry.isDirectory()) folders.add(entry.name);
      else if (entry.isFile() && isRecordingName(entry.name)) files.push(entry.name);
    }
    const known = new Map<string, KnownRecording>();
    for (let first = 0; first < files.length; first += atOnce) {
      if (slice.isOver) await slice.next();
      const some = files.slice(first, first + atOnce);
      const looked = await Promise.all(some.map((name) => this.#options.look(at, name, names, this.#known.get(name))));
      for (const [n, one] of looked.entries()) if (one !== undefined) known.set(some[n] as string, one);
    }
    this.#names = names;
    this.#folders = folders;
    this.#known = known;
    this.#listed = undefined;
  }

  async #readChanged(at: string, found: Stats): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    this.#modified = found.mtimeMs;
    const affected = new Set<string>();
    for (const name of changed) {
      const entry = await lstat(at + name).catch(() => undefined);
      if (entry === undefined) this.#names.delete(name);
      else this.#names.add(name);
      if (entry?.isDirectory() ? !this.#folders.has(name) : this.#folders.delete(name)) this.#listed = undefined;
      if (entry?.isDirectory()) this.#folders.add(name);
      if (isRecordingName(name) && !entry?.isFile()) {
        if (this.#known.delete(name)) this.#listed = undefined;
        continue;
      }
      for (const recording of this.#recordingsOf(name)) affected.add(recording);
    }
    for (const name of affected) {
      const before = this.#known.get(name);
      const one = await this.#options.look(at, name, this.#names, before);
      if (one === before) continue;
      if (one === undefined) this.#known.delete(name);
      else this.#known.set(name, one);
      this.#listed = undefined;
    }
  }

  /** The recordings that a file belongs to: itself, or those that it accompanies. */
  *#recordingsOf(name: string): Iterable<string> {
    if (isRecordingName(name)) yield name;
    const { name: base, ext } = parse(name);
    if (this.#known.has(base)) yield base;
    if (ext !== '.eit') return;
    for (const other of this.#known.keys()) if (other.startsWith(`${base}.`)) yield other;
  }

  async #watch(): Promise<void> {
    this.close();
    this.#isLost = false;
    if (!this.#options.watches) return;
    try {
      const { type } = await statfs(this.#folder);
      if (untold.has(type)) return;
      const watcher = watch(this.#folder, { persistent: false }, (_event, name) => {
        if (name === null) this.#isLost = true;
        else if (this.#changed.size <= mostChanges) this.#changed.add(name);
      });
      watcher.on('error', () => this.close());
      this.#watcher = watcher;
    } catch {
      // No watch is available, or the folder is gone: read it in full each time.
    }
  }
}

const identityOf = ({ dev, ino }: Stats) => `${dev} ${ino}`;
