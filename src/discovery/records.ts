/**
 * What DNS-SD (RFC 6763) says of a receiver: for each service the kind points to the instance, the instance says where it is (SRV)
 * and what is special about it (TXT), the host name gives the addresses.
 */
import type { Answer } from 'dns-packet';

/** A service of the receiver: `_http._tcp`, `_e2stream._tcp`. */
export interface AnnouncedService {
  readonly type: string;
  readonly port: number;
  /** `key=value`, as TXT has them. */
  readonly text?: readonly string[];
}

export interface Announcement {
  /** As people see it in lists of what is on the network. */
  readonly name: string;
  /** Without `.local`; unique on the network. */
  readonly host: string;
  readonly services: readonly AnnouncedService[];
  /** IPv4 and IPv6. */
  readonly addresses: readonly string[];
}

/** Seconds (RFC 6762 §10): what has to do with a host, and everything else. */
const hostLife = 120;
const otherLife = 4500;
/** Bytes of a label (RFC 1035 §2.3.4). */
const longestLabel = 63;

/** The name as one label: a dot would end it, and it has a bound. */
export function instanceLabel(name: string, number = 1): string {
  const suffix = number === 1 ? '' : ` (${number})`;
  let label = name.replace(/[.\p{Cc}]/gu, '-').trim() || 'receiverd';
  while (Buffer.byteLength(label + suffix) > longestLabel) label = [...label].slice(0, -1).join('');
  return label + suffix;
}

/** Everything that is said, in one list. */
export function announcedRecords({ name, host, services, addresses }: Announcement): Answer[] {
  const target = `${host}.local`;
  const records: Answer[] = services.flatMap(({ type, port, text = [] }): Answer[] => {
    const kind = `${type}.local`;
    const instance = `${name}.${kind}`;
    return [
      { type: 'PTR', name: kind, ttl: otherLife, data: instance },
      { type: 'SRV', name: instance, ttl: hostLife, flush: true, data: { port, target, priority: 0, weight: 0 } },
      { type: 'TXT', name: instance, ttl: otherLife, flush: true, data: text.length === 0 ? [''] : [...text] },
      { type: 'PTR', name: '_services._dns-sd._udp.local', ttl: otherLife, data: kind },
    ];
  });
  for (const address of addresses) {
    const type = address.includes(':') ? 'AAAA' : 'A';
    records.push({ type, name: target, ttl: hostLife, flush: true, data: address });
  }
  return records;
}

/** What answers a question: the records of that name and type, and those that whoever asks will want to know next. */
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

/** DNS names are the same in upper and lower case (RFC 6762 §16). */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
