/** The end of the log, newest line first, and the log level. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Result } from '../../../client/client.ts';
import { attempt } from '../../shared/attempt.ts';
import { Empty } from '../../shared/empty.tsx';
import { Options } from '../../shared/options.tsx';
import { receiver } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { dayOf, preciseTimeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

type Line = Result<'get', '/api/log'>['lines'][number];
type Level = Line['level'];

/** The most severe first. */
const levels: readonly Level[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'];
const pollDelayMs = 2000;
/** As many lines as the receiver keeps. */
const maxLines = 500;

export function Log() {
  const { lines, trouble } = useLines();
  const { box } = words.value;
  const minLevel = levels.find((level) => level === route.value.query.level) ?? 'trace';
  const isShown = ({ level }: Line) => levels.indexOf(level) <= levels.indexOf(minLevel);
  const shown = lines.filter(isShown).reverse();
  return (
    <>
      <div class="fields">
        <LogLevelSelect />
        <label>
          {box.show}
          <select
            value={minLevel}
            onChange={(event) => change({ level: event.currentTarget.value }, { replace: true })}
          >
            <Options of={levels.map((level) => [level, level === 'trace' ? box.everything : box.from(box[level])])} />
          </select>
        </label>
      </div>
      {trouble && <Empty text={trouble} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it */}
      <section class="card log" role="log" aria-label={box.log} tabIndex={0}>
        {shown.map(({ number, time, level, text }) => (
          <p key={number} class={level}>
            <time dateTime={new Date(time * 1000).toISOString()} title={dayOf(time)}>
              {preciseTimeOf(time)}
            </time>
            <span class="level">{box[level]}</span>
            <span class="text">{text}</span>
          </p>
        ))}
      </section>
    </>
  );
}

/** The lines so far. Each request loads only new ones. */
function useLines(): { readonly lines: readonly Line[]; readonly trouble: string } {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const last = useRef(0);
  const { value, trouble } = useResponse(
    (signal) => receiver.get('/api/log', { after: last.current }, { signal }),
    [],
    [],
    () => pollDelayMs,
  );
  useEffect(() => {
    const added = value?.lines.filter(({ number }) => number > last.current) ?? [];
    if (added.length === 0) return;
    last.current = added.at(-1)?.number ?? 0;
    setLines((before) => [...before, ...added].slice(-maxLines));
  }, [value]);
  return { lines, trouble };
}

function LogLevelSelect() {
  const { value, reload } = useResponse((signal) => receiver.get('/api/loglevel', {}, { signal }), []);
  const { box } = words.value;
  const set = async (level: string) => {
    const wanted = levels.find((one) => one === level);
    if (wanted) await attempt(() => receiver.post('/api/loglevel', { level: wanted }));
    await reload();
  };
  return (
    <label>
      {box.logLevel}
      <select value={value?.level} onChange={(event) => void set(event.currentTarget.value)}>
        <Options of={levels.map((level) => [level, box.from(box[level])])} />
        {value?.level === 'silent' && <option value="silent">{box.silent}</option>}
      </select>
    </label>
  );
}
