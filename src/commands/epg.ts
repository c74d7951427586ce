/**
 * `receiverd epg import | export | search`: the guide from the command line. While a receiver runs on the data folder it is asked to
 * do the work, over HTTP; else the command works on the snapshot in the folder itself, which it locks while it changes it.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Configuration } from '../config.ts';
import { DataFolder } from '../data-folder.ts';
import { Guide, type GuideEvent, type TextScope } from '../epg/guide.ts';
import { type ImportedGuide, importGuideFile } from '../epg/guide-file.ts';
import { guideFile } from '../epg/guide-store.ts';
import { exportXmltv, XmltvError } from '../epg/xmltv.ts';
import { fail, ReceiverError } from '../errors.ts';
import { channelMatcher, channelsOf } from '../services/channel-matcher.ts';
import { Services } from '../services/services.ts';

/** A row of what a search shows. */
interface Found {
  readonly start: number;
  readonly duration: number;
  readonly channel: string;
  readonly title: string;
  readonly shortText: string;
}

export async function importGuide(configuration: Configuration, file: string): Promise<void> {
  const size = statSync(file).size;
  const progress = new Progress(file, size);
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  const counted = progress.count(source);
  try {
    const running = runningReceiver(configuration);
    const imported =
      running === undefined ? await importHere(configuration, counted) : await importThere(running, counted);
    progress.end();
    tell(imported);
  } finally {
    progress.end();
    source.destroy();
  }
}

async function importHere(configuration: Configuration, source: AsyncIterable<Uint8Array>): Promise<ImportedGuide> {
  const folder = DataFolder.lock(configuration.dataDir);
  try {
    const services = await Services.load(configuration.enigma2Dir);
    const guide = await openGuide(configuration);
    try {
      return await importGuideFile(guide, source, { servicesOf: channelMatcher(services) });
    } catch (error) {
      if (!(error instanceof XmltvError)) throw error;
      throw new ReceiverError(error.code, error.message + keptText(error.statistics.imported));
    } finally {
      // What stood before the damage of a file counts.
      await guide.save(guideFile(configuration.dataDir));
    }
  } finally {
    folder.release();
  }
}

async function importThere(receiver: URL, source: AsyncIterable<Uint8Array>): Promise<ImportedGuide> {
  return asked(receiver, 'api/epgimport', Readable.from(source, { objectMode: false }));
}

/** By the name: .dat is Enigma2's epg.dat, .xml and .xml.gz are XMLTV. The file appears when it is complete. */
export async function exportGuide(configuration: Configuration, file: string): Promise<void> {
  const format = /\.dat$/i.test(file) ? 'epg.dat' : /\.xml(\.gz)?$/i.test(file) ? 'xmltv' : undefined;
  if (format === undefined)
    throw new ReceiverError('unsupported', `${file}: the name has to end in .xml, .xml.gz or .dat`);
  const running = runningReceiver(configuration);
  if (running !== undefined) {
    await write(file, await answerOf(running, `web/epgexport?format=${format}`));
    return;
  }
  const guide = await openGuide(configuration);
  if (format === 'epg.dat') {
    await guide.exportEpgDat(file);
    return;
  }
  const services = await Services.load(configuration.enigma2Dir);
  const all = (await guide.services()).map(({ service }) => service);
  const from = Math.floor(Date.now() / 1000);
  await write(file, Readable.from(exportXmltv(guide, channelsOf(services, all), { from }), { objectMode: false }));
}

async function write(file: string, document: Readable): Promise<void> {
  const progress = new Progress(file, 0);
  const temporary = `${file}.writing`;
  try {
    const counted = Readable.from(progress.count(document), { objectMode: false });
    const target = createWriteStream(temporary);
    if (/\.gz$/i.test(file)) await pipeline(counted, createGzip(), target);
    else await pipeline(counted, target);
    await rename(temporary, file);
  } finally {
    progress.end();
    await rm(temporary, { force: true });
  }
}

export interface SearchOptions {
  readonly in: 'title' | 'text' | 'all';
  readonly limit: number;
}

/** Prints what has not ended, by start, in local time. */
export async function searchGuide(configuration: Configuration, text: string, options: SearchOptions): Promise<void> {
  const running = runningReceiver(configuration);
  const { total, rows } = running
    ? await searchThere(running, text, options)
    : await searchHere(configuration, text, options);
  const width = (values: readonly string[]) => Math.min(30, Math.max(0, ...values.map((value) => value.length)));
  const channels = width(rows.map(({ channel }) => channel));
  for (const { start, duration, channel, title, shortText } of rows) {
    const more = shortText === '' || shortText === title ? '' : `  (${shortText.replaceAll('\n', ' ')})`;
    console.log(
      `${localTime(configuration, start)}  ${minutes(duration)}  ${channel.padEnd(channels)}  ${title}${more}`,
    );
  }
  const all = total === undefined ? `${rows.length}${rows.length === options.limit ? ' or more' : ''}` : String(total);
  console.error(rows.length === total || total === undefined ? `${all} found` : `${rows.length} of ${all}`);
}

async function searchHere(configuration: Configuration, text: string, options: SearchOptions) {
  const [guide, services] = await Promise.all([openGuide(configuration), Services.load(configuration.enigma2Dir)]);
  const within: TextScope = options.in;
  const from = Math.floor(Date.now() / 1000);
  const { total, events } = await guide.search({ text, within, limit: options.limit, from });
  const name = ({ service }: GuideEvent) => services.findByTriplet(service)?.name ?? '';
  return { total, rows: events.map((event): Found => ({ ...event, channel: name(event) })) };
}

async function searchThere(receiver: URL, text: string, options: SearchOptions) {
  const query = new URLSearchParams({
    what: text,
    querytype: options.in,
    max_rows: String(options.limit),
    begin: String(Math.floor(Date.now() / 1000)),
    flags: 'BDTSN',
  });
  const { events } = await asked<{ events: Readonly<Record<string, unknown>>[] }>(receiver, `api/eventsearch?${query}`);
  const rows = events.map(
    (row): Found => ({
      start: Number(row.start_time),
      duration: Number(row.duration),
      channel: String(row.service_name),
      title: String(row.title),
      shortText: String(row.shortinfo ?? ''),
    }),
  );
  return { total: undefined, rows };
}

async function openGuide(configuration: Configuration): Promise<Guide> {
  const { languages, guide: options } = configuration;
  const guide = new Guide({ languages, history: options.history, maximumEvents: options.maximumEvents });
  await guide.load(guideFile(configuration.dataDir));
  return guide;
}

/** The web interface of the receiver on this folder; undefined when none runs. @throws ReceiverError `folder-in-use` */
function runningReceiver({ dataDir }: Configuration): URL | undefined {
  const owner = DataFolder.owner(dataDir);
  if (owner === undefined) return undefined;
  if (owner.http === undefined)
    throw fail('folder-in-use', dataDir, `process ${owner.pid ?? '?'}, which does not serve yet`);
  return new URL(owner.http);
}

async function asked<Answer>(receiver: URL, path: string, body?: Readable): Promise<Answer> {
  return (await json(await answerOf(receiver, path, body))) as Answer;
}

/** Node's own client, because fetch gives up on an answer that takes five minutes, as that to a large file may on a slow box. */
async function answerOf(receiver: URL, path: string, body?: Readable): Promise<IncomingMessage> {
  const asking = request(new URL(path, receiver), { method: body ? 'POST' : 'GET' });
  const answering = once(asking, 'response') as Promise<[IncomingMessage]>;
  try {
    // An answer that comes before everything was sent says what is wrong with it.
    const sending = body ? pipeline(body, asking).then(() => answering) : answering;
    if (!body) asking.end();
    const [answer] = await Promise.race([answering, sending]);
    if (answer.statusCode === 200) return answer;
    const told = (await json(answer).catch(() => ({}))) as { message?: string; imported?: number };
    const message = told.message ?? `${receiver} answers ${answer.statusCode}`;
    throw new ReceiverError('internal', message + keptText(told.imported));
  } catch (error) {
    if (error instanceof ReceiverError) throw error;
    throw new ReceiverError('internal', `${receiver}: ${(error as Error).message}`);
  }
}

function keptText(imported = 0): string {
  return imported === 0 ? '' : `; ${imported} programmes from before are in the guide`;
}

/** How many unmatched channels are named. */
const shownChannels = 10;

function tell(imported: ImportedGuide): void {
  if (imported.format === 'epg.dat') {
    console.log(`${imported.events} events of ${imported.services} services imported, ${imported.ended} had ended`);
    return;
  }
  const { programmes, ended, programmesWithoutService, malformed, channels, unmatched } = imported;
  console.log(`${imported.imported} of ${programmes} programmes imported, for ${channels.matched} channels`);
  if (ended > 0) console.log(`${ended} had ended`);
  if (malformed > 0) console.log(`${malformed} were without a channel or a time that can be read`);
  if (channels.unmatched === 0) return;
  console.log(`${programmesWithoutService} belong to ${channels.unmatched} channels that are in no service list:`);
  for (const { id, name } of unmatched.slice(0, shownChannels)) console.log(`  ${name || id}${name ? ` (${id})` : ''}`);
  if (channels.unmatched > shownChannels) console.log(`  and ${channels.unmatched - shownChannels} more`);
}

/** One line on a terminal, nothing elsewhere. */
class Progress {
  readonly #name: string;
  readonly #size: number;
  #bytes = 0;
  #shown = 0;

  /** Size 0: not known. */
  constructor(name: string, size: number) {
    this.#name = name;
    this.#size = size;
  }

  async *count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of source) {
      this.#bytes += piece.length;
      this.#show();
      yield piece;
    }
  }

  end(): void {
    if (this.#shown > 0) process.stderr.write('\r\x1b[K');
    this.#shown = 0;
  }

  #show(): void {
    const now = Date.now();
    if (!process.stderr.isTTY || now - this.#shown < 100) return;
    this.#shown = now;
    const done = this.#size > 0 ? `${Math.floor((this.#bytes / this.#size) * 100)} %` : '';
    process.stderr.write(`\r\x1b[K${this.#name}: ${(this.#bytes / 1e6).toFixed(1)} MB ${done}`);
  }
}

function localTime({ timeZone }: Configuration, time: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  }).format(time * 1000);
  return parts.replace(',', '');
}

function minutes(duration: number): string {
  return duration === 0 ? '       ' : `${String(Math.round(duration / 60)).padStart(3)} min`;
}
