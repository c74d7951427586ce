/**
 * Makes or changes a timer. `timer` in the address says which; for a new one `service`, `begin`, `end` and `title` fill
 * the form, so that other pages can link here.
 */
import { useState } from 'preact/hooks';
import { say, troubleOf } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { ChannelPicker, Check, Choice, DaysPicker, FolderPicker, Typed } from '../../shared/pickers.tsx';
import { now, receiver, slowClock } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { dayOf, fieldOf, secondsOf, timeOf } from '../../shared/time.ts';
import { type Contender, changeTimer, conflictOf, removeTimer, stopTimer, type Timer } from '../../shared/timers.ts';
import { words } from '../../shared/words.ts';
import { Conflict } from './conflict.tsx';

export function TimerDialog({ timers }: { readonly timers: readonly Timer[] }) {
  const { timer: wanted } = route.value.query;
  if (!wanted) return null;
  if (wanted === 'new') return <Form key="new" timer={undefined} />;
  const timer = timers.find(({ timer_id }) => timer_id === Number(wanted));
  return timer ? <Form key={timer.timer_id} timer={timer} /> : null;
}

const close = () =>
  change({ timer: undefined, service: undefined, begin: undefined, end: undefined, title: undefined });

type Mode = 'record' | 'zap' | 'both';

interface Draft {
  readonly title: string;
  readonly service: string;
  readonly start: number;
  readonly end: number;
  readonly days: number;
  readonly mode: Mode;
  readonly isEnabled: boolean;
  readonly after: Timer['afterevent'];
  readonly folder: string;
  readonly tags: string;
  readonly text: string;
}

/** Minutes of a new timer. */
const usualLength = 60;

function draftOf(timer: Timer | undefined): Draft {
  if (timer === undefined) {
    const { service = '', begin, end, title = '' } = route.peek().query;
    const start = Number(begin) || now() - (now() % 300) + 300;
    return {
      ...{ title, service, start, end: Number(end) || start + usualLength * 60 },
      ...{ days: 0, mode: 'record', isEnabled: true, after: 'auto', folder: '', tags: '', text: '' },
    };
  }
  const { justplay, zapbeforerecord } = timer;
  return {
    title: timer.title,
    service: timer.service_reference,
    start: timer.start_time,
    end: timer.end_time,
    days: timer.repeat_mask,
    mode: justplay ? 'zap' : zapbeforerecord ? 'both' : 'record',
    isEnabled: !timer.disabled,
    after: timer.afterevent,
    folder: timer.dirname ?? '',
    tags: timer.tags.join(' '),
    text: timer.shortinfo,
  };
}

/** What both requests send. */
const sentOf = (draft: Draft) => ({
  title: draft.title,
  start_time: draft.start,
  end_time: draft.end,
  repeat_mask: draft.days,
  justplay: draft.mode === 'zap',
  zapbeforerecord: draft.mode === 'both',
  disabled: !draft.isEnabled,
  afterevent: draft.after,
  dirname: draft.folder,
  tags: draft.tags,
  shortinfo: draft.text,
});

function Form({ timer }: { readonly timer: Timer | undefined }) {
  const [draft, setDraft] = useState(() => draftOf(timer));
  const [trouble, setTrouble] = useState('');
  const [conflict, setConflict] = useState<readonly Contender[]>([]);
  const { common, timers: said } = words.value;
  // Two changes may come before the form is drawn again.
  const put = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const isRunning = timer?.state === 'running';
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const { service } = draft;
    const isMoved = timer && service !== timer.service_reference;
    try {
      if (timer) await changeTimer(timer, { ...sentOf(draft), ...(isMoved && { service }) });
      else await receiver.post('/timers', { ...sentOf(draft), service_reference: service });
      say(said.saved(draft.title));
      close();
    } catch (error) {
      setConflict(conflictOf(error));
      setTrouble(troubleOf(error));
    }
  };
  const remove = async (act: (timer: Timer) => Promise<void>) => {
    close();
    if (timer) await act(timer);
  };
  return (
    <Dialog title={timer ? timer.title || common.untitled : said.addTitle} onClose={close}>
      <form onSubmit={(event) => void save(event)}>
        <label>
          {said.title}
          <input
            required
            value={draft.title}
            maxLength={250}
            onInput={(event) => put({ title: event.currentTarget.value })}
          />
        </label>
        <ChannelPicker
          label={said.channel}
          value={draft.service}
          disabled={isRunning}
          onPick={(service) => put({ service })}
        />
        <Times draft={draft} timer={timer} onChange={put} />
        {draft.days === 0 && draft.end <= slowClock.value && <p class="hint">{said.isOver}</p>}
        <DaysPicker
          label={said.repeat}
          mask={draft.days}
          onToggle={(bit) => setDraft((before) => ({ ...before, days: before.days ^ bit }))}
        />
        <Choice
          label={said.mode}
          value={draft.mode}
          options={[
            ['record', said.modeRecord],
            ['zap', said.modeZap],
            ['both', said.modeBoth],
          ]}
          onPick={(mode) => put({ mode })}
        />
        <More draft={draft} onChange={put} />
        {timer && !isRunning && (
          <Check label={said.enabled} isOn={draft.isEnabled} onChange={(isEnabled) => put({ isEnabled })} />
        )}
        {conflict.length > 0 && <Conflict contenders={conflict} />}
        <p class="trouble" role="alert">
          {trouble}
        </p>
        <p class="actions" data-needs="record">
          <button type="submit" class="button strong">
            {common.save}
          </button>
          {isRunning && (
            <button type="button" class="button" onClick={() => void remove(stopTimer)}>
              {said.stop}
            </button>
          )}
          {timer && (
            <button type="button" class="button" onClick={() => void remove(removeTimer)}>
              {common.delete}
            </button>
          )}
        </p>
      </form>
      {timer && <Log timer={timer} />}
    </Dialog>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** Begin and end; of a timer for an event also the margins around it. A later begin takes the end with it. */
function Times({ draft, timer, onChange }: PartProps & { readonly timer: Timer | undefined }) {
  const { start, end } = draft;
  const { timers: said } = words.value;
  const isRunning = timer?.state === 'running';
  const event = timer?.event;
  const over = event ? event.start_time + event.duration : 0;
  const isAtEvent = event !== undefined && start < over && event.start_time < end;
  const begin = (value: string) => {
    const seconds = secondsOf(value);
    if (seconds) onChange({ start: seconds, end: seconds + (end - start) });
  };
  const finish = (value: string) => {
    const seconds = secondsOf(value);
    if (seconds) onChange({ end: seconds });
  };
  return (
    <div class="pair">
      <Typed
        label={said.begin}
        type="datetime-local"
        required
        disabled={isRunning}
        value={fieldOf(start)}
        onTake={begin}
      />
      <Typed
        label={said.end}
        type="datetime-local"
        required
        min={fieldOf(start)}
        value={fieldOf(end)}
        onTake={finish}
      />
      {event && isAtEvent && (
        <>
          <Minutes
            label={said.marginBefore}
            value={event.start_time - start}
            disabled={isRunning}
            onChange={(seconds) => onChange({ start: event.start_time - seconds })}
          />
          <Minutes
            label={said.marginAfter}
            value={end - over}
            onChange={(seconds) => onChange({ end: over + seconds })}
          />
        </>
      )}
    </div>
  );
}

interface MinutesProps {
  readonly label: string;
  /** Seconds. */
  readonly value: number;
  readonly disabled?: boolean;
  readonly onChange: (seconds: number) => void;
}

function Minutes({ label, value, disabled = false, onChange }: MinutesProps) {
  return (
    <Typed
      label={label}
      type="number"
      disabled={disabled}
      value={String(Math.round(value / 60))}
      onTake={(minutes) => onChange(Number(minutes) * 60)}
    />
  );
}

function More({ draft, onChange }: PartProps) {
  const { common, timers: said } = words.value;
  return (
    <details class="more">
      <summary>{common.more}</summary>
      <label>
        {said.text}
        <input value={draft.text} maxLength={500} onInput={(event) => onChange({ text: event.currentTarget.value })} />
      </label>
      <Choice
        label={said.after}
        value={draft.after}
        options={[
          ['auto', said.afterAuto],
          ['nothing', said.afterNothing],
          ['standby', said.afterStandby],
          ['deepstandby', said.afterDeepStandby],
        ]}
        onPick={(after) => onChange({ after })}
      />
      <FolderPicker
        label={said.folder}
        value={draft.folder}
        none={said.folderDefault}
        onPick={(folder) => onChange({ folder })}
      />
      <label>
        {said.tags}
        <input
          value={draft.tags}
          maxLength={500}
          placeholder={said.tagsHint}
          onInput={(event) => onChange({ tags: event.currentTarget.value })}
        />
      </label>
    </details>
  );
}

/** What has happened to the timer. */
function Log({ timer: { log_entries: entries } }: { readonly timer: Timer }) {
  if (entries.length === 0) return null;
  return (
    <details class="more">
      <summary>{words.value.timers.history}</summary>
      <ol class="history">
        {entries.map(([time, code, text]) => (
          <li key={`${time} ${code} ${text}`}>
            <time>
              {dayOf(time)} {timeOf(time)}
            </time>{' '}
            {text}
          </li>
        ))}
      </ol>
    </details>
  );
}
