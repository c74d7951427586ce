/**
 * The bouquets, and the channels of one of them with their present and following events.
 *
 * Rows are built once per bouquet. A refresh only changes their texts, so that focus, scroll position and a screen
 * reader's place are kept.
 */
import { element, emptyState, setText } from './elements.js';
import { isRunning, lengthOf, playLink, timeOf } from './events.js';
import { address, ask, now, setClock } from './receiver.js';

const roots = {
  TV: '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.tv" ORDER BY bouquet',
  Radio: '1:7:2:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.radio" ORDER BY bouquet',
};

const noPicon = '/images/default_picon.png';

/** All bouquets as { reference, name, kind, before }; `before` is the last channel number of the preceding bouquets. */
export async function loadBouquets() {
  const lists = await Promise.all(
    Object.entries(roots).map(async ([kind, sRef]) => {
      const { services } = await ask('/api/getservices', { sRef });
      return services.map(({ servicereference, servicename, startpos = 0 }) => ({
        reference: servicereference,
        name: servicename,
        kind,
        before: startpos,
      }));
    }),
  );
  return lists.flat();
}

/** The channel list in `where`. Calls `onZap` with { reference, name } when a channel's button is pressed. */
export class ChannelList {
  #where;
  #onZap;
  #bouquet;
  #references = '';
  #rows = [];

  constructor(where, onZap) {
    this.#where = where;
    this.#onZap = onZap;
    where.addEventListener('keydown', (event) => moveFocus(where, event));
  }

  /** Shows a bouquet. Rejects if the receiver does not respond. */
  async show(bouquet, signal) {
    const { services } = await ask('/api/getservices', { sRef: bouquet.reference, picon: 1 }, { signal });
    this.#bouquet = bouquet;
    this.#references = services.map(({ servicereference }) => servicereference).join();
    this.#rows = services.map((service) => this.#row(service, bouquet.before));
    const list = element('ol', { class: 'list' }, ...this.#rows.map(({ item }) => item));
    const empty = emptyState('No channels here', 'This bouquet is empty. Channels appear here after a scan.');
    this.#where.replaceChildren(this.#rows.length > 0 ? list : empty);
    return this.refresh(signal);
  }

  /**
   * Requests the present and following events. Returns { current, guideEmpty }: the current service as { name,
   * reference, title } or undefined, and whether the guide is still empty for all channels.
   */
  async refresh(signal) {
    const bouquet = this.#bouquet;
    if (bouquet === undefined) return { current: undefined, guideEmpty: false };
    const { events, info } = await ask('/api/epgnownext', { bRef: bouquet.reference }, { signal });
    setClock(events.find(({ now_timestamp }) => now_timestamp)?.now_timestamp);
    const found = new Map();
    for (let slot = 0; slot + 1 < events.length; slot += 2) {
      found.set(events[slot].sref, { now: eventOf(events[slot]), next: eventOf(events[slot + 1]) });
    }
    // The bouquet was edited, or a scan has found more services.
    if (this.#rows.some(({ reference, isService }) => isService && !found.has(reference)) || this.#grown(found)) {
      const { services } = await ask('/api/getservices', { sRef: bouquet.reference }, { signal });
      const references = services.map(({ servicereference }) => servicereference).join();
      if (references !== this.#references) return this.show(bouquet, signal);
    }
    const current = info.result ? decoded(info.ref) : undefined;
    for (const row of this.#rows) row.update(found.get(row.reference), row.reference === current);
    const guideEmpty =
      this.#rows.some(({ isService }) => isService) && ![...found.values()].some((one) => one.now || one.next);
    const title = found.get(current)?.now?.title ?? '';
    return { current: info.result ? { name: info.name, reference: current, title } : undefined, guideEmpty };
  }

  /** Whether the rows are those of this bouquet; false if it could not be loaded. */
  shows(bouquet) {
    return this.#bouquet === bouquet;
  }

  /** Advances the progress bars, without a request. */
  tick() {
    for (const row of this.#rows) row.tick();
  }

  /** Unix seconds at which the next running event ends; undefined if none is running. */
  get nextEnd() {
    const ends = this.#rows.flatMap(({ end }) => end ?? []).filter((end) => end > now());
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  /** Marks the channel whose guide is open; undefined for none. */
  select(reference) {
    for (const row of this.#rows) row.item.classList.toggle('selected', row.reference === reference);
  }

  focus(reference) {
    this.#rows.find((row) => row.reference === reference)?.link?.focus();
  }

  nameOf(reference) {
    return this.#rows.find((row) => row.reference === reference)?.name;
  }

  #grown(found) {
    const known = new Set(this.#rows.map(({ reference }) => reference));
    return [...found.keys()].some((reference) => !known.has(reference));
  }

  #row(service, before) {
    const { servicereference: reference, servicename: name } = service;
    const flags = Number(reference.split(':', 2)[1]);
    if (flags & 64) return plainRow(reference, element('li', { class: 'marker' }, name));
    if (reference.includes('FROM BOUQUET') && (flags & 7) === 7 && !(flags & 128)) {
      const link = element('a', { class: 'folder', href: `#${new URLSearchParams({ bouquet: reference })}` }, name);
      return plainRow(reference, element('li', {}, link));
    }
    return channelRow(service, before, () => this.#onZap({ reference, name }));
  }
}

function plainRow(reference, item) {
  return { reference, item, isService: false, update() {}, tick() {} };
}

function channelRow({ pos, servicereference: reference, servicename: name, picon }, before, zap) {
  const title = element('span', { class: 'title' });
  const bar = element('progress', { max: '1', value: '0', 'aria-hidden': 'true' });
  const left = element('span', { class: 'left' });
  const next = element('span', { class: 'next' });
  const link = element(
    'a',
    { class: 'open', href: `#${new URLSearchParams({ guide: reference })}` },
    element('span', { class: 'number' }, String(before + pos)),
    picture(name, picon),
    element('span', { class: 'name' }, name || 'Unnamed'),
    element('span', { class: 'now' }, title, element('span', { class: 'run' }, bar, left)),
    next,
  );
  const button = element(
    'button',
    { type: 'button', class: 'button', 'aria-label': `Zap to ${name}`, onclick: zap },
    'Zap',
  );
  const actions = element('span', { class: 'actions' }, button, playLink(reference, name));
  const item = element('li', { class: 'channel' }, link, actions);
  let running;
  const tick = () => {
    const event = running && isRunning(running) ? running : undefined;
    bar.hidden = event === undefined;
    if (event === undefined) return setText(left, '');
    bar.value = (now() - event.start) / event.duration;
    setText(left, `${lengthOf(event.start + event.duration - now())} left`);
  };
  return {
    reference,
    name,
    item,
    link,
    isService: true,
    tick,
    get end() {
      return running && running.start + running.duration;
    },
    update({ now: event, next: following } = {}, isCurrent) {
      running = event;
      setText(title, event?.title || (event ? 'Untitled' : 'No guide yet'));
      title.classList.toggle('unknown', event === undefined);
      const time = following && element('time', {}, timeOf(following.start));
      next.replaceChildren(...(following ? [time, element('span', {}, following.title || 'Untitled')] : []));
      item.classList.toggle('current', isCurrent);
      if (isCurrent) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
      tick();
    },
  };
}

/** The picon, or the initials of the name if there is none. */
function picture(name, picon) {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? '?')].slice(0, 2);
  const initials = element('span', { class: 'initials', 'aria-hidden': 'true' }, letters.join('').toUpperCase());
  const frame = element('span', { class: 'picon' });
  if (!picon || picon === noPicon) frame.append(initials);
  else {
    const image = element('img', { src: picon, alt: '', loading: 'lazy', decoding: 'async' });
    image.addEventListener('error', () => frame.replaceChildren(initials), { once: true });
    frame.append(image);
  }
  return frame;
}

/** Undefined for the row of a service without events. */
function eventOf({ begin_timestamp: start, duration_sec: duration, title }) {
  return start ? { start, duration, title } : undefined;
}

/** The interface percent-encodes the reference of the current service. */
function decoded(reference) {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** Up and down move from channel to channel, as on a remote control; other keys stay with the browser. */
function moveFocus(where, event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const links = [...where.querySelectorAll('a.open, a.folder')];
  const at = links.indexOf(event.target.closest('li')?.querySelector('a.open, a.folder'));
  const target = links[at + step];
  if (at < 0 || target === undefined) return;
  event.preventDefault();
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
}

/** URL of the bouquet's playlist. */
export function playlistOf({ reference, name }) {
  return address('/web/services.m3u', { bRef: reference, bName: name });
}
