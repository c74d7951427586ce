/** The guide of one channel, by day. */
import { element, emptyState } from './elements.js';
import { byDay, daySection, playLink } from './events.js';
import { ask } from './receiver.js';

/** Shows the guide of { reference, name } in `where`; without `name`, it is taken from the response. */
export async function showGuide(where, { reference, name }, { onZap, onClose, signal }) {
  const { events } = await ask('/api/epgservice', { sRef: reference }, { signal });
  const channel = name || events[0]?.sname || 'Channel';
  const days = byDay(events.map((event) => eventOf(event, reference, channel)));
  const heading = element('h2', { id: 'guide-name', tabindex: '-1' }, channel);
  const head = element(
    'div',
    { class: 'guide-head' },
    element(
      'button',
      { type: 'button', class: 'button close', 'aria-label': 'Back to the channels', onclick: onClose },
      '←',
    ),
    heading,
    element(
      'span',
      { class: 'actions' },
      element('button', { type: 'button', class: 'button', onclick: () => onZap({ reference, name: channel }) }, 'Zap'),
      playLink(reference, channel),
    ),
    days.length > 1 ? dayButtons(where, days) : undefined,
  );
  const gathering = emptyState(
    'No guide yet',
    'The guide is being collected from the broadcast. It should fill within a few minutes; reopen this channel then.',
  );
  where.replaceChildren(head, ...(days.length > 0 ? days.map((day) => daySection(day)) : [gathering]));
  where.hidden = false;
  return heading;
}

/** Buttons that jump to a day. */
function dayButtons(where, days) {
  const jump = (key) => {
    const target = where.querySelector(`[id="day-${key}"] h3`);
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    target?.closest('section').scrollIntoView({ block: 'start', behavior: calm ? 'auto' : 'smooth' });
    target?.focus({ preventScroll: true });
  };
  return element(
    'nav',
    { class: 'days', 'aria-label': 'Days' },
    ...days.map(({ key, name, short, date }) =>
      element('button', { type: 'button', onclick: () => jump(key), 'aria-label': `${name}, ${date}` }, short),
    ),
  );
}

function eventOf(event, reference, channel) {
  const { begin_timestamp: start, duration_sec: duration, title, shortdesc: short, longdesc: long, genre } = event;
  return { reference, channel, start, duration, title, short, long, genre };
}
