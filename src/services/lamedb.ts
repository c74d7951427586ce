/**
 * lamedb and lamedb5: the transponders and services a box knows.
 *
 * version 3, 4                                       version 5 eDVB services /4/                                  eDVB
 * services /5/ transponders                                       t:NAMESPACE:TSID:ONID,s:FREQ:... NAMESPACE:TSID:ONID
 * s:SID:NAMESPACE:TSID:ONID:TYPE:NUMBER:SOURCE,"name",p:Provider,... <TAB>s FREQ:SR:...        three lines each
 * one line each, any order, comments with # / end services SID:NAMESPACE:TSID:ONID:TYPE:NUMBER:SOURCE name
 * three lines each p:Provider,c:00PID,C:CAID,f:FLAGS end closing line, any text
 *
 * A file is kept as the sequence of its records and of the lines between them, each with its original bytes. Rewriting
 * it thus preserves every byte outside the edits: comments, unknown keys, line ends, invalid UTF-8. New records are
 * added to the end of their section. Records that cannot be parsed are reported with their line number and skipped;
 * they stay in the file.
 */

import { excerpt, fail } from '../base/errors.ts';
import { formatParameters, parseParameters, type Transponder, transponderKey } from '../dvb/transponder.ts';
import { EditedFile } from './edited-file.ts';
import {
  formatService5,
  formatServiceLines,
  type LamedbService,
  type ServiceIdentity,
  ServiceRecord,
  serviceKey,
} from './lamedb-service.ts';
import { decode, encode, Lines, lineEndOf, missingEnd, type Problem } from './lines.ts';

export {
  type LamedbService,
  referenceOf,
  serviceFlags,
  serviceKey,
} from './lamedb-service.ts';

export type LamedbVersion = 3 | 4 | 5;

type Entry = { readonly kind: 'transponder'; readonly value: Transponder } | ServiceRecord;

/** A part of the file. */
interface Part {
  /** Bytes as read, with line ends, as Latin-1; undefined if added or edited. */
  raw: string | undefined;
  /** Undefined for lines between the records, for lines that cannot be parsed, and for a removed record. */
  entry?: Entry;
  /** Replaces `raw` once anything in the file was edited. */
  whenEdited?: string;
  /** An earlier record with the same key: it stays in the file, but is not used. */
  shadows?: Part;
}

const signature = /^eDVB services \/([345])\/\s*$/;
const transponderHeader = /^\s*([0-9a-f]{1,8}):([0-9a-f]{1,8}):([0-9a-f]{1,8})\s*$/i;
const serviceHeader =
  /^\s*([0-9a-f]{1,8}):([0-9a-f]{1,8}):([0-9a-f]{1,8}):([0-9a-f]{1,8}):(\d{1,9}):(-?\d{1,9})(?::([0-9a-f]{1,8}))?/i;
const closingLine = 'Written by receiverd';
const comments5 =
  '# t:namespace:transport_stream_id:original_network_id,parameters\n' +
  '# s:service_id:namespace:transport_stream_id:original_network_id:type:number:source,"name"[,p:provider][,c:pid][,C:caid][,f:flags]\n';

export class Lamedb extends EditedFile {
  readonly version: LamedbVersion;
  readonly problems: Problem[] = [];
  readonly #file: string;
  readonly #parts: Part[] = [];
  readonly #transponders = new Map<string, Part>();
  readonly #services = new Map<string, Part>();
  /** The parts before which new transponders and new services are written. */
  #transponderEnd: Part = { raw: '' };
  #serviceEnd: Part = { raw: '' };
  readonly #added: { readonly transponder: Part[]; readonly service: Part[] } = { transponder: [], service: [] };
  #lineEnd = '\n';

  private constructor(version: LamedbVersion, file: string) {
    super();
    this.version = version;
    this.#file = file;
  }

  /** Creates an empty list that will be written as the given version. */
  static empty(version: 4 | 5 = 4): Lamedb {
    const start = version === 4 ? 'transponders\nend\nservices\nend\n' : comments5;
    return Lamedb.parse(Buffer.from(`eDVB services /${version}/\n${start}${version === 4 ? `${closingLine}\n` : ''}`));
  }

  /**
   * Parses a file of version 3, 4 or 5, as its first line says. `file` is its name in the problems.
   * @throws ReceiverError `file-unreadable` if the first line is not that of a lamedb
   */
  static parse(bytes: Uint8Array, file = 'lamedb'): Lamedb {
    const lines = new Lines(bytes);
    const version = signature.exec(lines.peek() ?? '')?.[1];
    if (version === undefined)
      throw fail('file-unreadable', file, 'the first line is not "eDVB services /4/" or "/5/"');
    const list = new Lamedb(Number(version) as LamedbVersion, file);
    lines.next();
    const head = lines.taken();
    list.#lineEnd = lineEndOf(head);
    // Version 3 becomes 4 as soon as it is edited: its records can be read as either.
    list.#parts.push({ raw: head, whenEdited: head.replace('/3/', '/4/') });
    if (list.version === 5) list.#read5(lines);
    else list.#read4(lines);
    return list;
  }

  get transponderCount(): number {
    return this.#transponders.size;
  }
  /** Services with different keys: like a box, counts duplicates in the file once. */
  get serviceCount(): number {
    return this.#services.size;
  }

  *transponders(): Generator<Transponder> {
    for (const { entry } of this.#transponders.values()) if (entry?.kind === 'transponder') yield entry.value;
  }
  /**
   * In the order of the file. Of several services with the same key, the values of the last are used, in the place of
   * the first.
   */
  *services(): Generator<LamedbService> {
    for (const { value } of this.records()) yield value;
  }
  /** Like `services()`, but without decoding their texts. */
  *records(): Generator<ServiceRecord> {
    for (const { entry } of this.#services.values()) if (entry?.kind === 'service') yield entry;
  }
  transponder(key: string): Transponder | undefined {
    const entry = this.#transponders.get(key)?.entry;
    return entry?.kind === 'transponder' ? entry.value : undefined;
  }
  service(key: string): LamedbService | undefined {
    const entry = this.#services.get(key)?.entry;
    return entry?.kind === 'service' ? entry.value : undefined;
  }

  /** Adds a transponder, or replaces the one with the same key. True if that changed anything. */
  putTransponder(value: Transponder): boolean {
    const before = this.transponder(transponderKey(value));
    if (before && formatTransponder(before, 5).join() === formatTransponder(value, 5).join()) return false;
    this.#put(this.#transponders, transponderKey(value), { kind: 'transponder', value });
    return true;
  }

  /** Adds a service, or replaces the one with the same key. True if that changed anything. */
  putService(value: LamedbService): boolean {
    const before = this.service(serviceKey(value));
    if (before && formatService5(before) === formatService5(value)) return false;
    this.#put(this.#services, serviceKey(value), ServiceRecord.of(value));
    return true;
  }

  /** Removes a service. True if it was there. */
  removeService(key: string): boolean {
    return this.#remove(this.#services, key);
  }

  /** Takes the contents of `other`, to keep lamedb and lamedb5 in sync; unchanged records keep their bytes. */
  assign(other: Lamedb): void {
    for (const key of [...this.#services.keys()]) if (!other.#services.has(key)) this.#remove(this.#services, key);
    for (const key of [...this.#transponders.keys()]) {
      if (!other.#transponders.has(key)) this.#remove(this.#transponders, key);
    }
    for (const transponder of other.transponders()) this.putTransponder(transponder);
    for (const service of other.services()) this.putService(service);
  }

  /** Returns the bytes of the file: as read, except for edits. */
  format(): Buffer {
    const text: string[] = [];
    const edited = this.revision > 0;
    const emit = (part: Part) => {
      let piece = (edited ? (part.whenEdited ?? part.raw) : part.raw) ?? this.#written(part.entry as Entry);
      if (part === this.#serviceEnd && this.version === 5 && edited) {
        piece = `# done. ${this.transponderCount} channels and ${this.serviceCount} services${this.#lineEnd}`;
      }
      if (piece === '') return;
      if (edited) text.push(missingEnd(text.at(-1) ?? '', this.#lineEnd));
      text.push(piece);
    };
    for (const part of this.#parts) {
      if (part === this.#transponderEnd) this.#added.transponder.forEach(emit);
      if (part === this.#serviceEnd) this.#added.service.forEach(emit);
      emit(part);
    }
    return Buffer.from(text.join(''), 'latin1');
  }

  #written(entry: Entry): string {
    const version = this.version === 5 ? 5 : 4;
    const lines =
      entry.kind === 'transponder'
        ? formatTransponder(entry.value, version)
        : version === 5
          ? [formatService5(entry.value)]
          : formatServiceLines(entry.value);
    return encode(lines.join(this.#lineEnd) + this.#lineEnd);
  }

  #put(map: Map<string, Part>, key: string, entry: Entry): void {
    const part = map.get(key);
    if (part === undefined) {
      const added: Part = { raw: undefined, entry };
      map.set(key, added);
      this.#added[entry.kind].push(added);
    } else {
      part.entry = entry;
      part.raw = undefined;
    }
    this.countChange();
  }

  #remove(map: Map<string, Part>, key: string): boolean {
    const part = map.get(key);
    if (part === undefined) return false;
    for (let gone: Part | undefined = part; gone !== undefined; gone = gone.shadows) {
      delete gone.entry;
      gone.raw = '';
    }
    map.delete(key);
    this.countChange();
    return true;
  }

  /** Adds a parsed record. If a key is repeated, the later values are used, as in Enigma2. */
  #addParsed(map: Map<string, Part>, key: string, entry: Entry, raw: string): void {
    const before = map.get(key);
    const part: Part = { raw, entry };
    if (before !== undefined) part.shadows = before;
    map.set(key, part);
    this.#parts.push(part);
  }

  #complain(line: number, text: string): void {
    this.problems.push({ file: this.#file, line, text });
  }

  #read4(lines: Lines): void {
    while (lines.peek() !== undefined && lines.peek() !== 'transponders') lines.next();
    const found = lines.next() !== undefined;
    this.#parts.push(separator(lines.taken(), found, 'transponders\n'));
    this.#readTransponders(lines);

    const ended = lines.next() !== undefined;
    while (lines.peek() !== undefined && lines.peek() !== 'services') lines.next();
    const services = lines.next() !== undefined;
    this.#transponderEnd = separator(lines.taken(), services, 'end\nservices\n');
    this.#parts.push(this.#transponderEnd);
    this.#readServices(lines);

    const closed = lines.next() !== undefined;
    lines.skipRest();
    this.#serviceEnd = separator(lines.taken(), closed, `end\n${closingLine}\n`);
    this.#parts.push(this.#serviceEnd);
    if (!found) this.#complain(lines.number, 'the line "transponders" is missing');
    else if (!ended || !services) this.#complain(lines.number, 'the file ends before its services');
    else if (!closed) this.#complain(lines.number, 'the file ends before the line "end" of its services');
  }

  #readTransponders(lines: Lines): void {
    let lost = false;
    for (let line = lines.peek(); line !== undefined && line !== 'end'; line = lines.peek()) {
      lines.next();
      const key = transponderHeader.exec(line);
      const parameters = key && parseParameters((lines.peek() ?? '').trimStart());
      if (!key || !parameters) {
        if (!lost && line !== '' && line !== '/') this.#complain(lines.number, `not a transponder: ${shown(line)}`);
        lost = true;
        this.#parts.push({ raw: lines.taken() });
        continue;
      }
      lost = false;
      lines.next();
      if (lines.peek() === '/') lines.next();
      else this.#complain(lines.number, 'the line "/" is missing after the transponder');
      this.#addTransponder(key, parameters, lines.taken());
    }
  }

  #readServices(lines: Lines): void {
    let lost = false;
    for (let line = lines.peek(); line !== undefined && line !== 'end'; line = lines.peek()) {
      lines.next();
      const numbers = serviceHeader.exec(line);
      if (!numbers) {
        if (!lost && line !== '') this.#complain(lines.number, `not a service: ${shown(line)}`);
        lost = true;
        this.#parts.push({ raw: lines.taken() });
        continue;
      }
      lost = false;
      const name = lines.next();
      const entries = lines.next();
      if (name === undefined || entries === undefined) {
        this.#parts.push({ raw: lines.taken(), whenEdited: '' });
        return;
      }
      this.#addService(numbers, name, entries, lines.taken());
    }
  }

  #read5(lines: Lines): void {
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      if (line.startsWith('s:')) this.#read5Service(line, lines);
      else if (line.startsWith('t:')) this.#read5Transponder(line, lines);
      else {
        if (line !== '' && !line.startsWith('#')) this.#complain(lines.number, `neither t: nor s: ${shown(line)}`);
        const done = /^# done\b/.test(line);
        this.#parts.push({ raw: lines.taken(), ...(done ? { whenEdited: '' } : undefined) });
      }
    }
    this.#serviceEnd = { raw: '' };
    this.#transponderEnd = { raw: '' };
    this.#parts.push(this.#transponderEnd, this.#serviceEnd);
  }

  #read5Transponder(line: string, lines: Lines): void {
    const [key = '', parameterText = '', ...options] = line.slice(2).split(',');
    const numbers = transponderHeader.exec(key);
    const parameters = parseParameters(parameterText, options);
    if (numbers && parameters) this.#addTransponder(numbers, parameters, lines.taken());
    else this.#skip(lines, `not a transponder: ${shown(line)}`);
  }

  #read5Service(line: string, lines: Lines): void {
    const numbers = serviceHeader.exec(line.slice(2));
    const quote = line.indexOf('"');
    const end = quote < 0 ? -1 : closingQuote(line, quote + 1);
    if (numbers && end >= 0) {
      this.#addService(numbers, line.slice(quote + 1, end), line.slice(end + 2), lines.taken());
    } else this.#skip(lines, `not a service: ${shown(line)}`);
  }

  #skip(lines: Lines, why: string): void {
    this.#complain(lines.number, why);
    this.#parts.push({ raw: lines.taken() });
  }

  #addTransponder(key: RegExpExecArray, parameters: Transponder['parameters'], raw: string): void {
    const [namespace, transportStreamId, originalNetworkId] = key.slice(1, 4).map(fromHex) as [number, number, number];
    const value = { namespace, transportStreamId, originalNetworkId, parameters };
    this.#addParsed(this.#transponders, transponderKey(value), { kind: 'transponder', value }, raw);
  }

  #addService(numbers: RegExpExecArray, name: string, entries: string, raw: string): void {
    const identity: ServiceIdentity = {
      serviceId: fromHex(numbers[1] as string),
      namespace: fromHex(numbers[2] as string),
      transportStreamId: fromHex(numbers[3] as string),
      originalNetworkId: fromHex(numbers[4] as string),
      serviceType: Number(numbers[5]),
      sourceId: fromHex(numbers[7] ?? '0'),
    };
    const record = new ServiceRecord(identity, Number(numbers[6]), name, entries);
    this.#addParsed(this.#services, serviceKey(identity), record, raw);
  }
}

/** Returns the part between two sections; if it is missing, an edited file gets `replacement` instead. */
function separator(raw: string, found: boolean, replacement: string): Part {
  if (found) return { raw };
  return { raw, whenEdited: (raw === '' || raw.endsWith('\n') ? raw : `${raw}\n`) + replacement };
}

function formatTransponder(transponder: Transponder, version: 4 | 5): string[] {
  const parameters = formatParameters(transponder.parameters, version);
  if (version === 5) return [`t:${transponderKey(transponder)},${parameters}`];
  return [transponderKey(transponder), `\t${parameters}`, '/'];
}

/** Finds the closing quotation mark. A name may contain others; the closing one is followed by a comma or nothing. */
function closingQuote(line: string, from: number): number {
  let end = line.indexOf('"', from);
  while (end >= 0 && end + 1 < line.length && line[end + 1] !== ',') end = line.indexOf('"', end + 1);
  return end;
}

function fromHex(text: string): number {
  return Number.parseInt(text, 16);
}

function shown(line: string): string {
  return JSON.stringify(decode(excerpt(line, 60)));
}
