/** The guide of guide-corpus.ts as an XMLTV file. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Corpus } from './guide-corpus.ts';
import { reference } from './service-lists.ts';

/**
 * Writes the guide as a grabber does. Each service's events are shifted so that its first one is running. Every channel
 * then has a present event, all but those with a single event have a following one, and hardly any event has ended.
 */
export async function writeXmltv(corpus: Corpus, file: string): Promise<{ file: string; events: number }> {
  const now = Math.floor(Date.now() / 1000);
  const shift = intoNow(corpus, now);
  let events = 0;
  const out = createWriteStream(file);
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const time = (seconds: number) => `${new Date(seconds * 1000).toISOString().replaceAll(/[-:T]|\..*/g, '')} +0000`;
  const id = (service: number) => reference(service);
  out.write('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tv SYSTEM "xmltv.dtd">\n<tv>\n');
  for (const [n, { name }] of corpus.services.entries()) {
    out.write(`  <channel id="${id(n + 1)}">\n    <display-name>${escaped(name)}</display-name>\n  </channel>\n`);
  }
  const order = Array.from({ length: corpus.count }, (_, n) => n).sort(
    (a, b) => (corpus.service[a] as number) - (corpus.service[b] as number) || a - b,
  );
  for (const n of order) {
    const start = (corpus.start[n] as number) + (shift[corpus.service[n] as number] as number);
    const stop = start + (corpus.duration[n] as number);
    // It would have ended before the import.
    if (stop <= now + 60) continue;
    events++;
    const text = (column: Uint32Array) => escaped(corpus.texts[column[n] as number] ?? '');
    const element = (name: string, value: string) =>
      value === '' ? '' : `    <${name} lang="en">${value}</${name}>\n`;
    const programme =
      `  <programme start="${time(start)}" stop="${time(stop)}" channel="${id(corpus.service[n] as number)}">\n` +
      `${element('title', text(corpus.title))}${element('sub-title', text(corpus.shortText))}` +
      `${element('desc', text(corpus.longText))}  </programme>\n`;
    if (!out.write(programme)) await once(out, 'drain');
  }
  out.end('</tv>\n');
  await finished(out);
  return { file, events };
}

/** Seconds by which each service, by number, is shifted so that its first event is halfway through. */
function intoNow(corpus: Corpus, now: number): Float64Array {
  const shift = new Float64Array(corpus.services.length + 1).fill(Number.NaN);
  // Events are in order of time.
  for (let n = 0; n < corpus.count; n++) {
    const service = corpus.service[n] as number;
    if (Number.isNaN(shift[service])) {
      shift[service] = now - Math.floor((corpus.duration[n] as number) / 2) - (corpus.start[n] as number);
    }
  }
  return shift;
}
