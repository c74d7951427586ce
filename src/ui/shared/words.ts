/** The texts of the page, in the language chosen on this browser before, or else in the browser's first known language. */
import { signal } from '@preact/signals';
import english, { type Words } from '../languages/en.ts';

export type { Words };

/** Loaders of the languages other than English, which is part of the main bundle. */
const loaders: Readonly<Record<string, () => Promise<{ readonly default: Words }>>> = {
  de: () => import('../languages/de.ts'),
  es: () => import('../languages/es.ts'),
  fr: () => import('../languages/fr.ts'),
  it: () => import('../languages/it.ts'),
  nl: () => import('../languages/nl.ts'),
  pl: () => import('../languages/pl.ts'),
};

/** Name of each language in that language, by code. */
export const languageNames: Readonly<Record<string, string>> = {
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  nl: 'Nederlands',
  pl: 'Polski',
};

const storageKey = 'language';

/** Adds a full stop, unless the text ends with a mark already: as `is it switched on?`, or times such as `1:43 p. m.`. */
export const sentence = (text: string): string => ('.!?…'.includes(text.at(-1) ?? '') ? text : `${text}.`);

export const language = signal('en');
/** Components that read it re-render when the language changes. */
export const words = signal<Words>(english);

function preferredLanguage(): string {
  const chosen = localStorage.getItem(storageKey);
  const requested = navigator.languages.map((tag) => tag.slice(0, 2));
  return [chosen, ...requested].find((code) => code !== null && code in languageNames) ?? 'en';
}

async function use(code: string): Promise<void> {
  words.value = (await loaders[code]?.())?.default ?? english;
  language.value = code;
  document.documentElement.lang = code;
}

/** Loads the language before the first render; English if that fails. */
export async function startLanguage(): Promise<void> {
  await use(preferredLanguage()).catch(() => use('en'));
}

export async function chooseLanguage(code: string): Promise<void> {
  localStorage.setItem(storageKey, code);
  await use(code);
}
