/** The texts of the page, loaded with it, in the language of the page. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { attempt } from '../../shared/attempt.ts';
import { language } from '../../shared/words.ts';
import type { Texts } from './languages/en.ts';

export type { Texts };

const english = () => import('./languages/en.ts');
const loaders: Readonly<Record<string, () => Promise<{ readonly default: Texts }>>> = {
  de: () => import('./languages/de.ts'),
  es: () => import('./languages/es.ts'),
  fr: () => import('./languages/fr.ts'),
  it: () => import('./languages/it.ts'),
  nl: () => import('./languages/nl.ts'),
  pl: () => import('./languages/pl.ts'),
};

const loaded = signal<Texts>();

/** Undefined until they are loaded. */
export function useTexts(): Texts | undefined {
  useEffect(() => {
    void attempt(async () => {
      loaded.value = (await (loaders[language.value] ?? english)()).default;
    });
  }, [language.value]);
  return loaded.value;
}
