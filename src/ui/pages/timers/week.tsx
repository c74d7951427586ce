/** Seven days side by side, with timers as blocks. On a phone the days scroll sideways. */
import { ChevronLeft, ChevronRight } from 'lucide';
import { Icon } from '../../shared/icon.tsx';
import { now, slowClock } from '../../shared/receiver.ts';
import { change, hrefHere, route } from '../../shared/route.ts';
import { dateOf, dayKey, shortDayOf, spanOf, startOfDay, timeOf } from '../../shared/time.ts';
import type { Timer } from '../../shared/timers.ts';
import { words } from '../../shared/words.ts';
import { occurrences } from './occurrences.ts';

const daySeconds = 86_400;
/** Weeks before and after the current one. */
const maxWeeks = 52;

export function Week({ timers }: { readonly timers: readonly Timer[] }) {
  const requested = Number(route.value.query.week ?? 0);
  const week = Number.isInteger(requested) ? Math.max(-maxWeeks, Math.min(maxWeeks, requested)) : 0;
  const { timers: texts } = words.value;
  const days = Array.from({ length: 7 }, (_, index) => startOfDay(now(), week * 7 + index));
  const show = (other: number) => change({ week: other || undefined });
  return (
    <div>
      <div class="week-head">
        <button type="button" class="bare" aria-label={texts.weekBefore} onClick={() => show(week - 1)}>
          <Icon of={ChevronLeft} />
        </button>
        <h2>
          {dateOf(days[0] ?? 0)} – {dateOf(days[6] ?? 0)}
        </h2>
        <button type="button" class="bare" aria-label={texts.weekAfter} onClick={() => show(week + 1)}>
          <Icon of={ChevronRight} />
        </button>
        {week !== 0 && (
          <button type="button" class="button" onClick={() => show(0)}>
            {texts.thisWeek}
          </button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <section class="week-days" aria-label={texts.week} tabIndex={0}>
        <ol class="hours" aria-hidden="true">
          {/* Labels from a day without a change to or from daylight saving time. */}
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

/** Shorter blocks are drawn as long as this, so that they can be clicked. */
const minBlockSeconds = daySeconds / 24;

/** Assigns lanes, so that overlapping blocks are drawn side by side. */
function inLanes(blocks: readonly Block[]): readonly (Block & { readonly lane: number; readonly lanes: number })[] {
  const placed: (Block & { lane: number; lanes: number })[] = [];
  let cluster: (Block & { lane: number; lanes: number })[] = [];
  let until = 0;
  for (const block of [...blocks].sort((a, b) => a.start - b.start)) {
    if (block.start >= until) cluster = [];
    const shownEnd = (one: Block) => Math.max(one.end, one.start + minBlockSeconds);
    const taken = new Set(cluster.filter((one) => shownEnd(one) > block.start).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane++;
    const laned = { ...block, lane, lanes: 1 };
    cluster.push(laned);
    placed.push(laned);
    until = Math.max(until, shownEnd(block));
    const lanes = Math.max(...cluster.map((one) => one.lane)) + 1;
    for (const one of cluster) one.lanes = lanes;
  }
  return placed;
}
