/** A conflict as a diagram: a bar on a common time axis for each timer that competes for a tuner. */
import { dayOf, lengthOf, spanOf } from '../../shared/time.ts';
import type { Contender } from '../../shared/timers.ts';
import { words } from '../../shared/words.ts';

export function Conflict({ contenders }: { readonly contenders: readonly Contender[] }) {
  const begin = Math.min(...contenders.map(({ start }) => start));
  const end = Math.max(...contenders.map((contender) => contender.end));
  const length = Math.max(1, end - begin);
  const { timers } = words.value;
  return (
    <figure class="conflict">
      <figcaption>
        {dayOf(begin)}, {spanOf(begin, end - begin)} <small>{lengthOf(end - begin)}</small>
      </figcaption>
      <ol>
        {contenders.map((one) => (
          <li key={`${one.channel} ${one.start} ${one.title}`} class={one.isServed ? '' : 'refused'}>
            <span class="what">
              <strong>{one.title}</strong>
              <span class="sub">
                {[one.channel, one.transponder, spanOf(one.start, one.end - one.start)].filter(Boolean).join(' · ')}
              </span>
            </span>
            <span class="wish">
              {one.isServed ? timers.served : timers.notServed}
              {one.tuners.length > 0 && <small>{timers.canUse(one.tuners.join(', '))}</small>}
            </span>
            <span class="track" aria-hidden="true">
              <span
                style={{
                  left: `${(100 * (one.start - begin)) / length}%`,
                  width: `${(100 * (one.end - one.start)) / length}%`,
                }}
              />
            </span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
