/**
 * Adds or edits a rule, with a preview of what it would record. `rule` in the address is its id; without it, `title` and
 * `service` fill in a new rule, so other pages can link here.
 */
import { useState } from 'preact/hooks';
import { showToast, troubleOf } from '../../shared/attempt.ts';
import { BouquetDialog } from '../../shared/bouquets.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { Check, Choice, DaysPicker, FolderPicker, Typed } from '../../shared/pickers.tsx';
import { receiver } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { useBouquets } from '../../shared/services.ts';
import { words } from '../../shared/words.ts';
import { Channels, withEntry } from './channels.tsx';
import { Filters } from './filters.tsx';
import { Preview } from './preview.tsx';
import { type Draft, draftOf, newDraft, type Rule, removeRule, sentOf } from './rules.ts';

const close = () => change({ rule: undefined, title: undefined, service: undefined });

export function RuleDialog({ rules }: { readonly rules: readonly Rule[] }) {
  const { rule: wanted, title = '', service = '' } = route.value.query;
  const rule = rules.find(({ id }) => id === Number(wanted));
  if (rule) return <Form key={rule.id} rule={rule} first={draftOf(rule)} />;
  if (wanted === 'new' || (wanted === undefined && title !== ''))
    return <Form key="new" rule={undefined} first={newDraft(title, service)} />;
  return null;
}

interface FormProps {
  readonly rule: Rule | undefined;
  readonly first: Draft;
}

function Form({ rule, first }: FormProps) {
  const [draft, setDraft] = useState(first);
  const [trouble, setTrouble] = useState('');
  const [isChoosing, setChoosing] = useState(false);
  const { value: bouquets = [] } = useBouquets();
  const { common, series } = words.value;
  // Two changes may come before the next render.
  const put = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      if (rule) await receiver.put('/autotimers/{id}', { id: rule.id, ...sentOf(draft) });
      else await receiver.post('/autotimers', sentOf(draft));
      showToast(series.saved(draft.name || draft.match));
      close();
    } catch (error) {
      setTrouble(troubleOf(error));
    }
  };
  const remove = async () => {
    close();
    if (rule) await removeRule(rule);
  };
  return (
    <Dialog title={rule ? rule.name : series.addTitle} onClose={close} keepsEdits>
      <form onSubmit={(event) => void save(event)}>
        <div class="pair">
          <label>
            {series.match}
            <input
              required
              maxLength={250}
              value={draft.match}
              onInput={(event) => put({ match: event.currentTarget.value })}
            />
          </label>
          <Choice
            label={series.searchType}
            value={draft.searchType}
            options={[
              ['partial', series.partial],
              ['exact', series.exact],
              ['start', series.start],
              ['description', series.anywhere],
            ]}
            onPick={(searchType) => put({ searchType })}
          />
        </div>
        <Channels
          draft={draft}
          bouquets={bouquets}
          missing={rule?.missing ?? []}
          onChange={put}
          onAddBouquet={() => setChoosing(true)}
        />
        <Hours draft={draft} onChange={put} />
        <DaysPicker
          label={series.days}
          mask={draft.weekdays}
          onToggle={(bit) => setDraft((before) => ({ ...before, weekdays: before.weekdays ^ bit }))}
        />
        <Repeats draft={draft} onChange={put} />
        <details class="more">
          <summary>{common.more}</summary>
          <Filters label={series.include} filters={draft.include} onChange={(include) => put({ include })} />
          <Filters label={series.exclude} filters={draft.exclude} onChange={(exclude) => put({ exclude })} />
          <Lengths draft={draft} onChange={put} />
          <TimerOptions draft={draft} onChange={put} />
        </details>
        <p class="trouble" role="alert">
          {trouble}
        </p>
        <p class="actions" data-needs="record">
          <button type="submit" class="button strong">
            {common.save}
          </button>
          {rule && (
            <button type="button" class="button" onClick={() => void remove()}>
              {common.delete}
            </button>
          )}
        </p>
      </form>
      <Preview draft={draft} id={rule?.id} />
      {isChoosing && (
        <BouquetDialog
          bouquets={bouquets}
          onClose={() => setChoosing(false)}
          onPick={(bouquet) => {
            setChoosing(false);
            if (bouquet) setDraft((before) => ({ ...before, bouquets: withEntry(before.bouquets, bouquet.reference) }));
          }}
        />
      )}
    </Dialog>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}

function Hours({ draft, onChange }: PartProps) {
  const { series } = words.value;
  return (
    <div class="pair">
      {(['from', 'to'] as const).map((name) => (
        <Typed
          key={name}
          label={series[name]}
          type="time"
          value={draft[name] ?? ''}
          onTake={(time) => onChange({ [name]: time || null })}
        />
      ))}
    </div>
  );
}

function Repeats({ draft, onChange }: PartProps) {
  const { series } = words.value;
  return (
    <div class="pair">
      <Choice
        label={series.repeats}
        value={draft.avoidDuplicates}
        options={[
          ['none', series.repeatsNone],
          ['service', series.repeatsService],
          ['any', series.repeatsAny],
          ['recording', series.repeatsRecording],
        ]}
        onPick={(avoidDuplicates) => onChange({ avoidDuplicates })}
      />
      {draft.avoidDuplicates !== 'none' && (
        <Choice
          label={series.compare}
          value={draft.compare}
          options={[
            ['title', series.compareTitle],
            ['short', series.compareShort],
            ['all', series.compareAll],
          ]}
          onPick={(compare) => onChange({ compare })}
        />
      )}
    </div>
  );
}

/** Limits of length and number of recordings, and margins. */
function Lengths({ draft, onChange }: PartProps) {
  const { series } = words.value;
  const numbers = [
    ['minimumDuration', series.minimumDuration],
    ['maximumDuration', series.maximumDuration],
    ['counter', series.maximumCount],
  ] as const;
  const margins = ['marginBefore', 'marginAfter'] as const;
  return (
    <div class="pair">
      {numbers.map(([name, label]) => (
        <Typed
          key={name}
          label={label}
          type="number"
          min={0}
          max={name === 'counter' ? 1000 : 1440}
          placeholder={series.any}
          value={String(draft[name] || '')}
          onTake={(number) => onChange({ [name]: Number(number) })}
        />
      ))}
      {draft.counter > 0 && (
        <Choice
          label={series.counterPeriod}
          value={draft.counterPeriod}
          options={[
            ['always', series.periodAlways],
            ['month', series.periodMonth],
            ['week', series.periodWeek],
            ['week-from-sunday', series.periodWeekFromSunday],
          ]}
          onPick={(counterPeriod) => onChange({ counterPeriod })}
        />
      )}
      {margins.map((name) => (
        <Typed
          key={name}
          label={series[name]}
          type="number"
          min={0}
          max={120}
          placeholder={series.usual}
          value={String(draft[name] ?? '')}
          onTake={(minutes) => onChange({ [name]: minutes === '' ? null : Number(minutes) })}
        />
      ))}
    </div>
  );
}

/** Name of the rule, and options of the timers it creates. */
function TimerOptions({ draft, onChange }: PartProps) {
  const { series, timers } = words.value;
  return (
    <>
      <label>
        {series.name}
        <input maxLength={250} value={draft.name} onInput={(event) => onChange({ name: event.currentTarget.value })} />
      </label>
      <FolderPicker
        label={timers.folder}
        value={draft.dirname ?? ''}
        none={timers.folderDefault}
        onPick={(folder) => onChange({ dirname: folder || null })}
      />
      <Typed
        label={timers.tags}
        value={draft.tags.join(' ')}
        maxLength={500}
        placeholder={timers.tagsHint}
        onTake={(tags) => onChange({ tags: tags.split(/\s+/).filter(Boolean) })}
      />
      <Check label={timers.modeZap} isOn={draft.justplay} onChange={(justplay) => onChange({ justplay })} />
      <Check label={series.vps} isOn={draft.vps} onChange={(vps) => onChange({ vps })} />
    </>
  );
}
