/**
 * The service list and the bouquets of one Enigma2 folder as one model in memory.
 *
 * Look-ups are synchronous and never access the disk. Every change increases `generation` (an ETag for responses built
 * from here) and notifies the listeners; `save()` writes only the files that changed.
 *
 *   lamedb, lamedb5      -> Lamedb     -> by identity, by triplet and source, by triplet, by name
 *   bouquets.*, user...  -> Bouquets   -> entries with names and channel numbers, built when a list is first requested
 *   blacklist, whitelist -> ParentalList
 */
import { appendTo } from '../base/append-to.ts';
import { Listeners } from '../base/listeners.ts';
import { once } from '../base/once.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { IncrementalValue, type Steps } from '../base/time-slice.ts';
import { areFeeds, type Transponder, transponderKey } from '../dvb/transponder.ts';
import { type DvbTriplet, type PlacedService, tripletKey } from '../dvb/triplet.ts';
import { BouquetFile, newBouquetFileName } from './bouquet-file.ts';
import { type BouquetKind, Bouquets, type ListedEntry, rootFiles } from './bouquets.ts';
import { containerEntries, type ListQuery } from './containers.ts';
import { iptvNamespace, isIptvChannel } from './iptv-key.ts';
import { type Lamedb, serviceFlags } from './lamedb.ts';
import { type Problem, withoutEmphasis } from './lines.ts';
import type { ParentalList, ParentalListKind } from './parental-list.ts';
import { bouquetFileOf, parseQuery, type Queried } from './query.ts';
import { ServiceReference } from './reference.ts';
import { type FilesPart, ServiceFiles } from './service-files.ts';
import { ServiceIndex } from './service-index.ts';
import type {
  Bouquet,
  FilledBouquet,
  ListOptions,
  SameServices,
  Service,
  ServiceEntry,
  ServiceList,
} from './service-list.ts';

export type { BouquetKind } from './bouquets.ts';
export type { Problem } from './lines.ts';
export type { ListOptions, SameServices, Service, ServiceEntry, ServiceList } from './service-list.ts';

/** Name of an unknown service. */
export const unknownName = '<n/a>';

export class Services {
  readonly folder: string;
  readonly #files: ServiceFiles;
  #generation = 1;
  readonly #listeners = new Listeners<[generation: number]>();
  #derived = this.#derive();
  /** The previous index, while a change builds a new one in time slices. */
  #previousIndex: ServiceIndex | undefined;
  #foreign: ReadonlySet<Service> = new Set();
  /** Serializes changes of the lists and the disk. */
  readonly #inTurn = serialQueue();

  private constructor(folder: string) {
    this.folder = folder;
    this.#files = new ServiceFiles(folder);
  }

  /**
   * Reads a folder. An empty or missing one gives empty lists; `problems` has the lines that could not be parsed.
   * @throws ReceiverError `file-unreadable` if a file exists but cannot be read
   */
  static async load(folder: string): Promise<Services> {
    const services = new Services(folder);
    await services.#files.read('all');
    return services;
  }

  /** Increases with every change of any list. */
  get generation(): number {
    return this.#generation;
  }

  get problems(): readonly Problem[] {
    return this.#files.problems;
  }

  /** Files that count as missing: not regular files, such as pipes, or too large. */
  get missingFiles(): readonly Problem[] {
    return this.#files.missingFiles;
  }

  /** Number of services in the service list. */
  get size(): number {
    return this.#files.lamedb.serviceCount;
  }

  /** Calls `listener` after every change; returns a function that removes it. */
  onChange(listener: (generation: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Rereads the folder's files, after all earlier changes. Edits that were not saved are lost. */
  reload(what: FilesPart = 'all'): Promise<void> {
    return this.#inTurn(() => this.#reread(what));
  }

  async #reread(what: FilesPart): Promise<void> {
    await this.#files.read(what);
    await this.#withPreviousIndex(() => this.#changed());
  }

  /** Sets the services that other receivers receive for us. They are found like those of the service list, but not stored. */
  setForeign(services: readonly Service[]): Promise<void> {
    return this.#inTurn(() =>
      this.#withPreviousIndex(() => {
        this.#foreign = new Set(services);
        this.#changed();
      }),
    );
  }

  /** Writes the changed files; returns their names. @throws ReceiverError `file-unwritable` */
  save(): Promise<readonly string[]> {
    return this.#files.save();
  }

  /**
   * Makes an edit and saves it, after all earlier changes. The index is built in time slices, because that of a long
   * list takes long (40,000 channels blocked all other requests for 0.6 s on a desktop); until it is ready, the
   * previous one is used.
   * @throws ReceiverError `file-unwritable`; the edit of bouquets is then undone
   */
  change<Result>(edit: (lists: EditableLists) => Result): Promise<Result> {
    return this.#change(() => this.edit(edit));
  }

  /** Like `change`, for an edit that takes long itself: it runs in time slices. */
  changeInSteps<Result>(edit: (lists: EditableLists) => Steps<Result>): Promise<Result> {
    return this.#change(async () => {
      const { lists, end } = this.#beginEdit();
      return new IncrementalValue(() => edit(lists)).ready().finally(end);
    });
  }

  #change<Result>(edit: () => Result | Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      const result = await this.#withPreviousIndex(edit);
      try {
        await this.save();
      } catch (error) {
        // Undoes the edit that could not be saved.
        await this.#reread('bouquets').catch(() => undefined);
        throw error;
      }
      return result;
    });
  }

  /**
   * Calls `edit`, which uses this object's `edit`, and saves, without another change in between.
   * @throws ReceiverError `file-unwritable`; the edit stays in effect, and is written with the next save
   */
  editAndSave<Result>(edit: () => Result): Promise<Result> {
    return this.#inTurn(async () => {
      const result = edit();
      await this.save();
      return result;
    });
  }

  /**
   * Parses a reference from a request. An unknown reference that still contains "%" is decoded once more, since some
   * clients encode twice. Other clients decode the reference of a stream once, after which its name looks like a part
   * of its address: then the entry with that address is returned. The ten numbers of an IPTV entry are enough, since
   * such an entry differs from all others in them.
   * @throws ReceiverError `invalid-reference`
   */
  resolve(text: string): ServiceReference {
    const reference = ServiceReference.tryParse(text);
    const entry = reference && this.#iptvEntry(reference);
    if (entry) return entry;
    if (reference && this.knows(reference)) return reference;
    const again = text.includes('%') ? ServiceReference.tryParse(decodedOnce(text)) : undefined;
    if (again && this.knows(again)) return again;
    const parsed = reference ?? again ?? ServiceReference.parse(text);
    return this.#streamWithName(parsed) ?? parsed;
  }

  /** Returns the entry of an IPTV list that is named by its numbers alone. */
  #iptvEntry(reference: ServiceReference): ServiceReference | undefined {
    if (reference.path !== '' || reference.namespace !== iptvNamespace) return undefined;
    const entry = this.find(reference)?.reference;
    return entry && isIptvChannel(entry) ? this.listedStream(entry.withName(reference.name)) : undefined;
  }

  /** Returns the entry with the longest address that the stream begins with, followed by a name. */
  #streamWithName({ isStream, path, name }: ServiceReference): ServiceReference | undefined {
    if (!isStream) return undefined;
    // A blank ends an address with colons.
    const whole = name === '' ? path : `${path} ${name}`;
    let found: ServiceReference | undefined;
    for (const listed of this.playableReferences()) {
      const isMatch = listed.isStream && (whole === listed.path || whole.startsWith(`${listed.path}:`));
      if (isMatch && listed.path.length > (found?.path.length ?? 0)) found = listed;
    }
    return found;
  }

  /** Finds the service in the list: exactly, otherwise by triplet and source, otherwise by triplet alone. */
  find(reference: ServiceReference): Service | undefined {
    return this.#index.find(reference);
  }

  findByTriplet(dvb: DvbTriplet): Service | undefined {
    return this.ofTriplet(dvb)?.services[0];
  }

  /** Looks up a service's transponder in the list. */
  transponderOf({ namespace, dvb }: ServiceReference): Transponder | undefined {
    return dvb && this.#files.lamedb.transponder(transponderKey({ ...dvb, namespace }));
  }

  transponders(): readonly Transponder[] {
    return [...this.#files.lamedb.transponders()];
  }

  /** Returns the transponders with the identifiers of a service's multiplex, in any namespace. */
  transpondersWithIdsOf(dvb: DvbTriplet): readonly Transponder[] {
    return this.#derived.transponders().get(multiplexKey(dvb)) ?? [];
  }

  /**
   * Returns the transponders that may carry a service, by their ids; the one under which it is listed is first. If one
   * has its namespace, others of the same satellite carry feeds with the same ids, and are left out.
   */
  transpondersOf(dvb: PlacedService): readonly Transponder[] {
    const withIds = this.transpondersWithIdsOf(dvb);
    const own = withIds.find(({ namespace }) => namespace === dvb.namespace);
    const all = own === undefined ? withIds : withIds.filter((id) => !areFeeds(id, own));
    const listed = own?.namespace ?? this.findByTriplet(dvb)?.reference.namespace;
    return all.toSorted((a, b) => Number(b.namespace === listed) - Number(a.namespace === listed));
  }

  /** Returns the transponders of the services in bouquets; without any, those of all services. */
  watchedTransponders(): readonly Transponder[] {
    return this.#derived.watched();
  }

  /** Returns the transponders of services, each once; undefined if there are none. */
  #transpondersIn(references: Iterable<ServiceReference>): readonly Transponder[] | undefined {
    const found = new Set<Transponder>();
    for (const reference of references) {
      const transponder = this.transponderOf(reference);
      if (transponder) found.add(transponder);
    }
    return found.size > 0 ? [...found] : undefined;
  }

  ofTriplet(dvb: DvbTriplet): SameServices | undefined {
    return this.#index.ofTriplet(dvb);
  }

  /** True if the service list or an IPTV list has the service, not only another receiver. */
  hasOwn(dvb: DvbTriplet): boolean {
    return this.ofTriplet(dvb)?.services.some((one) => !this.#foreign.has(one)) === true;
  }

  /**
   * Finds a service by its exact name: in one bouquet, otherwise in all, otherwise in the service list. In time slices.
   */
  async findByName(
    name: string,
    within: { readonly bouquetsOnly?: boolean; readonly bouquet?: ServiceReference } = {},
  ): Promise<ServiceReference | undefined> {
    const list = within.bouquet && (await this.listInSlices(within.bouquet));
    const entries = within.bouquet ? (list?.entries ?? []) : await this.allEntriesInSlices();
    const listed = entries.find((entry) => entry.name === name && !entry.reference.isMarker);
    if (listed || within.bouquet || within.bouquetsOnly) return listed?.reference;
    for (const service of this.#index.services) if (service.name === name) return service.reference;
    return undefined;
  }

  /** True if the service list, a bouquet or a root contains this reference, or it is a list itself. */
  knows(reference: ServiceReference): boolean {
    if (reference.canDescend) return this.#isList(reference);
    return this.find(reference) !== undefined || this.#derived.identities().has(reference.identity);
  }

  /** Name to display for any reference: its own, that of the service list or of a bouquet; `<n/a>` if unknown. */
  nameOf(reference: ServiceReference): string {
    if (reference.name !== '') return withoutEmphasis(reference.name);
    if (reference.isMarker) return '';
    if (reference.canDescend) return this.#listName(reference) ?? unknownName;
    return this.find(reference)?.name || this.#derived.names().get(reference.identity) || unknownName;
  }

  /** Provider of a service; empty if unknown. */
  providerOf(reference: ServiceReference): string {
    return reference.provider || this.find(reference)?.provider || '';
  }

  /** `1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.tv" ORDER BY bouquet` or the radio one. */
  root(kind: BouquetKind): ServiceReference {
    return ServiceReference.bouquet(rootFiles[kind]);
  }

  bouquets(kind: BouquetKind, options: ListOptions = {}): readonly Bouquet[] {
    return this.#bouquetsIn(rootFiles[kind], kind, options);
  }

  /** Finds a bouquet by its name, television first. */
  bouquetByName(name: string): Bouquet | undefined {
    const all = (['tv', 'radio'] as const).flatMap((kind) => this.bouquets(kind, { hidden: true }));
    return all.find((one) => one.name === name);
  }

  /** Returns the contents of a bouquet, root, alternatives or query reference; undefined if no such list exists. */
  list(reference: ServiceReference, options: ListOptions = {}): ServiceList | undefined {
    return new IncrementalValue(() => this.#list(reference, options)).value;
  }

  /** Like `list`, in time slices. */
  listInSlices(reference: ServiceReference, options: ListOptions = {}): Promise<ServiceList | undefined> {
    return new IncrementalValue(() => this.#list(reference, options)).ready();
  }

  *#list(reference: ServiceReference, options: ListOptions): Steps<ServiceList | undefined> {
    const query = parseQuery(reference.path);
    if (query === undefined) return undefined;
    const full =
      query.from === 'bouquet'
        ? yield* this.#bouquetList(query.file).steps()
        : yield* this.#queryList(query, reference.name, options);
    if (full === undefined) return undefined;
    const isHidden = ({ reference }: ServiceEntry) => reference.isHidden;
    const all = options.hidden === true || !full.entries.some(isHidden);
    return { ...full, reference, entries: all ? full.entries : full.entries.filter((entry) => !isHidden(entry)) };
  }

  /** Every bouquet of a root with its entries; a nested bouquet follows the one that contains it. */
  allBouquets(kind: BouquetKind, options: ListOptions = {}): readonly FilledBouquet[] {
    return this.#filled(kind, options).value;
  }

  /** Like `allBouquets`, in time slices: after a change, the first call takes a second for 100,000 entries. */
  allBouquetsInSlices(kind: BouquetKind, options: ListOptions = {}): Promise<readonly FilledBouquet[]> {
    return this.#filled(kind, options).ready();
  }

  #filled(kind: BouquetKind, options: ListOptions): IncrementalValue<readonly FilledBouquet[]> {
    const key = `${kind} ${options.hidden === true}`;
    const known = this.#derived.filled.get(key);
    if (known !== undefined) return known;
    const filled = new IncrementalValue(() => this.#fill(kind, options));
    this.#derived.filled.set(key, filled);
    return filled;
  }

  *#fill(kind: BouquetKind, options: ListOptions): Steps<readonly FilledBouquet[]> {
    const filled: FilledBouquet[] = [];
    for (const bouquet of this.#nestedBouquets(kind, options)) {
      const entries: ServiceEntry[] = [];
      for (const entry of (yield* this.#bouquetList(bouquet.file).steps())?.entries ?? []) {
        const { isHidden, isDirectory } = entry.reference;
        if (!isDirectory && (options.hidden || !isHidden)) entries.push(entry);
        yield;
      }
      filled.push({ ...bouquet, entries });
    }
    return filled;
  }

  #nestedBouquets(kind: BouquetKind, options: ListOptions = {}): Bouquet[] {
    const nested = new Map<string, Bouquet>();
    const add = (file: string) => {
      for (const bouquet of this.#bouquetsIn(file, kind, options)) {
        if (nested.has(bouquet.file)) continue;
        nested.set(bouquet.file, bouquet);
        add(bouquet.file);
      }
    };
    add(rootFiles[kind]);
    return [...nested.values()];
  }

  /** The bouquets that a file lists, without those below them. */
  #bouquetsIn(file: string, kind: BouquetKind, options: ListOptions): Bouquet[] {
    return this.#files.bouquets.lists(file).flatMap(({ reference, list }) => {
      const hidden = reference.isHidden;
      if (reference.isAlternatives || (hidden && !options.hidden)) return [];
      const startpos = this.#files.bouquets.numbersBefore(list.file);
      return { reference, name: Bouquets.nameOf(list), file: list.file, kind, hidden, startpos };
    });
  }

  /** The references of `allEntries` without the names, which take most of the time. Some are repeated. */
  *playableReferences(): Generator<ServiceReference> {
    for (const kind of ['tv', 'radio'] as const) {
      for (const { file } of this.#nestedBouquets(kind)) {
        for (const { reference } of this.#files.bouquets.entries(file)) {
          if (!reference.isMarker && !reference.isHidden && !reference.isDirectory) yield reference;
        }
      }
    }
  }

  /**
   * Returns a stream as listed in the bouquets. If its address has changed since, the entry with the same identifiers;
   * of several (HD and SD share a guide), the one with the same name. Undefined if there is none.
   */
  listedStream(reference: ServiceReference): ServiceReference | undefined {
    const numbers = ({ dvb, namespace }: ServiceReference) => dvb && `${tripletKey(dvb)}:${namespace}`;
    const wanted = numbers(reference);
    const renewed: ServiceReference[] = [];
    for (const listed of this.playableReferences()) {
      if (!listed.isStream) continue;
      if (listed.equals(reference)) return listed;
      if (wanted !== undefined && numbers(listed) === wanted) renewed.push(listed);
    }
    const [first] = renewed;
    const isSure = reference.name === '' || renewed.every((one) => one.equals(first as ServiceReference));
    return renewed.find(({ name }) => name === reference.name) ?? (isSure ? first : undefined);
  }

  /**
   * Finds the first visible bouquet entry with this reference, television first. An entry whose text is identical,
   * including its name, takes precedence over all others. Undefined if there is none. Does not build the lists of all
   * bouquets.
   */
  findInBouquets(
    reference: ServiceReference,
  ): { readonly reference: ServiceReference; readonly bouquet: Bouquet } | undefined {
    const text = reference.format();
    let first: { readonly reference: ServiceReference; readonly bouquet: Bouquet } | undefined;
    for (const kind of ['tv', 'radio'] as const) {
      for (const bouquet of this.#nestedBouquets(kind)) {
        for (const { reference: listed } of this.#files.bouquets.entries(bouquet.file)) {
          if (listed.isHidden || listed.isDirectory || !listed.equals(reference)) continue;
          if (listed.format() === text) return { reference: listed, bouquet };
          first ??= { reference: listed, bouquet };
        }
      }
    }
    return first;
  }

  /** Playable entries of all bouquets in order, each (reference, name) once; no markers, folders or hidden entries. */
  allEntries(kind?: BouquetKind): readonly ServiceEntry[] {
    return this.#distinct(kind).value;
  }

  /** Like `allEntries`, in time slices. */
  allEntriesInSlices(kind?: BouquetKind): Promise<readonly ServiceEntry[]> {
    return this.#distinct(kind).ready();
  }

  #distinct(kind: BouquetKind | undefined): IncrementalValue<readonly ServiceEntry[]> {
    const known = this.#derived.distinct.get(kind);
    if (known !== undefined) return known;
    const distinct = new IncrementalValue(() => this.#listDistinct(kind));
    this.#derived.distinct.set(kind, distinct);
    return distinct;
  }

  *#listDistinct(kind: BouquetKind | undefined): Steps<readonly ServiceEntry[]> {
    const distinct: ServiceEntry[] = [];
    const names = new Map<string, string[]>();
    for (const one of kind === undefined ? (['tv', 'radio'] as const) : [kind]) {
      for (const bouquet of yield* this.#filled(one, {}).steps()) {
        for (const entry of bouquet.entries) {
          yield;
          const { reference, name } = entry;
          if (reference.isMarker || reference.isHidden) continue;
          const same = names.get(reference.identity);
          if (same?.includes(name)) continue;
          if (same) same.push(name);
          else names.set(reference.identity, [name]);
          distinct.push(entry);
        }
      }
    }
    return distinct;
  }

  /**
   * Services to try for a reference, in order: the members of alternatives, tuners before streams; otherwise itself.
   */
  playable(reference: ServiceReference): readonly ServiceReference[] {
    if (!reference.isAlternatives) return reference.isMarker || reference.canDescend ? [] : [reference];
    const file = bouquetFileOf(reference.path);
    const members = (file === undefined ? [] : this.#files.bouquets.entries(file)).map((entry) => entry.reference);
    const services = members.filter((member) => !member.isMarker && !member.canDescend);
    return [...services.filter((service) => !service.isStream), ...services.filter((service) => service.isStream)];
  }

  /** All services of the list, in the file's order. */
  all(): readonly Service[] {
    return this.#index.services;
  }

  /** All services of the list, grouped by their identifiers. */
  allByTriplet(): readonly SameServices[] {
    return this.#index.same;
  }

  parentalList(kind: ParentalListKind): ParentalList {
    return kind === 'blacklist' ? this.#files.blacklist : this.#files.whitelist;
  }

  /** Adds a service or bouquet to a parental list, or removes it, and saves the list. @throws ReceiverError */
  async changeParental(kind: ParentalListKind, reference: ServiceReference, isListed: boolean): Promise<void> {
    if (this.parentalList(kind).has(reference) === isListed) return;
    await this.#files.changeParental(kind, reference, isListed);
    this.#changed();
  }

  /** The blacklist, or the whitelist if only the latter has entries. */
  get parental(): ParentalList {
    return this.#files.blacklist.references.length === 0 && this.#files.whitelist.references.length > 0
      ? this.#files.whitelist
      : this.#files.blacklist;
  }

  /**
   * Changes the lists in one step, and notifies the listeners once if anything changed. `edit` receives the service
   * list and the bouquet files; it must not keep them.
   */
  edit<Result>(edit: (lists: EditableLists) => Result): Result {
    const { lists, end } = this.#beginEdit();
    try {
      return edit(lists);
    } finally {
      end();
    }
  }

  /** `end` makes the changes effective. */
  #beginEdit(): { readonly lists: EditableLists; readonly end: () => void } {
    const files = [...this.#files.bouquets.files];
    const revisions = () =>
      `${files.length} ${files.reduce((sum, file) => sum + file.revision, this.#files.lamedb.revision)}`;
    const before = revisions();
    const taken = (file: string) => files.some((one) => one.file.toLowerCase() === file.toLowerCase());
    const lists: EditableLists = {
      lamedb: this.#files.lamedb,
      bouquet: (file) => files.find((one) => one.file === file),
      bouquets: () => files,
      addBouquet: (name, kind, file = newBouquetFileName(name, kind, taken)) => {
        const bouquet = BouquetFile.create(file, name);
        files.push(bouquet);
        const root = files.find((one) => one.file === rootFiles[kind]) as BouquetFile;
        const mentioned = root.entries.some(({ reference }) => bouquetFileOf(reference.path) === file);
        if (!mentioned) root.append([ServiceReference.bouquet(file)]);
        return bouquet;
      },
      removeBouquet: (file) => {
        const at = files.findIndex((one) => one.file === file);
        if (at < 0) return;
        files.splice(at, 1);
        this.#files.remove(file);
        const isRemoved = ({ path }: ServiceReference) => bouquetFileOf(path) === file;
        for (const one of files) {
          const references = one.entries.map(({ reference }) => reference);
          if (references.some(isRemoved)) one.replace(references.filter((reference) => !isRemoved(reference)));
        }
      },
    };
    const end = () => {
      if (revisions() === before) return;
      this.#files.setBouquets(files);
      this.#changed();
    };
    return { lists, end };
  }

  #changed(): void {
    this.#generation++;
    this.#derived = this.#derive();
    this.#listeners.call(this.#generation);
  }

  /** Makes a change; look-ups use the previous index until the new one is built. */
  async #withPreviousIndex<Result>(change: () => Result | Promise<Result>): Promise<Result> {
    this.#previousIndex = this.#index;
    try {
      const result = await change();
      await this.#derived.index.ready();
      return result;
    } finally {
      this.#previousIndex = undefined;
      // Values that callers have derived meanwhile are based on the previous index.
      this.#generation++;
    }
  }

  get #index(): ServiceIndex {
    return this.#previousIndex ?? this.#derived.index.value;
  }

  /** The channels of IPTV lists, each once, with the name in the first bouquet. */
  *#iptvChannels(): Steps<readonly Service[]> {
    const channels = new Map<string, Service>();
    for (const reference of this.playableReferences()) {
      yield;
      const { name, provider, identity } = reference;
      if (!isIptvChannel(reference) || channels.has(identity)) continue;
      channels.set(identity, {
        reference: reference.withoutName(),
        name,
        shortName: name,
        provider,
        isEncrypted: false,
      });
    }
    return [...channels.values()];
  }

  /** Values derived from the lists until their next change, each on first use. */
  #derive() {
    const listed = () =>
      [...this.#files.bouquets.files].flatMap((file) => file.entries.map(({ reference }) => reference));
    const own = () => this.all().map(({ reference }) => reference);
    return {
      index: new IncrementalValue(() => ServiceIndex.build(this.#files.lamedb, this.#iptvChannels(), this.#foreign)),
      transponders: once(() => byMultiplex(this.#files.lamedb.transponders())),
      watched: once(() => this.#transpondersIn(this.playableReferences()) ?? this.#transpondersIn(own()) ?? []),
      /** Identities of all bouquet entries: streams and files are not in the service list. */
      identities: once(() => new Set(listed().map((reference) => reference.identity))),
      /** Names in bouquets by identity; the first one counts. */
      names: once(() => {
        const named = listed().filter((reference) => reference.name !== '' && !reference.isMarker);
        return new Map(named.reverse().map((reference) => [reference.identity, withoutEmphasis(reference.name)]));
      }),
      /** All bouquets of a root, the distinct entries of all bouquets, and lists by file name. */
      filled: new Map<string, IncrementalValue<readonly FilledBouquet[]>>(),
      distinct: new Map<BouquetKind | undefined, IncrementalValue<readonly ServiceEntry[]>>(),
      lists: new Map<string, IncrementalValue<ServiceList | undefined>>(),
    };
  }

  #bouquetList(file: string): IncrementalValue<ServiceList | undefined> {
    const known = this.#derived.lists.get(file);
    if (known !== undefined) return known;
    const list = new IncrementalValue(() => this.#listBouquet(file));
    // Only existing files are cached: the names come from requests.
    if (this.#files.bouquets.get(file) !== undefined) this.#derived.lists.set(file, list);
    return list;
  }

  *#listBouquet(file: string): Steps<ServiceList | undefined> {
    const bouquets = this.#files.bouquets;
    const list = bouquets.get(file);
    if (list === undefined) return undefined;
    const index = yield* this.#derived.index.steps();
    const isRoot = file === rootFiles.tv || file === rootFiles.radio;
    const entries: ServiceEntry[] = [];
    let lastPos = 0;
    for (const listed of bouquets.entries(file)) {
      const { reference } = listed;
      const counts = reference.isMarker ? reference.isNumberedMarker : !reference.isHidden;
      const entry = this.#entry(listed, counts ? ++lastPos : 0, index);
      entries.push(isRoot && listed.list ? { ...entry, startpos: bouquets.numbersBefore(listed.list.file) } : entry);
      yield;
    }
    return { reference: ServiceReference.bouquet(file), name: Bouquets.nameOf(list), entries, lastPos };
  }

  #entry({ reference, list, number, running }: ListedEntry, pos: number, index: ServiceIndex): ServiceEntry {
    const numbers = { pos, number, running };
    if (reference.isMarker) return { reference, name: reference.name, provider: '', ...numbers };
    if (list !== undefined) {
      const name = reference.isDirectory ? Bouquets.nameOf(list) : reference.name || this.#groupName(list);
      return { reference, name, provider: '', ...numbers };
    }
    const service = index.find(reference);
    const name = withoutEmphasis(reference.name) || service?.name || unknownName;
    const channel = service?.channel ? { channel: service.channel } : {};
    return { reference, name, provider: reference.provider || (service?.provider ?? ''), ...numbers, ...channel };
  }

  /** Name of alternatives: the one in their file, otherwise that of their first member. */
  #groupName(list: BouquetFile): string {
    const [first] = list.entries;
    if (list.name !== '') return list.name;
    return first && !first.reference.canDescend ? this.nameOf(first.reference) : unknownName;
  }

  /** Services flagged as hidden in the list are omitted, as hidden entries of a bouquet are. */
  *#queryList(query: ListQuery, name: string, options: ListOptions): Steps<Omit<ServiceList, 'reference'>> {
    const { services } = yield* this.#derived.index.steps();
    const isShown = ({ flags }: Queried) => options.hidden === true || (flags & serviceFlags.hidden) === 0;
    const selects = (service: Queried) => isShown(service) && query.selects(service);
    const entries: ServiceEntry[] = [];
    for (const { reference, name: own, provider } of yield* containerEntries({ ...query, selects }, services)) {
      const pos = entries.length + 1;
      entries.push({ reference, name: own || unknownName, provider, pos, number: 0, running: 0 });
      yield;
    }
    return { name, entries, lastPos: entries.length };
  }

  #isList(reference: ServiceReference): boolean {
    const query = parseQuery(reference.path);
    return query !== undefined && (query.from !== 'bouquet' || this.#files.bouquets.get(query.file) !== undefined);
  }

  #listName(reference: ServiceReference): string | undefined {
    const file = bouquetFileOf(reference.path);
    const list = file === undefined ? undefined : this.#files.bouquets.get(file);
    if (list === undefined) return undefined;
    return reference.isAlternatives ? this.#groupName(list) : Bouquets.nameOf(list);
  }
}

/** The lists that `edit` may change. */
export interface EditableLists {
  readonly lamedb: Lamedb;
  /** Returns a bouquet file by its name, including roots. */
  bouquet(file: string): BouquetFile | undefined;
  /** Returns all bouquet files, including roots and alternatives. */
  bouquets(): readonly BouquetFile[];
  /** Adds a new bouquet at the end of a root; unless given, its file name is derived from its name. */
  addBouquet(name: string, kind: BouquetKind, file?: string): BouquetFile;
  /** Removes a bouquet, and all entries that reference it. */
  removeBouquet(file: string): void;
}

function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const multiplexKey = ({ originalNetworkId, transportStreamId }: Omit<DvbTriplet, 'serviceId'>) =>
  originalNetworkId * 0x10000 + transportStreamId;

function byMultiplex(transponders: Iterable<Transponder>): ReadonlyMap<number, readonly Transponder[]> {
  const groups = new Map<number, Transponder[]>();
  for (const one of transponders) appendTo(groups, multiplexKey(one), one);
  return groups;
}
