/** Seven days side by side, with the timers as blocks. On a phone the days are swiped. */
import { ChevronLeft, ChevronRight } from 'lucide';
import { Icon } from '../../shared/icon.tsx';
import { now, slowClock } from '../../shared/receiver.ts';
import { change, hrefHere, route } from '../../shared/route.ts';
import { dateOf, dayKey, shortDayOf, spanOf, startOfDay, timeOf } from '../../shared/time.ts';
import type { Timer } from '../../shared/timers.ts';
import { words } from '../../shared/words.ts';
import { occurrences } from './occurrences.ts';

const day = 86_400;
/** The furthest week that can be shown. */
const furthest = 52;

export function Week({ timers }: { readonly timers: readonly Timer[] }) {
  const asked = Number(route.value.query.week ?? 0);
  const week = Number.isInteger(asked) ? Math.max(-furthest, Math.min(furthest, asked)) : 0;
  const { timers: said } = words.value;
  const days = Array.from({ length: 7 }, (_, index) => startOfDay(now(), week * 7 + index));
  const show = (other: number) => change({ week: other || undefined });
  return (
    <div>
      <div class="week-head">
        <button type="button" class="bare" aria-label={said.weekBefore} onClick={() => show(week - 1)}>
          <Icon of={ChevronLeft} />
        </button>
        <h2>
          {dateOf(days[0] ?? 0)} – {dateOf(days[6] ?? 0)}
        </h2>
        <button type="button" class="bare" aria-label={said.weekAfter} onClick={() => show(week + 1)}>
          <Icon of={ChevronRight} />
        </button>
        {week !== 0 && (
          <button type="button" class="button" onClick={() => show(0)}>
            {said.thisWeek}
          </button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section class="week-days" aria-label={said.week} tabIndex={0}>
        <ol class="hours" aria-hidden="true">
          {/* On a day without a change of the clocks. */}
          {[0, 3, 6, 9, 12, 15, 18, 21].map((hour) => (
            <li key={hour} style={{ top: `${(100 * hour) / 24}%` }}>
              {timeOf(new Date(2026, 0, 5, hour).getTime() / 1000)}
            </li>
          ))}
        </ol>
        {days.map((start) => (
          <Day key={dayKey(start)} start={start} timers={timers} />
        ))}
      </section>
    </div>
  );
}

function Day({ start, timers }: { readonly start: number; readonly timers: readonly Timer[] }) {
  const end = startOfDay(start, 1);
  const blocks = inLanes(
    timers.flatMap((timer) =>
      occurrences(timer, start, end).map((span) => ({ timer, start: span.start, end: span.end })),
    ),
  );
  const time = slowClock.value;
  const at = (moment: number) => (100 * (Math.min(end, Math.max(start, moment)) - start)) / (end - start);
  return (
    <section class="week-day">
      <h3>{shortDayOf(start)}</h3>
      <ol>
        {start <= time && time < end && <li class="line" style={{ top: `${at(time)}%` }} aria-hidden="true" />}
        {blocks.map(({ timer, start: begin, end: over, lane, lanes }) => (
          <li
            key={`${timer.timer_id} ${begin}`}
            style={{
              top: `${at(begin)}%`,
              height: `${at(over) - at(begin)}%`,
              left: `${(100 * lane) / lanes}%`,
              width: `${100 / lanes}%`,
            }}
          >
            <a
              class={`block ${timer.state} ${timer.disabled ? 'disabled' : ''} ${timer.conflict ? 'conflicting' : ''}`}
              href={hrefHere({ timer: timer.timer_id })}
              title={`${timer.title}, ${timer.service_name}, ${spanOf(begin, over - begin)}`}
            >
              <strong>{timer.title}</strong> <small>{timeOf(begin)}</small>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface Block {
  readonly timer: Timer;
  readonly start: number;
  readonly end: number;
}

/** The shortest time that a block takes on the page, so that it can be hit. */
const shortest = day / 24;

/** Blocks that overlap are drawn side by side. */
function inLanes(blocks: readonly Block[]): readonly (Block & { readonly lane: number; readonly lanes: number })[] {
  const placed: (Block & { lane: number; lanes: number })[] = [];
  let cluster: (Block & { lane: number; lanes: number })[] = [];
  let until = 0;
  for (const block of [...blocks].sort((a, b) => a.start - b.start)) {
    if (block.start >= until) cluster = [];
    const shownEnd = (one: Block) => Math.max(one.end, one.start + shortest);
    const taken = new Set(cluster.filter((one) => shownEnd(one) > block.start).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane++;
    const own = { ...block, lane, lanes: 1 };
    cluster.push(own);
    placed.push(own);
    until = Math.max(until, shownEnd(block));
    const lanes = Math.max(...cluster.map((one) => one.lane)) + 1;
    for (const one of cluster) one.lanes = lanes;
  }
  return placed;
}
