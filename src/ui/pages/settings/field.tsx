/** One setting: name, description, a field for its value, and the source of the value. */
import type { TextareaHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import type { Result } from '../../../client/client.ts';
import { useTyped } from '../../shared/pickers.tsx';
import { words } from '../../shared/words.ts';

export type Setting = Result<'get', '/api/configuration'>['settings'][number];

interface FieldProps {
  readonly setting: Setting;
  readonly changed: unknown;
  readonly isChanged: boolean;
  /** Error of the value; empty if it is valid. */
  readonly problem: string;
  readonly onChange: (to: unknown) => void;
  readonly onUndo: () => void;
}

export function Field({ setting, changed, isChanged, problem, onChange, onUndo }: FieldProps) {
  const { name, description, secret, source, fixed, allowed, restart, pending } = setting;
  const id = useId();
  const { common, settings: texts } = words.value;
  const isFixed = fixed !== '';
  const isReset = isChanged && changed === null;
  return (
    <div class={`setting ${isChanged ? 'changed' : ''}`}>
      <label for={id}>{name}</label>
      <p id={`${id}-about`} class="about">
        {withCode(description)}
      </p>
      <Control
        id={id}
        setting={setting}
        value={isChanged ? (changed ?? parsed(setting.default)) : parsed(setting.value)}
        isFixed={isFixed}
        isWrong={problem !== ''}
        onChange={onChange}
      />
      <p class="origin">
        {isReset ? texts.willBeReset : texts[source]}
        {isFixed && `: ${fixed}`}
        {secret && ` · ${texts.secret}`}
        {restart ? ` · ${texts.needsRestart}` : ` · ${texts.immediate}`}
        {pending && ` · ${texts.isPending}`}
        {setting.kind !== 'boolean' && setting.kind !== 'word' && ` · ${allowed}`}
      </p>
      {problem && (
        <p class="trouble" role="alert">
          {problem}
        </p>
      )}
      {!isFixed && (
        <p class="actions">
          {source === 'file' && !isReset && (
            <button type="button" class="plain" aria-label={texts.resetNamed(name)} onClick={() => onChange(null)}>
              {texts.reset}
            </button>
          )}
          {isChanged && (
            <button type="button" class="plain" aria-label={texts.undoNamed(name)} onClick={onUndo}>
              {common.undo}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** Renders parts between backticks as code. */
const withCode = (text: string) => text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));

const parsed = (json: string): unknown => (json === '' ? undefined : JSON.parse(json));

interface ControlProps {
  readonly id: string;
  readonly setting: Setting;
  readonly value: unknown;
  readonly isFixed: boolean;
  readonly isWrong: boolean;
  readonly onChange: (to: unknown) => void;
}

function Control({
  id,
  setting: { kind, words: choices, minimum, maximum, secret },
  value,
  isFixed,
  isWrong,
  onChange,
}: ControlProps) {
  const placeholder = secret ? words.value.settings.secret : '';
  const common = {
    id,
    disabled: isFixed,
    'aria-describedby': `${id}-about`,
    'aria-invalid': isWrong,
  } as const;
  switch (kind) {
    case 'boolean':
      return (
        <input
          {...common}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'word':
      return (
        <select {...common} value={textOf(value)} onChange={(event) => onChange(event.currentTarget.value)}>
          {choices.map((word) => (
            <option key={word} value={word}>
              {word}
            </option>
          ))}
        </select>
      );
    case 'integer':
      return (
        <input
          {...common}
          type="number"
          required
          step={1}
          {...(minimum !== null && { min: minimum })}
          {...(maximum !== null && { max: maximum })}
          value={textOf(value)}
          onInput={(event) => onChange(event.currentTarget.value === '' ? '' : event.currentTarget.valueAsNumber)}
        />
      );
    case 'list':
      return (
        <Lines
          {...common}
          placeholder={placeholder || words.value.settings.onePerLine}
          lines={linesOf(value)}
          onTake={onChange}
        />
      );
    case 'text':
      return (
        <input
          {...common}
          type="text"
          placeholder={placeholder}
          value={textOf(value)}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

interface LinesProps extends Omit<TextareaHTMLAttributes, 'value'> {
  readonly lines: readonly string[];
  readonly onTake: (lines: readonly string[]) => void;
}

function Lines({ lines, onTake, ...rest }: LinesProps) {
  const typed = useTyped(lines.join('\n'), (text) => onTake(text.split('\n').flatMap((line) => line.trim() || [])));
  return <textarea {...rest} rows={Math.min(8, Math.max(2, lines.length))} {...typed} />;
}

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const linesOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
