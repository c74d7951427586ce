/**
 * `receiverd epg import | export | search`: the guide from the command line. While a receiver runs on the data folder,
 * the commands work through it over HTTP. Otherwise they work on the snapshot in the folder and lock the folder while
 * they change it.
 */
import { constants, createWriteStream, existsSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { systemClock } from '../base/clock.ts';
import { fail, ReceiverError, systemReason } from '../base/errors.ts';
import { abandonedAfterMs, removeTemporaries, replaceBy } from '../base/files.ts';
import { localTime } from '../base/local-time.ts';
import type { Configuration } from '../config/config.ts';
import { tripletKey } from '../dvb/triplet.ts';
import { EpgDatExports } from '../epg/epg-dat-exports.ts';
import type { Guide, GuideEvent } from '../epg/guide.ts';
import { type ImportedGuide, importGuideFile } from '../epg/guide-file.ts';
import { guideFile } from '../epg/guide-store.ts';
import { makeGuide } from '../epg/make-guide.ts';
import { exportXmltv, XmltvError } from '../epg/xmltv.ts';
import { DataFolder } from '../host/data-folder.ts';
import { collectingLogos, Logos } from '../pictures/logos.ts';
import { channelMatcher, channelsOf } from '../services/guide/channel-matcher.ts';
import { GuideChannels, type GuideMatch } from '../services/guide/guide-channels.ts';
import { Services, unknownName } from '../services/services.ts';
import { openInput, standard, statusOf } from './input.ts';
import { keptText, placeText, type RunningReceiver, responseOf, runningReceiver } from './running-receiver.ts';
import { interruptible } from './terminal.ts';
import { Transfer } from './transfer.ts';

/** Imports the guide from a file, standard input or a URL. @throws ReceiverError, Interrupted */
export async function importGuide(configuration: Configuration, file: string): Promise<void> {
  const { source, size } = await openInput(file, 'a guide file');
  const transfer = new Transfer(file === standard ? 'standard input' : file, size);
  const running = await runningReceiver(configuration);
  const importFrom = async (signal: AbortSignal) => {
    // Aborts a pending read.
    signal.addEventListener('abort', () => {
      source.destroy(signal.reason as Error);
      unblockPipe(file);
    });
    const counted = transfer.count(source);
    return running === undefined
      ? importLocally(configuration, counted, { signal, transfer })
      : importByReceiver(running, counted, { signal, transfer });
  };
  const left = () => {
    if (running === undefined) return `stopped at ${transfer.position}; nothing was imported, the guide is unchanged`;
    return transfer.isComplete
      ? 'the receiver has the whole file and continues to import it'
      : `stopped at ${transfer.position}; the receiver keeps the programmes it has read, import the file again for the rest`;
  };
  try {
    const imported = await interruptible(importFrom, left);
    transfer.end();
    report(imported);
    console.log(`guide: ${placeText(configuration, running)}`);
  } finally {
    transfer.end();
    source.destroy();
  }
}

/** Opens a named pipe for writing. Otherwise the thread that opens it for reading would wait for a writer for ever. */
function unblockPipe(file: string): void {
  if (file === standard || !statusOf(file)?.isFIFO()) return;
  void open(file, constants.O_RDWR | constants.O_NONBLOCK)
    .then((pipe) => pipe.close())
    .catch(() => undefined);
}

interface ImportParts {
  readonly signal: AbortSignal;
  readonly transfer: Transfer;
}

async function importLocally(
  configuration: Configuration,
  source: AsyncIterable<Uint8Array>,
  { signal, transfer }: ImportParts,
): Promise<ImportedGuide> {
  const folder = await DataFolder.lock(configuration.dataDir);
  try {
    const services = await Services.load(configuration.enigma2Dir);
    const guide = await openGuide(configuration);
    const logos = new Map<number, string>();
    const guideChannels = await GuideChannels.read(configuration.dataDir);
    const channels = new Map<string, string>();
    const matches = new Map<number, GuideMatch>();
    const matching = channelMatcher(services, {
      onMatch: (service, match) => void matches.set(tripletKey(service), match),
    });
    const servicesOf = collectingLogos(guideChannels.matching(matching, channels), logos);
    const onProgress = ({ programmes }: { readonly programmes: number }) => transfer.note(`${programmes} programmes`);
    try {
      return await importGuideFile(guide, source, { servicesOf, signal, onProgress, ranks: guideChannels.priorities });
    } catch (error) {
      if (!(error instanceof XmltvError)) throw error;
      throw new ReceiverError(error.code, error.message + keptText(error.statistics.imported));
    } finally {
      // Programmes before the damage in a file are kept. An interrupted import leaves the guide as it was.
      if (!signal.aborted) {
        transfer.phase('saving the guide');
        await guide.save(guideFile(configuration.dataDir));
        await (await Logos.read(configuration.dataDir)).add('guide', logos);
        await guideChannels.add(channels, matches);
      }
    }
  } finally {
    folder.release();
  }
}

async function importByReceiver(
  receiver: RunningReceiver,
  source: AsyncIterable<Uint8Array>,
  { signal, transfer }: ImportParts,
): Promise<ImportedGuide> {
  const body = Readable.from(source, { objectMode: false });
  const onSent = () => transfer.complete();
  return (await json(await responseOf(receiver, 'api/epgimport', { body, signal, onSent }))) as ImportedGuide;
}

export type ExportFormat = 'xmltv' | 'xmltv.gz' | 'epg.dat';

export interface ExportOptions {
  /** Default: according to the file name; XMLTV on standard output. */
  readonly format?: ExportFormat;
}

/**
 * Writes the guide to standard output, or to a file that appears once it is complete.
 * @throws ReceiverError, Interrupted
 */
export async function exportGuide(configuration: Configuration, file: string, options: ExportOptions): Promise<void> {
  const format = options.format ?? formatOf(file);
  const running = await runningReceiver(configuration);
  const before = file === standard ? undefined : statusOf(file);
  if (before?.isDirectory()) throw fail('file-unwritable', file, 'it is a folder');
  const isReplaced = file !== standard && (before === undefined || before.isFile());
  const left = () => {
    if (!isReplaced) return 'the output is incomplete';
    return before === undefined ? `${file} was not written` : `${file} is unchanged`;
  };
  await interruptible(async (signal) => {
    const document =
      running === undefined
        ? Readable.from(await exportLocally(configuration, format), { objectMode: false })
        : await responseOf(running, `web/epgexport?format=${format === 'epg.dat' ? format : 'xmltv'}`, { signal });
    // On a terminal the output itself shows the progress.
    const isShown = file !== standard || !process.stdout.isTTY;
    const transfer = new Transfer(file === standard ? 'standard output' : file, undefined, isShown);
    const counted = Readable.from(transfer.count(document), { objectMode: false });
    const coded = format === 'xmltv.gz' ? createGzip() : new PassThrough();
    try {
      if (isReplaced)
        await replace(file, (target) => pipeline(counted, coded, (whole) => writeFile(target, whole), { signal }));
      else if (file === standard) await pipeline(counted, coded, process.stdout, { signal, end: false });
      else await pipeline(counted, coded, createWriteStream(file), { signal });
    } finally {
      transfer.end();
    }
  }, left);
}

function formatOf(file: string): ExportFormat {
  if (file === standard || /\.xml$/i.test(file)) return 'xmltv';
  if (/\.xml\.gz$/i.test(file)) return 'xmltv.gz';
  if (/\.dat$/i.test(file)) return 'epg.dat';
  throw new ReceiverError(
    'parameter-invalid',
    `${file}: the name must end in .xml, .xml.gz or .dat; otherwise use --format`,
  );
}

async function exportLocally(configuration: Configuration, format: ExportFormat): Promise<AsyncIterable<Uint8Array>> {
  const guide = await openGuide(configuration);
  if (format === 'epg.dat') return new EpgDatExports(guide).open();
  const services = await Services.load(configuration.enigma2Dir);
  const all = (await guide.services()).map(({ service }) => service);
  return exportXmltv(guide, channelsOf(services, all), { from: timeWithoutReceiver(configuration) });
}

/** Replaces the file after the new one has been written to disk completely. */
async function replace(file: string, write: (target: FileHandle) => Promise<void>): Promise<void> {
  await removeTemporaries(dirname(file), abandonedAfterMs);
  try {
    await replaceBy(file, write);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw fail('file-unwritable', file, systemReason(error));
  }
}

export interface SearchOptions {
  readonly in: 'title' | 'text' | 'all';
  readonly limit: number;
  readonly json?: boolean;
}

/** A matching event, as `--json` prints it (docs/command-line.md). */
interface Found {
  readonly id: number;
  /** Service reference. */
  readonly service: string;
  /** Name of the service, empty if it is not known. */
  readonly channel: string;
  /** Unix seconds. */
  readonly start: number;
  /** Seconds; 0 if unknown. */
  readonly duration: number;
  readonly title: string;
  readonly shortText: string;
}

interface SearchResult {
  /** Number of matching events, regardless of the limit. */
  readonly total: number;
  readonly events: readonly Found[];
}

/** Prints the matching events that have not ended, in order of start, in local time. */
export async function searchGuide(configuration: Configuration, text: string, options: SearchOptions): Promise<void> {
  const running = await runningReceiver(configuration);
  const result = running
    ? await searchByReceiver(running, text, options)
    : await searchLocally(configuration, text, options);
  if (options.json) console.log(JSON.stringify(result, undefined, 2));
  else print(configuration, result, options);
}

function print(configuration: Configuration, { total, events }: SearchResult, options: SearchOptions): void {
  const channels = Math.min(30, Math.max(0, ...events.map(({ channel }) => channel.length)));
  for (const { start, duration, channel, title, shortText } of events) {
    const more = shortText === '' || shortText === title ? '' : `  (${shortText.replaceAll('\n', ' ')})`;
    console.log(
      `${shownTime(configuration, start)}  ${minutes(duration)}  ${channel.padEnd(channels)}  ${title}${more}`,
    );
  }
  if (total > events.length) console.error(`${events.length} of ${total}; --limit shows more`);
  else if (total === 0 && options.in === 'title')
    console.error('0 found in the titles; --in all also searches the texts');
  else console.error(`${total} found`);
}

async function searchLocally(
  configuration: Configuration,
  text: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const [guide, services] = await Promise.all([openGuide(configuration), Services.load(configuration.enigma2Dir)]);
  const { in: within, limit } = options;
  const { total, events } = await guide.search({ text, within, limit, from: timeWithoutReceiver(configuration) });
  const found = ({ id, service, start, duration, title, shortText }: GuideEvent): Found[] =>
    channelsOf(services, [service]).map((channel) => ({
      id,
      service: channel.id,
      channel: channel.name,
      start,
      duration,
      title,
      shortText,
    }));
  return { total, events: events.flatMap(found) };
}

async function searchByReceiver(
  receiver: RunningReceiver,
  text: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const query = new URLSearchParams({
    what: text,
    querytype: options.in,
    max_rows: String(options.limit),
    begin: String(await timeOfReceiver(receiver)),
    flags: 'IBDTSNR',
  });
  const response = await responseOf(receiver, `api/eventsearch?${query}`);
  const { events } = (await json(response)) as { readonly events: readonly Readonly<Record<string, unknown>>[] };
  const found = events.map(
    (row): Found => ({
      id: Number(row.id),
      service: String(row.service_reference),
      channel: row.service_name === unknownName ? '' : String(row.service_name),
      start: Number(row.start_time),
      duration: Number(row.duration),
      title: String(row.title),
      shortText: String(row.shortinfo ?? ''),
    }),
  );
  // An event on several entries of the service list has a row for each, but counts once.
  return { total: Math.max(found.length, Number(response.headers['x-total-count'] ?? 0)), events: found };
}

/** The time of the receiver's clock, which with `clock: broadcast` is that of the capture. */
async function timeOfReceiver(receiver: RunningReceiver): Promise<number> {
  // This lookup finds no event. Its row contains only the time.
  const query = new URLSearchParams({ flags: 'CX', service_reference: '1:0:1:1:1:1:0:0:0:0:', minutes: '0' });
  const { events } = (await json(await responseOf(receiver, `api/eventlookup?${query}`))) as {
    readonly events: readonly { readonly current_time: number | null }[];
  };
  return events[0]?.current_time ?? systemClock.now();
}

/**
 * The time for a guide without a running receiver. The time of a capture is unknown; with 0, no event counts as ended.
 */
function timeWithoutReceiver({ clock }: Configuration): number {
  return clock === 'broadcast' ? 0 : systemClock.now();
}

async function openGuide(configuration: Configuration): Promise<Guide> {
  const { dataDir } = configuration;
  if (!existsSync(dataDir)) throw fail('folder-not-found', dataDir);
  const guide = await makeGuide(configuration, systemClock);
  await guide.load(guideFile(dataDir));
  return guide;
}

/** Channels without a service that are listed. */
const maxShownChannels = 10;

function report(imported: ImportedGuide): void {
  if (imported.format === 'epg.dat') {
    console.log(
      `events imported: ${imported.events}; services: ${imported.services}; already ended: ${imported.ended}`,
    );
    return;
  }
  const { programmes, ended, programmesWithoutService, malformed, channels, unmatched } = imported;
  console.log(`programmes imported: ${imported.imported} of ${programmes}; channels: ${channels.matched}`);
  if (ended > 0) console.log(`already ended: ${ended}`);
  if (malformed > 0) console.log(`without a channel or a readable time: ${malformed}`);
  if (channels.unmatched === 0) return;
  console.log(
    `without a service: ${programmesWithoutService}; channels that no service list has: ${channels.unmatched}`,
  );
  for (const { id, name } of unmatched.slice(0, maxShownChannels))
    console.log(`  ${name || id}${name ? ` (${id})` : ''}`);
  if (channels.unmatched > maxShownChannels) console.log(`  and ${channels.unmatched - maxShownChannels} more`);
}

/** `2026-01-01 20:15` */
function shownTime({ timeZone }: Configuration, time: number): string {
  return localTime(timeZone)
    .digits(time)
    .replace(/(....)(..)(..)(..)(..)../, '$1-$2-$3 $4:$5');
}

function minutes(duration: number): string {
  return duration === 0 ? '       ' : `${String(Math.round(duration / 60)).padStart(3)} min`;
}
