/** The words of the page in the person's language: the one chosen here before, or else the first that the browser asks for. */
import { signal } from '@preact/signals';
import english, { type Words } from '../languages/en.ts';

export type { Words };

/** Loads of the languages besides English, which is always there. */
const others: Readonly<Record<string, () => Promise<{ readonly default: Words }>>> = {
  de: () => import('../languages/de.ts'),
  es: () => import('../languages/es.ts'),
  fr: () => import('../languages/fr.ts'),
  it: () => import('../languages/it.ts'),
  nl: () => import('../languages/nl.ts'),
  pl: () => import('../languages/pl.ts'),
};

/** Names of the languages in themselves, by code. */
export const languageNames: Readonly<Record<string, string>> = {
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  nl: 'Nederlands',
  pl: 'Polski',
};

const stored = 'language';

export const language = signal('en');
/** Read it in a component to be drawn again when the language changes. */
export const words = signal<Words>(english);

function wanted(): string {
  const chosen = localStorage.getItem(stored);
  const asked = navigator.languages.map((tag) => tag.slice(0, 2));
  return [chosen, ...asked].find((code) => code !== null && code in languageNames) ?? 'en';
}

async function use(code: string): Promise<void> {
  words.value = (await others[code]?.())?.default ?? english;
  language.value = code;
  document.documentElement.lang = code;
}

/** Loads the language before anything is shown. */
export async function startLanguage(): Promise<void> {
  await use(wanted()).catch(() => use('en'));
}

export async function chooseLanguage(code: string): Promise<void> {
  localStorage.setItem(stored, code);
  await use(code);
}
