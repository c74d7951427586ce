/** The rules that record series: a list, a form with a preview, import and export. */
import { Download, Plus, Trash2, Upload } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { AutoTimerImport } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { Empty } from '../../shared/empty.tsx';
import { Icon } from '../../shared/icon.tsx';
import { daysOf } from '../../shared/pickers.tsx';
import { receiver } from '../../shared/receiver.ts';
import { change, hrefHere } from '../../shared/route.ts';
import { words } from '../../shared/words.ts';
import { RuleDialog } from './rule-dialog.tsx';
import { type Rule, removeRule, switchRule, useRules } from './rules.ts';

export default function Series() {
  const { value: rules, trouble } = useRules();
  const { app, series } = words.value;
  return (
    <section>
      <div class="page-head">
        <h1>{app.series}</h1>
        <button type="button" class="button strong" data-needs="record" onClick={() => change({ rule: 'new' })}>
          <Icon of={Plus} size={16} /> {series.add}
        </button>
      </div>
      {trouble && <Empty text={trouble} />}
      {rules?.length === 0 && <Empty title={series.noneTitle} text={series.noneText} />}
      {rules && rules.length > 0 && (
        <ol class="list">
          {rules.map((rule) => (
            <Row key={rule.id} rule={rule} />
          ))}
        </ol>
      )}
      <ImportExport />
      {rules && <RuleDialog rules={rules} />}
    </section>
  );
}

function Row({ rule }: { readonly rule: Rule }) {
  const { id, name, match, enabled, timers, missing, weekdays, from, to } = rule;
  const { series } = words.value;
  const facts = [
    name === match ? '' : series.looksFor(match),
    daysOf(weekdays),
    from || to ? `${from ?? '00:00'} – ${to ?? '24:00'}` : '',
  ].filter(Boolean);
  return (
    <li class={`row ${enabled ? '' : 'disabled'}`}>
      <a class="event rule" href={hrefHere({ rule: id })}>
        <span class="what">
          <strong>{name}</strong>
          {facts.length > 0 && <span class="sub">{facts.join(' · ')}</span>}
          <span class="sub">{series.timers(timers)}</span>
          {missing.length > 0 && <span class="sub gone">{series.missing(missing.length)}</span>}
        </span>
      </a>
      <button
        type="button"
        role="switch"
        class="toggle"
        data-needs="record"
        aria-checked={enabled}
        aria-label={series.enabledNamed(name)}
        onClick={() => void switchRule(rule)}
      />
      <button
        type="button"
        class="bare"
        data-needs="record"
        aria-label={series.deleteNamed(name)}
        onClick={() => void removeRule(rule)}
      >
        <Icon of={Trash2} />
      </button>
    </li>
  );
}

/** Imports and exports the rules as an `autotimer.xml` of Enigma2. */
function ImportExport() {
  const field = useRef<HTMLInputElement>(null);
  const [report, setReport] = useState<AutoTimerImport>();
  const { series } = words.value;
  const load = async (file: File | undefined) => {
    if (file === undefined) return;
    const done = await attempt(() => receiver.post('/autotimers/import', {}, { body: file }));
    if (field.current) field.current.value = '';
    if (done === undefined) return;
    if (done.left_out.length > 0) setReport(done);
    else showToast(series.imported(done.imported));
  };
  return (
    <div class="links files">
      <button type="button" class="button" data-needs="record" onClick={() => field.current?.click()}>
        <Icon of={Upload} size={16} /> {series.import}
      </button>
      <input
        ref={field}
        hidden
        type="file"
        accept=".xml,application/xml,text/xml"
        aria-label={series.import}
        onChange={(event) => void load(event.currentTarget.files?.[0])}
      />
      <a class="button" href={receiver.address('/autotimers.xml')} download="autotimer.xml">
        <Icon of={Download} size={16} /> {series.export}
      </a>
      {report && (
        <Dialog title={series.imported(report.imported)} onClose={() => setReport(undefined)}>
          <p>{series.leftOut}</p>
          <ul>
            {report.left_out.map(({ line, rule, message }) => (
              <li key={`${line} ${message}`}>
                <b>{rule}</b> ({series.line(line)}): {message}
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </div>
  );
}
