/** The texts that are loaded with the page. */
import { pageTexts } from '../../shared/page-texts.ts';
import type { Texts } from './languages/en.ts';

export type { Texts };

export const useTexts = pageTexts<Texts>({
  de: () => import('./languages/de.ts'),
  en: () => import('./languages/en.ts'),
  es: () => import('./languages/es.ts'),
  fr: () => import('./languages/fr.ts'),
  it: () => import('./languages/it.ts'),
  nl: () => import('./languages/nl.ts'),
  pl: () => import('./languages/pl.ts'),
});
