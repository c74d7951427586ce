/**
 * Events as lists by day: the guide of a channel and the results of a search show them the same way.
 *
 * An event here is { reference, channel, start, duration (seconds), title, short, long, genre }, whichever answer it came from.
 */
import { element, marked } from './elements.js';
import { address, now } from './receiver.js';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const dayKey = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/** `20:15` in the browser's zone. */
export function timeOf(seconds) {
  return clock.format(seconds * 1000);
}

/** `1 h 30 min`, `45 min`. */
export function lengthOf(seconds) {
  const minutes = Math.max(0, Math.round(seconds / 60));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

export function isRunning({ start, duration }, time = now()) {
  return start <= time && time < start + duration;
}

/** { key, name, date, events } for each day on which an event begins, in the order of the events. */
export function byDay(events) {
  const days = new Map();
  for (const event of events) {
    const key = dayKey.format(event.start * 1000);
    const day = days.get(key);
    if (day) day.events.push(event);
    else days.set(key, { key, name: dayName(event.start), date: date.format(event.start * 1000), events: [event] });
  }
  return [...days.values()];
}

function dayName(seconds) {
  const key = dayKey.format(seconds * 1000);
  if (key === dayKey.format(now() * 1000)) return 'Today';
  if (key === dayKey.format((now() + 86_400) * 1000)) return 'Tomorrow';
  return weekday.format(seconds * 1000);
}

/** The section of one day. With `words` they are marked; with `withChannel` each event names its channel. */
export function daySection({ key, name, date, events }, { words = [], withChannel = false } = {}) {
  return element(
    'section',
    { class: 'day', id: `day-${key}`, 'aria-label': `${name}, ${date}` },
    element('h3', { tabindex: '-1' }, name, ' ', element('small', {}, date)),
    ...events.map((event) => eventItem(event, words, withChannel)),
  );
}

function eventItem(event, words, withChannel) {
  const { channel, start, duration, title } = event;
  const running = isRunning(event);
  const item = element(
    'details',
    { class: running ? 'event running' : 'event' },
    element(
      'summary',
      {},
      element(
        'span',
        { class: 'when' },
        element('time', { datetime: new Date(start * 1000).toISOString() }, timeOf(start)),
        element('small', { class: 'length' }, running ? 'now' : lengthOf(duration)),
      ),
      element(
        'span',
        { class: 'what' },
        withChannel ? element('span', { class: 'where' }, channel) : undefined,
        element('strong', {}, ...marked(title || 'Untitled', words)),
        subtitle(event, words),
      ),
    ),
  );
  // Hundreds of events are listed and few are opened: the rest is made when it is wanted.
  item.addEventListener('toggle', () => item.append(details(event, words, withChannel)), { once: true });
  return item;
}

/** The short text; when only the description holds what was searched for, the piece of it that does. */
function subtitle({ title, short, long }, words) {
  const found = (text) => marked(text, words).some((node) => typeof node !== 'string');
  if (words.length > 0 && !found(title) && !found(short)) {
    const nodes = marked(long, words);
    const first = nodes.findIndex((node) => typeof node !== 'string');
    if (first >= 0) {
      const [before, after] = [nodes[first - 1] ?? '', nodes[first + 1] ?? ''];
      const lead = before.length > 40 ? `…${before.slice(-40).replace(/^\S*\s/, '')}` : before;
      const tail =
        typeof after === 'string' && after.length > 80 ? `${after.slice(0, 80).replace(/\s\S*$/, '')}…` : after;
      return element('span', { class: 'sub' }, lead, nodes[first], tail);
    }
  }
  return short ? element('span', { class: 'sub' }, ...marked(short, words)) : undefined;
}

function details({ reference, channel, start, duration, long, genre }, words, withChannel) {
  const facts = [`${timeOf(start)} – ${timeOf(start + duration)}`, lengthOf(duration)];
  return element(
    'div',
    { class: 'more' },
    element('p', { class: 'facts' }, facts.join(' · '), genre ? element('span', { class: 'genre' }, genre) : undefined),
    element('p', { class: 'long' }, ...(long ? marked(long, words) : ['No description was broadcast.'])),
    withChannel
      ? element(
          'p',
          { class: 'links' },
          element(
            'a',
            { class: 'button', href: `#${new URLSearchParams({ guide: reference })}` },
            `Guide of ${channel}`,
          ),
          playLink(reference, channel),
        )
      : undefined,
  );
}

/** A link to the playlist of one service, which the player of the system opens. */
export function playLink(reference, name) {
  const href = address('/web/stream.m3u', { ref: reference, name });
  return element('a', { class: 'button', href, 'aria-label': `Play ${name}` }, 'Play');
}
