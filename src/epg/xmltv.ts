/**
 * XMLTV import and export (xmltv.dtd of the XMLTV project), for documents of any length in little memory.
 *
 * The contents are processed in C++ (native/xmltv): a worker thread turns chunks of bytes into events of the store, and
 * events into chunks of bytes. This file only assigns services to channels.
 */
import type { UnixSeconds } from '../base/clock.ts';
import { errors, fail, ReceiverError } from '../base/errors.ts';
import { native } from '../base/native.ts';
import { type DvbTriplet, packServices } from '../dvb/triplet.ts';
import { genreNames, genreTexts } from './genres.ts';
import type { Guide } from './guide.ts';

/** A channel of the file. */
export interface XmltvChannel {
  readonly id: string;
  /** Its display names in the order of the file; none if the file has programmes of it but no `channel` element. */
  readonly names: readonly string[];
  /** http or https address of its logo; absent if there is none. */
  readonly icon?: string;
}

/** Progress of an import. */
export interface XmltvProgress {
  /** Bytes of the document, after decompression. */
  readonly bytes: number;
  /** All programmes in the file. */
  readonly programmes: number;
  /** Programmes imported into the guide. */
  readonly imported: number;
  /** Left out: already ended. */
  readonly ended: number;
  /** Left out: without a channel or a readable time. */
  readonly malformed: number;
  /** Left out: no service is known for their channel. */
  readonly programmesWithoutService: number;
  /** Batches with programmes that were refused because the guide is full. */
  readonly refused: number;
  /** Texts longer than 32 KiB, which were cut. */
  readonly cutTexts: number;
  /** Texts with bytes that are invalid in the encoding of the file. */
  readonly brokenTexts: number;
  /** References to entities that XML does not define, and bare ampersands: kept as text. */
  readonly unknownEntities: number;
  /** Channels with and without a service. */
  readonly channels: { readonly matched: number; readonly unmatched: number };
}

export interface XmltvStatistics extends XmltvProgress {
  /** Channels without a service, those with the most programmes first; at most 100. */
  readonly unmatched: readonly { readonly id: string; readonly name: string; readonly programmes: number }[];
}

export interface XmltvImportOptions {
  /**
   * Returns the services of each channel (at most 16, none if it is not received). Called with many channels at once.
   */
  servicesOf(
    channels: readonly XmltvChannel[],
  ): readonly (readonly DvbTriplet[])[] | Promise<readonly (readonly DvbTriplet[])[]>;
  /**
   * -9 to 9: whether the programmes stay where the broadcast, which has rank 0, or an import of another rank has some. The
   * higher rank wins; of equal ranks, what arrived last. Default: 0.
   */
  readonly rank?: number;
  /** Ranks of some services, instead of `rank`. */
  readonly ranks?: readonly (readonly [service: DvbTriplet, rank: number])[];
  /** Called after every chunk, some hundred times a second. */
  readonly onProgress?: (progress: XmltvProgress) => void;
  /** Ends the import between two chunks; programmes read before stay in the guide. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the decompressed document after which the import ends with `too-large`. Default: unlimited. */
  readonly maxBytes?: number;
}

/** Thrown if the document is damaged. Programmes before the damage are in the guide. */
export class XmltvError extends ReceiverError {
  /** Both from 1, in characters. */
  readonly line: number;
  readonly column: number;
  readonly statistics: XmltvStatistics;

  constructor(line: number, column: number, what: string, statistics: XmltvStatistics) {
    super('xmltv-malformed', errors['xmltv-malformed'].text(line, column, what));
    this.line = line;
    this.column = column;
    this.statistics = statistics;
  }
}

type Report = XmltvStatistics &
  (
    | { readonly state: 'more' | 'done' }
    | { readonly state: 'asks'; readonly asked: readonly XmltvChannel[] }
    | {
        readonly state: 'failed';
        readonly error: { readonly what: string; readonly line: number; readonly column: number };
      }
  );

/** Bytes of a chunk that is processed in one step on a worker thread. */
export const chunkBytes = 256 * 1024;

/** Services of one channel. */
const maxServicesPerChannel = 16;

/**
 * Imports the programmes of an XMLTV document. The source yields bytes in chunks of any size and is read no faster
 * than the guide takes them.
 * @throws XmltvError if the document is damaged; ReceiverError `too-large`; the signal's reason; errors of the source.
 *   In each case, programmes read before are in the guide.
 */
export async function importXmltv(
  guide: Guide,
  source: AsyncIterable<Uint8Array>,
  options: XmltvImportOptions,
): Promise<XmltvStatistics> {
  const { signal, onProgress, maxBytes = Number.POSITIVE_INFINITY, rank = 0, ranks = [] } = options;
  const names = [...genreNames()];
  const work = new native.XmltvImport(guide.native, {
    rank,
    ranked: packServices(ranks.map(([service]) => service)),
    ranks: Int8Array.from(ranks, ([, own]) => own),
    notBefore: guide.keptSince,
    languages: guide.languages,
    categories: names.map(([name]) => name),
    genres: Uint8Array.from(names, ([, genre]) => genre),
  });
  const step = async (made: Promise<Buffer>): Promise<Report> => {
    let report = reportOf(await made);
    while (report.state === 'asks') {
      const services = (await options.servicesOf(report.asked)).map((all) => all.slice(0, maxServicesPerChannel));
      work.answer(
        Uint8Array.from(services, (all) => all.length),
        packServices(services.flat()),
      );
      report = reportOf(await work.advance());
    }
    if (report.state === 'failed') {
      const { line, column, what } = report.error;
      throw new XmltvError(line, column, what, statisticsOf(report));
    }
    onProgress?.(report);
    return report;
  };
  let bytes = 0;
  let fed: Promise<unknown> = Promise.resolve();
  try {
    for await (const piece of pieces(source)) {
      // This chunk was read while the one before it was processed.
      await fed;
      signal?.throwIfAborted();
      bytes += piece.length;
      if (bytes > maxBytes) throw fail('too-large', 'the guide file', maxBytes);
      fed = step(work.feed(piece));
      // The next `await` handles a rejection; until then it must not count as unhandled.
      fed.catch(() => undefined);
    }
  } finally {
    // The source may have failed in the meantime.
    await fed.finally(() => guide.notifyChange());
  }
  signal?.throwIfAborted();
  const statistics = statisticsOf(await step(work.finish()));
  guide.notifyChange();
  return statistics;
}

function reportOf(bytes: Buffer): Report {
  return JSON.parse(bytes.toString('utf8')) as Report;
}

function statisticsOf(report: Report): XmltvStatistics {
  const { state: _, ...statistics } = report;
  if ('error' in statistics) delete (statistics as { error?: unknown }).error;
  return statistics;
}

/**
 * Joins small chunks: a step on another thread costs as much as reading some kilobytes. A chunk stays valid until the
 * second one after it is requested. Its memory is reused, because that of a thousand chunks would only be freed by a
 * full garbage collection.
 */
async function* pieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let memory = Buffer.allocUnsafeSlow(chunkBytes);
  let other = Buffer.allocUnsafeSlow(chunkBytes);
  let length = 0;
  for await (const piece of source) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + chunkBytes - length);
      memory.set(part, length);
      length += part.length;
      at += part.length;
      if (length < chunkBytes) continue;
      yield memory;
      [memory, other] = [other, memory];
      length = 0;
    }
  }
  if (length > 0) yield memory.subarray(0, length);
}

/** A service to be exported as a channel. */
export interface ExportedService {
  readonly service: DvbTriplet;
  /** `id` of the channel: a service reference. */
  readonly id: string;
  readonly name: string;
  /** Channel number, as a second display name. */
  readonly number?: string;
  /** Address of its logo. */
  readonly icon?: string;
}

export interface XmltvExportOptions {
  /** Starts with the event that runs at this time. Default: everything. */
  readonly from?: UnixSeconds;
  /** Ends with the last event that starts before this time. Default: no end. */
  readonly until?: UnixSeconds;
  /** `lang` of texts whose language is unknown, such as `en`. Default: none. */
  readonly lang?: string;
  /** Writes the number of the genre beside its name. Default: false, since the DTD has no place for it. */
  readonly genreNumbers?: boolean;
  /** Generator of the document, such as `receiverd/0.1.0`. */
  readonly generator?: string;
}

/** Exports the guide of these services as an XMLTV document, in chunks of about 64 KiB built on demand. */
export async function* exportXmltv(
  guide: Guide,
  services: readonly ExportedService[],
  options: XmltvExportOptions = {},
): AsyncGenerator<Buffer, void, undefined> {
  const { from = 0, until = endOfTime, lang = '', genreNumbers = false, generator = 'receiverd' } = options;
  const work = new native.XmltvExport(guide.native, {
    services: packServices(services.map(({ service }) => service)),
    ids: services.map(({ id }) => id),
    names: services.map(({ name }) => name),
    numbers: services.map(({ number = '' }) => number),
    icons: services.map(({ icon = '' }) => icon),
    from,
    until,
    lang,
    genreNumbers,
    generator,
    genres: genreTexts.map((text, nibbles) => (nibbles < 16 ? '' : text)),
  });
  for (;;) {
    const piece = await work.next();
    if (piece.length === 0) return;
    yield piece;
  }
}

/** The store has times of 32 bits. */
const endOfTime = 2 ** 32 - 1;
