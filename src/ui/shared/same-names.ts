/** What tells channels of one name apart: resolution, satellite or network, channel number. */
import { positionName } from '../../base/orbital-position.ts';
import { folded } from './fold.ts';

interface Channel {
  readonly reference: string;
  readonly name: string;
  /** Channel number. */
  readonly number: string;
}

/** Classes of service types (EN 300 468 table 89). Type 31, HEVC, says nothing about the resolution; names often do. */
export function qualityOf({ reference, name }: Pick<Channel, 'reference' | 'name'>): string {
  const type = Number.parseInt(reference.split(':')[2] ?? '', 16);
  if (type === 2 || type === 10) return 'radio';
  if (type === 32 || (type === 31 && name.includes('UHD'))) return 'UHD';
  return [17, 25, 31].includes(type) ? 'HD' : 'SD';
}

/** Satellite or network, by the namespace; the path of a stream comes after it. */
function sourceOf({ reference }: Channel): string {
  const [namespace = '', , , , path] = reference.split(':').slice(6);
  return path ? 'IPTV' : positionName(Number.parseInt(namespace, 16) >>> 16);
}

const properties = [qualityOf, sourceOf, ({ number }: Channel) => number];

/** By reference, the properties that are needed, such as `HD · 19.2° E`; only for names that repeat. */
export function differences(channels: readonly Channel[]): ReadonlyMap<string, string> {
  const byName = new Map<string, Channel[]>();
  for (const channel of channels) {
    const name = folded(channel.name);
    const same = byName.get(name);
    if (same) same.push(channel);
    else byName.set(name, [channel]);
  }
  const found = new Map<string, string>();
  for (const same of byName.values()) {
    let texts = same.map(() => '');
    for (const property of properties) {
      if (new Set(texts).size === same.length) break;
      const values = same.map(property);
      if (new Set(values).size > 1)
        texts = texts.map((text, index) => [text, values[index]].filter(Boolean).join(' · '));
    }
    for (const [index, { reference }] of same.entries()) if (texts[index]) found.set(reference, texts[index]);
  }
  return found;
}

/** `RTL 4 (HD · 19.2° E)` */
export const fullName = ({ name, difference }: { readonly name: string; readonly difference: string }) =>
  difference ? `${name} (${difference})` : name;
