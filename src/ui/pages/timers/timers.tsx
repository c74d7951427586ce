/** The timers: running ones, conflicts, a list by day or a week, and finished ones. */
import { CalendarDays, List, Plus, Trash2 } from 'lucide';
import type { Timer } from '../../../client/client.ts';
import { attempt } from '../../shared/attempt.ts';
import { Empty } from '../../shared/empty.tsx';
import { Failures } from '../../shared/failures.tsx';
import { Icon } from '../../shared/icon.tsx';
import { daysOf } from '../../shared/pickers.tsx';
import { receiver } from '../../shared/receiver.ts';
import { change, hrefHere, route } from '../../shared/route.ts';
import { Running } from '../../shared/running.tsx';
import { dateOf, dayKey, shortDayOf, spanOf, timeOf, weekdayOf } from '../../shared/time.ts';
import { type Contender, removeTimer, switchTimer, useTimers } from '../../shared/timers.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { Conflict } from './conflict.tsx';
import { planOf } from './margins.ts';
import { RecordingLink } from './recording-link.tsx';
import { TimerDialog } from './timer-dialog.tsx';
import { Week } from './week.tsx';

export default function Timers() {
  const { value: timers, trouble } = useTimers();
  const { view } = route.value.query;
  const { app, timers: texts } = words.value;
  const waiting = timers?.filter(({ state }) => state !== 'ended' && state !== 'running') ?? [];
  return (
    <section class="timers">
      <div class="page-head">
        <h1>{app.timers}</h1>
        <ViewSwitch isWeek={view === 'week'} />
        <button type="button" class="button strong" data-needs="record" onClick={() => change({ timer: 'new' })}>
          <Icon of={Plus} size={16} /> {texts.add}
        </button>
      </div>
      {trouble && <Empty text={trouble} />}
      {timers && (
        <>
          <Failures />
          <Running timers={timers} />
          <Conflicts />
          {view === 'week' && <Week timers={timers} />}
          {view !== 'week' && waiting.length === 0 && <Empty title={texts.noneTitle} text={texts.noneText} />}
          {view !== 'week' && <ByDay timers={waiting} />}
          {view !== 'week' && <Ended timers={timers.filter(({ state }) => state === 'ended')} />}
          <TimerDialog timers={timers} />
        </>
      )}
    </section>
  );
}

function ViewSwitch({ isWeek }: { readonly isWeek: boolean }) {
  const { timers: texts } = words.value;
  return (
    <fieldset class="switch">
      <legend class="unseen">{texts.view}</legend>
      <button type="button" aria-pressed={!isWeek} onClick={() => change({ view: undefined, week: undefined })}>
        <Icon of={List} size={16} /> {texts.list}
      </button>
      <button type="button" aria-pressed={isWeek} onClick={() => change({ view: 'week' })}>
        <Icon of={CalendarDays} size={16} /> {texts.week}
      </button>
    </fieldset>
  );
}

/** Conflicts: timers that need more tuners than there are. */
function Conflicts() {
  const { value } = useResponse(loadConflicts, [], ['timers', 'tuner', 'services']);
  if (!value?.length) return null;
  const { timers: texts } = words.value;
  return (
    <section class="day conflicts">
      <h2 class="day-head">{texts.conflicts}</h2>
      <p class="hint">{texts.conflictsText}</p>
      {value.map((contenders) => (
        <Conflict key={contenders.map(({ start, title }) => `${start} ${title}`).join()} contenders={contenders} />
      ))}
    </section>
  );
}

async function loadConflicts(signal: AbortSignal): Promise<readonly (readonly Contender[])[]> {
  const { conflicts } = await receiver.get('/api/conflicts', {}, { signal });
  return conflicts.map(({ timers }) =>
    timers.map((timer) => ({
      title: timer.title,
      channel: timer.service_name,
      start: timer.start_time,
      end: timer.end_time,
      transponder: timer.transponder,
      tuners: timer.tuners,
      isServed: timer.served,
    })),
  );
}

function ByDay({ timers }: { readonly timers: readonly Timer[] }) {
  const days = new Map<string, Timer[]>();
  for (const timer of [...timers].sort((a, b) => planOf(a).start - planOf(b).start)) {
    const key = dayKey(planOf(timer).start);
    days.set(key, [...(days.get(key) ?? []), timer]);
  }
  return (
    <>
      {[...days].map(([key, found]) => {
        const start = found[0] ? planOf(found[0]).start : 0;
        return (
          <section key={key} class="day">
            <h2 class="day-head">
              {weekdayOf(start)} <small>{dateOf(start)}</small>
            </h2>
            <ol>
              {found.map((timer) => (
                <Row key={timer.timer_id} timer={timer} />
              ))}
            </ol>
          </section>
        );
      })}
    </>
  );
}

function Ended({ timers }: { readonly timers: readonly Timer[] }) {
  const { timers: texts } = words.value;
  if (timers.length === 0) return null;
  const clear = () => attempt(() => receiver.post('/api/timercleanup'));
  return (
    <details class="day ended">
      <summary>{texts.ended(timers.length)}</summary>
      <ol>
        {[...timers]
          .sort((a, b) => b.start_time - a.start_time)
          .map((timer) => (
            <Row key={timer.timer_id} timer={timer} />
          ))}
      </ol>
      <p class="actions">
        <button type="button" class="button" data-needs="record" onClick={() => void clear()}>
          {texts.clear}
        </button>
      </p>
    </details>
  );
}

function Row({ timer }: { readonly timer: Timer }) {
  const { title, service_name: channel, start_time, duration, shortinfo, disabled, state } = timer;
  const { start, end, before = 0, after = 0 } = planOf(timer);
  const { common, timers: texts } = words.value;
  const isEnded = state === 'ended';
  return (
    <li class={`row ${disabled ? 'disabled' : ''}`}>
      <a class="event" href={hrefHere({ timer: timer.timer_id })}>
        <span class="when">
          <time dateTime={new Date(start * 1000).toISOString()}>{isEnded ? shortDayOf(start) : timeOf(start)}</time>
          {!timer.justplay && <small class="length">{isEnded ? timeOf(start) : `– ${timeOf(end)}`}</small>}
        </span>
        <span class="what">
          <span class="where">{channel}</span>
          <strong>{title || common.untitled}</strong>
          {shortinfo && <span class="sub">{shortinfo}</span>}
          {!isEnded && before + after > 0 && <span class="sub">{texts.records(spanOf(start_time, duration))}</span>}
          <Badges timer={timer} />
        </span>
      </a>
      {isEnded && <RecordingLink timer={timer} />}
      {!isEnded && (
        <button
          type="button"
          role="switch"
          class="toggle"
          data-needs="record"
          aria-checked={!disabled}
          aria-label={texts.enabledNamed(title)}
          onClick={() => void switchTimer(timer)}
        />
      )}
      <button
        type="button"
        class="bare"
        data-needs="record"
        aria-label={texts.deleteNamed(title)}
        onClick={() => void removeTimer(timer)}
      >
        <Icon of={Trash2} />
      </button>
    </li>
  );
}

/** Badges of a timer: conflict, failure, repetition and so on. */
function Badges({ timer }: { readonly timer: Timer }) {
  const { timers: texts } = words.value;
  const badges = [
    timer.repeated && daysOf(timer.repeat_mask),
    timer.justplay && texts.justZaps,
    timer.zapbeforerecord && texts.zapsToo,
    timer.tags.includes('AutoTimer') && texts.bySeries,
    timer.disabled && texts.isOff,
  ].filter((badge): badge is string => typeof badge === 'string');
  const isFailed = timer.state === 'ended' && timer.cancelled;
  if (badges.length === 0 && !timer.conflict && !isFailed) return null;
  return (
    <span class="marks">
      {timer.conflict && <b>{texts.inConflict}</b>}
      {isFailed && <b>{texts.failed}</b>}
      {badges.map((badge) => (
        <small key={badge}>{badge}</small>
      ))}
    </span>
  );
}
