/**
 * Events as lists by day, used for both the guide of a channel and search results.
 *
 * An event here is { reference, channel, start, duration (seconds), title, short, long, genre }, whatever response it
 * came from.
 */
import { element, marked, setText } from './elements.js';
import { address, now } from './receiver.js';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long' });
const shortDay = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const dayKey = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/** `20:15`, in the browser's time zone. */
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

/** { key, name, short, date, events } for each day on which an event begins, in the order of the events. */
export function byDay(events) {
  const days = new Map();
  for (const event of events) {
    const key = dayKey.format(event.start * 1000);
    const day = days.get(key);
    if (day) day.events.push(event);
    else days.set(key, { key, ...dayNames(event.start, key), events: [event] });
  }
  return [...days.values()];
}

function dayNames(seconds, key) {
  const names = { short: shortDay.format(seconds * 1000), date: date.format(seconds * 1000) };
  if (key === dayKey.format(now() * 1000)) return { ...names, name: 'Today', short: 'Today' };
  if (key === dayKey.format((now() + 86_400) * 1000)) return { ...names, name: 'Tomorrow', short: 'Tomorrow' };
  return { ...names, name: weekday.format(seconds * 1000) };
}

/** The section of one day. Marks `words`; with `withChannel`, each event shows its channel. */
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
  const item = element(
    'details',
    { class: 'event', 'data-start': start, 'data-duration': duration },
    element(
      'summary',
      {},
      element(
        'span',
        { class: 'when' },
        element('time', { datetime: new Date(start * 1000).toISOString() }, timeOf(start)),
        element('small', { class: 'length' }),
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
  // Hundreds of events are listed but few are opened: details are built on demand.
  item.addEventListener('toggle', () => item.append(details(event, words, withChannel)), { once: true });
  markRunning(item);
  return item;
}

/** Marks the events within `where` that are running now, and unmarks those that have ended. */
export function tickEvents(where) {
  for (const item of where.querySelectorAll('.event')) markRunning(item);
}

function markRunning(item) {
  const [start, duration] = [Number(item.dataset.start), Number(item.dataset.duration)];
  const running = isRunning({ start, duration });
  item.classList.toggle('running', running);
  setText(item.querySelector('.length'), running ? 'now' : lengthOf(duration));
}

/** The short text, or an excerpt of the description if only that contains the search words. */
function subtitle({ title, short, long }, words) {
  const isHit = (node) => typeof node !== 'string';
  const elsewhere = words.length > 0 && ![title, short].some((text) => marked(text, words).some(isHit));
  const text = (elsewhere && excerpt(long, marked(long, words))) || short;
  return text ? element('span', { class: 'sub' }, ...marked(text, words)) : undefined;
}

/** An excerpt of a text around the first hit among its `nodes`; empty without a hit. */
function excerpt(text, nodes) {
  const before = typeof nodes[0] === 'string' ? nodes[0] : '';
  if (before === text) return '';
  const start = before.length;
  const lead = before.length > 40 ? `…${before.slice(-40).replace(/^\S*\s/, '')}` : before;
  const rest = text.slice(start);
  return lead + (rest.length > 110 ? `${rest.slice(0, 110).replace(/\s\S*$/, '')}…` : rest);
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
            `Guide for ${channel}`,
          ),
          playLink(reference, channel),
        )
      : undefined,
  );
}

/** A link to the playlist of one service, which the system's player opens. */
export function playLink(reference, name) {
  const href = address('/web/stream.m3u', { ref: reference, name });
  return element('a', { class: 'button', href, 'aria-label': `Play ${name}` }, 'Play');
}
