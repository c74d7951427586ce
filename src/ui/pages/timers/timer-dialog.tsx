/**
 * Adds or edits a timer. `timer` in the address is its id or `new`; for a new one, `service`, `begin`, `end` and `title` fill
 * in the form, so other pages can link here.
 */
import { useState } from 'preact/hooks';
import { showToast, troubleOf } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { ChannelPicker, Check, Choice, DaysPicker, FolderPicker, Typed } from '../../shared/pickers.tsx';
import { now, receiver, slowClock } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { StopQuestion } from '../../shared/stop-question.tsx';
import { fieldOf, momentOf, secondsOf, spanOf } from '../../shared/time.ts';
import { type Contender, changeTimer, conflictOf, removeTimer, stopTimer, type Timer } from '../../shared/timers.ts';
import { words } from '../../shared/words.ts';
import { Conflict } from './conflict.tsx';
import { planOf } from './margins.ts';
import { RecordingLink } from './recording-link.tsx';

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
  /** Margins in seconds; undefined for a timer that records a period. */
  readonly marginBefore: number | undefined;
  readonly marginAfter: number | undefined;
  readonly days: number;
  readonly mode: Mode;
  readonly isEnabled: boolean;
  readonly after: Timer['afterevent'];
  readonly folder: string;
  readonly tags: string;
  readonly text: string;
}

/** Length of a new timer. */
const defaultLengthSeconds = 3600;

function draftOf(timer: Timer | undefined): Draft {
  if (timer === undefined) {
    const { service = '', begin, end, title = '' } = route.peek().query;
    const start = Number(begin) || now() - (now() % 300) + 300;
    return {
      ...{ title, service, start, end: Number(end) || start + defaultLengthSeconds },
      ...{
        marginBefore: undefined,
        marginAfter: undefined,
        days: 0,
        mode: 'record',
        isEnabled: true,
        after: 'auto',
        folder: '',
        tags: '',
        text: '',
      },
    };
  }
  const { justplay, zapbeforerecord } = timer;
  const { start, end, before, after } = planOf(timer);
  return {
    title: timer.title,
    service: timer.service_reference,
    ...{ start, end, marginBefore: before, marginAfter: after },
    days: timer.repeat_mask,
    mode: justplay ? 'zap' : zapbeforerecord ? 'both' : 'record',
    isEnabled: !timer.disabled,
    after: timer.afterevent,
    folder: timer.dirname ?? '',
    tags: timer.tags.join(' '),
    text: timer.shortinfo,
  };
}

/** The recorded period, with the margins. */
const periodOf = ({ start, end, marginBefore = 0, marginAfter = 0 }: Draft) => ({
  begin: start - marginBefore,
  end: end + marginAfter,
});

/** Parameters of both requests, to add and to change. */
const sentOf = (draft: Draft) => ({
  title: draft.title,
  start_time: periodOf(draft).begin,
  end_time: periodOf(draft).end,
  ...(draft.marginBefore !== undefined && { margin_before: draft.marginBefore }),
  ...(draft.marginAfter !== undefined && { margin_after: draft.marginAfter }),
  repeat_mask: draft.days,
  justplay: draft.mode === 'zap',
  zapbeforerecord: draft.mode === 'both',
  disabled: !draft.isEnabled,
  afterevent: draft.after,
  dirname: draft.folder,
  tags: draft.tags,
  shortinfo: draft.text,
});

/** Stops a timer, or deletes it. */
type End = (timer: Timer) => Promise<void>;

function Form({ timer }: { readonly timer: Timer | undefined }) {
  const [draft, setDraft] = useState(() => draftOf(timer));
  const [trouble, setTrouble] = useState('');
  const [conflict, setConflict] = useState<readonly Contender[]>([]);
  const [asked, setAsked] = useState<End>();
  const { common, timers: texts } = words.value;
  // Two changes may come before the next render.
  const put = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const isRunning = timer?.state === 'running';
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const { service } = draft;
    const isMoved = timer && service !== timer.service_reference;
    try {
      if (timer) await changeTimer(timer, { ...sentOf(draft), ...(isMoved && { service }) });
      else await receiver.post('/timers', { ...sentOf(draft), service_reference: service });
      showToast(texts.saved(draft.title));
      close();
    } catch (error) {
      setConflict(conflictOf(error));
      setTrouble(troubleOf(error));
    }
  };
  const end = async (act: End) => {
    close();
    if (timer) await act(timer);
  };
  const askToEnd = (act: End) => (isRunning && !timer.justplay ? setAsked(() => act) : void end(act));
  return (
    <Dialog title={timer ? timer.title || common.untitled : texts.addTitle} onClose={close} keepsEdits>
      <form onSubmit={(event) => void save(event)}>
        <label>
          {texts.title}
          <input
            required
            value={draft.title}
            maxLength={250}
            onInput={(event) => put({ title: event.currentTarget.value })}
          />
        </label>
        <ChannelPicker
          label={texts.channel}
          value={draft.service}
          disabled={isRunning}
          onPick={(service) => put({ service })}
        />
        <Times draft={draft} timer={timer} onChange={put} />
        {draft.days === 0 && periodOf(draft).end <= slowClock.value && <p class="hint">{texts.isOver}</p>}
        <DaysPicker
          label={texts.repeat}
          mask={draft.days}
          onToggle={(bit) => setDraft((before) => ({ ...before, days: before.days ^ bit }))}
        />
        <Choice
          label={texts.mode}
          value={draft.mode}
          options={[
            ['record', texts.modeRecord],
            ['zap', texts.modeZap],
            ['both', texts.modeBoth],
          ]}
          onPick={(mode) => put({ mode })}
        />
        <More draft={draft} onChange={put} />
        {timer && !isRunning && (
          <Check label={texts.enabled} isOn={draft.isEnabled} onChange={(isEnabled) => put({ isEnabled })} />
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
            <button type="button" class="button" onClick={() => askToEnd(stopTimer)}>
              {texts.stop}
            </button>
          )}
          {timer && (
            <button type="button" class="button" onClick={() => askToEnd(removeTimer)}>
              {common.delete}
            </button>
          )}
        </p>
      </form>
      {timer && <RecordingLink timer={timer} />}
      {timer && <History timer={timer} />}
      {timer && asked && (
        <StopQuestion title={timer.title} onStop={() => end(asked)} onClose={() => setAsked(undefined)} />
      )}
    </Dialog>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** Start and end of the programme, its margins, and what follows from them. A new start moves the end too. */
function Times({ draft, timer, onChange }: PartProps & { readonly timer: Timer | undefined }) {
  const { start, end, marginBefore, marginAfter } = draft;
  const { timers: texts } = words.value;
  const isRunning = timer?.state === 'running';
  const period = periodOf(draft);
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
        label={texts.begin}
        type="datetime-local"
        required
        disabled={isRunning}
        value={fieldOf(start)}
        onTake={begin}
      />
      <Typed
        label={texts.end}
        type="datetime-local"
        required
        min={fieldOf(start)}
        value={fieldOf(end)}
        onTake={finish}
      />
      {marginBefore !== undefined && marginAfter !== undefined && (
        <>
          <Minutes
            label={texts.marginBefore}
            value={marginBefore}
            disabled={isRunning}
            onChange={(seconds) => onChange({ marginBefore: seconds })}
          />
          <Minutes
            label={texts.marginAfter}
            value={marginAfter}
            onChange={(seconds) => onChange({ marginAfter: seconds })}
          />
          <p class="hint" role="status">
            {texts.records(spanOf(period.begin, period.end - period.begin))}
          </p>
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
      min={0}
      disabled={disabled}
      value={String(Math.round(value / 60))}
      onTake={(minutes) => onChange(Number(minutes) * 60)}
    />
  );
}

function More({ draft, onChange }: PartProps) {
  const { common, timers: texts } = words.value;
  return (
    <details class="more">
      <summary>{common.more}</summary>
      <label>
        {texts.text}
        <input value={draft.text} maxLength={500} onInput={(event) => onChange({ text: event.currentTarget.value })} />
      </label>
      <Choice
        label={texts.after}
        value={draft.after}
        options={[
          ['auto', texts.afterAuto],
          ['nothing', texts.afterNothing],
          ['standby', texts.afterStandby],
          ['deepstandby', texts.afterDeepStandby],
        ]}
        onPick={(after) => onChange({ after })}
      />
      <FolderPicker
        label={texts.folder}
        value={draft.folder}
        none={texts.folderDefault}
        onPick={(folder) => onChange({ folder })}
      />
      <label>
        {texts.tags}
        <input
          value={draft.tags}
          maxLength={500}
          placeholder={texts.tagsHint}
          onInput={(event) => onChange({ tags: event.currentTarget.value })}
        />
      </label>
    </details>
  );
}

/** The history of a timer. */
function History({ timer: { log_entries: entries } }: { readonly timer: Timer }) {
  if (entries.length === 0) return null;
  return (
    <details class="more">
      <summary>{words.value.timers.history}</summary>
      <ol class="history">
        {entries.map(([time, code, text]) => (
          <li key={`${time} ${code} ${text}`}>
            <time>{momentOf(time)}</time> {text}
          </li>
        ))}
      </ol>
    </details>
  );
}
