/**
 * DNS-SD records (RFC 6763) of a receiver: for each service, the type points to the instance (PTR), the instance has a
 * location (SRV) and properties (TXT), and the host name has the addresses.
 */
import type { Answer } from 'dns-packet';

/** A service of the receiver: `_http._tcp`, `_e2stream._tcp`. */
export interface AnnouncedService {
  readonly type: string;
  readonly port: number;
  /** `key=value` strings for TXT. */
  readonly text?: readonly string[];
}

/** What is announced. */
export interface Announcement {
  /** Instance name, which people see in lists of devices. */
  readonly name: string;
  /** Host name without `.local`; unique on the network. */
  readonly host: string;
  readonly services: readonly AnnouncedService[];
  /** IPv4 and IPv6. */
  readonly addresses: readonly string[];
}

/** TTL of records with a host name or address (RFC 6762 §10). */
const hostTtlSeconds = 120;
/** TTL of all other records (RFC 6762 §10). */
const otherTtlSeconds = 4500;
/** Of a label (RFC 1035 §2.3.4). */
const maxLabelBytes = 63;

/** The name as one DNS label: dots are replaced, and it is cut to 63 bytes. `number` is appended unless it is 1. */
export function instanceLabel(name: string, number = 1): string {
  const suffix = number === 1 ? '' : ` (${number})`;
  let label = name.replace(/[.\p{Cc}]/gu, '-').trim() || 'receiverd';
  while (Buffer.byteLength(label + suffix) > maxLabelBytes) label = [...label].slice(0, -1).join('');
  return label + suffix;
}

/** All records to announce. */
export function announcedRecords({ name, host, services, addresses }: Announcement): Answer[] {
  const target = `${host}.local`;
  const records: Answer[] = services.flatMap(({ type, port, text = [] }): Answer[] => {
    const kind = `${type}.local`;
    const instance = `${name}.${kind}`;
    return [
      { type: 'PTR', name: kind, ttl: otherTtlSeconds, data: instance },
      { type: 'SRV', name: instance, ttl: hostTtlSeconds, flush: true, data: { port, target, priority: 0, weight: 0 } },
      { type: 'TXT', name: instance, ttl: otherTtlSeconds, flush: true, data: text.length === 0 ? [''] : [...text] },
      { type: 'PTR', name: '_services._dns-sd._udp.local', ttl: otherTtlSeconds, data: kind },
    ];
  });
  for (const address of addresses) {
    const type = address.includes(':') ? 'AAAA' : 'A';
    records.push({ type, name: target, ttl: hostTtlSeconds, flush: true, data: address });
  }
  return records;
}

/** The answers to a question (records of this name and type), and additional records that the querier needs next. */
export function answersTo(
  records: readonly Answer[],
  { name, type }: { readonly name: string; readonly type: string },
): { readonly answers: Answer[]; readonly additionals: Answer[] } {
  const named = (wanted: string) => records.filter((record) => isSameName(record.name, wanted));
  const answers = named(name).filter((record) => type === 'ANY' || record.type === type);
  const additionals = new Set<Answer>();
  const follow = (record: Answer) => {
    const next = record.type === 'PTR' ? String(record.data) : record.type === 'SRV' ? record.data.target : '';
    for (const one of next === '' ? [] : named(next)) {
      if (one.type === 'PTR' || answers.includes(one) || additionals.has(one)) continue;
      additionals.add(one);
      follow(one);
    }
  };
  answers.forEach(follow);
  return { answers, additionals: [...additionals] };
}

/** Compares DNS names, which are case-insensitive (RFC 6762 §16). */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
