/** One setting: name, sentence, a control for its value, and what became of it. */
import { useId } from 'preact/hooks';
import { words } from '../../shared/words.ts';
import { looks } from './arrangement.ts';
import { Control, type Setting } from './controls.tsx';
import type { Texts } from './texts.ts';

/** A setting with its texts. One that the page does not know has its name in the file, and no sentence. */
export interface NamedSetting extends Setting {
  readonly title: string;
  readonly about: string;
}

interface FieldProps {
  readonly setting: NamedSetting;
  readonly texts: Texts;
  readonly changed: unknown;
  readonly isChanged: boolean;
  /** Error of the value; empty if it is valid. */
  readonly problem: string;
  /** Whether to say why it cannot be changed: unless its card does. */
  readonly isNoted: boolean;
  /** Whether to show the name in the file. */
  readonly hasName: boolean;
  readonly onChange: (to: unknown) => void;
  readonly onUndo: () => void;
}

export function Field({ setting, texts, changed, isChanged, problem, isNoted, hasName, onChange, onUndo }: FieldProps) {
  const { name, title, about, source, fixed } = setting;
  const id = useId();
  const { page } = texts;
  const isReset = isChanged && changed === null;
  // The time zone in use, for example, is that of the machine, while the default is to follow it.
  const given = parsed(source === 'default' && setting.default !== '' ? setting.default : setting.value);
  const notes = [
    isReset && page.willBeReset,
    isChanged && setting.restart && page.needsRestart,
    setting.pending && !isChanged && page.isPending,
    fixed !== '' && isNoted && page[fixedBy[source] ?? 'fixedInFile'],
  ].filter(Boolean);
  return (
    <div class={`setting ${setting.kind === 'boolean' ? 'is-switch' : ''} ${isChanged ? 'changed' : ''}`}>
      <label id={`${id}-name`} for={id}>
        {title}
      </label>
      <div id={`${id}-about`} class="about">
        {about && <p>{about}</p>}
        {hasName && <code>{name}</code>}
        {notes.length > 0 && <p class="note">{notes.join(' · ')}</p>}
      </div>
      <div class="setting-control">
        <Control
          id={id}
          setting={setting}
          name={title}
          look={lookOf(name)}
          texts={texts}
          value={isChanged ? (changed ?? parsed(setting.default)) : given}
          isWrong={problem !== ''}
          onChange={onChange}
        />
      </div>
      {problem && (
        <p class="trouble" role="alert">
          {problem}
        </p>
      )}
      {fixed === '' && (isChanged || source === 'file') && (
        <p class="actions">
          {source === 'file' && !isReset && (
            <button type="button" class="plain" aria-label={`${page.reset}: ${title}`} onClick={() => onChange(null)}>
              {page.reset}
            </button>
          )}
          {isChanged && (
            <button type="button" class="plain" aria-label={page.undoNamed(title)} onClick={onUndo}>
              {words.value.common.undo}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

const fixedBy: Readonly<Record<string, 'fixedByFlag' | 'fixedByEnvironment'>> = {
  flag: 'fixedByFlag',
  environment: 'fixedByEnvironment',
};

const lookOf = (name: string) => looks[name as keyof typeof looks] ?? {};

const parsed = (json: string): unknown => (json === '' ? undefined : JSON.parse(json));
