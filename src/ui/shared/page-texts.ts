/** Texts of a page that are loaded with it, in the language of the page: so that the first visit stays small. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { attempt } from './attempt.ts';
import { language } from './words.ts';

/**
 * Returns a hook for the texts, which are undefined until they are loaded, and the signal that has them. `load`: takes the
 * code of a language.
 */
export function pageTexts<Texts>(load: (code: string) => Promise<{ readonly default: Texts }>) {
  const loaded = signal<Texts>();
  const use = (): Texts | undefined => {
    useEffect(() => {
      void attempt(async () => {
        loaded.value = (await load(language.value)).default;
      });
    }, [language.value]);
    return loaded.value;
  };
  return Object.assign(use, { loaded });
}
