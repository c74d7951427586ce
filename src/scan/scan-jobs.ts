/**
 * Scans of the network while the receiver runs: one at a time, by its own tuners, which it gives to whoever needs them
 * more. What was found goes into the lists at the end; a scan that is stopped or fails changes nothing.
 */
import type { Logger } from 'pino';
import { fail, ReceiverError } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { TransponderParameters } from '../dvb/transponder.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { Services } from '../services/services.ts';
import { readScanTable, type ScanTable, scanTables } from './available-tables.ts';
import { type FastScanList, fastScanList, fastScanLists } from './fast-scan.ts';
import { guessedPlace, type Place, prepareSetup } from './first-setup.ts';
import {
  countServices,
  type ListChanges,
  listScanned,
  ownStart,
  receivable,
  type ScanProgress,
  type ServiceCounts,
  scanList,
  scanNetwork,
} from './network-scan.ts';

export interface ScanStatus {
  readonly state: 'idle' | 'scanning' | 'done' | 'stopped' | 'failed';
  /** Why it has failed, for people. */
  readonly trouble: string;
  /** Of the scan that runs, or of the last. */
  readonly progress: ScanProgress | undefined;
  /** Of the scan that is done. */
  readonly found: ServiceCounts | undefined;
  readonly changes: ListChanges | undefined;
}

const idle: ScanStatus = { state: 'idle', trouble: '', progress: undefined, found: undefined, changes: undefined };

export class NetworkScans {
  readonly #pool: TunerPool;
  readonly #services: Services;
  readonly #settings: Settings;
  readonly #places: readonly string[];
  readonly #log: Logger;
  readonly #changed = new Listeners<[]>();
  /** Calls `listener` at each step of a scan. */
  readonly onChange = this.#changed.add;
  #status = idle;
  #running: { readonly abort: AbortController; readonly end: Promise<void> } | undefined;

  /** `places`: folders with tables of transponders. */
  constructor(
    { pool, services, settings }: { pool: TunerPool; services: Services; settings: Settings },
    places: readonly string[],
    log: Logger,
  ) {
    this.#pool = pool;
    this.#services = services;
    this.#settings = settings;
    this.#places = places;
    this.#log = log;
  }

  get status(): ScanStatus {
    return this.#status;
  }

  /** The tables on this machine, and the lists of operators that its front ends can receive. */
  async tables(): Promise<{ readonly tables: readonly ScanTable[]; readonly problems: readonly string[] }> {
    const { tables, problems } = await scanTables(this.#places);
    const lists = fastScanLists.filter(({ parameters }) => receivable(this.#pool, [parameters]).length > 0);
    const listed = lists.map(({ name, parameters: { kind, orbitalPosition: position } }) => {
      return { name, kind, position, country: '' };
    });
    return { tables: [...tables, ...listed], problems };
  }

  /** What the time zone suggests for the place of `setUp`. */
  guess(timeZone: string): Promise<Place> {
    return guessedPlace(timeZone, this.#pool);
  }

  /** Sets up for a place, and starts a scan. @throws ReceiverError like `start`, and like prepareSetup */
  setUp(place: Place): Promise<void> {
    return this.#begin(() => prepareSetup(place, { pool: this.#pool, settings: this.#settings, places: this.#places }));
  }

  /**
   * Starts a scan, which goes on by itself. `table`: where to begin; none: what is listed, or every channel.
   * @throws ReceiverError `scan-running`, `not-found` for an unknown table, `not-receivable`
   */
  async start(table: string | undefined): Promise<void> {
    const list = table === undefined ? undefined : fastScanList(table);
    if (list) return this.#begin(async () => [list.parameters], list);
    await this.#begin(async () =>
      table === undefined ? ownStart(this.#pool, this.#services) : readScanTable(this.#places, table),
    );
  }

  async #begin(where: () => Promise<readonly TransponderParameters[]>, list?: FastScanList): Promise<void> {
    if (this.#running) throw fail('scan-running');
    const frontEnds = this.#pool.tuners.flatMap(({ frontEnd }) => frontEnd ?? []);
    const troubles = frontEnds.map(({ trouble }) => trouble);
    if (troubles.every((trouble) => trouble !== ''))
      throw fail('not-receivable', `a network: ${troubles.join('; ') || 'there is no front end'}`);
    const start = receivable(this.#pool, await where());
    if (start.length === 0)
      throw fail('not-receivable', "any of these transponders; parameter 'table' names others, scantables lists them");
    // Another may have been started meanwhile.
    if (this.#running) throw fail('scan-running');
    const abort = new AbortController();
    this.#show({ ...idle, state: 'scanning' });
    this.#running = { abort, end: this.#run(start, abort.signal, list) };
  }

  /** Resolves when no scan runs any more. */
  async stop(): Promise<void> {
    this.#running?.abort.abort();
    await this.#running?.end;
  }

  async #run(start: readonly TransponderParameters[], signal: AbortSignal, list?: FastScanList): Promise<void> {
    try {
      const onProgress = (progress: ScanProgress) => this.#show({ ...this.#status, progress });
      const options = { pool: this.#pool, start, onProgress, signal };
      const scanned = list ? await scanList(list, options) : await scanNetwork(options);
      if (signal.aborted) return this.#show({ ...this.#status, state: 'stopped' });
      const [found, changes] = [countServices(scanned), await listScanned(scanned, this.#services)];
      this.#log.info({ ...found, ...changes, vanished: changes.vanished.length }, 'network scanned');
      const last = this.#status.progress;
      const progress = last && { ...last, received: scanned.length, trouble: '' };
      this.#show({ ...this.#status, state: 'done', progress, found, changes });
    } catch (error) {
      const isExpected = error instanceof ReceiverError;
      if (!isExpected) this.#log.error(error, 'the network scan has failed; start it again');
      this.#show({ ...this.#status, state: 'failed', trouble: isExpected ? error.message : 'internal error' });
    } finally {
      this.#running = undefined;
    }
  }

  #show(status: ScanStatus): void {
    this.#status = status;
    this.#changed.call();
  }
}
