/** Texts of a page that are loaded with it, in the language of the page: so that the first visit stays small. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { attempt } from './attempt.ts';
import { language } from './words.ts';

type Loader<Texts> = () => Promise<{ readonly default: Texts }>;

/** Returns a hook for the texts, which are undefined until they are loaded. `loaders`: by the code of the language. */
export function pageTexts<Texts>(loaders: Readonly<Record<string, Loader<Texts>>> & { readonly en: Loader<Texts> }) {
  const loaded = signal<Texts>();
  return (): Texts | undefined => {
    useEffect(() => {
      void attempt(async () => {
        loaded.value = (await (loaders[language.value] ?? loaders.en)()).default;
      });
    }, [language.value]);
    return loaded.value;
  };
}
