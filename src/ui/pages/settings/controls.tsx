/** The controls of settings: switch, choice, number with unit, time, text, rows of texts, languages, permissions. */

import { ArrowUp, Minus, Plus, X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { Result } from '../../../client/client.ts';
import { FolderChooser } from '../../shared/folder-chooser.tsx';
import { Icon } from '../../shared/icon.tsx';
import { Options } from '../../shared/options.tsx';
import { numberOf } from '../../shared/time.ts';
import { language, words } from '../../shared/words.ts';
import type { Look } from './arrangement.ts';
import type { Texts } from './texts.ts';

export type Setting = Result<'get', '/api/configuration'>['settings'][number];

export interface ControlProps {
  /** Of the element that the label names. */
  readonly id: string;
  readonly setting: Setting;
  readonly name: string;
  readonly look: Look;
  readonly texts: Texts;
  readonly value: unknown;
  readonly isWrong: boolean;
  readonly onChange: (to: unknown) => void;
}

export function Control(props: ControlProps) {
  const { setting, look } = props;
  if (setting.fixed !== '') return <Fixed {...props} />;
  switch (look.control ?? setting.kind) {
    case 'boolean':
      return <Switch {...props} />;
    case 'word':
      return <Choice {...props} options={setting.words.map((word) => [word, choiceOf(props, word)])} />;
    case 'timeZone':
      return <Choice {...props} options={[['', props.texts.page.machineTimeZone], ...timeZones()]} />;
    case 'integer':
      return <Amount {...props} />;
    case 'languages':
      return <Languages {...props} />;
    case 'permissions':
      return <Choices {...props} of={localPermissions.map((one) => [one, words.value.accounts[one]])} />;
    case 'choices':
      return <Choices {...props} of={choicesOf(props)} />;
    case 'list':
      return <TextRows {...props} />;
    case 'clock':
      return <Text {...props} type="time" />;
    case 'password':
      return <Text {...props} type="password" />;
    default:
      return <Text {...props} type="text" />;
  }
}

/** The label of a value in a choice. */
const choiceOf = (props: ControlProps, word: string) => labelsOf(props)[word] ?? word;

/** The values of a choice, with their labels. */
const choicesOf = (props: ControlProps) => Object.entries(labelsOf(props));

function labelsOf({ setting: { name }, texts }: ControlProps): Readonly<Record<string, string>> {
  const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = texts.choices;
  return choices[name] ?? {};
}

const described = ({ id, isWrong }: ControlProps) =>
  ({ id, 'aria-describedby': `${id}-about`, 'aria-invalid': isWrong }) as const;

/** The value of a setting that cannot be changed here. */
function Fixed(props: ControlProps) {
  const { id, setting, look, texts, value } = props;
  const { kind, secret } = setting;
  const [yes, no] = [words.value.common.on, words.value.common.off];
  const shown = (): ComponentChildren => {
    if (secret) return texts.page.hidden;
    if (kind === 'boolean') return value === true ? yes : no;
    if (kind === 'word') return choiceOf(props, textOf(value));
    if (kind === 'integer' && look.step === 0) return textOf(value);
    if (kind === 'integer') return `${numberOf(Number(value) / (look.factor ?? 1))} ${unitOf(look, value)}`;
    const lines = kind === 'list' ? linesOf(value) : [textOf(value)].filter(Boolean);
    if (lines.length === 0) return texts.page.notSet;
    return lines.map((line) => {
      const label = choiceOf(props, line);
      return label === line ? <code key={line}>{line}</code> : <span key={line}>{label}</span>;
    });
  };
  return (
    <output id={id} class="fixed-value" aria-describedby={`${id}-about`}>
      {shown()}
    </output>
  );
}

function Switch(props: ControlProps) {
  return (
    <input
      {...described(props)}
      class="on-off"
      type="checkbox"
      checked={props.value === true}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}

interface ChoiceProps extends ControlProps {
  readonly options: readonly (readonly [value: string, label: string])[];
}

function Choice({ options, ...props }: ChoiceProps) {
  const value = textOf(props.value);
  const isKnown = options.some(([option]) => option === value);
  return (
    <select {...described(props)} value={value} onChange={(event) => props.onChange(event.currentTarget.value)}>
      {!isKnown && <option value={value}>{value}</option>}
      <Options of={options} />
    </select>
  );
}

const timeZones = () => Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.replaceAll('_', ' ')] as const);

/** A number with its unit, and buttons for less and more. */
function Amount(props: ControlProps) {
  const { setting, name, look, texts, value, onChange } = props;
  const { factor = 1, step = 1 } = look;
  const minimum = (setting.minimum ?? 0) / factor;
  const maximum = (setting.maximum ?? Number.MAX_SAFE_INTEGER) / factor;
  const shown = typeof value === 'number' ? value / factor : undefined;
  const take = (amount: number) => onChange(Number.isNaN(amount) ? '' : Math.round(amount * factor));
  /** The next multiple of the step. */
  const move = (by: 1 | -1) => {
    const steps = (shown ?? minimum) / step;
    const next = (by > 0 ? Math.floor(steps) + 1 : Math.ceil(steps) - 1) * step;
    take(Math.min(maximum, Math.max(minimum, next)));
  };
  const unit = unitOf(look, value);
  const button = (by: 1 | -1) =>
    step > 0 && (
      <button
        type="button"
        class="button"
        aria-label={by > 0 ? texts.page.increase(name) : texts.page.decrease(name)}
        disabled={by > 0 ? shown === maximum : shown === minimum}
        onClick={() => move(by)}
      >
        <Icon of={by > 0 ? Plus : Minus} size={16} />
      </button>
    );
  return (
    <div class="amount">
      {button(-1)}
      <input
        {...described(props)}
        type="number"
        inputMode="decimal"
        required
        step={factor === 1 ? 1 : 'any'}
        min={minimum}
        max={maximum}
        value={shown ?? ''}
        onInput={(event) => take(event.currentTarget.valueAsNumber)}
      />
      {button(1)}
      {unit && <span class="unit">{unit}</span>}
    </div>
  );
}

function Text({ type, ...props }: ControlProps & { readonly type: 'text' | 'password' | 'time' }) {
  const { setting, texts, value, onChange } = props;
  const isOptional = setting.default === '""' || setting.secret;
  return (
    <input
      {...described(props)}
      // Preact's types declare each kind of input separately, but not a union of them.
      type={type as 'text'}
      required={!isOptional}
      autocomplete={type === 'password' ? 'new-password' : 'off'}
      spellcheck={false}
      placeholder={setting.secret ? texts.page.hidden : ''}
      value={type === 'time' ? textOf(value).replace(/^(?=\d:)/, '0') : textOf(value)}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface RowsProps {
  readonly look: Look;
  readonly texts: Texts;
  readonly rows: readonly string[];
  /** The name of a row, for its buttons. */
  readonly nameOf: (row: string, index: number) => string;
  readonly onChange: (to: readonly string[]) => void;
  readonly children: (row: string, index: number) => ComponentChildren;
}

/** Rows that can be removed and, if their order matters, moved up. */
function Rows({ look, texts, rows, nameOf, onChange, children }: RowsProps) {
  return (
    <ol class="rows">
      {rows.map((row, index) => (
        <li key={index}>
          {children(row, index)}
          {look.isOrdered && index > 0 && (
            <button
              type="button"
              class="bare"
              aria-label={texts.page.moveUp(nameOf(row, index))}
              onClick={() =>
                onChange([...rows.slice(0, index - 1), row, rows[index - 1] ?? '', ...rows.slice(index + 1)])
              }
            >
              <Icon of={ArrowUp} size={18} />
            </button>
          )}
          <button
            type="button"
            class="bare"
            aria-label={texts.page.remove(nameOf(row, index))}
            onClick={({ currentTarget }) => {
              // The button disappears with its row.
              currentTarget.closest('.row-list')?.querySelector<HTMLElement>('.button, select')?.focus();
              onChange(rows.filter((_, at) => at !== index));
            }}
          >
            <Icon of={X} size={18} />
          </button>
        </li>
      ))}
    </ol>
  );
}

/** A list of texts, one per row, and a button that adds one. */
function TextRows(props: ControlProps) {
  const { id, setting, name, look, texts, value, onChange } = props;
  const rows = linesOf(value);
  const list = useId();
  const isAdding = useRef(false);
  const add = () => {
    isAdding.current = true;
    onChange([...rows, '']);
  };
  const focusNew = (input: HTMLInputElement | null, index: number) => {
    if (input === null || !isAdding.current || index < rows.length - 1) return;
    isAdding.current = false;
    input.focus();
  };
  return (
    <fieldset id={id} class="row-list" aria-labelledby={`${id}-name`} aria-describedby={`${id}-about`}>
      {setting.secret && rows.length === 0 && <p>{texts.page.hidden}</p>}
      <Rows {...{ look, texts, rows, onChange }} nameOf={(row, index) => row || texts.page.entry(name, index + 1)}>
        {(row, index) => (
          <input
            ref={(input) => focusNew(input, index)}
            type="text"
            aria-label={texts.page.entry(name, index + 1)}
            aria-invalid={props.isWrong}
            spellcheck={false}
            autocomplete="off"
            list={look.suggestions && list}
            value={row}
            onInput={({ currentTarget }) =>
              onChange(rows.map((other, at) => (at === index ? currentTarget.value : other)))
            }
          />
        )}
      </Rows>
      {look.suggestions && (
        <datalist id={list}>
          {look.suggestions.map((text) => (
            <option key={text} value={text} label={choiceOf(props, text)} />
          ))}
        </datalist>
      )}
      {look.isFolder && (
        <FolderChooser
          onChoose={(folder) => onChange([...rows.filter((row) => row !== '' && row !== folder), folder])}
        />
      )}
      {setting.secret && rows.length === 0 ? (
        // The receiver does not send the hidden values, so that new ones cannot be added to them.
        <button type="button" class="button" aria-label={`${texts.page.replaceAll}: ${name}`} onClick={add}>
          {texts.page.replaceAll}
        </button>
      ) : (
        <button type="button" class="button" aria-label={texts.page.addTo(name)} onClick={add}>
          <Icon of={Plus} size={16} /> {texts.page.add}
        </button>
      )}
    </fieldset>
  );
}

/** ISO 639-2 codes of languages in European broadcasts. Another code in the file stays. */
const offered =
  'bul cat ces cym dan deu ell eng est eus fin fra gle glg hrv hun isl ita lav lit mkd mlt nld nor pol por ron rus slk slv spa sqi srp swe tur ukr'.split(
    ' ',
  );

/** An ordered list of languages. */
function Languages({ id, look, texts, value, onChange }: ControlProps) {
  const codes = linesOf(value);
  const others = offered
    .filter((code) => !codes.includes(code))
    .map((code) => [code, languageNameOf(code)] as const)
    .sort(([, a], [, b]) => a.localeCompare(b));
  return (
    <div class="row-list">
      <Rows {...{ look, texts, rows: codes, onChange }} nameOf={languageNameOf}>
        {(code) => <span>{languageNameOf(code)}</span>}
      </Rows>
      <select
        id={id}
        aria-describedby={`${id}-about`}
        value=""
        onChange={({ currentTarget }) => {
          onChange([...codes, currentTarget.value]);
          currentTarget.value = '';
        }}
      >
        <option value="">{texts.page.addLanguage}…</option>
        <Options of={others} />
      </select>
    </div>
  );
}

const localPermissions = ['view', 'control', 'record'] as const;

function Choices({
  id,
  value,
  of: all,
  onChange,
}: ControlProps & { readonly of: readonly (readonly [string, string])[] }) {
  const given = linesOf(value);
  return (
    <fieldset id={id} class="row-list" aria-labelledby={`${id}-name`} aria-describedby={`${id}-about`}>
      {all.map(([choice, label]) => (
        <label key={choice} class="choice">
          <input
            type="checkbox"
            checked={given.includes(choice)}
            onChange={({ currentTarget }) =>
              onChange(
                all.map(([one]) => one).filter((one) => (one === choice ? currentTarget.checked : given.includes(one))),
              )
            }
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** The name of a language, from its ISO 639-2 code. */
const languageNameOf = (code: string) =>
  new Intl.DisplayNames(language.value, { type: 'language', languageDisplay: 'standard' }).of(code) ?? code;

/** The name of the unit that belongs to a value: `minutes`; empty if it has none. */
function unitOf({ unit, factor = 1 }: Look, value: unknown): string {
  if (unit === undefined) return '';
  // The others have no short names that people know.
  const unitDisplay = /bit|byte/.test(unit) ? 'short' : 'long';
  const format = new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay });
  const parts = format.formatToParts(Number(value) / factor || 0);
  return parts.flatMap(({ type, value: text }) => (type === 'unit' ? text : [])).join('');
}

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const linesOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(lineOf) : []);

/** An entry of a list; groups of settings as in the file. */
const lineOf = (entry: unknown) => (typeof entry === 'object' ? JSON.stringify(entry) : String(entry));
