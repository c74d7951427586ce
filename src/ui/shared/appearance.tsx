/** The language and the colours of the page, which this browser remembers. */
import { useState } from 'preact/hooks';
import { attempt } from './attempt.ts';
import { Options } from './options.tsx';
import { chooseLanguage, language, languageNames, words } from './words.ts';

interface ChoiceProps {
  /** Whether the label can be seen. */
  readonly hasLabel?: boolean;
}

/** `theme.ts` applies the choice. */
export function ThemeChoice({ hasLabel = false }: ChoiceProps) {
  const { app } = words.value;
  const [chosen, setChosen] = useState(localStorage.getItem('theme') ?? 'system');
  const choose = (theme: string) => {
    setChosen(theme);
    localStorage.setItem('theme', theme);
    dispatchEvent(new Event('theme'));
  };
  return (
    <label>
      <span class={hasLabel ? '' : 'unseen'}>{app.theme}</span>
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="system">{app.themeSystem}</option>
        <option value="light">{app.themeLight}</option>
        <option value="dark">{app.themeDark}</option>
      </select>
    </label>
  );
}

export function LanguageChoice({ hasLabel = false }: ChoiceProps) {
  return (
    <label>
      <span class={hasLabel ? '' : 'unseen'}>{words.value.app.language}</span>
      <select
        value={language.value}
        onChange={(event) => void attempt(() => chooseLanguage(event.currentTarget.value))}
      >
        <Options of={Object.entries(languageNames)} />
      </select>
    </label>
  );
}
