/** The texts of the assistant, which are loaded with it. */
import { pageTexts } from '../../shared/page-texts.ts';
import { words } from '../../shared/words.ts';
import type { Texts } from './languages/en.ts';

export type { Texts };

export const useTexts = pageTexts<Texts>((code) => import(`./languages/${code}.ts`));

/** All texts of the assistant, in its steps: they are shown once `useTexts` has loaded them. */
export const setupWords = () => ({ ...words.value.setup, ...(useTexts.loaded.value as Texts) });
