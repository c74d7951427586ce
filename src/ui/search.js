/** Searches the guide while the user types. */
import { emptyState, setText } from './elements.js';
import { byDay, daySection } from './events.js';
import { ask, now } from './receiver.js';

/** Milliseconds without a key press before a search. */
const pause = 150;
/** Maximum events shown; a longer search text narrows them. */
const most = 200;
/** Maximum titles suggested. */
const mostTitles = 8;

/**
 * Shows the results in `where`, their number in `count`, and suggested titles in the datalist `titles`. `wide()` tells
 * whether to search descriptions too.
 */
export class Search {
  #where;
  #count;
  #titles;
  #wide;
  #timer;
  #running;

  constructor(where, count, titles, wide) {
    this.#where = where;
    this.#count = count;
    this.#titles = titles;
    this.#wide = wide;
  }

  /** Searches after a pause. A newer text replaces this one while it waits or runs. */
  soon(text) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.run(text), pause);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  /** Words may appear anywhere, but all of them must. */
  async run(text) {
    this.stop();
    const words = text.split(/\s+/).filter((word) => word !== '');
    if (words.length === 0) return;
    const running = new AbortController();
    this.#running = running;
    void this.#complete(text, running.signal);
    try {
      const { events } = await ask(
        '/api/eventsearch',
        {
          what: words,
          querytype: this.#wide() ? 'all' : 'title+short',
          flags: 'BDESRTNW',
          begin: now(),
          max_rows: most,
        },
        { signal: running.signal },
      );
      this.#show(events.map(eventOf), words, text);
    } catch (error) {
      if (running.signal.aborted) return;
      this.#where.replaceChildren();
      setText(this.#count, `The search failed: ${error.message}`);
    }
  }

  /** Suggests titles, except the one already typed in full. */
  async #complete(text, signal) {
    try {
      const { titles } = await ask('/api/eventsuggest', { what: text, max_rows: mostTitles }, { signal });
      const typed = text.trim().toLowerCase();
      const others = titles.filter(({ title }) => title.toLowerCase() !== typed);
      this.#titles.replaceChildren(...others.map(({ title }) => new Option(title)));
    } catch {
      this.#titles.replaceChildren();
    }
  }

  #show(events, words, text) {
    const more =
      events.length >= most
        ? `the first ${most} showings`
        : `${events.length} ${events.length === 1 ? 'showing' : 'showings'}`;
    setText(this.#count, events.length === 0 ? `Nothing found for “${text.trim()}”` : `${more} of “${text.trim()}”`);
    const hint = this.#wide()
      ? 'Nothing in the guide contains these words. Try fewer words.'
      : 'No title contains these words. Try fewer words, or search descriptions too.';
    const days = byDay(events).map((day) => daySection(day, { words, withChannel: true }));
    this.#where.replaceChildren(...(days.length > 0 ? days : [emptyState('', hint)]));
  }
}

function eventOf(row) {
  return {
    reference: row.service_reference,
    channel: row.service_name,
    start: row.start_time,
    duration: row.duration,
    title: row.title ?? '',
    short: row.shortinfo ?? '',
    long: row.longinfo ?? '',
    genre: row.genre?.find(({ level1 }) => level1 !== 0)?.text ?? '',
  };
}
