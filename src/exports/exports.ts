/**
 * The exports that clients have requested: one at a time, the others wait. They go into the folder `Exports` of the
 * recording's location. Ended ones are listed until newer ones replace them or the receiver stops.
 */
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { ClientSlots } from '../base/client-slots.ts';
import { fail, ReceiverError, systemReason } from '../base/errors.ts';
import type { Recording } from '../recordings/files/recording.ts';
import type { RecordingActions } from '../recordings/library/actions.ts';
import type { RecordingLibrary } from '../recordings/library/library.ts';
import { writeShowFile } from '../recordings/library/show-file.ts';
import type { ExportFormat, ExportOptions, ExportParts } from './export.ts';
import { type ExportNames, exportInto, exportPlace } from './place.ts';

export const exportStates = ['waiting', 'running', 'done', 'failed'] as const;

export interface Export {
  readonly id: number;
  /** Path of the recording. */
  readonly from: string;
  /** Path of the export; undefined until it is done. */
  readonly to?: string;
  readonly format: ExportFormat;
  readonly isCut: boolean;
  readonly state: (typeof exportStates)[number];
  /** The exported part, 0 to 1. */
  readonly progress: number;
  /** Why it has failed; empty if it has not. */
  readonly error: string;
}

export interface ExportsParts extends ExportParts {
  readonly library: Pick<RecordingLibrary, 'find' | 'edit' | 'notifyChange'>;
  readonly actions: Pick<RecordingActions, 'refuseActive'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** For exports that are added without. */
  readonly names: ExportNames;
}

interface AddOptions extends ExportOptions {
  readonly names?: ExportNames | undefined;
  /** Address of the client. */
  readonly client: string;
}

type Entry = { -readonly [Key in keyof Export]: Export[Key] } & {
  readonly end: AbortController;
  readonly names: ExportNames;
  /** Releases its place; further calls do nothing. */
  readonly leave: () => void;
};

const folderName = 'Exports';
/** The page knows exports by it, wherever they are moved. */
const tag = 'Export';
const maxPending = 32;
const maxPendingPerClient = 16;
const maxEnded = 10;

export class Exports {
  readonly #parts: ExportsParts;
  readonly #entries = new Map<number, Entry>();
  readonly #slots = new ClientSlots(maxPending, maxPendingPerClient);
  #lastId = 0;
  #run: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: ExportsParts) {
    this.#parts = parts;
  }

  /** The oldest first. */
  get list(): readonly Export[] {
    return [...this.#entries.values()].map(withoutInternals);
  }

  /** The rule for names if none is given. */
  get names(): ExportNames {
    return this.#parts.names;
  }

  /** @throws ReceiverError `not-found`, `outside-locations`, `recording-active`, `too-many-exports`, `not-allowed` */
  async add(path: string, { format, isCut, client, names = this.names }: AddOptions): Promise<Export> {
    const { library, actions } = this.#parts;
    const { path: from } = await library.find(path);
    actions.refuseActive(from);
    if (this.#isStopped) throw fail('not-allowed', 'starting an export during shutdown');
    const refusal = this.#slots.refusal(client);
    if (refusal === 'all') throw fail('too-many-exports', maxPending);
    if (refusal === 'own') throw fail('too-many-exports', maxPendingPerClient, ' at this address');
    const id = ++this.#lastId;
    const entry: Entry = {
      id,
      from,
      format,
      isCut,
      state: 'waiting',
      progress: 0,
      error: '',
      end: new AbortController(),
      names,
      leave: this.#slots.take(client),
    };
    this.#entries.set(id, entry);
    this.#run ??= this.#work();
    return withoutInternals(entry);
  }

  /** Cancels an export, or removes one that has ended from the list. Returns false if there is none with this id. */
  remove(id: number): boolean {
    const entry = this.#entries.get(id);
    entry?.end.abort();
    if (entry?.state === 'waiting') entry.leave();
    if (entry?.state !== 'running') this.#entries.delete(id);
    this.#parts.library.notifyChange();
    return entry !== undefined;
  }

  /** Cancels all exports; resolves when none is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { from, format, end } of this.#all('waiting', 'running')) {
      end.abort();
      this.#parts.log.info(`${from} is not exported as ${format}: the receiver stops`);
    }
    await this.#run;
  }

  #all(...states: readonly Export['state'][]): readonly Entry[] {
    return [...this.#entries.values()].filter(({ state }) => states.includes(state));
  }

  async #work(): Promise<void> {
    for (let [next] = this.#all('waiting'); next && !this.#isStopped; [next] = this.#all('waiting')) {
      next.state = 'running';
      this.#parts.library.notifyChange();
      await this.#export(next).catch((error: unknown) => this.#onFailure(next as Entry, error));
      next.leave();
      for (const { id } of this.#all('done', 'failed').slice(0, -maxEnded)) this.#entries.delete(id);
      this.#parts.library.notifyChange();
    }
    this.#run = undefined;
  }

  #onFailure(entry: Entry, error: unknown): void {
    const { id, from } = entry;
    if (error instanceof ReceiverError && error.code === 'cancelled') {
      this.#entries.delete(id);
      return;
    }
    entry.state = 'failed';
    entry.error = systemReason(error);
    this.#parts.log.warn(`${from} is not exported: ${entry.error}`);
  }

  async #export(entry: Entry): Promise<void> {
    const { library, folders, actions, log, timeZone } = this.#parts;
    const { from, format, isCut, names, end } = entry;
    const recording = await library.find(from);
    actions.refuseActive(recording.path);
    const place = exportPlace(recording, names, timeZone());
    const folder = `${folders.folderOf(recording.path)}${folderName}/${place.folder}`;
    await folders.create(folder);
    const onProgress = (part: number) => {
      entry.progress = part;
    };
    const name = await folders
      .inFolder(folder, (at) =>
        exportInto(at, place, this.#parts, recording, { format, isCut }, { signal: end.signal, onProgress }),
      )
      .catch(async (error) => {
        await folders.removeEmpty(folder, place.folder.split('/').length);
        throw error;
      });
    const { show } = place;
    if (show !== undefined)
      await folders.inFolder(dirname(folder), (above) => writeShowFile(above, show)).catch(() => undefined);
    const to = folder + name;
    await this.#describe(to, recording);
    // Now the client may move or delete it.
    Object.assign(entry, { state: 'done', to, progress: 1 });
    log.info(`exported ${from} to ${to}`);
  }

  /** What the list of recordings says of it: the same as of the recording, and that it is an export. */
  async #describe(path: string, original: Recording): Promise<void> {
    const { title, description } = original;
    await this.#parts.library.edit(path, { title, description, original, addTags: [tag] }).catch(() => undefined);
  }
}

const withoutInternals = ({ end: _, names: __, leave: ___, ...one }: Entry): Export => one;
