/**
 * The recordings of one folder, cached. The system reports changes (inotify), so listing ten thousand recordings costs
 * a `stat` of the folder and of each changed file. If the system does not report all changes (network file systems),
 * every file is checked each time. Unchanged files are never read again.
 */
import { type FSWatcher, type Stats, watch } from 'node:fs';
import { lstat, stat, statfs } from 'node:fs/promises';
import { parse } from 'node:path';
import { serialQueue } from '../../base/serial-queue.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { isRecordingName } from '../files/file-set.ts';
import { folderEntries } from '../files/folder-entries.ts';
import type { Recording } from '../files/recording.ts';
import { sortInSlices } from './sorting.ts';

export interface KnownRecording {
  /** Changes whenever one of the files changes. */
  readonly signature: string;
  readonly recording: Recording;
  /** Could have access points, but has none. */
  readonly isUnindexed: boolean;
}

export interface ContentsOptions {
  /** Reads a recording; returns `before` if it is unchanged, undefined if it no longer exists. */
  read(
    at: string,
    name: string,
    names: ReadonlySet<string>,
    before: KnownRecording | undefined,
  ): Promise<KnownRecording | undefined>;
  /** Whether to watch for changes. */
  readonly watches: boolean;
  /** Called with each name of a recording that cannot be listed, because it is not UTF-8. */
  readonly onBadName: (name: string) => void;
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
const maxConcurrentReads = 16;
/** After more reported changes than this, the whole folder is read again. */
const maxReportedChanges = 1000;
/** Milliseconds after which the whole folder is read again, even if no change was reported. */
const maxCacheAgeMs = 3_600_000;

/**
 * `f_type` of file systems that other machines change without a report: NFS, SMB, CIFS, 9P, FUSE, Ceph, AFS, Coda, NCP.
 */
const unreportedTypes = new Set([
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
  #hasMissedChanges = true;
  /** The folder's identity and modification time at the last check. */
  #identity = '';
  #modified = 0;
  #readAllAt = 0;
  readonly #serial = serialQueue();

  /** @param folder absolute, with a trailing slash */
  constructor(folder: string, options: ContentsOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** The current contents. `at`: the path by which the folder is reached, with a trailing slash. */
  now(at: string): Promise<Contents> {
    return this.#serial(() => this.#update(at));
  }

  /** A recording as it was last read. */
  known(name: string): KnownRecording | undefined {
    return this.#known.get(name);
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#hasMissedChanges = true;
  }

  async #update(at: string): Promise<Contents> {
    const found = await stat(at);
    const isOther = this.#identity !== identityOf(found);
    // The folder was modified without a report: the inotify queue has overflowed.
    const isUnreported = this.#changed.size === 0 && this.#modified !== found.mtimeMs;
    const isOld = performance.now() - this.#readAllAt > maxCacheAgeMs;
    if (
      this.#watcher === undefined ||
      this.#hasMissedChanges ||
      isOther ||
      isUnreported ||
      isOld ||
      this.#changed.size > maxReportedChanges
    )
      await this.#readAll(at, found);
    else if (this.#changed.size > 0) await this.#readChanged(at, found);
    this.#listed ??= {
      recordings: await sortInSlices(
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
    this.#readAllAt = performance.now();
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
    for (let first = 0; first < files.length; first += maxConcurrentReads) {
      if (slice.isOver) await slice.next();
      const some = files.slice(first, first + maxConcurrentReads);
      const read = await Promise.all(some.map((name) => this.#options.read(at, name, names, this.#known.get(name))));
      for (const [n, one] of read.entries()) {
        const name = some[n] as string;
        if (one !== undefined) known.set(name, one);
        else if (hasReplacement(name)) this.#options.onBadName(name);
      }
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
      const one = await this.#options.read(at, name, this.#names, before);
      if (one === before) continue;
      if (one === undefined) this.#known.delete(name);
      else this.#known.set(name, one);
      this.#listed = undefined;
    }
  }

  /** The recordings that a file belongs to: itself, or those that have it as a side file. */
  *#recordingsOf(name: string): Iterable<string> {
    if (isRecordingName(name)) yield name;
    const { name: base, ext } = parse(name);
    if (this.#known.has(base)) yield base;
    if (ext !== '.eit') return;
    for (const other of this.#known.keys()) if (other.startsWith(`${base}.`)) yield other;
  }

  async #watch(): Promise<void> {
    this.close();
    this.#hasMissedChanges = false;
    if (!this.#options.watches) return;
    try {
      const { type } = await statfs(this.#folder);
      if (unreportedTypes.has(type)) return;
      const watcher = watch(this.#folder, { persistent: false }, (_event, name) => {
        if (name === null || hasReplacement(name)) this.#hasMissedChanges = true;
        else if (this.#changed.size <= maxReportedChanges) this.#changed.add(name);
      });
      watcher.on('error', () => this.close());
      this.#watcher = watcher;
    } catch {
      // The folder cannot be watched, or no longer exists: it is read in full each time.
    }
  }
}

/** Whether a name has the character that stands for bytes that are not UTF-8: no file is found by it. */
const hasReplacement = (name: string) => name.includes('\ufffd');

const identityOf = ({ dev, ino }: Stats) => `${dev} ${ino}`;
