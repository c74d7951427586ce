/** Groups the events of a search by title, the best match first. */
import { folded } from '../../shared/fold.ts';
import type { GuideEvent } from '../../shared/guide-event.ts';

interface Programme {
  readonly title: string;
  /** In order of their start. */
  readonly showings: GuideEvent[];
}

/** Groups events by title. The titles that match the text best come first, equal ones in the order of their next showing. */
export function programmesOf(events: readonly GuideEvent[], text: string): readonly Programme[] {
  const found = new Map<string, Programme>();
  for (const event of [...events].sort((a, b) => a.start - b.start)) {
    const key = folded(event.title);
    const known = found.get(key);
    if (known) known.showings.push(event);
    else found.set(key, { title: event.title, showings: [event] });
  }
  const wanted = folded(text.trim());
  const ranked = [...found].map(([title, programme]) => ({ programme, rank: rankOf(title, wanted) }));
  // The sort is stable.
  return ranked.sort((a, b) => a.rank - b.rank).map(({ programme }) => programme);
}

/** The better the match, the lower: the title is the text, begins with it, has it at the start of a word, inside, or not at all. */
function rankOf(title: string, text: string): number {
  if (title === text) return 0;
  const at = title.indexOf(text);
  if (at === 0) return 1;
  if (at < 0) return 4;
  return /[\p{L}\p{N}]/u.test(title[at - 1] ?? '') ? 3 : 2;
}

/**
 * With the full names of channels, and each event once: a list may have a service twice, once without use, for example after
 * a scan of another network. `names`: by reference, of the channels in bouquets.
 */
export function eachOnce<Event extends Pick<GuideEvent, 'reference' | 'start' | 'channel'>>(
  events: readonly Event[],
  names: ReadonlyMap<string, string>,
): readonly Event[] {
  const found = new Map<string, Event>();
  for (const event of events) {
    const { reference, start } = event;
    const channel = names.get(reference);
    const triplet = reference.split(':').slice(3, 6).join(':');
    const key = `${triplet === '0:0:0' ? reference : triplet} ${start}`;
    if (channel !== undefined || !found.has(key)) found.set(key, { ...event, channel: channel ?? event.channel });
  }
  return [...found.values()];
}
