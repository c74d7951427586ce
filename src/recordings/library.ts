/**
 * The recordings in the folders: what lies there is the list, no other is kept.
 *
 * A folder is read anew whenever it is asked for; of a file that has not changed since, nor any beside it, what was read last time is
 * taken, so that a list of thousands costs a look at each and no more.
 */
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { GuideEvent } from '../epg/event.ts';
import { fail } from '../errors.ts';
import { replaceFile } from '../files.ts';
import { type Cut, formatCuts } from './cuts-file.ts';
import { type RecordingFolders, withSlash } from './folders.ts';
import { editMeta, oneTag } from './meta-file.ts';
import { type Recording, type RecordingFiles, readRecording } from './recording.ts';
import { isTrashName } from './trash-folder.ts';

/** Endings of files that are recordings. */
const endings = new Set(
  '.ts .trp .m2ts .mts .mpg .mpeg .m2p .vob .mkv .mp4 .m4v .avi .divx .mov .flv .wmv .webm .ogm .mp3 .mp2 .m4a .aac .ac3 .flac .ogg .oga .mka .wav'.split(
    ' ',
  ),
);
/** Deeper folders are not looked into. */
const deepest = 16;
/** Files looked at side by side. */
const atOnce = 16;

export interface Listing {
  readonly recordings: readonly Recording[];
  /** Names of the folders directly in the listed one, by name. */
  readonly folders: readonly string[];
}

export interface ListOptions {
  /** With those of all folders below. */
  readonly recursive?: boolean;
  /** With what was deleted, where it is not the trash itself that is listed. */
  readonly trash?: boolean;
}

/** What is to change about a recording; what is left out stays. */
export interface RecordingChanges {
  /** Put to those it has before the others are taken off. Blanks in a tag become `_`. */
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
  /** An empty one changes nothing. */
  readonly title?: string;
  readonly description?: string;
  /** In place of all marks it has. */
  readonly cuts?: readonly Cut[];
}

interface Known {
  readonly signature: string;
  readonly recording: Recording;
}

export class RecordingLibrary {
  readonly #folders: RecordingFolders;
  readonly #eventOfFile: (bytes: Uint8Array) => GuideEvent | null;
  /** By folder and name, of each folder what was there when it was listed last. */
  readonly #known = new Map<string, Map<string, Known>>();
  /** Until the last change is through. */
  #idle: Promise<unknown> = Promise.resolve();

  constructor(folders: RecordingFolders, eventOfFile: (bytes: Uint8Array) => GuideEvent | null) {
    this.#folders = folders;
    this.#eventOfFile = eventOfFile;
  }

  /** The recordings of a folder, the newest first; none where no such folder is. @throws ReceiverError `outside-locations` */
  async list(folder: string, { recursive = false, trash = false }: ListOptions = {}): Promise<Listing> {
    const named = this.#folders.named(folder);
    const listed = await this.#folders.existing(named).catch((error) => {
      if ((error as { code?: string }).code === 'not-found') return undefined;
      throw error;
    });
    if (listed === undefined) return { recordings: [], folders: [] };
    const recordings: Recording[] = [];
    const first = await this.#read(withSlash(listed), recordings);
    if (recursive) await this.#descend(withSlash(listed), first, { trash, depth: 1, recordings });
    recordings.sort((a, b) => b.begin - a.begin || (a.path < b.path ? -1 : 1));
    return { recordings, folders: first.filter((name) => !name.startsWith('.')) };
  }

  /** Those of all folders. */
  async all(options: ListOptions = {}): Promise<readonly Recording[]> {
    const outermost = this.#folders.all.filter(
      (folder) => !this.#folders.all.some((other) => other !== folder && folder.startsWith(other)),
    );
    const lists = await Promise.all(outermost.map((folder) => this.list(folder, { ...options, recursive: true })));
    return lists.flatMap(({ recordings }) => recordings).sort((a, b) => b.begin - a.begin);
  }

  /** Whether a path that is in the folders is one itself. */
  async isFolder(path: string): Promise<boolean> {
    return (await statOf(path))?.isDirectory() ?? false;
  }

  /** The recording of a file. @throws ReceiverError `outside-locations`, `not-found` also for a file that is no recording */
  async find(path: string): Promise<Recording> {
    const named = await this.#folders.existing(path);
    const folder = withSlash(named.slice(0, named.lastIndexOf('/')));
    const name = basename(named);
    if (!isRecordingName(name)) throw fail('not-found', `File '${path}'`);
    const names = new Set(await readdir(folder).catch(() => []));
    const found = await this.#look(folder, name, names, this.#known.get(folder));
    if (found === undefined) throw fail('not-found', `File '${path}'`);
    return found.recording;
  }

  /**
   * Changes what the files beside a recording say of it; gives it as it is then. One change after the other.
   * @throws ReceiverError `outside-locations`; `not-found` also where it has no `.meta` file; `file-unwritable`
   */
  edit(path: string, changes: RecordingChanges): Promise<Recording> {
    const edited = this.#idle.then(() => this.#edit(path, changes));
    this.#idle = edited.catch(() => undefined);
    return edited;
  }

  async #edit(
    path: string,
    { addTags = [], removeTags = [], cuts, title, description }: RecordingChanges,
  ): Promise<Recording> {
    const recording = await this.find(path);
    if (!recording.described) throw fail('not-found', `File '${path}'`);
    const removed = new Set(removeTags.map(oneTag));
    const tags = [...new Set([...recording.tags, ...addTags.map(oneTag)])].filter(
      (tag) => tag !== '' && !removed.has(tag),
    );
    const changesTags = tags.join(' ') !== recording.tags.join(' ');
    if (changesTags || title !== undefined || description !== undefined) {
      const meta = `${recording.path}.meta`;
      const bytes = await readFile(meta);
      await write(
        meta,
        editMeta(bytes, {
          ...(changesTags && { tags }),
          ...(title && { title }),
          ...(description !== undefined && { description }),
        }),
      );
    }
    if (cuts !== undefined) await write(`${recording.path}.cuts`, formatCuts(cuts));
    return this.find(path);
  }

  /** Puts what lies in the folder itself to the recordings; gives the names of its folders, sorted. */
  async #read(folder: string, recordings: Recording[]): Promise<string[]> {
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = new Set(entries.map(({ name }) => name));
    const files = entries.filter((entry) => entry.isFile() && isRecordingName(entry.name)).map(({ name }) => name);
    const before = this.#known.get(folder);
    const known = new Map<string, Known>();
    for (let at = 0; at < files.length; at += atOnce) {
      const some = files.slice(at, at + atOnce);
      const found = await Promise.all(some.map((name) => this.#look(folder, name, names, before)));
      for (const [n, one] of found.entries()) {
        if (one === undefined) continue;
        known.set(some[n] as string, one);
        recordings.push(one.recording);
      }
    }
    if (known.size > 0) this.#known.set(folder, known);
    else this.#known.delete(folder);
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  }

  async #descend(
    folder: string,
    names: readonly string[],
    options: { readonly trash: boolean; readonly depth: number; readonly recordings: Recording[] },
  ): Promise<void> {
    const { trash, depth, recordings } = options;
    if (depth > deepest) return;
    for (const name of names) {
      const isTrash = isTrashName(name);
      if (isTrash ? !trash : name.startsWith('.')) continue;
      const inner = `${folder}${name}/`;
      const below = await this.#read(inner, recordings);
      await this.#descend(inner, below, { trash, depth: depth + 1, recordings });
    }
  }

  /** One file, as it was known or read anew; undefined when it has gone. */
  async #look(
    folder: string,
    name: string,
    names: ReadonlySet<string>,
    known: ReadonlyMap<string, Known> | undefined,
  ): Promise<Known | undefined> {
    const side = (suffix: string, base = name) => (names.has(base + suffix) ? `${folder}${base}${suffix}` : undefined);
    const [meta, cuts, accessPoints] = [side('.meta'), side('.cuts'), side('.ap')];
    const event = side('.eit', name.slice(0, -extname(name).length));
    const parts: string[] = [];
    for (let part = side('.001'); part !== undefined; part = side(`.${String(parts.length + 1).padStart(3, '0')}`)) {
      parts.push(part);
    }
    const path = folder + name;
    const [file, ...others] = await Promise.all(
      [path, meta, cuts, accessPoints, event, ...parts].map((one) => (one === undefined ? one : statOf(one))),
    );
    if (!file?.isFile()) return undefined;
    const size = others.slice(4).reduce((sum, part) => sum + (part ? part.size : 0), file.size);
    const signature = [file, ...others].map((one) => (one ? `${one.size} ${one.mtimeMs}` : '')).join();
    const before = known?.get(name);
    if (before?.signature === signature) return before;
    const created = Math.floor(file.ctimeMs / 1000);
    const files: RecordingFiles = { path, size, created, meta, cuts, accessPoints, event };
    return { signature, recording: await readRecording(files, this.#eventOfFile) };
  }
}

/** Whether a file of this name is a recording. */
export const isRecordingName = (name: string) => !name.startsWith('.') && endings.has(extname(name).toLowerCase());

/** Undefined where nothing is. */
const statOf = (path: string) => stat(path).catch(() => undefined);

async function write(path: string, content: Uint8Array): Promise<void> {
  try {
    await replaceFile(path, content);
  } catch (error) {
    throw fail('file-unwritable', path, (error as Error).message);
  }
}
