/**
 * Network scans while the receiver runs: one at a time, with its tuners, which more important users may take. The
 * results are merged into the lists at the end; a scan that is stopped or fails changes nothing.
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
  defaultStart,
  type ListChanges,
  listScanned,
  receivable,
  type ScanProgress,
  type ServiceCounts,
  scanList,
  scanNetwork,
} from './network-scan.ts';

export interface ScanStatus {
  readonly state: 'idle' | 'scanning' | 'done' | 'stopped' | 'failed';
  /** Why it has failed, as text for users. */
  readonly trouble: string;
  /** Progress of the current or last scan. */
  readonly progress: ScanProgress | undefined;
  /** Results of a scan that is done. */
  readonly found: ServiceCounts | undefined;
  readonly changes: ListChanges | undefined;
}

const idle: ScanStatus = { state: 'idle', trouble: '', progress: undefined, found: undefined, changes: undefined };

export class NetworkScans {
  readonly #pool: TunerPool;
  readonly #services: Services;
  readonly #settings: Settings;
  readonly #tableFolders: readonly string[];
  readonly #log: Logger;
  readonly #changed = new Listeners<[]>();
  /** Calls `listener` at each step of a scan. */
  readonly onChange = this.#changed.add;
  #status = idle;
  #running: { readonly abort: AbortController; readonly end: Promise<void> } | undefined;

  /** `tableFolders`: folders with tables of transponders. */
  constructor(
    { pool, services, settings }: { pool: TunerPool; services: Services; settings: Settings },
    tableFolders: readonly string[],
    log: Logger,
  ) {
    this.#pool = pool;
    this.#services = services;
    this.#settings = settings;
    this.#tableFolders = tableFolders;
    this.#log = log;
  }

  get status(): ScanStatus {
    return this.#status;
  }

  /** Lists the tables on this machine, and the operators' lists that its front ends can receive. */
  async tables(): Promise<{ readonly tables: readonly ScanTable[]; readonly problems: readonly string[] }> {
    const { tables, problems } = await scanTables(this.#tableFolders);
    const lists = fastScanLists.filter(({ parameters }) => receivable(this.#pool, [parameters]).length > 0);
    const listed = lists.map(({ name, parameters: { kind, orbitalPosition: position } }) => {
      return { name, kind, position, country: '' };
    });
    return { tables: [...tables, ...listed], problems };
  }

  /** Guesses the place for `setUp` from the time zone. */
  guess(timeZone: string): Promise<Place> {
    return guessedPlace(timeZone, this.#pool);
  }

  /** Sets up for a place, and starts a scan. @throws ReceiverError as `start` and `prepareSetup` do */
  setUp(place: Place): Promise<void> {
    return this.#begin(() =>
      prepareSetup(place, { pool: this.#pool, settings: this.#settings, tableFolders: this.#tableFolders }),
    );
  }

  /**
   * Starts a scan in the background. `table`: where to begin. Default: the listed transponders, or every channel.
   * @throws ReceiverError `scan-running`, `not-found` for an unknown table, `not-receivable`
   */
  async start(table: string | undefined): Promise<void> {
    const list = table === undefined ? undefined : fastScanList(table);
    if (list) return this.#begin(async () => [list.parameters], list);
    await this.#begin(async () =>
      table === undefined ? defaultStart(this.#pool, this.#services) : readScanTable(this.#tableFolders, table),
    );
  }

  async #begin(findStart: () => Promise<readonly TransponderParameters[]>, list?: FastScanList): Promise<void> {
    if (this.#running) throw fail('scan-running');
    const frontEnds = this.#pool.tuners.flatMap(({ frontEnd }) => frontEnd ?? []);
    const troubles = frontEnds.map(({ trouble }) => trouble);
    if (troubles.every((trouble) => trouble !== ''))
      throw fail('not-receivable', `a network: ${troubles.join('; ') || 'there is no front end'}`);
    const start = receivable(this.#pool, await findStart());
    if (start.length === 0)
      throw fail('not-receivable', "any of these transponders; parameter 'table' names others, scantables lists them");
    // Another scan may have been started meanwhile.
    if (this.#running) throw fail('scan-running');
    const abort = new AbortController();
    this.#setStatus({ ...idle, state: 'scanning' });
    this.#running = { abort, end: this.#run(start, abort.signal, list) };
  }

  /** Stops the scan. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#running?.abort.abort();
    await this.#running?.end;
  }

  async #run(start: readonly TransponderParameters[], signal: AbortSignal, list?: FastScanList): Promise<void> {
    try {
      const onProgress = (progress: ScanProgress) => this.#setStatus({ ...this.#status, progress });
      const options = { pool: this.#pool, start, onProgress, signal };
      const scanned = list ? await scanList(list, options) : await scanNetwork(options);
      if (signal.aborted) return this.#setStatus({ ...this.#status, state: 'stopped' });
      const [found, changes] = [countServices(scanned), await listScanned(scanned, this.#services)];
      this.#log.info({ ...found, ...changes, vanished: changes.vanished.length }, 'network scanned');
      const last = this.#status.progress;
      const progress = last && { ...last, received: scanned.length, trouble: '' };
      this.#setStatus({ ...this.#status, state: 'done', progress, found, changes });
    } catch (error) {
      const isExpected = error instanceof ReceiverError;
      if (!isExpected) this.#log.error(error, 'the network scan has failed; start it again');
      this.#setStatus({ ...this.#status, state: 'failed', trouble: isExpected ? error.message : 'internal error' });
    } finally {
      this.#running = undefined;
    }
  }

  #setStatus(status: ScanStatus): void {
    this.#status = status;
    this.#changed.call();
  }
}
