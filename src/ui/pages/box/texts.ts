/** The texts that are loaded with the page. */
import { pageTexts } from '../../shared/page-texts.ts';
import type { Texts } from './languages/en.ts';

export type { Texts };

export const useTexts = pageTexts<Texts>((code) => import(`./languages/${code}.ts`));
