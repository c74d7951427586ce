/**
 * The recordings in the folders. The file system is the database; no other list is stored.
 *
 * A listed folder is cached until something changes in it (folder-contents.ts). The files beside a recording are read
 * again only after one of them has changed.
 */
import type { Stats } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { basename, dirname, parse } from 'node:path';
import { fail, ReceiverError } from '../../base/errors.ts';
import { isFolder, unwritable } from '../../base/files.ts';
import { Listeners } from '../../base/listeners.ts';
import { serialQueue } from '../../base/serial-queue.ts';
import type { GuideEvent } from '../../epg/event.ts';
import { type Cut, formatCuts } from '../files/cuts-file.ts';
import { isRecordingName, partName } from '../files/file-set.ts';
import { editMeta, formatMeta, oneTag } from '../files/meta-file.ts';
import { isIndexable, type Recording, readRecording } from '../files/recording.ts';
import { readSideFile, writeSideFile } from '../files/recording-files.ts';
import { serviceData } from '../files/service-data.ts';
import { type Contents, FolderContents, type KnownRecording, newestFirst } from './folder-contents.ts';
import { type RecordingFolders, withSlash } from './folders.ts';
import { mergeInSlices } from './sorting.ts';
import { isTrashName } from './trash-folder.ts';

/** Levels of folders that are listed; deeper ones are ignored. */
const maxDepth = 16;
/** Names that cannot be listed. The log has each of them once. */
const maxBadNames = 1000;
/** Folders that are watched for changes; further ones are read each time. */
const maxWatchedFolders = 1000;

export type Listing = Contents;

const emptyListing: Listing = { recordings: [], folders: [] };

export interface ListOptions {
  /** Includes all folders below. */
  readonly recursive?: boolean;
  /** Includes deleted recordings, unless the trash itself is listed. */
  readonly trash?: boolean;
}

/** Changes to a recording; omitted fields stay as they are. */
export interface RecordingChanges {
  /** Tags to add, before `removeTags` are removed. Whitespace in a tag becomes `_`. */
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
  /** An empty title changes nothing. */
  readonly title?: string;
  readonly description?: string;
  /** The recording that it was exported from: describes it if it has no `.meta` file yet. */
  readonly original?: Recording;
  /** Replaces all existing marks. */
  readonly cuts?: readonly Cut[];
  /** The content of the `.ap` file; an existing one that is not empty is never replaced. */
  readonly accessPoints?: Uint8Array;
}

export class RecordingLibrary {
  readonly #folders: RecordingFolders;
  readonly #eventOfFile: (bytes: Uint8Array) => GuideEvent | null;
  readonly #onBadName: (path: string) => void;
  readonly #badNames = new Set<string>();
  /** One entry per listed folder. */
  readonly #contents = new Map<string, FolderContents>();
  readonly #serial = serialQueue();
  readonly #listeners = new Listeners<[generation: number]>();
  readonly #unindexedListeners = new Listeners<[path: string, isRequested: boolean]>();
  /**
   * Calls `listener` with each recording that could have access points but has none: when its files have been read, and
   * when it is requested by itself.
   */
  readonly onUnindexed = this.#unindexedListeners.add;
  #generation = 0;
  /**
   * Calls `listener` after each change made by the receiver, and when a copy begins. Returns a function that removes
   * it.
   */
  readonly onChange = this.#listeners.add;

  /** @param onBadName called once with each path that cannot be listed, because its name is not UTF-8 */
  constructor(
    folders: RecordingFolders,
    eventOfFile: (bytes: Uint8Array) => GuideEvent | null,
    onBadName: (path: string) => void = () => undefined,
  ) {
    this.#folders = folders;
    this.#eventOfFile = eventOfFile;
    this.#onBadName = onBadName;
  }

  #reportBadName(path: string): void {
    if (this.#badNames.has(path) || this.#badNames.size >= maxBadNames) return;
    this.#badNames.add(path);
    this.#onBadName(path);
  }

  /**
   * The recordings of a folder, newest first; none if there is no such folder.
   * @throws ReceiverError `outside-locations`
   */
  async list(folder: string, { recursive = false, trash = false }: ListOptions = {}): Promise<Listing> {
    const named = this.#folders.resolve(folder);
    const listed = await this.#folders.resolveExisting(named).catch((error) => {
      if ((error as { code?: string }).code === 'not-found') return undefined;
      throw error;
    });
    if (listed === undefined) return emptyListing;
    const first = await this.#contentsOf(withSlash(listed));
    if (first === undefined) return emptyListing;
    const lists = [first.recordings];
    if (recursive) await this.#descend(withSlash(listed), first.folders, { trash, depth: 1, lists });
    return {
      recordings: await merged(lists),
      folders: first.folders.filter((name) => !name.startsWith('.')),
    };
  }

  /** The recordings of all folders, except those that lead out of the roots by a link. */
  async all(options: ListOptions = {}): Promise<readonly Recording[]> {
    const outermost = this.#folders.all.filter(
      (folder) => !this.#folders.all.some((other) => other !== folder && folder.startsWith(other)),
    );
    const listOf = (folder: string) =>
      this.list(folder, { ...options, recursive: true }).catch((error) => {
        if (error instanceof ReceiverError && error.code === 'outside-locations') return emptyListing;
        throw error;
      });
    const lists = await Promise.all(outermost.map(listOf));
    return merged(lists.map(({ recordings }) => recordings));
  }

  /** Whether a path within the folders is itself a folder. */
  readonly isFolder = isFolder;

  /**
   * The recording of a file.
   * @throws ReceiverError `outside-locations`; `not-found`, also for a file that is not a recording
   */
  async find(path: string): Promise<Recording> {
    const named = await this.#folders.resolveExisting(path);
    const folder = withSlash(named.slice(0, named.lastIndexOf('/')));
    const name = basename(named);
    if (!isRecordingName(name)) throw fail('not-found', `File '${path}'`);
    const before = this.#contents.get(folder)?.known(name);
    const found = await this.#folders.inFolder(folder, (at) => this.#read({ folder, at }, name, undefined, before));
    if (found === undefined) throw fail('not-found', `File '${path}'`);
    if (found.isUnindexed) this.#unindexedListeners.call(found.recording.path, true);
    return found.recording;
  }

  /** Opens the file of a recording. @throws ReceiverError as `RecordingFolders.open` */
  open(path: string): Promise<FileHandle> {
    return this.#folders.open(path);
  }

  /**
   * Changes the metadata beside a recording and returns the changed recording. Changes run one after the other. Missing
   * files are created.
   * @throws ReceiverError `outside-locations`, `not-found`, `file-unwritable`
   */
  edit(path: string, changes: RecordingChanges): Promise<Recording> {
    return this.#serial(() => this.#edit(path, changes)).finally(() => this.notifyChange());
  }

  /** Notifies the listeners that recordings have changed. */
  notifyChange(): void {
    this.#listeners.call(++this.#generation);
  }

  async #edit(
    path: string,
    { addTags = [], removeTags = [], cuts, title, description, original, accessPoints }: RecordingChanges,
  ): Promise<Recording> {
    const recording = await this.find(path);
    const removed = new Set(removeTags.map(oneTag));
    const tags = [...new Set([...recording.tags, ...addTags.map(oneTag)])].filter(
      (tag) => tag !== '' && !removed.has(tag),
    );
    const changesTags = tags.join(' ') !== recording.tags.join(' ');
    await this.#folders.inFolder(dirname(recording.path), async (at) => {
      const own = at + basename(recording.path);
      const write = (suffix: string, content: Uint8Array) =>
        writeSideFile(own + suffix, content).catch(unwritable(recording.path + suffix));
      if (changesTags || title !== undefined || description !== undefined) {
        const bytes = await readSideFile(`${own}.meta`).catch((error: NodeJS.ErrnoException) =>
          error.code === 'ENOENT' ? firstMeta(recording, original) : unwritable(`${recording.path}.meta`)(error),
        );
        const edited = editMeta(bytes, {
          ...(changesTags && { tags }),
          ...(title && { title }),
          ...(description !== undefined && { description }),
        });
        await write('.meta', edited);
      }
      if (cuts !== undefined) await write('.cuts', formatCuts(cuts));
      if (accessPoints !== undefined && !recording.isIndexed) await write('.ap', accessPoints);
    });
    return this.find(path);
  }

  /** Stops watching. */
  stop(): void {
    for (const contents of this.#contents.values()) contents.close();
  }

  /** Undefined if there is no such folder. @throws ReceiverError `outside-locations` */
  async #contentsOf(folder: string): Promise<Contents | undefined> {
    let contents = this.#contents.get(folder);
    if (contents === undefined) {
      contents = new FolderContents(folder, {
        read: (at, name, names, before) => this.#read({ folder, at }, name, names, before),
        watches: this.#contents.size < maxWatchedFolders,
        onBadName: (name) => this.#reportBadName(folder + name),
      });
      this.#contents.set(folder, contents);
    }
    const known = contents;
    return this.#folders
      .inFolder(folder, (at) => known.now(at))
      .catch((error) => {
        if (!(error instanceof ReceiverError) || error.code !== 'not-found') throw error;
        known.close();
        return undefined;
      });
  }

  async #descend(
    folder: string,
    names: readonly string[],
    options: { readonly trash: boolean; readonly depth: number; readonly lists: (readonly Recording[])[] },
  ): Promise<void> {
    const { trash, depth, lists } = options;
    if (depth > maxDepth) return;
    for (const name of names) {
      const isTrash = isTrashName(name);
      if (isTrash ? !trash : name.startsWith('.')) continue;
      const inner = `${folder}${name}/`;
      // A folder that has become a link counts as missing.
      const below = await this.#contentsOf(inner).catch(() => undefined);
      if (below === undefined) continue;
      lists.push(below.recordings);
      await this.#descend(inner, below.folders, { trash, depth: depth + 1, lists });
    }
  }

  /**
   * Reads a recording; returns `before` if its files are unchanged, undefined if it no longer exists. `at`: the path of
   * the folder held by `inFolder`. `names`: the names in the folder; undefined if unknown.
   */
  async #read(
    { folder, at }: { readonly folder: string; readonly at: string },
    name: string,
    names: ReadonlySet<string> | undefined,
    before: KnownRecording | undefined,
  ): Promise<KnownRecording | undefined> {
    // Side files that are links count as missing: they could expose any file of the machine.
    const statusOf = async (file: string) => (names?.has(file) === false ? undefined : regularFile(at + file));
    const beside = [`${name}.meta`, `${name}.cuts`, `${name}.ap`, `${parse(name).name}.eit`] as const;
    const [file, ...small] = await Promise.all([this.#fileAt(folder, at, name), ...beside.map(statusOf)]);
    if (!file?.isFile()) return undefined;
    const parts: Stats[] = [];
    for (let part = await statusOf(partName(name, 1)); part; part = await statusOf(partName(name, parts.length + 1)))
      parts.push(part);
    const size = parts.reduce((sum, part) => sum + part.size, file.size);
    const signature = [file, ...small, ...parts].map((one) => (one ? `${one.size} ${one.mtimeMs}` : '')).join();
    if (before?.signature === signature) return before;
    const [meta, cuts, accessPoints, event] = beside.map((one, n) => (small[n] ? at + one : undefined));
    const [, , points] = small;
    const files = {
      path: folder + name,
      open: () => this.#folders.open(folder + name),
      size,
      created: Math.floor(file.ctimeMs / 1000),
      meta,
      cuts,
      accessPoints: points && points.size > 0 ? accessPoints : undefined,
      event,
    };
    const recording = await readRecording(files, this.#eventOfFile);
    // An empty file says that there are no access points, unless the recording has changed since.
    const indexedAt = points?.mtimeMs ?? Number.NEGATIVE_INFINITY;
    const isUnindexed = !recording.isIndexed && isIndexable(name) && parts.length === 0 && indexedAt < file.mtimeMs;
    if (isUnindexed) this.#unindexedListeners.call(recording.path, false);
    return { signature, recording, isUnindexed };
  }

  /** The status of a recording's file. A link is followed if it stays within the folders. */
  async #fileAt(folder: string, at: string, name: string): Promise<Stats | undefined> {
    const own = await lstat(at + name).catch(() => undefined);
    if (!own?.isSymbolicLink()) return own;
    const file = await this.#folders.open(folder + name).catch(() => undefined);
    return file?.stat().finally(() => file.close());
  }
}

/** The first `.meta` file of a recording, with the values that the recording has without one. */
function firstMeta(recording: Recording, original = recording): Uint8Array {
  const { service = recording.reference, title, description, begin } = original;
  return formatMeta({ service, title, description, begin, tags: [], serviceData: serviceData(undefined) });
}

/** Merges lists that are already sorted. */
async function merged(lists: readonly (readonly Recording[])[]): Promise<readonly Recording[]> {
  const filled = lists.filter((list) => list.length > 0);
  return filled.length > 1 ? mergeInSlices(filled, newestFirst) : (filled[0] ?? []);
}

/** The status of a regular file; undefined if there is none, or a link. */
async function regularFile(path: string): Promise<Stats | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ? found : undefined;
}
