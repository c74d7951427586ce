/** Searches the guide while one types. */
import { emptyState, setText } from './elements.js';
import { byDay, daySection } from './events.js';
import { ask, now } from './receiver.js';

/** Milliseconds without a key after which the guide is asked. */
const pause = 150;
/** Events that are shown; who finds more types another letter. */
const most = 200;
/** Titles that are offered while one types. */
const mostTitles = 8;

/**
 * The results in `where`, their number in `count`, titles to choose from in the datalist `titles`; `wide()` says whether descriptions
 * are searched too.
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

  /** Asks after a pause; a text that follows within it, or before the answer is there, takes this one's place. */
  soon(text) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.run(text), pause);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  /** Words may stand anywhere, but each must be found. */
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

  /** What has been typed in full is no completion of itself. */
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
      ? 'Nothing on air or announced holds these words. Try fewer of them.'
      : 'No title holds these words. Try fewer of them, or search the descriptions too.';
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
