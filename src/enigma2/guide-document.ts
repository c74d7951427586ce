/** Turns the events of a box into a guide file (XMLTV), piece by piece, so that the guide imports them like any other. */
import { fail } from '../base/errors.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { elementsOf, escaped, parseXml, textOf, XmlError } from '../base/xml.ts';
import { tripletKey } from '../dvb/triplet.ts';
import { genreText } from '../epg/genres.ts';
import { ServiceReference } from '../services/reference.ts';

/** Characters of one event. */
const maxEventLength = 256 * 1024;
const eventEnd = '</e2event>';

/**
 * Yields the guide file of an `e2eventlist`. The id of a channel is the key of its service (`tripletKey`); other services than
 * these are left out.
 * @throws ReceiverError `too-large`
 */
export async function* guideDocument(
  list: AsyncIterable<Uint8Array>,
  services: ReadonlySet<number>,
): AsyncGenerator<Buffer, void, undefined> {
  const channels = [...services].map((key) => `<channel id="${key}"><display-name>${key}</display-name></channel>\n`);
  yield Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<tv>\n${channels.join('')}`);
  const decoder = new TextDecoder();
  const slice = new TimeSlice();
  let rest = '';
  for await (const piece of list) {
    rest += decoder.decode(piece, { stream: true });
    const programmes: string[] = [];
    let from = 0;
    for (let end = rest.indexOf(eventEnd); end >= 0; end = rest.indexOf(eventEnd, from)) {
      if (slice.isOver) await slice.next();
      const begin = rest.indexOf('<e2event>', from);
      if (begin >= 0 && begin < end)
        programmes.push(await programmeOf(rest.slice(begin, end + eventEnd.length), services));
      from = end + eventEnd.length;
    }
    rest = rest.slice(from);
    if (rest.length > maxEventLength) throw fail('too-large', 'an event of the box', maxEventLength);
    if (programmes.length > 0) yield Buffer.from(programmes.join(''));
  }
  yield Buffer.from('</tv>\n');
}

/** Empty for a placeholder, for another service, and for what is damaged. */
async function programmeOf(text: string, services: ReadonlySet<number>): Promise<string> {
  const event = await parseXml(text, 'e2event').catch((error) => {
    if (error instanceof XmlError) return undefined;
    throw error;
  });
  if (event === undefined) return '';
  const fields = new Map(elementsOf(event).map((one) => [one.name, one]));
  const contentOf = (name: string) => {
    const field = fields.get(name);
    const value = field === undefined ? '' : textOf(field).trim();
    return value === 'None' ? '' : value;
  };
  const dvb = ServiceReference.tryParse(contentOf('e2eventservicereference'))?.dvb;
  const key = dvb && tripletKey(dvb);
  const [start, duration] = ['e2eventstart', 'e2eventduration'].map((name) => Number(contentOf(name)));
  const [begin, end] = [timeOf(start), timeOf((start ?? 0) + (duration ?? 0))];
  const title = contentOf('e2eventtitle');
  if (key === undefined || !services.has(key) || title === '' || !duration || begin === '' || end === '') return '';
  const genre = Number(fields.get('e2eventgenre')?.attributes.id ?? 0);
  const texts = [
    ['title', title],
    ['sub-title', contentOf('e2eventdescription')],
    ['desc', contentOf('e2eventdescriptionextended')],
    ['category', genreText(genre >> 4, genre & 15)],
  ] as const;
  const content = texts.map(([name, value]) => (value === '' ? '' : `<${name}>${escaped(value)}</${name}>`)).join('');
  return `<programme start="${begin}" stop="${end}" channel="${key}">${content}</programme>\n`;
}

/** Empty for a time that cannot be one. */
function timeOf(seconds = 0): string {
  if (!(seconds > 0 && seconds < 2 ** 32)) return '';
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace(/\D/g, '')} +0000`;
}
