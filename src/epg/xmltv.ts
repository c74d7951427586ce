/**
 * XMLTV import and export (xmltv.dtd of the XMLTV project), for documents of any length in little memory.
 *
 * The contents stay in C++ (native/xmltv): chunks of bytes go in, programmes go straight into the store on a worker
 * thread, and chunks of bytes come out. This file only decides which services a channel stands for.
 */
import type { UnixSeconds } from '../base/clock.ts';
import { errors, fail, ReceiverError } from '../base/errors.ts';
import { native } from '../base/native.ts';
import { type DvbTriplet, packServices } from '../dvb/triplet.ts';
import { genreNames, genreTexts } from './genres.ts';
import type { Guide } from './guide.ts';

/** A channel as the file names it. */
export interface XmltvChannel {
  readonly id: string;
  /** Its display names in the file's order; none if programmes come without their channel. */
  readonly names: readonly string[];
}

/** Progress of an import. */
export interface XmltvProgress {
  /** Bytes of the document, after decompression. */
  readonly bytes: number;
  /** All programmes in the file. */
  readonly programmes: number;
  /** Programmes that are in the guide now. */
  readonly imported: number;
  /** Left out: already over. */
  readonly ended: number;
  /** Left out: without a channel or a readable time. */
  readonly malformed: number;
  /** Left out: no service is known for their channel. */
  readonly programmesWithoutService: number;
  /** Batches of programmes partly refused because of a bound of the guide. */
  readonly refused: number;
  /** Texts longer than 32 KiB, which were cut. */
  readonly cutTexts: number;
  /** Texts with bytes that are invalid in the encoding of the file. */
  readonly brokenTexts: number;
  /** References to entities that XML does not define, and bare ampersands: shown as they stand. */
  readonly unknownEntities: number;
  /** Channels with and without a service. */
  readonly channels: { readonly matched: number; readonly unmatched: number };
}

export interface XmltvStatistics extends XmltvProgress {
  /** Channels without a service, those with the most programmes first, at most 100. */
  readonly unmatched: readonly { readonly id: string; readonly name: string; readonly programmes: number }[];
}

export interface XmltvImportOptions {
  /**
   * Returns the services of each channel (at most 16, none if it is not received). Called with many channels at once.
   */
  servicesOf(
    channels: readonly XmltvChannel[],
  ): readonly (readonly DvbTriplet[])[] | Promise<readonly (readonly DvbTriplet[])[]>;
  /** Called after every chunk, some hundred times a second. */
  readonly onProgress?: (progress: XmltvProgress) => void;
  /** Ends the import between two chunks; whatever was read before stays in the guide. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the document after decompression; beyond it the import ends with `too-large`. Default: no bound. */
  readonly maximumBytes?: number;
}

/** The document is damaged. Everything before the damage is in the guide. */
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

/** Size of a chunk worth a step on a worker thread. */
export const pieceLength = 256 * 1024;

/** Bound of the services of one channel. */
const maximumServices = 16;

/**
 * Imports the programmes of an XMLTV document. The source yields bytes in chunks of any size and is read no faster
 * than the guide takes them.
 * @throws XmltvError if the document is damaged; ReceiverError `too-large`; the signal's reason; errors of the source.
 *   Whatever was read before is in the guide then.
 */
export async function importXmltv(
  guide: Guide,
  source: AsyncIterable<Uint8Array>,
  options: XmltvImportOptions,
): Promise<XmltvStatistics> {
  const { signal, onProgress, maximumBytes = Number.POSITIVE_INFINITY } = options;
  const names = [...genreNames()];
  const work = new native.XmltvImport(guide.native, {
    notBefore: guide.keptSince,
    languages: guide.languages,
    categories: names.map(([name]) => name),
    genres: Uint8Array.from(names, ([, genre]) => genre),
  });
  const step = async (made: Promise<Buffer>): Promise<Report> => {
    let report = reportOf(await made);
    while (report.state === 'asks') {
      const services = (await options.servicesOf(report.asked)).map((all) => all.slice(0, maximumServices));
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
      if (bytes > maximumBytes) throw fail('too-large', 'the guide file', maximumBytes);
      fed = step(work.feed(piece));
      // The next `await` handles a failure; until then it must not count as unhandled.
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
 * second one after it is requested. Its memory is reused, because that of a thousand chunks would be freed only by a
 * full collection.
 */
async function* pieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let memory = Buffer.allocUnsafeSlow(pieceLength);
  let other = Buffer.allocUnsafeSlow(pieceLength);
  let length = 0;
  for await (const piece of source) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + pieceLength - length);
      memory.set(part, length);
      length += part.length;
      at += part.length;
      if (length < pieceLength) continue;
      yield memory;
      [memory, other] = [other, memory];
      length = 0;
    }
  }
  if (length > 0) yield memory.subarray(0, length);
}

/** A service as the document names it. */
export interface ExportedService {
  readonly service: DvbTriplet;
  /** `id` of the channel: a service reference. */
  readonly id: string;
  readonly name: string;
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

/** The store keeps times in 32 bits. */
const endOfTime = 2 ** 32 - 1;
