/**
 * The files of the service list, the bouquets and the parental lists in an Enigma2 folder: reads them as models, and
 * writes the changed ones.
 */

import { ReceiverError } from '../base/errors.ts';
import { Settings } from '../config/enigma2-settings.ts';
import { BouquetFile } from './bouquet-file.ts';
import { type BouquetOptions, Bouquets } from './bouquets.ts';
import { Enigma2Folder } from './enigma2-folder.ts';
import { Lamedb } from './lamedb.ts';
import type { Problem } from './lines.ts';
import { ParentalList, type ParentalListKind } from './parental-list.ts';
import type { ServiceReference } from './reference.ts';

export type FilesPart = 'all' | 'services' | 'bouquets' | 'parental';

/** Milliseconds by which lamedb5 must be newer to be preferred: a box writes both in succession. */
const minNewerByMs = 2000;

export class ServiceFiles {
  lamedb = Lamedb.empty();
  bouquets = new Bouquets([], { unlinked: 'ignored', numberEach: false });
  blacklist = new ParentalList('blacklist', undefined);
  whitelist = new ParentalList('whitelist', undefined);
  readonly #disk: Enigma2Folder;
  #bouquetOptions: BouquetOptions = { unlinked: 'ignored', numberEach: false };
  /** Files that could not be parsed: renamed before their replacement is written. */
  readonly #unreadable = new Set<string>();
  #serviceProblems: Problem[] = [];
  /** Files of removed bouquets, to be removed with the next save. */
  readonly #removed = new Set<string>();
  /** Chains the saves, so that they do not share a temporary file. */
  #saving: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#disk = new Enigma2Folder(folder);
  }

  get problems(): readonly Problem[] {
    const parental = [...this.blacklist.problems, ...this.whitelist.problems];
    return [...this.missingFiles, ...this.#serviceProblems, ...this.bouquets.problems, ...parental];
  }

  /** Files that count as missing: not regular files, such as pipes, or too large. */
  get missingFiles(): readonly Problem[] {
    return this.#disk.problems;
  }

  /**
   * Writes the changed files, each by a temporary name, fsync and rename. The service list goes into lamedb and
   * lamedb5. Returns the names of the files written. @throws ReceiverError `file-unwritable`
   */
  save(): Promise<readonly string[]> {
    const saved = this.#saving.then(() => this.#save());
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  /**
   * Reads all files, or some, concurrently. @throws ReceiverError `file-unreadable` if one exists but cannot be read
   */
  async read(what: FilesPart): Promise<void> {
    const wanted = (part: FilesPart) => what === 'all' || what === part;
    await Promise.all([
      wanted('services') && this.#readLamedb(),
      wanted('bouquets') && this.#readBouquets(),
      wanted('parental') && this.#readParental(),
    ]);
  }

  async #readBouquets(): Promise<void> {
    const [settings, files] = await Promise.all([this.#disk.read('settings'), this.#disk.readBouquets()]);
    this.#bouquetOptions = bouquetOptions(Settings.parse(settings?.toString('utf8') ?? ''));
    const known = new Map<string, ServiceReference>();
    this.#removed.clear();
    this.setBouquets([...files].map(([name, bytes]) => BouquetFile.parse(bytes, name, known)));
  }

  async #readParental(): Promise<void> {
    const [blacklist, whitelist] = await Promise.all([this.#disk.read('blacklist'), this.#disk.read('whitelist')]);
    this.blacklist = new ParentalList('blacklist', blacklist);
    this.whitelist = new ParentalList('whitelist', whitelist);
  }

  /** Reads lamedb, or lamedb5 if it is the only one, is newer, or is the only one that can be parsed. */
  async #readLamedb(): Promise<void> {
    const [time4, time5] = await Promise.all([this.#disk.changedAt('lamedb'), this.#disk.changedAt('lamedb5')]);
    const names =
      time5 !== undefined && time5 > (time4 ?? 0) + minNewerByMs ? ['lamedb5', 'lamedb'] : ['lamedb', 'lamedb5'];
    this.#serviceProblems = [];
    this.#unreadable.clear();
    for (const name of names) {
      const bytes = await this.#disk.read(name);
      if (bytes === undefined) continue;
      try {
        this.lamedb = Lamedb.parse(bytes, name);
        this.#serviceProblems.push(...this.lamedb.problems);
        return;
      } catch (error) {
        if (!(error instanceof ReceiverError)) throw error;
        this.#serviceProblems.push({ file: name, line: 0, text: error.message });
        this.#unreadable.add(name);
      }
    }
    this.lamedb = Lamedb.empty();
  }

  /** A file edited again during its write stays marked as edited for the next save. */
  async #save(): Promise<readonly string[]> {
    const written: string[] = [];
    for (const bouquet of this.bouquets.files) {
      if (!bouquet.edited) continue;
      const { revision } = bouquet;
      await this.#disk.writeBouquet(bouquet.file, bouquet.format());
      bouquet.saved(revision);
      written.push(bouquet.file);
    }
    // Only after no list references it: if the disk is full, the bouquet must still exist.
    for (const name of this.#removed) await this.#disk.removeBouquet(name);
    this.#removed.clear();
    // Last: a scan adds only services that are not in lamedb to bouquets, so the bouquets must be saved first.
    return this.lamedb.edited ? [...(await this.#saveLamedb()), ...written] : written;
  }

  async #saveLamedb(): Promise<string[]> {
    for (const name of this.#unreadable) await this.#disk.setAside(name);
    this.#unreadable.clear();
    const other = this.lamedb.version === 5 ? 4 : 5;
    const [name, otherName] = other === 5 ? ['lamedb', 'lamedb5'] : ['lamedb5', 'lamedb'];
    const before = await this.#disk.read(otherName);
    const list = this.lamedb;
    const { revision } = list;
    const second = (before && parsedOrUndefined(before, otherName, other)) ?? Lamedb.empty(other);
    second.assign(list);
    await this.#disk.write(name, list.format());
    await this.#disk.write(otherName, second.format());
    list.saved(revision);
    return [name, otherName];
  }

  /** Removes the file of a bouquet with the next save. */
  remove(file: string): void {
    this.#removed.add(file);
  }

  /** Writes a parental list with one entry added or removed. @throws ReceiverError `file-unwritable` */
  changeParental(kind: ParentalListKind, reference: ServiceReference, isListed: boolean): Promise<void> {
    const changed = this.#saving.then(async () => {
      const list = kind === 'blacklist' ? this.blacklist : this.whitelist;
      const bytes = list.changed(reference, isListed);
      await this.#disk.write(kind, bytes);
      this[kind] = new ParentalList(kind, bytes);
    });
    this.#saving = changed.catch(() => undefined);
    return changed;
  }

  /** Numbers and links the bouquets again after a change. */
  setBouquets(files: Iterable<BouquetFile>): void {
    this.bouquets = new Bouquets(files, this.#bouquetOptions);
  }
}

function bouquetOptions(settings: Settings): BouquetOptions {
  const unlinked = settings.get('config.misc.load_unlinked_userbouquets');
  return {
    unlinked: unlinked === '0' ? 'ignored' : unlinked === '2' ? 'last' : 'first',
    numberEach: settings.isOn('config.usage.alternative_number_mode'),
  };
}

function parsedOrUndefined(bytes: Uint8Array, name: string, version: 4 | 5): Lamedb | undefined {
  try {
    const list = Lamedb.parse(bytes, name);
    return (list.version === 5) === (version === 5) ? list : undefined;
  } catch {
    return undefined;
  }
}
