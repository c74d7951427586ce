/** The running timers, with their progress. */
import { CircleStop } from 'lucide';
import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { slowClock } from './receiver.ts';
import { href } from './route.ts';
import { StopQuestion } from './stop-question.tsx';
import { spanOf, timeLeft } from './time.ts';
import { stopTimer, type Timer } from './timers.ts';
import { words } from './words.ts';

export function Running({ timers }: { readonly timers: readonly Timer[] }) {
  const { timers: texts } = words.value;
  const running = timers.filter(({ state }) => state === 'running');
  if (running.length === 0) return null;
  return (
    <section class="day running-now">
      <h2 class="day-head">{texts.running}</h2>
      <ol>
        {running.map((timer) => (
          <RunningTimer key={timer.timer_id} timer={timer} />
        ))}
      </ol>
    </section>
  );
}

function RunningTimer({ timer }: { readonly timer: Timer }) {
  const { title, service_name: channel, start_time: start, end_time: end, duration, justplay } = timer;
  const { timers: texts } = words.value;
  const [asks, setAsks] = useState(false);
  const stop = () => stopTimer(timer);
  const done = Math.min(duration, Math.max(0, slowClock.value - start));
  return (
    <li class="row">
      <span class={`dot ${justplay ? 'zap' : ''}`} aria-hidden="true" />
      <a class="what" href={href('timers', { timer: timer.timer_id })}>
        <span class="where">{channel}</span>
        <strong>{title}</strong>
        <span class="run">
          <progress max={duration || 1} value={done} aria-hidden="true" />
          {spanOf(start, duration)} · {timeLeft(end - slowClock.value)}
        </span>
      </a>
      <button
        type="button"
        class="button"
        data-needs="record"
        aria-label={texts.stopNamed(title)}
        onClick={() => (justplay ? void stop() : setAsks(true))}
      >
        <Icon of={CircleStop} size={16} /> {texts.stop}
      </button>
      {asks && <StopQuestion title={title} onStop={stop} onClose={() => setAsks(false)} />}
    </li>
  );
}
